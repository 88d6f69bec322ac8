package billingaccount_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccAccount_ignoreChanges: the apply leaves alone what the plan left alone. Terraform applies ignore_changes to
// the configuration of a plan only.
func TestAccAccount_ignoreChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ ignore, want, released string }{
		"a key": {"[custom_metadata.score]", `{"by":"2","deep":{"x":"b","y":"b"},"score":"CRM","team":"b","theirs":1}`,
			`{"by":"2","deep":{"x":"b","y":"b"},"score":"b","team":"b","theirs":1}`},
		"a key inside": {"[custom_metadata.deep.x]",
			`{"by":"2","deep":{"x":"CRM","y":"b"},"score":"b","team":"b","theirs":1}`,
			`{"by":"2","deep":{"x":"b","y":"b"},"score":"b","team":"b","theirs":1}`},
		"the object": {"[custom_metadata]", `{"by":"2","deep":{"x":"CRM","y":"a"},"score":"CRM","team":"a","theirs":1}`,
			`{"by":"2","deep":{"x":"b","y":"b"},"score":"b","team":"b","theirs":1}`},
		"all": {"all", `{"by":"2","deep":{"x":"CRM","y":"a"},"score":"CRM","team":"a","theirs":1}`,
			`{"by":"2","deep":{"x":"b","y":"b"},"score":"b","team":"b","theirs":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			config := func(value, by, lifecycle string) string {
				lines := strings.ReplaceAll(`custom_metadata = { score = "%", team = "%", deep = { x = "%", y = "%" } }
  billing_email = "%@example.com"
`, "%", value)
				return service.Config(account(lines+lifecycle), `default_custom_metadata = { by = "`+by+`" }`)
			}
			has := func(want string) resource.TestCheckFunc {
				return func(*terraform.State) error {
					encoded, err := json.Marshal(service.Must("GET", "/v1/billing-accounts/"+live(t, service), nil)["custom_metadata"])
					if string(encoded) != want {
						t.Errorf("the service has %s, want %s", encoded, want)
					}
					return err
				}
			}
			foreign := acctest.JSON{"theirs": 1, "score": "CRM", "deep": acctest.JSON{"x": "CRM"}}
			switch c.ignore {
			case "[custom_metadata.score]":
				delete(foreign, "deep")
			case "[custom_metadata.deep.x]":
				delete(foreign, "score")
			}
			ignoring := "lifecycle { ignore_changes = " + c.ignore + " }"
			run(t,
				resource.TestStep{Config: config("a", "1", ignoring)},
				resource.TestStep{PreConfig: func() {
					service.Must("PATCH", "/v1/billing-accounts/"+live(t, service), acctest.JSON{"custom_metadata_mode": "merge",
						"custom_metadata": foreign})
				}, Config: config("b", "2", ignoring), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
					Check: has(c.want)},
				emptyPlan(config("b", "2", ignoring)),
				resource.TestStep{Config: config("b", "2", ""), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
					Check: has(c.released)},
				// What was owned all the time is owned still, and what never was stays.
				resource.TestStep{Config: service.Config(account("")), Check: has(`{"theirs":1}`)},
			)
		})
	}
}
