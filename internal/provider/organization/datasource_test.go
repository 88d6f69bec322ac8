package organization_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const config = `data "billing_organization" "me" {}`

// TestAccOrganization_read: the data source says whose token this is, in every field that the service describes.
func TestAccOrganization_read(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	_, me := service.Call("GET", "/v1/me", nil)
	var checks []statecheck.StateCheck
	for _, name := range []string{"id", "name", "email", "document_type", "document_number", "environment", "created_at"} {
		checks = append(checks, statecheck.ExpectKnownValue("data.billing_organization.me", tfjsonpath.New(name),
			knownvalue.StringExact(me[name].(string))))
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{{Config: service.Config(config), ConfigStateChecks: checks}}})
}

// TestAccOrganization_refused: a service that fails is named with what to do and the Request-Id.
func TestAccOrganization_refused(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a failure is made on purpose")
	service.Sandbox.AddFault(sandbox.Fault{Operation: "me.get", Status: 500})
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{{Config: service.Config(config, "max_retries = 0"),
			ExpectError: regexp.MustCompile(
				`(?s)Could not read the organization of the token.*few\s+minutes.*Request-Id: [0-9a-f-]{36}`)}}})
}
