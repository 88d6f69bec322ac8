package metadata

// AboutObject describes custom_metadata of a kind of object, named by a noun.
func AboutObject(noun string) string {
	return "Your own data on the " + noun + ": any object, nested at will. This configuration owns the keys it " +
		"names, at any depth; keys that other systems put there stay and are no drift (see `custom_metadata_mode`, " +
		"and [the guide on ownership](../guides/custom-metadata)). A key taken out of the configuration is removed " +
		"from the " + noun + "; the first apply after an import removes none. All of it stands in the state and in " +
		"plans, so it is no place for secrets."
}

// Descriptions of the attributes beside it.
const (
	AboutMode = "`merge` (default): this configuration owns only the keys it names. `replace`: it owns the whole " +
		"object, and keys that others add are drift that the next apply removes. A change to `replace` removes what " +
		"others have put there so far, and the plan shows it."
	AboutEffective = "The whole `custom_metadata` as the service has it, with the keys of others and of the " +
		"provider's `default_custom_metadata`, as JSON text; read it with `jsondecode`."
)
