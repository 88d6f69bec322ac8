package billingaccount_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const document = "529.982.247-25"

// bea creates a customer with an external code and a document, and returns her id.
func bea(s *subject) string {
	id, _ := s.service.Must("POST", "/v1/customers", acctest.JSON{"name": "Bea", "external_id": "bea",
		"document_number": document, "create_billing_account": false})["customer"].(acctest.JSON)["id"].(string)
	return id
}

// carla creates another customer.
func carla(s *subject) string {
	id, _ := s.service.Must("POST", "/v1/customers", acctest.JSON{"name": "Carla", "external_id": "carla",
		"document_number": "11144477735", "create_billing_account": false})["customer"].(acctest.JSON)["id"].(string)
	return id
}

// TestAccount_customer: an existing customer is located by each name it has, and none of them replaces the account of
// another.
func TestAccount_customer(t *testing.T) {
	t.Parallel()
	references := func(id string) map[string]acctest.JSON {
		return map[string]acctest.JSON{
			"id": {"id": id}, "code as id": {"id": "bea"}, "external_id": {"external_id": "bea"},
			"document": {"document_number": "52998224725"}, "document with mask": {"document_number": document},
		}
	}
	for name := range references("") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			id := bea(s)
			lines := acctest.JSON{"customer": references(id)[name]}
			if p := s.Plan(s.With(lines)); !slices.Contains(p.Unknown(t), "customer_id") {
				t.Errorf("known after apply: %v", p.Unknown(t))
			}
			s.Configure(lines)
			s.Is("customer_id", `"`+id+`"`)
			for _, other := range references(id) {
				s.Settled(acctest.JSON{"customer": other})
			}
			// Another one's.
			carla := carla(s)
			for _, other := range []acctest.JSON{{"id": carla}, {"id": "carla"}, {"external_id": "carla"},
				{"document_number": "11144477735"}, {"name": "Carla"}} {
				p := s.Plan(s.With(acctest.JSON{"customer": other}))
				if !slices.Equal(p.Replaces, []string{"customer"}) || acctest.Errors(p.Diagnostics) != "" {
					t.Errorf("%v: replaced for %v %s", other, p.Replaces, acctest.Errors(p.Diagnostics))
				}
			}
			// Nobody's, or not known: the account stays.
			for _, other := range []acctest.JSON{{"external_id": "nobody"}, {"document_number": "11222333000181"},
				{"id": acctest.Unknown}, {"external_id": acctest.Unknown},
				{"document_number": acctest.Unknown}, {"name": acctest.Unknown}} {
				p := s.Plan(s.With(acctest.JSON{"customer": other}))
				if len(p.Replaces) > 0 || acctest.Errors(p.Diagnostics) != "" {
					t.Errorf("%v: replaced for %v %s", other, p.Replaces, acctest.Errors(p.Diagnostics))
				}
			}
			p := s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"external_id": "nobody"}}))
			says(t, acctest.Warnings(p.Diagnostics), "The reference finds no customer", id)
			for _, wrong := range []string{"nobody", "6f1c2c52-0c52-4b8e-8d4c-3f7d0f8f6a11"} {
				says(t, acctest.Errors(s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"id": wrong}})).Diagnostics),
					`AttributeName("customer").AttributeName("id")`, "No such customer", wrong)
			}
			if p := s.Plan(s.With(acctest.JSON{"customer": acctest.Unknown})); len(p.Replaces) > 0 {
				t.Errorf("replaced for %v", p.Replaces)
			}
			s.Settled(lines)
		})
	}
}

// TestAccount_replacedPastItsPolicy: an account that may not be destroyed is not replaced either, and the plan says so
// already.
func TestAccount_replacedPastItsPolicy(t *testing.T) {
	t.Parallel()
	s := open(t)
	carla(s)
	lines := acctest.JSON{"customer": acctest.JSON{"id": bea(s)}, "deletion_policy": "prevent"}
	s.Configure(lines)
	s.Reread()
	p := s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"id": "carla"}, "deletion_policy": "close"}))
	if have := acctest.Errors(p.Diagnostics); !strings.Contains(have, "Destroying this object is prevented") ||
		!strings.Contains(have, `"close" or "delete"`) {
		t.Errorf("planned with %q", have)
	}
}

// TestAccount_customerRenamed: the customer's own code, document and name may change without moving the account.
func TestAccount_customerRenamed(t *testing.T) {
	t.Parallel()
	for name, reference := range map[string]acctest.JSON{
		"code as id": {"id": "bea"}, "external_id": {"external_id": "bea"}, "document": {"document_number": document},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			id := bea(s)
			lines := acctest.JSON{"customer": reference}
			s.Configure(lines)
			s.service.Must("PATCH", "/v1/customers/"+id, acctest.JSON{"external_id": "beatriz", "document_number": "11144477735",
				"name": "Beatriz"})
			s.Settled(lines)
			s.Is("name", `"Beatriz"`)
		})
	}
}

// TestAccount_newCustomer: a customer that nothing refers to is created with the account; its data changes nothing
// later.
func TestAccount_newCustomer(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := acctest.JSON{"name": "Ana", "kind": "company", "external_id": "ana", "document_number": "11222333000181",
		"email": "ana@example.com", "phone": "+55 11 1", "tags": []any{"b", "a"},
		"addresses":       []any{acctest.JSON{"street": "Rua A", "country": "BR"}},
		"custom_metadata": acctest.JSON{"k": acctest.JSON{"v": 1}}}
	lines := acctest.JSON{"customer": customer}
	s.Configure(lines)
	s.Settled(lines)
	s.Is("name", `"Ana"`)
	s.Is("email", `"ana@example.com"`)
	made := s.service.Must("GET", "/v1/customers/"+s.customerID(), nil)
	if made["kind"] != "juridical" || made["external_id"] != "ana" {
		t.Errorf("the customer is %v", made)
	}
	customer["name"] = "Ana Maria"
	s.Reread()
	p := s.Plan(s.With(lines))
	if len(p.Replaces) > 0 || !slices.Equal(p.Changes(t), []string{"customer"}) {
		t.Errorf("the plan changes %v, replaced for %v", p.Changes(t), p.Replaces)
	}
	says(t, acctest.Warnings(p.Diagnostics), "only used when the account is opened")
	s.service.Sandbox.ResetRequests()
	s.Configure(lines)
	s.asked()
	s.Settled(lines)
}

// TestAccount_inlineCustomer: words for a new customer stay this account's, whatever they become.
func TestAccount_inlineCustomer(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Configure(nil)
	p := s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"name": "Somebody", "email": "else@example.com"}}))
	if len(p.Replaces) > 0 {
		t.Errorf("replaced for %v", p.Replaces)
	}
	// Its own id names the same customer.
	s.Configure(acctest.JSON{"customer": acctest.JSON{"id": s.customerID()}})
	s.Settled(acctest.JSON{"customer": acctest.JSON{"id": s.customerID()}})
	s.Settled(acctest.JSON{"customer": acctest.JSON{"id": s.customerID()}})
}

// TestAccount_customerValidation: one that can neither be located nor created is rejected, and fields that are ignored
// are reported.
func TestAccount_customerValidation(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, c := range map[string]struct {
		customer acctest.JSON
		on       string
	}{
		"nothing":     {acctest.JSON{}, `[AttributeName("customer")]`},
		"no name":     {acctest.JSON{"email": "a@example.com"}, `[AttributeName("customer")]`},
		"blank name":  {acctest.JSON{"name": " "}, `[AttributeName("customer")]`},
		"no e-mail":   {acctest.JSON{"name": "A", "email": "a"}, `[AttributeName("customer")]`},
		"no kind":     {acctest.JSON{"name": "A", "kind": "natural"}, `[AttributeName("customer")]`},
		"no document": {acctest.JSON{"document_number": "123"}, `[AttributeName("customer")]`},
		"no date":     {acctest.JSON{"name": "A", "birthday": "1990"}, `[AttributeName("customer")]`},
		"no country": {acctest.JSON{"name": "A", "addresses": []any{acctest.JSON{"country": "Brazil"}}},
			`[AttributeName("customer")]`},
		"blank number": {acctest.JSON{"name": "A", "phones": []any{acctest.JSON{"value": ""}}},
			`[AttributeName("customer")]`},
	} {
		if errors := acctest.Errors(s.Plan(s.With(acctest.JSON{"customer": c.customer})).Diagnostics); errors == "" {
			t.Errorf("%s: accepted", name)
		} else {
			says(t, errors, c.on)
		}
	}
	p := s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"id": "x", "name": "A"}}))
	says(t, acctest.Warnings(p.Diagnostics), "Fields in addition to a reference are ignored")
	if text := acctest.Errors(s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"name": acctest.Unknown}})).
		Diagnostics); text != "" {
		t.Error(text)
	}
	// What only the service knows.
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"id": "nobody"}})))),
		`AttributeName("customer")`, "Could not open", "Request-Id")
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(acctest.JSON{"customer": acctest.JSON{"document_number": document}})))),
		`AttributeName("customer")`, "name")
}

// TestAccount_customerThroughAccount: name, email, phone and address change the customer, from the creation on.
func TestAccount_customerThroughAccount(t *testing.T) {
	t.Parallel()
	s := open(t)
	lines := acctest.JSON{"name": "Ana Maria", "email": "main@example.com", "phone": "+55 11 2",
		"address": acctest.JSON{"street": "Rua B", "country": "BR"}}
	s.service.Sandbox.ResetRequests()
	s.Configure(lines)
	s.asked("create", "update")
	s.Settled(lines)
	made := s.service.Must("GET", "/v1/customers/"+s.customerID(), nil)
	if made["name"] != "Ana Maria" || made["emails"].([]any)[0].(acctest.JSON)["value"] != "main@example.com" ||
		made["addresses"].([]any)[0].(acctest.JSON)["street"] != "Rua B" {
		t.Errorf("the customer is %v", made)
	}
	for name, value := range map[string]any{"name": "Ana", "email": "other@example.com", "phone": "+55 11 3",
		"address": acctest.JSON{"street": "Rua C", "complement": "2"}} {
		lines[name] = value
		s.service.Sandbox.ResetRequests()
		s.Configure(lines)
		s.asked("update")
		s.Settled(lines)
	}
	// Another system's change is drift where it is configured, and only shown where it is not.
	s.service.Must("PATCH", "/v1/customers/"+s.customerID(), acctest.JSON{"name": "Theirs", "addresses": []any{}})
	if changes := s.changes(lines); !slices.Contains(changes, "name") || !slices.Contains(changes, "address") {
		t.Errorf("the plan changes %v", changes)
	}
	s.Settled(nil)
	s.Is("name", `"Theirs"`)
	// A further address of the customer is not the account's business.
	s.Configure(lines)
	s.service.Must("PATCH", "/v1/customers/"+s.customerID(),
		acctest.JSON{"emails": []any{acctest.JSON{"value": "first@example.com"}, acctest.JSON{"value": "other@example.com"}}})
	s.Settled(lines)
}

// TestAccount_customerNotShown: where the service shows nothing of the customer's contacts, they are sent all the same,
// and kept from the configuration.
func TestAccount_customerNotShown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string, acctest.JSON){
		"no lists": func(_ string, o acctest.JSON) {
			if c, ok := o["customer"].(acctest.JSON); ok {
				delete(c, "emails")
				delete(c, "phones")
				delete(c, "addresses")
			}
		},
		"no customer": func(_ string, o acctest.JSON) { delete(o, "customer") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.Direct = s.service.Rewriting(change).Direct("billing_account")
			lines := acctest.JSON{"email": "main@example.com", "phone": "+55 11 2", "address": acctest.JSON{"street": "Rua B"}}
			s.Configure(lines)
			made := s.remote()["customer"].(acctest.JSON)
			if made["emails"].([]any)[0].(acctest.JSON)["value"] != "main@example.com" ||
				made["addresses"].([]any)[0].(acctest.JSON)["street"] != "Rua B" {
				t.Errorf("the customer is %v", made)
			}
			s.Settled(lines)
			lines["email"] = "other@example.com"
			s.Configure(lines)
			s.Settled(lines)
		})
	}
}
