package provider_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// onePage lets a list of a hundred objects be one page.
func onePage(o *sandbox.Options) { o.MaxPerPage = 100 }

// adopted are tenants of the example adopt-or-create, in an organization that has a random half of their objects.
type adopted struct {
	service *acctest.Service
	tenants acctest.JSON
	wanted  map[string]string // what the first plan is to do, by address
}

// halfAdopted creates, for each tenant, nothing, a customer, an account too, or all, and in front of them closed
// accounts and canceled subscriptions that have the same external_id. Some customers have another name.
func halfAdopted(service *acctest.Service, seed uint64, tenants int) adopted {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a seed decides the organization
	one := adopted{service, acctest.JSON{}, map[string]string{}}
	stranger := one.create("customers", acctest.JSON{"name": "No tenant", "create_billing_account": false})
	one.create("billing-accounts", acctest.JSON{"customer": acctest.JSON{"id": stranger}})
	for i := range tenants {
		code, name := fmt.Sprintf("tenant-%02d", i), fmt.Sprintf("Tenant %d", i)
		one.tenants[code] = acctest.JSON{"name": name, "payment_terms_days": 15, "plan_id": planOfTenant}
		has := random.IntN(len(kindsOfTenant) + 1)
		for kind, typeName := range kindsOfTenant {
			action := "create"
			if has > kind {
				action = "import"
			}
			one.wanted[fmt.Sprintf("%s.this[%q]", typeName, code)] = action
		}
		if has == 0 {
			continue
		}
		if random.IntN(3) == 0 {
			name = "Before"
			one.wanted[fmt.Sprintf("billing_customer.this[%q]", code)] = "import, update"
		}
		customer := one.create("customers", acctest.JSON{"external_id": code, "name": name, "create_billing_account": false})
		account := func() string {
			return one.create("billing-accounts", acctest.JSON{"external_id": code, "payment_terms_days": 15,
				"customer": acctest.JSON{"id": customer}})
		}
		subscribe := func(account string, cancel bool) {
			id := one.create("subscriptions", acctest.JSON{"external_id": code, "billing_account_id": account,
				"plan_id": planOfTenant})
			if cancel {
				service.Must("POST", "/v1/subscriptions/"+id+"/cancel", acctest.JSON{})
			}
		}
		if random.IntN(3) == 0 {
			closed := account()
			if random.IntN(2) == 0 {
				subscribe(closed, true)
			}
			service.Must("POST", "/v1/billing-accounts/"+closed+"/close", acctest.JSON{})
		}
		if has > 1 {
			open := account()
			if random.IntN(3) == 0 {
				subscribe(open, true)
			}
			if has > 2 {
				subscribe(open, false)
			}
		}
	}
	return one
}

const planOfTenant = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"

// kindsOfTenant are the types of a tenant's objects, each after the one that it needs.
var kindsOfTenant = []string{"billing_customer", "billing_account", "billing_subscription"}

func (a adopted) create(kind string, body acctest.JSON) string {
	made := a.service.Must("POST", "/v1/"+kind, body)
	if customer, ok := made["customer"].(acctest.JSON); ok && kind == "customers" {
		made = customer
	}
	return made["id"].(string)
}

// once holds each tenant to have exactly one live object of each type.
func (a adopted) once(t *testing.T) {
	t.Helper()
	for kind, ended := range map[string]string{"customers": "", "billing-accounts": "closed",
		"subscriptions": "canceled"} {
		_, response := a.service.Call("GET", "/v1/"+kind+"?per_page=100", nil)
		items, live := response["data"].([]any), map[any]int{}
		for _, item := range items {
			if object := item.(acctest.JSON); object["status"] != ended || ended == "" {
				live[object["external_id"]]++
			}
		}
		if total := response["meta"].(acctest.JSON)["total"]; fmt.Sprint(total) != fmt.Sprint(len(items)) {
			t.Fatalf("a page has %d of %v %s", len(items), total, kind)
		}
		for code := range a.tenants {
			if live[code] != 1 {
				t.Errorf("%d live %s have the external_id %s", live[code], kind, code)
			}
		}
	}
}

// TestAccExample_adoptOrCreate: over an organization that has a random half of the objects, the first plan imports
// exactly the live ones and creates the others, without a duplicate, and the second plan is empty.
func TestAccExample_adoptOrCreate(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, onePage)
			terraform := scenario(t, "adopt-or-create", service)
			half := halfAdopted(service, seed+1, 50)
			terraform.write("tenants.auto.tfvars.json", string(mustJSON(t, acctest.JSON{"tenants": half.tenants})))
			planned, _ := terraform.stream("apply", "-auto-approve")
			acctest.Same(t, "the plan", actions(planned), actions(half.wanted)...)
			terraform.settled()
			half.once(t)
		})
	}
}

// actions are the lines of a plan.
func actions(planned map[string]string) (lines []string) {
	for address, action := range planned {
		lines = append(lines, address+" "+action)
	}
	slices.Sort(lines)
	return lines
}

// TestAccExample_adoptOrCreateReadme: the commands of the README print what it shows. Two live objects that have one
// external_id are an error that names it.
func TestAccExample_adoptOrCreateReadme(t *testing.T) {
	t.Parallel()
	service, terraform := seeded(t, "adopt-or-create")
	shows := terraform.read("README.md")
	prints := func(line string, args ...string) {
		t.Helper()
		if out := terraform.must(args...); !strings.Contains(out, line) || !strings.Contains(shows, line) {
			t.Errorf("terraform %v or the README does not show %q:\n%s", args, line, out)
		}
	}
	prints("Plan: 5 to import, 4 to add, 0 to change, 0 to destroy.", "plan")
	prints("Apply complete! Resources: 5 imported, 4 added, 0 changed, 0 destroyed.", "apply", "-auto-approve")
	terraform.settled()
	terraform.remove("terraform.tfstate")
	prints("Plan: 9 to import, 0 to add, 0 to change, 0 to destroy.", "plan")
	none := acctest.Start(t)
	terraform.at(none)
	prints("Plan: 9 to add, 0 to change, 0 to destroy.", "plan")

	terraform.at(service)
	service.Shows(bend.Data(func(object acctest.JSON) {
		if object["external_id"] == "helena" {
			object["external_id"] = "aurora"
		}
	}))
	terraform.fails([]string{"Error: Duplicate object key", `Two different items produced the key "aurora"`}, "plan")
}

// TestAdoptOrCreate is TestAccExample_adoptOrCreate for a hundred organizations, without Terraform: what is to be
// imported is what the expressions of the example return over what the data sources read.
func TestAdoptOrCreate(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			acctest.Virtually(t, func(t *testing.T) {
				service := acctest.Start(t, acctest.InMemory, onePage)
				service.Uncompared = true
				half, workspace := halfAdopted(service, seed, 5), service.Core()
				first := workspace.Plan(half.configuration(t))
				planned := map[string]string{}
				for _, change := range first.Changes {
					planned[change.Address] = change.Action
				}
				for address, action := range half.wanted {
					if want := (map[string]string{"create": core.Create, "import": core.NoOp,
						"import, update": core.Update})[action]; planned[address] != want {
						t.Errorf("%s is to %s, and not %s", address, planned[address], want)
					}
				}
				if done := workspace.Apply(first, false); len(done.Errors) > 0 {
					t.Fatal(done.Errors)
				}
				second := workspace.Plan(half.configuration(t))
				if len(second.Errors)+len(second.Warnings) > 0 {
					t.Fatal(second.Errors, second.Warnings)
				}
				for _, change := range second.Changes {
					if change.Action != core.NoOp {
						t.Errorf("%s is to %s after the apply", change.Address, change.Action)
					}
				}
				half.once(t)
			})
		})
	}
}

// configuration is the example for these tenants: its import blocks, and the arguments of its resources.
func (a adopted) configuration(t *testing.T) core.Configuration {
	t.Helper()
	c := core.Configuration{Imports: map[string]any{}}
	data := map[string]cty.Value{}
	for _, typeName := range kindsOfTenant {
		read, said := a.service.Core().Read(typeName+"s", nil)
		if len(said) > 0 {
			t.Fatal(said)
		}
		data[typeName+"s"] = cty.ObjectVal(map[string]cty.Value{"all": ctyOf(t, read)})
	}
	in := &hcl.EvalContext{Functions: map[string]function.Function{"can": tryfunc.CanFunc},
		Variables: map[string]cty.Value{"data": cty.ObjectVal(data),
			"var": ctyOf(t, acctest.JSON{"tenants": a.tenants})}}
	file, diags := hclparse.NewParser().ParseHCLFile(filepath.Join(examples, "scenarios/adopt-or-create/adopt.tf"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	content, _, _ := file.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "locals"}}})
	locals, _ := content.Blocks[0].Body.JustAttributes()
	for name, typeName := range map[string]string{"customers": "billing_customer", "accounts": "billing_account",
		"subscriptions": "billing_subscription"} {
		ids, diags := locals[name].Expr.Value(in)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for code, id := range ids.AsValueMap() {
			c.Imports[fmt.Sprintf("%s.this[%q]", typeName, code)] = id.AsString()
		}
	}
	for code, tenant := range a.tenants {
		tenant := tenant.(acctest.JSON)
		at := func(kind int) string { return fmt.Sprintf("%s.this[%q]", kindsOfTenant[kind], code) }
		c.Blocks = append(c.Blocks,
			core.Block{Address: at(0), Values: acctest.JSON{"external_id": code, "name": tenant["name"],
				"create_billing_account": false}},
			core.Block{Address: at(1), Needs: []string{at(0)},
				Evaluate: func(objects map[string]acctest.JSON) (acctest.JSON, error) {
					return acctest.JSON{"external_id": code, "customer_id": objects[at(0)]["id"],
						"payment_terms_days": tenant["payment_terms_days"]}, nil
				}},
			core.Block{Address: at(2), Needs: []string{at(1)},
				Evaluate: func(objects map[string]acctest.JSON) (acctest.JSON, error) {
					return acctest.JSON{"external_id": code, "billing_account_id": objects[at(1)]["id"],
						"plan_id": planOfTenant}, nil
				}})
	}
	return c
}

// ctyOf is a JSON value in an expression.
func ctyOf(t *testing.T, value any) cty.Value {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var simple ctyjson.SimpleJSONValue
	if err := simple.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return simple.Value
}
