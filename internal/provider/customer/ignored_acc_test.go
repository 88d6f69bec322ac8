package customer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccCustomer_ignoreChanges: the apply leaves alone what the plan left alone. Terraform applies ignore_changes to
// the configuration of a plan only, so an update that reads the configuration overwrites what another system wrote.
func TestAccCustomer_ignoreChanges(t *testing.T) {
	t.Parallel()
	const written = `score = "%", team = "%", limits = { seats = "%", calls = "%" }`
	for name, c := range map[string]struct {
		ignore string
		// want is the object at the service after the configuration has changed from a to b and the defaults from 1 to 2.
		want string
		// owned is the object after ignore_changes was removed: everything the configuration names is as it says.
		released string
	}{
		"a key": {"custom_metadata.score",
			`{"by":"2","score":"CRM","team":"b","limits":{"seats":"b","calls":"b"},"crm":"x"}`,
			`{"by":"2","score":"b","team":"b","limits":{"seats":"b","calls":"b"},"crm":"x"}`},
		"a key inside": {"custom_metadata.limits.calls",
			`{"by":"2","score":"b","team":"b","limits":{"seats":"b","calls":"CRM"},"crm":"x"}`,
			`{"by":"2","score":"b","team":"b","limits":{"seats":"b","calls":"b"},"crm":"x"}`},
		"the object": {"custom_metadata",
			`{"by":"2","score":"CRM","team":"a","limits":{"seats":"a","calls":"CRM"},"crm":"x"}`,
			`{"by":"2","score":"b","team":"b","limits":{"seats":"b","calls":"b"},"crm":"x"}`},
		"all": {"all",
			`{"by":"2","score":"CRM","team":"a","limits":{"seats":"a","calls":"CRM"},"crm":"x"}`,
			`{"by":"2","score":"b","team":"b","limits":{"seats":"b","calls":"b"},"crm":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			other := outside{service, t, "m-1"}
			config := func(value, by, lifecycle string) string {
				lines := "custom_metadata = { " + strings.ReplaceAll(written, "%", value) + " }\nnotes = \"" + value +
					"\"\n" + lifecycle
				return service.Config(withMetadata(lines), "default_custom_metadata = { by = \""+by+"\" }")
			}
			ignoring := "lifecycle { ignore_changes = [" + c.ignore + "] }"
			if c.ignore == "all" {
				ignoring = "lifecycle { ignore_changes = all }"
			}
			foreign := `{"custom_metadata_mode":"merge","custom_metadata":{"score":"CRM","limits":{"calls":"CRM"},"crm":"x"}}`
			switch c.ignore {
			case "custom_metadata.score":
				foreign = `{"custom_metadata_mode":"merge","custom_metadata":{"score":"CRM","crm":"x"}}`
			case "custom_metadata.limits.calls":
				foreign = `{"custom_metadata_mode":"merge","custom_metadata":{"limits":{"calls":"CRM"},"crm":"x"}}`
			}
			runCustomer(t,
				resource.TestStep{Config: config("a", "1", ignoring)},
				resource.TestStep{PreConfig: other.patch(foreign), Config: config("b", "2", ignoring), ConfigPlanChecks: updates(),
					Check: other.metadata(c.want)},
				emptyPlan(config("b", "2", ignoring)),
				resource.TestStep{Config: config("b", "2", ""), ConfigPlanChecks: updates(), Check: other.metadata(c.released)},
				emptyPlan(config("b", "2", "")),
				// What was owned all the time is owned still, and what never was stays.
				resource.TestStep{Config: service.Config(withMetadata("")), ConfigPlanChecks: updates(),
					Check: other.metadata(`{"crm":"x"}`)},
			)
		})
	}
}

// TestAccCustomer_ignoredIsNotOwned: under ignore_changes Terraform gives an argument that the configuration does not
// have the value of the state. That makes it nobody's: once ignore_changes is removed, what another system wrote stays.
func TestAccCustomer_ignoredIsNotOwned(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	const ignoring = "\nlifecycle { ignore_changes = [email, emails, phone, phones, addresses] }"
	config := func(lines string) string { return service.Config(withMetadata(lines)) }
	runCustomer(t,
		resource.TestStep{Config: config(ignoring)},
		resource.TestStep{
			PreConfig: other.patch(
				`{"emails":[{"value":"theirs@example.com"}],"phones":[{"value":"1"}],"addresses":[{"city":"Natal"}]}`),
			Config: config("notes = \"n\"" + ignoring), ConfigPlanChecks: updates()},
		emptyPlan(config("notes = \"n\"")),
	)
}

// TestAccCustomer_ignoredMain: ignore_changes gives a customer the main address that it shows. Next to a configured
// list it adds nothing.
func TestAccCustomer_ignoredMain(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := func(value, lifecycle string) string {
		return service.Config(withMetadata("emails = [{ value = \"" + value + "@example.com\" }]\nphones = [{ value = \"1" +
			value + "\" }]\n" + lifecycle))
	}
	const ignoring = "lifecycle { ignore_changes = [email, phone] }"
	stored := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			raw, _ := json.Marshal([]any{other.customer()["emails"], other.customer()["phones"]})
			if string(raw) != want {
				t.Errorf("the service has %s, want %s", raw, want)
			}
			return nil
		}
	}
	runCustomer(t,
		resource.TestStep{Config: config("a", ignoring)},
		resource.TestStep{Config: config("b", ignoring), ConfigPlanChecks: updates(),
			Check: stored(`[[{"value":"b@example.com"}],[{"value":"1b"}]]`)},
		emptyPlan(config("b", ignoring)),
		emptyPlan(config("b", "")),
	)
}
