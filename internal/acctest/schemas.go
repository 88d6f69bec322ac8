package acctest

import "github.com/hashicorp/terraform-plugin-go/tfprotov6"

// ResourceSchemas are the schemas of the provider's resources by their types.
func ResourceSchemas() map[string]*tfprotov6.Schema {
	return typesOf(ok(Factories["billing"]())).ResourceSchemas
}
