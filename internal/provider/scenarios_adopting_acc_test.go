package provider_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// base are the addresses of all that the scenario adopts.
var base = []string{
	`billing_customer.this["crm-1001"]`, `billing_customer.this["crm-1002"]`, `billing_customer.this["crm-1003"]`,
	`billing_account.this["crm-1001-geral"]`, `billing_account.this["crm-1002-geral"]`,
	`billing_subscription.this["crm-1001-plano"]`, `billing_subscription.this["crm-1002-plano"]`,
}

// ownership is the second step, as the README has it.
const ownership = "**Own and protect.**"

// undecided is the warning of two customers, of whom one has no code.
var undecided = regexp.MustCompile(
	`Neither managed nor in left_alone: Nameless \(id [0-9a-f-]{36}\), Nobody's \(crm-2001\)\.`)

// adoption is the scenario over the base that its seed file makes, before anything is done.
func adoption(t *testing.T) (*acctest.Service, *command) {
	t.Helper()
	seed, err := os.ReadFile(filepath.Join(examples, "adopting", "seed.json"))
	if err != nil {
		t.Fatal(err)
	}
	service := acctest.Start(t, func(o *sandbox.Options) { o.SeedDocument = seed })
	return service, scenario(t, "adopting", service)
}

// adopted is the scenario after its second step: all is imported, owned and protected.
func adopted(t *testing.T) (*acctest.Service, *command) {
	t.Helper()
	service, terraform := adoption(t)
	terraform.applies("import", base)
	terraform.write("ownership.auto.tfvars", terraform.told(ownership))
	terraform.applies("update", base)
	return service, terraform
}

// records are what the service has of the base, by external_id.
func records(t *testing.T, service *acctest.Service) map[string]acctest.JSON {
	t.Helper()
	all := map[string]acctest.JSON{}
	for kind, codes := range map[string][]string{
		"customers":        {"crm-1001", "crm-1002", "crm-1003", "qa-automation"},
		"billing-accounts": {"crm-1001-geral", "crm-1002-geral"},
		"subscriptions":    {"crm-1001-plano", "crm-1002-plano"},
	} {
		for _, code := range codes {
			if all[code] = found(t, service, kind, code); all[code] == nil {
				t.Fatalf("%s %s is gone", kind, code)
			}
		}
	}
	return all
}

// wrote are the operations since the last reset that were no reading.
func wrote(service *acctest.Service) []string {
	var names []string
	for _, request := range service.Sandbox.Requests() {
		if request.Method != http.MethodGet && !slices.Contains(names, request.Operation) {
			names = append(names, request.Operation)
		}
	}
	slices.Sort(names)
	return names
}

// TestAccScenario_adoptingChangesNothing: the plan has imports and nothing else, its apply sends nothing that writes,
// and the plan after it is empty, with the import blocks and without.
func TestAccScenario_adoptingChangesNothing(t *testing.T) {
	t.Parallel()
	service, terraform := adoption(t)
	before := records(t, service)
	service.Sandbox.ResetRequests()
	terraform.applies("import", base)
	if names := wrote(service); len(names) > 0 {
		t.Errorf("the import has sent %v", names)
	}
	terraform.settled()
	if err := os.Remove(filepath.Join(terraform.dir, "imports.tf")); err != nil {
		t.Fatal(err)
	}
	terraform.settled()
	if after := records(t, service); !reflect.DeepEqual(after, before) {
		t.Errorf("the base has become %v, from %v", after, before)
	}
}

// TestAccScenario_adoptingOwnsItsKeys: the first key that is owned is added and removed again without a touch to
// those of others, and without a request that could move money.
func TestAccScenario_adoptingOwnsItsKeys(t *testing.T) {
	t.Parallel()
	service, terraform := adoption(t)
	before := records(t, service)
	terraform.applies("import", base)
	service.Sandbox.ResetRequests()
	terraform.write("ownership.auto.tfvars", terraform.told(ownership))
	terraform.applies("update", base)
	terraform.settled()
	if names, updates := wrote(service), []string{"billing_accounts.update", "customers.update",
		"subscriptions.update"}; !slices.Equal(names, updates) {
		t.Errorf("the second step has sent %v", names)
	}
	for code, was := range before {
		now := found(t, service, kindOf(code), code)
		wanted := acctest.JSON{}
		if others, ok := was["custom_metadata"].(acctest.JSON); ok {
			maps.Copy(wanted, others)
		}
		if code != "qa-automation" {
			wanted["managed_by"] = "terraform/adopting"
		}
		if !reflect.DeepEqual(now["custom_metadata"], any(wanted)) {
			t.Errorf("custom_metadata of %s is %v, and not %v", code, now["custom_metadata"], wanted)
		}
		for _, field := range []string{"status", "plan_id", "recurring_amount_cents", "balance_cents", "current_period_end",
			"trial_end", "payment_terms_days"} {
			if !reflect.DeepEqual(now[field], was[field]) {
				t.Errorf("%s of %s has become %v, from %v", field, code, now[field], was[field])
			}
		}
	}
	terraform.write("ownership.auto.tfvars", "protect = true\n")
	terraform.applies("update", base)
	if kept := found(t, service, "customers", "crm-1001")["custom_metadata"].(acctest.JSON); len(kept) != 1 ||
		kept["crm"] == nil {
		t.Errorf("without the key of this configuration custom_metadata is %v", kept)
	}
	terraform.settled()
}

// kindOf is where the service keeps what has this external_id.
func kindOf(code string) string {
	switch {
	case strings.HasSuffix(code, "-geral"):
		return "billing-accounts"
	case strings.HasSuffix(code, "-plano"):
		return "subscriptions"
	default:
		return "customers"
	}
}

// TestAccScenario_adoptingLetsGo: what is protected is not destroyed; what is let go is removed from the state, and
// stays at the service as it is.
func TestAccScenario_adoptingLetsGo(t *testing.T) {
	t.Parallel()
	service, terraform := adopted(t)
	terraform.refused([]string{"deletion_policy prevents that this plan"}, "destroy", "-auto-approve")
	before := records(t, service)

	list := terraform.read("existing.auto.tfvars")
	_, helena, _ := strings.Cut(list, "  crm-1003 = {\n")
	helena, _, _ = strings.Cut(helena, "  }\n")
	helena = "  crm-1003 = {\n" + helena + "  }\n"
	terraform.replace("existing.auto.tfvars", helena, "")
	terraform.refused([]string{"deletion_policy prevents that this plan", "Helena Martins"}, "plan")

	terraform.write("existing.auto.tfvars", list)
	terraform.write("leaving.auto.tfvars", terraform.told("**Stop managing an object.**"))
	terraform.applies("update", base[2:3])
	terraform.replace("existing.auto.tfvars", helena, "")
	terraform.replace("existing.auto.tfvars", `left_alone = [`, `left_alone = ["crm-1003", `)
	if err := os.Remove(filepath.Join(terraform.dir, "leaving.auto.tfvars")); err != nil {
		t.Fatal(err)
	}
	service.Sandbox.ResetRequests()
	terraform.applies("delete", base[2:3])
	if names := wrote(service); len(names) > 0 {
		t.Errorf("what is let go was sent %v", names)
	}
	if after := records(t, service); !reflect.DeepEqual(after, before) {
		t.Errorf("the base has become %v, from %v", after, before)
	}
	terraform.settled()
}

// TestAccScenario_adoptingReplacesNothing: what would cancel a subscription to make another one is rejected by the plan
// when it is protected.
func TestAccScenario_adoptingReplacesNothing(t *testing.T) {
	t.Parallel()
	service, terraform := adopted(t)
	service.Sandbox.ResetRequests()
	terraform.replace("existing.auto.tfvars", `"crm-1002-geral"
    plan_id`, `"crm-1001-geral"
    plan_id`)
	terraform.refused([]string{`billing_subscription.this["crm-1002-plano"]`, "deletion_policy prevents that this plan"},
		"plan")
	if names := wrote(service); len(names) > 0 {
		t.Errorf("before it was refused, %v were sent", names)
	}
}

// TestAccScenario_adoptingSeesTheRest: a customer without a decision is named in every plan, and decisions
// that contradict each other are rejected.
func TestAccScenario_adoptingSeesTheRest(t *testing.T) {
	t.Parallel()
	service, terraform := adoption(t)
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "Nobody's", "external_id": "crm-2001"})
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "Nameless"})
	if out := terraform.must("plan"); !undecided.MatchString(out) {
		t.Errorf("the plan does not name the rest:\n%s", out)
	}
	for _, c := range []struct{ old, wrong, says string }{
		{`["qa-automation"]`, `["crm-1001"]`, "crm-1001 cannot be both"},
		{`customer           = "crm-1002"`, `customer = "crm-9"`, "Each account names one of the customers"},
		{`"crm-1002-geral"`, `"crm-9-geral"`, "Each subscription names one of the accounts"},
	} {
		list := terraform.read("existing.auto.tfvars")
		terraform.replace("existing.auto.tfvars", c.old, c.wrong)
		terraform.refused([]string{c.says}, "plan")
		terraform.write("existing.auto.tfvars", list)
	}
}

// TestAccScenario_adoptingByQuery: on a Terraform that has queries, the query file finds the whole base, and what it
// writes plans to imports and nothing else. An older one passes the file over, which all other tests of the scenario
// show.
func TestAccScenario_adoptingByQuery(t *testing.T) {
	t.Parallel()
	_, terraform := adoption(t)
	terraform.needsQuery()
	terraform.fresh("versions.tf", "existing.tfquery.hcl")
	terraform.must("query", "-generate-config-out=generated.tf")
	planned := terraform.plans()
	if len(planned) != len(base)+1 {
		t.Errorf("the query finds %d objects: %v", len(planned), planned)
	}
	for address, done := range planned {
		if done != "import" {
			t.Errorf("%s is to %s", address, done)
		}
	}
}
