package metadata

// AboutObject describes custom_metadata of a kind of object, named by a noun.
func AboutObject(noun string) string {
	return "Your own data on the " + noun + ", as an object. [You own the keys you name](../guides/custom-metadata.md); " +
		"keys of other systems stay. It is stored in state: no secrets."
}

// Descriptions of the attributes beside it.
const (
	AboutMode = "`merge`: this configuration owns the keys of `custom_metadata` that it names. `replace`: it owns the " +
		"whole object, and the next apply removes the keys of other systems. Defaults to `merge`."
	AboutEffective = "The whole `custom_metadata` at the service, as a JSON string."
)
