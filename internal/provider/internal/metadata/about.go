package metadata

// AboutObject describes custom_metadata of a kind of object, named by a noun.
func AboutObject(noun string) string {
	return "Your own data on the " + noun + ": an object with any nesting. This configuration owns the keys it " +
		"names, at any depth; keys of other systems stay and are not reported as drift (see " +
		"`custom_metadata_mode`, and [the guide on ownership](../guides/custom-metadata.md)). A key that you " +
		"remove from the configuration is removed from the " + noun + "; the first apply " +
		"after an import removes none. It is stored in state and shown in plans: do not put secrets in it."
}

// Descriptions of the attributes beside it.
const (
	AboutMode = "Ownership of `custom_metadata`. `merge`: this configuration owns only the keys it names. " +
		"`replace`: this configuration is authoritative for the whole object, and keys that other systems add " +
		"are drift that the next apply removes. Defaults to `merge`. A change to `replace` removes the existing " +
		"keys of other systems, and the plan shows it."
	AboutEffective = "The whole `custom_metadata` at the service, including the keys of other systems and of the " +
		"provider's `default_custom_metadata`, as a JSON string; decode it with `jsondecode`."
)
