package metadata

// AboutObject describes custom_metadata of a kind of object, named by a noun.
func AboutObject(noun string) string {
	return "Your own data on the " + noun + ": any object, nested at will. This configuration owns the keys it names, at any depth; keys that " +
		"other systems put there stay and are no drift (see `custom_metadata_mode`). A key taken out of the configuration is removed from the " + noun + "."
}

// Descriptions of the attributes beside it.
const (
	AboutMode = "`merge` (default): this configuration owns only the keys it names. `replace`: it owns the whole object, and keys that others " +
		"add are drift that the next apply removes."
	AboutEffective = "The whole object as the service has it, with the keys of others and of the provider's `default_custom_metadata`, as JSON text; read it with `jsondecode`."
)
