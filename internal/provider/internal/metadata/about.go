package metadata

// AboutObject describes custom_metadata of a kind of object, named by a noun.
func AboutObject(noun string) string {
	return "Your own data on the " + noun + ", as an object. This configuration owns the keys it names; keys of other " +
		"systems stay (see [ownership](../guides/custom-metadata.md)). A key that you remove is removed from the " +
		noun + ". It is stored in state: no secrets."
}

// Descriptions of the attributes beside it.
const (
	AboutMode = "Ownership of `custom_metadata`. `merge`: this configuration owns only the keys it names. " +
		"`replace`: it is authoritative for the whole object, and the next apply removes keys of other systems, " +
		"as its plan shows. Defaults to `merge`."
	AboutEffective = "The whole `custom_metadata` at the service, including the keys of other systems and of the " +
		"provider's `default_custom_metadata`, as a JSON string."
)
