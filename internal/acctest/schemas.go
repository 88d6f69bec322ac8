package acctest

import "github.com/hashicorp/terraform-plugin-go/tfprotov6"

// ResourceSchemas returns the schemas of the provider's resources by type.
func ResourceSchemas() map[string]*tfprotov6.Schema {
	return typesOf(ok(Factories["billing"]())).ResourceSchemas
}
