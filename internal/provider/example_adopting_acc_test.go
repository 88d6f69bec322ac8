package provider_test

import (
	"maps"
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

// base are the addresses of all that the example adopts.
var base = []string{
	`billing_customer.this["crm-1001"]`, `billing_customer.this["crm-1002"]`, `billing_customer.this["crm-1003"]`,
	`billing_account.this["crm-1001-geral"]`, `billing_account.this["crm-1002-geral"]`,
	`billing_subscription.this["crm-1001-plano"]`, `billing_subscription.this["crm-1002-plano"]`,
}

// seeded is a scenario over the objects that its seed file makes, if it has one.
func seeded(t *testing.T, name string) (*acctest.Service, *command) {
	t.Helper()
	seed, err := os.ReadFile(filepath.Join(examples, "scenarios", name, "seed.json"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	service := acctest.Start(t, func(o *sandbox.Options) { o.SeedDocument = seed })
	return service, scenario(t, name, service)
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

// TestAccExample_adopting: the first plan imports and does nothing else. Then the first key that is owned is added
// without a touch to those of others. What is protected is neither replaced nor destroyed, and what is let go stays at
// the service as it is.
func TestAccExample_adopting(t *testing.T) {
	t.Parallel()
	service, terraform := seeded(t, "adopting")
	before := records(t, service)
	unchanged := func(what string) {
		t.Helper()
		if names := wrote(service); len(names) > 0 {
			t.Errorf("%s has sent %v", what, names)
		}
		if after := records(t, service); !reflect.DeepEqual(after, before) {
			t.Errorf("%s: the base has become %v, from %v", what, after, before)
		}
		service.Sandbox.ResetRequests()
	}
	service.Sandbox.ResetRequests()
	terraform.applies("import", base)
	terraform.settled()
	terraform.remove("imports.tf")
	terraform.settled()
	unchanged("the import")

	terraform.write("ownership.auto.tfvars", terraform.told("**Own and protect.**"))
	terraform.applies("update", base)
	terraform.settled()
	if names, updates := wrote(service), []string{"billing_accounts.update", "customers.update",
		"subscriptions.update"}; !slices.Equal(names, updates) {
		t.Errorf("the second step has sent %v", names)
	}
	for code, now := range records(t, service) {
		wanted := maps.Clone(before[code])
		keys := acctest.JSON{}
		if others, ok := wanted["custom_metadata"].(acctest.JSON); ok {
			maps.Copy(keys, others)
		}
		if code != "qa-automation" {
			keys["managed_by"] = "terraform/adopting"
		}
		wanted["custom_metadata"], wanted["updated_at"], wanted["customer"] = keys, now["updated_at"], now["customer"]
		if now["customer"] == nil { // only accounts show theirs
			delete(wanted, "customer")
		}
		if !reflect.DeepEqual(now, wanted) {
			t.Errorf("%s has become %v, and not %v", code, now, wanted)
		}
	}
	before = records(t, service)
	service.Sandbox.ResetRequests()

	const prevented = `deletion_policy = "prevent" blocks this plan`
	terraform.fails([]string{prevented}, "destroy", "-auto-approve")
	list := terraform.read("existing.auto.tfvars")
	terraform.replace("existing.auto.tfvars", "\"crm-1002-geral\"\n    plan_id", "\"crm-1001-geral\"\n    plan_id")
	_, helena, _ := strings.Cut(list, "  crm-1003 = {\n")
	helena, _, _ = strings.Cut(helena, "  }\n")
	helena = "  crm-1003 = {\n" + helena + "  }\n"
	terraform.fails([]string{prevented, `billing_subscription.this["crm-1002-plano"]`}, "plan")
	terraform.write("existing.auto.tfvars", list)
	terraform.replace("existing.auto.tfvars", helena, "")
	terraform.fails([]string{prevented, "Helena Martins"}, "plan")
	unchanged("what was rejected")

	terraform.write("existing.auto.tfvars", list)
	terraform.write("leaving.auto.tfvars", terraform.told("**Stop managing an object.**"))
	terraform.applies("update", base[2:3])
	terraform.replace("existing.auto.tfvars", helena, "")
	terraform.replace("existing.auto.tfvars", `left_alone = [`, `left_alone = ["crm-1003", `)
	terraform.remove("leaving.auto.tfvars")
	terraform.applies("delete", base[2:3])
	unchanged("what is let go")
	terraform.write("ownership.auto.tfvars", "protect = true\n")
	terraform.applies("update", slices.Delete(slices.Clone(base), 2, 3))
	if kept := found(t, service, "customers", "crm-1001")["custom_metadata"].(acctest.JSON); len(kept) != 1 ||
		kept["crm"] == nil {
		t.Errorf("without the key of this configuration custom_metadata is %v", kept)
	}
	terraform.settled()
}

// TestAccExample_adoptingSeesTheRest: a customer without a decision is named in every plan, and decisions
// that contradict each other are rejected.
func TestAccExample_adoptingSeesTheRest(t *testing.T) {
	t.Parallel()
	service, terraform := seeded(t, "adopting")
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "Nobody's", "external_id": "crm-2001"})
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "Nameless"})
	if out := terraform.must("plan"); !regexp.MustCompile(
		`Neither managed nor in left_alone: Nameless \(id [0-9a-f-]{36}\), Nobody's \(crm-2001\)\.`).MatchString(out) {
		t.Errorf("the plan does not name the rest:\n%s", out)
	}
	list := terraform.read("existing.auto.tfvars")
	terraform.replace("existing.auto.tfvars", `"crm-1002-geral"`, `"crm-9-geral"`)
	terraform.fails([]string{"Each subscription names one of the accounts"}, "plan")
	terraform.write("existing.auto.tfvars", list)
	terraform.replace("existing.auto.tfvars", `["qa-automation"]`, `["crm-1001"]`)
	terraform.replace("existing.auto.tfvars", `customer           = "crm-1002"`, `customer = "crm-9"`)
	terraform.fails([]string{"crm-1001 cannot be both", "Each account names one of the customers"}, "plan")
}

// TestAccExample_adoptingByQuery: on a Terraform that has queries, the query file finds the whole base, and what it
// writes plans to imports and nothing else. An older one passes the file over, which the other tests show.
func TestAccExample_adoptingByQuery(t *testing.T) {
	t.Parallel()
	_, terraform := seeded(t, "adopting")
	terraform.needsQuery()
	files, _ := filepath.Glob(filepath.Join(terraform.dir, "*"))
	for _, file := range files {
		if name := filepath.Base(file); !slices.Contains([]string{"cli.tfrc", "versions.tf", "existing.tfquery.hcl"}, name) {
			terraform.remove(name)
		}
	}
	terraform.must("query", "-generate-config-out=generated.tf")
	planned := terraform.planned("plan")
	if len(planned) != len(base)+1 {
		t.Errorf("the query finds %d objects: %v", len(planned), planned)
	}
	for address, does := range planned {
		if does != "import" {
			t.Errorf("%s is to %s", address, does)
		}
	}
}

// TestAccExample_importGuide follows the guide on imports for any version, with the seed file that it links to: the
// configuration that Terraform generates is accepted and plans imports only.
func TestAccExample_importGuide(t *testing.T) {
	t.Parallel()
	service, _ := seeded(t, "adopting")
	listing := newCommand(t, "").at(service)
	listing.write("main.tf", exampleFiles(t, "import/main.tf")["import"])
	listing.must("apply", "-auto-approve")
	blocks := listing.raw("output", "-raw", "import_blocks")
	for _, typeName := range []string{"billing_subscription.", "billing_account.", "billing_customer."} {
		if !strings.Contains(blocks, typeName) {
			t.Fatalf("the import blocks have no %s:\n%s", typeName, blocks)
		}
	}
	generates(t, service, blocks, strings.Count(blocks, "import {"))
}
