package provider_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// generates imports so many objects with the configuration that Terraform writes for them, as every Terraform from 1.5
// on can, and holds it to what a user expects of it: it works on the first try, sends nothing, and plans nothing.
func generates(t *testing.T, service *acctest.Service, blocks string, n int) *command {
	t.Helper()
	terraform := newCommand(t, "provider \"billing\" {}\n").at(service)
	terraform.write("imports.tf", blocks)
	imports := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", n)
	out, err := terraform.run("plan", "-generate-config-out=generated.tf")
	if err != nil || !strings.Contains(out, imports) {
		t.Fatalf("%v\n%s\n%s", err, out, terraform.read("generated.tf"))
	}
	service.Sandbox.ResetRequests()
	if out := terraform.must("apply", "-auto-approve"); !strings.Contains(out, imports) {
		t.Errorf("the apply does more than import:\n%s", out)
	}
	if names := wrote(service); len(names) > 0 {
		t.Errorf("the import has sent %v", names)
	}
	terraform.must("plan", "-detailed-exitcode")
	return terraform
}

// everything is a customer with every attribute, some of them as no configuration would be accepted to create them.
var everything = acctest.JSON{
	"external_id": "full", "name": "Flip", "nickname": "F", "legal_name": "Flip Ltda", "document_number": "1234567890",
	"kind": "juridical", "birthday": "1990-12-31", "notes": "one\n\"two\" ${three}",
	"emails": []any{acctest.JSON{"value": "a@example.com"}, acctest.JSON{"kind": "work", "value": "b@example.com"}},
	"phones": []any{acctest.JSON{"kind": "home", "value": "+55 11 1"}}, "websites": []any{acctest.JSON{"value": "x.com"}},
	"addresses": []any{acctest.JSON{"street": "Rua A", "country": "br"}, acctest.JSON{"kind": "billing", "city": ""}},
	"tags":      []any{"vip", "", " "}, "payment_terms_days": 0,
	"custom_metadata": acctest.JSON{"a": acctest.JSON{"b": nil}, "list": []any{1, "two", nil, true}, "ratio": 0.25},
}

// TestAccGenerated: objects with every attribute, and with none, whatever they are in the middle of.
func TestAccGenerated(t *testing.T) {
	t.Parallel()
	acctest.Long(t)
	service := acctest.Start(t)
	service.NeedsSandbox("its clock is moved")
	var blocks strings.Builder
	n := 0
	imports := func(address string, id any) {
		n++
		fmt.Fprintf(&blocks, "import {\n  to = %s\n  id = %q\n}\n", address, id)
	}

	full := service.Must("POST", "/v1/customers", everything)
	imports("billing_customer.full", full["customer"].(acctest.JSON)["id"])
	bare := service.Must("POST", "/v1/customers",
		acctest.JSON{"name": "Bare", "create_billing_account": false})["customer"].(acctest.JSON)["id"]
	imports("billing_customer.bare", bare)
	account := full["billing_account"].(acctest.JSON)["id"]
	service.Must("PATCH", fmt.Sprintf("/v1/billing-accounts/%s", account),
		acctest.JSON{"external_id": "full", "custom_metadata": acctest.JSON{"k": 1}})
	imports("billing_account.full", account)
	empty := service.Must("POST", "/v1/billing-accounts", acctest.JSON{"customer": acctest.JSON{"id": bare}})["id"]
	imports("billing_account.bare", empty)

	record := service.Must("POST", "/v1/payables", acctest.JSON{
		"name": "Rent <of> \"May\" ${x} %{y}", "amount": "1500.00", "number": json.Number("9007199254740993"),
		"ratio": json.Number("0.1"), "paid": false, "note": nil, "empty": "", "tags": []any{"a", 3, nil, []any{}},
		"none": []any{}, "nothing": acctest.JSON{},
		"party": acctest.JSON{"name": nil, "address": acctest.JSON{"city": "São Paulo", "odd key": 1}},
		"lines": []any{acctest.JSON{"name": "Flat"}, acctest.JSON{"total": "1.00"}},
	})
	imports("billing_finance_record.one", "payables/"+record["id"].(string))

	const (
		planA, planB = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01", "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
		other        = "1b4e28ba-2fa1-4d1b-883f-0016d3cca421"
	)
	create := func(name string, body acctest.JSON) string {
		body["billing_account_id"] = empty
		id := service.Must("POST", "/v1/subscriptions", body)["id"].(string)
		imports("billing_subscription."+name, id)
		return id
	}
	does := func(id, operation string, body acctest.JSON) {
		service.Must("POST", "/v1/subscriptions/"+id+"/"+operation, body)
	}
	items := []any{acctest.JSON{"product_id": "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11",
		"price_id": "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61", "quantity": 3, "unit_amount_subcents": 499000},
		acctest.JSON{"product_id": "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12",
			"price_id": "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62"}}
	busy := func(name string) string {
		id := create(name, acctest.JSON{"plan_id": planA, "items": items, "external_id": name, "company_id": other,
			"product_group_id": other, "discount_code_id": other, "billing_cycle": "quarterly",
			"collection_method": "manual_charge", "proration_behavior": "none", "nfe_issuance_policy": "on_full_payment",
			"trial_period_days": 14, "notes": "negotiated", "custom_metadata": acctest.JSON{"tenant": "a",
				"nested": acctest.JSON{"n": 1}, "none": nil}})
		service.Must("PATCH", "/v1/subscriptions/"+id, acctest.JSON{"discount_percent": 12.5})
		does(id, "change-plan", acctest.JSON{"plan_id": planB, "timing": "end_of_period"})
		does(id, "pause", acctest.JSON{"behavior": "void", "resumes_at": "2026-05-01"})
		does(id, "cancel", acctest.JSON{"cancel_at_period_end": true, "reason": "moving away"})
		service.Must("PATCH", "/v1/subscriptions/"+id, acctest.JSON{"allow_pause": false, "allow_cancel": false})
		return id
	}
	over := busy("over")
	does(over, "resume", acctest.JSON{})
	service.Must("PATCH", "/v1/subscriptions/"+over, acctest.JSON{"cancel_at_period_end": false})
	service.Sandbox.Clock().Advance(15 * day)
	service.Must("PATCH", "/v1/subscriptions/"+create("bare", acctest.JSON{"plan_id": planA}),
		acctest.JSON{"collection_method": nil, "custom_metadata": acctest.JSON{}})
	busy("middle")
	does(create("canceled", acctest.JSON{"plan_id": planA, "notes": "left"}), "cancel", acctest.JSON{"reason": "left"})
	create("items", acctest.JSON{"items": items})
	create("trial", acctest.JSON{"plan_id": planA, "trial_end": "2026-06-01"})
	service.Must("POST", fmt.Sprintf("/v1/billing-accounts/%s/suspend", account), acctest.JSON{})
	terraform := generates(t, service, blocks.String(), n)

	// The account repeats what is its customer's and does not set it, so that a change of the customer takes one apply.
	generated := terraform.read("generated.tf")
	start := strings.Index(generated, `resource "billing_customer" "full"`)
	config := generated[start:]
	for old, changed := range map[string]string{`"Flip"`: `"Flip Renamed"`, `"a@example.com"`: `"new@example.com"`,
		`"+55 11 1"`: `"+55 11 2"`, `"Rua A"`: `"Rua B"`, `"1500.00"`: `"1600.00"`} {
		config = strings.ReplaceAll(config, old, changed)
	}
	terraform.write("generated.tf", strings.ReplaceAll(generated[:start], `"1500.00"`, `"1600.00"`)+config)
	terraform.must("apply", "-auto-approve")
	terraform.must("plan", "-detailed-exitcode")
	// A change to what the service would not be asked for is rejected; what is left alone is not.
	config = strings.Replace(terraform.read("generated.tf"), `"1234567890"`, `"123456789"`, 1)
	terms := regexp.MustCompile(`(?s)(resource "billing_account" "full" \{.*?payment_terms_days\s+= )0`)
	terraform.write("generated.tf", terms.ReplaceAllString(config, "${1}91"))
	terraform.fails([]string{"Write 1 to 90"}, "plan")
	terraform.write("generated.tf", config)
	terraform.fails([]string{"document_number", "billing_customer.full"}, "plan")
}

// addCollections makes endpoints and keys with every attribute, and with none, and returns how many.
func addCollections(service *acctest.Service) int {
	service.NeedsSandbox("the organization has just these objects")
	bodies := []acctest.JSON{
		{},
		{"description": "all of it", "events": []string{"webhook.test", "charge.paid"}, "active": false,
			"authentication": acctest.JSON{"type": "basic", "username": "ana", "password": "p"}},
		{"authentication": acctest.JSON{"type": "none"}},
		{"authentication": acctest.JSON{"type": "bearer", "token": "t"}},
		{"authentication": acctest.JSON{"type": "header", "name": "X-A", "value": "v"}},
	}
	for i, body := range bodies {
		body["url"] = "https://hooks.example.com/" + string(rune('a'+i))
		service.Must("POST", "/api/v1/webhook-endpoints", body)
	}
	service.Must("POST", "/api/v1/api-keys", acctest.JSON{"name": "minimal"})
	service.Must("POST", "/api/v1/api-keys", acctest.JSON{"name": "full", "description": "d",
		"scopes": []string{"webhook_endpoints:*"}, "expiresAt": "2098-01-01"})
	return len(bodies) + 3 // and the key that the sandbox starts with
}

// TestAccGenerated_collections: what the guide on importing lists of endpoints and keys. Empty collections, as modules
// write them, plan nothing either.
func TestAccGenerated_collections(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	// Terraform's plantimestamp has no fractions of a second: what has ended has to have ended a while ago.
	service.Sandbox.Clock().Advance(-5 * time.Second)
	n := addCollections(service)
	key := func(name string, lines acctest.JSON) string {
		body := acctest.JSON{"name": name}
		for name, value := range lines {
			body[name] = value
		}
		return "/api/v1/api-keys/" + service.Must("POST", "/api/v1/api-keys", body)["id"].(string)
	}
	service.Must("POST", key("in its grace", nil)+"/rotate", acctest.JSON{"graceDays": 30})
	// What does not work any more is not listed: three keys, one of which has a successor that works.
	service.Must("DELETE", key("revoked", nil), nil)
	service.Must("POST", key("rotated", nil)+"/rotate", acctest.JSON{"graceDays": 0})
	service.Sandbox.Clock().Advance(-48 * time.Hour)
	key("expired", acctest.JSON{"expiresAt": time.Now().Add(-day)})
	service.Sandbox.Clock().Advance(48*time.Hour + 5*time.Second)
	terraform := newCommand(t, "").at(service)
	terraform.write("main.tf", exampleFiles(t, "import/main.tf")["import"])
	terraform.must("apply", "-auto-approve")
	terraform = generates(t, service, terraform.raw("output", "-raw", "import_blocks"), n+3)
	text := terraform.read("generated.tf")
	for names, empty := range map[string]string{`rotate_\w*when_changed`: "{}", "events|scopes": "[]"} {
		text = regexp.MustCompile(`(?m)^(\s*(?:`+names+`)\s*)= null$`).ReplaceAllString(text, "$1= "+empty)
	}
	terraform.write("generated.tf", text)
	terraform.must("plan", "-detailed-exitcode")
}

// TestAccGenerated_queries: what a query writes can be planned as it is, also without the credentials that nobody
// shows, and changes nothing but to import.
func TestAccGenerated_queries(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	terraform := newCommand(t, "provider \"billing\" {}\n").at(service)
	terraform.needsQuery()
	n := addCollections(service)
	for _, customer := range []acctest.JSON{{"name": "Minimal"}, everything,
		{"name": "Without account", "create_billing_account": false}} {
		service.Must("POST", "/v1/customers", customer)
		n++
	}
	for _, typeName := range []string{"billing_customer", "billing_webhook_endpoint", "billing_api_key"} {
		terraform.write(typeName+".tfquery.hcl", fmt.Sprintf("list %q \"all\" {\n  provider         = billing\n"+
			"  include_resource = true\n}\n", typeName))
	}
	terraform.must("query", "-generate-config-out=generated.tf")
	if out := terraform.must("plan"); !strings.Contains(out,
		fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", n)) {
		t.Errorf("the plan changes something:\n%s\n\n%s", out, terraform.read("generated.tf"))
	}
}
