package customer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

type object = acctest.JSON

// subject is one customer, driven without Terraform.
type subject struct {
	*acctest.Subject
	service *acctest.Service
}

func open(t *testing.T, options ...acctest.Option) subject {
	t.Helper()
	service := acctest.Start(t, options...)
	service.NeedsSandbox("its requests are read")
	return subject{service.Subject("billing_customer", object{"name": "A"}), service}
}

// remote is a field as the service has it, in JSON.
func (s subject) remote(t *testing.T, field string) string {
	t.Helper()
	text, err := json.Marshal(s.service.Must("GET", "/v1/customers/"+s.ID(), nil)[field])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// values are lists of e-mail addresses and the like, with their kinds.
func values(all ...string) []any {
	var items []any
	for i := 0; i < len(all); i += 2 {
		item := object{"value": all[i]}
		if all[i+1] != "" {
			item["kind"] = all[i+1]
		}
		items = append(items, item)
	}
	return items
}

// TestCustomer_arguments sets every argument, changes it in place, and removes it: exactly that is sent, what the
// customer is made known by stays known in the plan, and the next plan is empty. What the service adds by default is
// shown.
func TestCustomer_arguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, cleared any }{
		"name": {"A", "B", ""}, "external_id": {"a-1", "b-1", nil}, "nickname": {"A", "B", nil},
		"legal_name": {"A Ltda", "B Ltda", nil}, "document_number": {"529.982.247-25", "11222333000181", nil},
		"kind": {"natural", "juridical", nil}, "birthday": {"1990-01-31", "1991-01-31", nil}, "notes": {"1", "2", nil},
		"addresses":       {[]any{object{"street": "Rua A", "country": "BR"}}, []any{object{"street": "Rua B"}}, []any{}},
		"phones":          {values("1", ""), values("2", "", "3", "fax"), values("2", "", "3", "fax")},
		"emails":          {values("a@example.com", ""), values("b@example.com", "work"), values("b@example.com", "work")},
		"websites":        {values("https://a.example", ""), values("https://b.example", ""), []any{}},
		"tags":            {[]any{"a"}, []any{"b", "c"}, []any{}},
		"custom_metadata": {object{"a": 1}, object{"a": 2, "b": object{"c": true}}, object{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			sends := func(lines object, want object) {
				t.Helper()
				p := s.Replan(lines)
				if unknown := p.Unknown(t); want != nil && s.Exists() && (slices.Contains(unknown, "id") ||
					slices.Contains(unknown, "billing_account_id") || !slices.Contains(unknown, "updated_at")) {
					t.Errorf("known after apply: %v", unknown)
				}
				s.service.Sandbox.ResetRequests()
				if text := acctest.Errors(s.Apply(p)); text != "" {
					t.Fatal(text)
				}
				var sent object
				for _, r := range s.service.Sandbox.Requests() {
					if r.Method != "GET" {
						if err := json.Unmarshal(r.Body, &sent); err != nil {
							t.Fatal(err)
						}
					}
				}
				delete(sent, "custom_metadata_mode")
				if have, want := text(t, sent), text(t, want); have != want {
					t.Errorf("sent %s, want %s", have, want)
				}
				s.Settled(lines)
			}
			lines := object{name: c.before}
			if text := acctest.Errors(s.Apply(s.Plan(s.With(lines)))); text != "" {
				t.Fatal(text)
			}
			s.Settled(lines)
			sends(object{name: c.after}, object{name: c.after})
			s.Is("billing_email", "null")
			s.Is("payment_terms_days", "10")
			switch cleared := c.cleared.(type) {
			case string: // the name is required
				return
			case object:
				sends(nil, object{name: cleared})
			default:
				if text(t, cleared) == text(t, c.after) {
					sends(nil, nil) // it stays at the service
				} else {
					sends(nil, object{name: cleared})
				}
			}
			if have := s.remote(t, name); have != text(t, c.cleared) {
				t.Errorf("removed, the service has %s", have)
			}
		})
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCustomer_badInput: arguments that the service need not see to reject are errors of the plan, each on its argument
// with what to write instead. Terraform validates a configuration without its state, so the plan checks what the
// service may hold already.
func TestCustomer_badInput(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range []struct {
		on    string
		lines object
		says  string
	}{
		{"name", object{"name": ""}, "name is empty or has only spaces"},
		{"nickname", object{"nickname": " "}, "remove the argument"},
		{"external_id", object{"external_id": ""}, "remove the argument"},
		{"document_number", object{"document_number": "123"}, `"123" has 3 digits. A CPF has 11 digits, a CNPJ has 14`},
		{"document_number", object{"document_number": "529.982.247-2X"},
			"has letters, as only a CNPJ has, but 11 characters instead of 14"},
		{"kind", object{"kind": "company"}, `kind value must be one of: ["natural" "juridical"], got: "company"`},
		{"birthday", object{"birthday": "31/12/1990"},
			`"31/12/1990" is not a date of the calendar. Write year, month and day`},
		{"birthday", object{"birthday": "2023-02-29"}, "is not a date of the calendar"},
		{"email", object{"email": "Ana <ana@example.com>"}, "is not an e-mail address. Write one address without a name"},
		{"emails", object{"emails": values("ana", "")}, `"ana" is not an e-mail address`},
		{"phone", object{"phone": "abc"}, `"abc" is not a phone number: it has no digit`},
		{"phones", object{"phones": values("abc", "")}, `"abc" is not a phone number`},
		{"tags", object{"tags": []any{""}}, "remove the element"},
		{"payment_terms_days", object{"payment_terms_days": -1}, "payment_terms_days value must be at least 0, got: -1"},
		{"billing_email", object{"billing_email": "x"}, `"x" is not an e-mail address`},
		{"custom_metadata_mode", object{"custom_metadata_mode": "overwrite"}, `must be one of: ["merge" "replace"]`},
		{"deletion_policy", object{"deletion_policy": "keep"},
			`must be one of: ["delete" "abandon" "prevent"], got: "keep"`},
		{"custom_metadata", object{"custom_metadata": "{}"}, "Remove jsonencode() and write the object itself"},
		{"auto_collection", object{"create_billing_account": false, "auto_collection": true},
			`auto_collection of customer "A" needs a billing account`},
		{"email", object{"email": "a@example.com", "emails": values("b@example.com", "")},
			`email of customer "A" is not one of its emails`},
		{"phone", object{"phone": "1", "phones": []any{}}, "phones is configured without it"},
		{"tags", object{"tags": []any{"a", nil}}, "is null, and the service stores no nulls here"},
		{"addresses", object{"addresses": []any{nil}}, "addresses[0] is null"},
		{"emails", object{"emails": []any{nil}}, "emails[0] is null"},
	} {
		said := acctest.Errors(s.Plan(s.With(c.lines)).Diagnostics)
		acctest.Says(t, said, c.says, `AttributeName("`+c.on+`")`)
	}
	// Wrong check digits are only a warning, because the service stores such numbers.
	acctest.Says(t, s.Configure(object{"document_number": "529.982.247-26"}), "Check digits")
	s.Settled(object{"document_number": "529.982.247-26"})
}

// TestCustomer_tolerance: a customer lives its life at servers that differ as the wire contract allows.
func TestCustomer_tolerance(t *testing.T) {
	t.Parallel()
	every := sandbox.Tolerance{IgnoreFilters: true, BareObjects: true, DeleteNoContent: true, NoValidators: true,
		OmitNullFields: true, UnknownFields: true, NullLists: true, LeanAccounts: true, RepeatAcrossPages: true}
	for name, tolerance := range map[string]sandbox.Tolerance{
		"filters are ignored": {IgnoreFilters: true}, "objects come bare": {BareObjects: true},
		"deletes return 204": {DeleteNoContent: true}, "no ETag, no Last-Modified": {NoValidators: true},
		"null fields are left out": {OmitNullFields: true}, "unknown fields come along": {UnknownFields: true},
		"errors are flat": {FlatErrors: true}, "empty lists are null": {NullLists: true},
		"accounts without a customer": {LeanAccounts: true}, "an item is on two pages": {RepeatAcrossPages: true},
		"everything at once but errors": every,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, acctest.Tolerating(tolerance))
			for _, name := range []string{"one", "two", "three"} {
				s.service.Call("POST", "/v1/customers", object{"name": name})
			}
			lines := object{"external_id": "erp-1001", "document_number": "11.222.333/0001-81", "email": "a@example.com",
				"emails": values("b@example.com", "work", "a@example.com", ""), "tags": []any{"b", "a"},
				"addresses":          []any{object{"street": "Rua A", "kind": "billing"}},
				"custom_metadata":    object{"limits": object{"seats": 5, "exact": json.Number("9007199254740993")}, "none": nil},
				"payment_terms_days": 21}
			s.Configure(lines)
			s.Settled(lines)
			if text := acctest.Errors(s.Import("external_id=erp-1001")); text != "" {
				t.Fatal(text)
			}
			s.Settled(lines)
			least := object{"external_id": "erp-1001", "name": "B"}
			s.Configure(least)
			s.Settled(least)
			s.Set(nil)
		})
	}
}

// TestCustomer_ignoreChanges: the apply leaves alone what the plan left alone. Terraform applies ignore_changes to the
// configuration of a plan only, so an update that reads the configuration overwrites what another system wrote.
func TestCustomer_ignoreChanges(t *testing.T) {
	t.Parallel()
	for ignore, want := range map[string]string{
		"custom_metadata.score":        `{"by":"2","crm":"x","limits":{"calls":"b","seats":"b"},"score":"CRM","team":"b"}`,
		"custom_metadata.limits.calls": `{"by":"2","crm":"x","limits":{"calls":"CRM","seats":"b"},"score":"b","team":"b"}`,
		"custom_metadata":              `{"by":"2","crm":"x","limits":{"calls":"CRM","seats":"a"},"score":"CRM","team":"a"}`,
		"all":                          `{"by":"2","crm":"x","limits":{"calls":"CRM","seats":"a"},"score":"CRM","team":"a"}`,
	} {
		t.Run(ignore, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			service.NeedsSandbox("its customer is found")
			core := service.Core()
			step := func(value, by string, changes string, ignores ...string) string {
				t.Helper()
				lines := object{"name": "A", "external_id": "m-1"}
				provider := object{}
				if value != "" {
					lines["notes"] = value
					lines["custom_metadata"] = object{"score": value, "team": value,
						"limits": object{"seats": value, "calls": value}}
					provider["default_custom_metadata"] = object{"by": by}
				}
				configuration := acctest.Configuration{Provider: provider,
					Blocks: []acctest.Block{{Address: "billing_customer.c", Values: lines, Ignore: ignores}}}
				plan := core.Plan(configuration)
				if len(plan.Errors) > 0 || plan.Of("billing_customer.c").Action != changes {
					t.Fatalf("%v %+v", plan.Errors, plan.Of("billing_customer.c"))
				}
				if done := core.Apply(plan, false); len(done.Errors) > 0 {
					t.Fatal(done.Errors)
				}
				if again := core.Plan(configuration).Of("billing_customer.c").Action; again != acctest.NoOp {
					t.Errorf("the next plan is to %s", again)
				}
				_, response := service.Call("GET", "/v1/customers?external_id=m-1", nil)
				return text(t, response["data"].([]any)[0].(object)["custom_metadata"])
			}
			step("a", "1", acctest.Create, ignore)
			foreign := object{"score": "CRM", "limits": object{"calls": "CRM"}, "crm": "x"}
			switch ignore {
			case "custom_metadata.score":
				delete(foreign, "limits")
			case "custom_metadata.limits.calls":
				delete(foreign, "score")
			}
			service.Must("PATCH", "/v1/customers/"+core.State("billing_customer.c")["id"].(string),
				object{"custom_metadata_mode": "merge", "custom_metadata": foreign})
			if have := step("b", "2", acctest.Update, ignore); have != want {
				t.Errorf("the service has %s, want %s", have, want)
			}
			// Once ignore_changes is removed, everything that the configuration names is as it says. What was owned all the
			// time is owned still, and what never was stays.
			const released = `{"by":"2","crm":"x","limits":{"calls":"b","seats":"b"},"score":"b","team":"b"}`
			if have := step("b", "2", acctest.Update); have != released {
				t.Errorf("released, the service has %s", have)
			}
			if have := step("", "", acctest.Update); have != `{"crm":"x"}` {
				t.Errorf("removed, the service has %s", have)
			}
		})
	}
}

// people makes five customers, a minute apart; two of them share a document. It returns their ids.
func people(t *testing.T, s *acctest.Service) map[string]string {
	t.Helper()
	s.NeedsSandbox("the organization has just these customers")
	ids := map[string]string{}
	for i, person := range []acctest.JSON{
		{"name": "Ana", "external_id": "p-1", "document_number": "529.982.247-25", "email": "ana@example.com",
			"custom_metadata": object{"team": "a"}},
		{"name": "Bruno", "external_id": "p-2", "document_number": "11144477735", "tags": []string{"vip"}},
		{"name": "Carla", "external_id": "p-3", "document_number": "111.444.777-35"},
		{"name": "Davi", "external_id": "p-4"},
		{"name": "Elisa"},
	} {
		s.Sandbox.Clock().Set(acctest.Epoch.Add(time.Duration(i+1) * time.Minute))
		made := s.Must("POST", "/v1/customers", person)
		ids[person["name"].(string)] = made["customer"].(object)["id"].(string)
	}
	return ids
}

// TestCustomer_dataSource: by id, by external_id, and by a document under any mask, all of which return the same
// customer. None, more than one, and no or two ways to find it are errors that say what to do.
func TestCustomer_dataSource(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	ids := people(t, s)
	selectors := []object{{"id": ids["Ana"]}, {"external_id": "p-1"}, {"document_number": "529.982.247-25"},
		{"document_number": "52998224725"}}
	for _, selector := range selectors {
		have, said := s.Read("billing_customer", selector)
		ana := object{"id": ids["Ana"], "name": "Ana", "external_id": "p-1", "document_type": "cpf",
			"email": "ana@example.com", "custom_metadata": `{"team":"a"}`, "nickname": nil}
		for name, want := range ana {
			if have[name] != want {
				t.Errorf("%v: %s is %v, want %v: %s", selector, name, have[name], want, acctest.Errors(said))
			}
		}
	}
	const nobody = "af238647-a922-4249-b9fc-e608c4d3f831"
	for _, c := range []struct {
		selector object
		says     []string
	}{
		{object{"id": nobody}, []string{"No such customer", "id " + nobody}},
		{object{"external_id": "P-1"}, []string{"No such customer", `external_id "P-1"`, "upper and lower case"}},
		{object{"document_number": "1"}, []string{"No such customer", `document_number "1"`}},
		{object{"document_number": "111 444 777 35"}, []string{"More than one customer", "2 customers", ids["Bruno"] +
			" Bruno (created 2026-03-14", ids["Carla"] + " Carla", "Use the id"}},
		{object{}, []string{"Set exactly one of id, external_id and document_number"}},
		{object{"external_id": "p-1", "document_number": "1"}, []string{"external_id and document_number are set",
			"Remove all but one"}},
	} {
		_, said := s.Read("billing_customer", c.selector)
		acctest.Says(t, acctest.Errors(said), c.says...)
	}
}

// TestCustomer_lists: all pages are read, in the order asked for, and no more than asked for. The list resource has the
// same filters, and comes with a name to show and the whole resource.
func TestCustomer_lists(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	people(t, s)
	since := acctest.Epoch.Add(4 * time.Minute).Format(time.RFC3339)
	for _, c := range []struct {
		config object
		want   []string
		list   bool
	}{
		{object{}, []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"}, true},
		{object{"sort_by": "name", "sort_order": "desc"}, []string{"Elisa", "Davi", "Carla", "Bruno", "Ana"}, false},
		{object{"sort_by": "created_at", "sort_order": "desc", "limit": 3}, []string{"Elisa", "Davi", "Carla"}, false},
		{object{"limit": 2}, []string{"Ana", "Bruno"}, false},
		{object{"limit": 50}, []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"}, false},
		{object{"search": "carla"}, []string{"Carla"}, true},
		{object{"search": "zzz"}, nil, true},
		{object{"updated_at_gte": since}, []string{"Davi", "Elisa"}, true},
		{object{"updated_at_gte": "2026-03-15"}, nil, true},
	} {
		read, said := s.Read("billing_customers", c.config)
		var names []string
		all, _ := read["customers"].([]any)
		for _, customer := range all {
			names = append(names, customer.(object)["name"].(string))
		}
		acctest.Same(t, fmt.Sprint(c.config, acctest.Errors(said)), names, c.want...)
		if c.list {
			listed, said := s.List("billing_customer", c.config, false)
			if len(listed) != len(c.want) || len(said) > 0 {
				t.Errorf("%v lists %v %v", c.config, slices.Sorted(maps.Keys(listed)), said)
			}
		}
	}
	wrong := map[string]object{`limit value must be at least 1, got: 0`: {"limit": 0},
		`sort_order value must be one of: ["asc" "desc"], got: "up"`: {"sort_order": "up"},
		"neither a date such as":                                     {"updated_at_gte": "yesterday"}}
	for says, config := range wrong {
		_, said := s.Read("billing_customers", config)
		acctest.Says(t, acctest.Errors(said), says)
	}
	listed, _ := s.List("billing_customer", object{"external_id": "p-1"}, true)
	ana := object{"name": "Ana", "external_id": "p-1", "document_number": "529.982.247-25", "email": nil,
		"emails":                    []any{object{"kind": nil, "value": "ana@example.com"}},
		"effective_custom_metadata": `{"team":"a"}`, "deletion_policy": "delete"}
	for name, want := range ana {
		if have := listed["Ana (p-1)"][name]; text(t, have) != text(t, want) {
			t.Errorf("listed, %s is %v", name, have)
		}
	}
	if listed, _ := s.List("billing_customer", object{"document_number": "111 444 777 35"}, false); len(listed) != 2 {
		t.Errorf("two customers have the document number: %v", listed)
	}
}

// TestCustomer_import: every way to name the customer leads to the same import, with its billing account, and a wrong
// one to an error that helps.
func TestCustomer_import(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	davi := people(t, s)["Davi"]
	for id, says := range map[string]string{
		davi: "", "id=" + davi: "", "external_id=p-4": "", "external_id=p-9": `external_id "p-9"`,
		"external_id=": "Invalid import id", "af238647-a922-4249-b9fc-e608c4d3f831": "No such customer to import",
	} {
		imported := s.Subject("billing_customer", object{"name": "Davi", "external_id": "p-4"})
		said := acctest.Errors(imported.Import(id))
		if says != "" {
			acctest.Says(t, said, says)
			continue
		}
		if said != "" || imported.ID() != davi || imported.Text("billing_account_id") == "null" {
			t.Errorf("%s imports %s: %s", id, imported.ID(), said)
		}
		imported.Settled(nil)
	}
	identities := map[string]object{"": {"external_id": "p-4"},
		"Give exactly one of id and external_id": {"id": davi, "external_id": "p-4"}}
	for says, identity := range identities {
		plan := s.Core().Plan(acctest.Configuration{Imports: map[string]any{"billing_customer.c": identity},
			Blocks: []acctest.Block{{Address: "billing_customer.c", Values: object{"name": "Davi", "external_id": "p-4"}}}})
		if says != "" {
			acctest.Says(t, fmt.Sprint(plan.Errors), says)
		} else if len(plan.Errors) > 0 || plan.Of("billing_customer.c").Action != acctest.NoOp {
			t.Errorf("%v %+v", plan.Errors, plan.Changes)
		}
	}
}
