package billing

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// TestDocumentedResponses decodes every written-down success into this package's
// types, strictly, and encodes it again: nothing may get lost or change.
func TestDocumentedResponses(t *testing.T) {
	t.Parallel()
	count := 0
	for _, exchange := range evidence.All("billing/") {
		target := targetOf(exchange.Operation)
		if exchange.Response.Status > 299 || exchange.Response.Body == nil || target == nil {
			continue
		}
		count++
		body := lean(t, exchange.Response.Body)
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(target); err != nil {
			t.Errorf("%s: %v", exchange.Name, err)
			continue
		}
		compareJSON(t, exchange.Name, target, body)
	}
	if count < 10 {
		t.Errorf("only %d exchanges were read", count)
	}
}

// lean leaves of each customer inside a billing account what AccountCustomer has.
func lean(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	var visit func(any)
	visit = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				visit(item)
			}
		case map[string]any:
			customer, loaded := value["customer"].(map[string]any)
			if _, isAccount := value["balance_cents"]; isAccount && loaded {
				value["customer"] = map[string]any{"id": customer["id"], "name": customer["name"]}
			}
			for _, item := range value {
				visit(item)
			}
		}
	}
	visit(value)
	left, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

type envelope[T any] struct {
	Data T               `json:"data"`
	Meta json.RawMessage `json:"meta,omitempty"`
}

func targetOf(operation string) any {
	switch operation {
	case "me.get":
		return new(Organization)
	case "customers.create":
		return new(envelope[CustomerCreated])
	case "customers.get", "customers.update":
		return new(envelope[Customer])
	case "customers.list":
		return new(envelope[[]Customer])
	case "billing_accounts.get", "billing_accounts.create", "billing_accounts.update",
		"billing_accounts.suspend", "billing_accounts.reactivate", "billing_accounts.close":
		return new(envelope[BillingAccount])
	case "billing_accounts.list":
		return new(envelope[[]BillingAccount])
	}
	return nil
}

// TestDocumentedBodies rebuilds the bodies of written-down requests out of this
// package's types.
func TestDocumentedBodies(t *testing.T) {
	t.Parallel()
	count := 0
	for _, exchange := range evidence.All("billing/customer_") {
		var target any
		switch {
		case exchange.Response.Status > 299:
			continue
		case exchange.Operation == "customers.create":
			target = new(CustomerCreate)
		case exchange.Operation == "customers.update":
			target = updateOf(t, exchange.Request.Body)
		default:
			continue
		}
		count++
		if exchange.Operation == "customers.create" {
			decoder := json.NewDecoder(bytes.NewReader(exchange.Request.Body))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(target); err != nil {
				t.Errorf("%s: %v", exchange.Name, err)
			}
		}
		compareJSON(t, exchange.Name, target, exchange.Request.Body)
	}
	if count < 5 {
		t.Errorf("only %d exchanges were rebuilt", count)
	}
}

// updateOf fills an update from a body, key by key, as a caller would.
func updateOf(t *testing.T, body json.RawMessage) *CustomerUpdate {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	u := &CustomerUpdate{}
	texts := map[string]*api.Field[string]{
		"name": &u.Name, "external_id": &u.ExternalID, "nickname": &u.Nickname, "legal_name": &u.LegalName,
		"document_number": &u.DocumentNumber, "kind": &u.Kind, "birthday": &u.Birthday, "email": &u.Email,
		"phone": &u.Phone, "notes": &u.Notes, "custom_metadata_mode": &u.CustomMetadataMode,
	}
	contacts := map[string]*api.Field[[]Contact]{"phones": &u.Phones, "emails": &u.Emails, "websites": &u.Websites}
	for key, raw := range keys {
		switch {
		case texts[key] != nil:
			*texts[key] = apitest.FieldOf[string](t, raw)
		case contacts[key] != nil:
			*contacts[key] = apitest.FieldOf[[]Contact](t, raw)
		case key == "addresses":
			u.Addresses = apitest.FieldOf[[]Address](t, raw)
		case key == "tags":
			u.Tags = apitest.FieldOf[[]string](t, raw)
		case key == "custom_metadata":
			u.CustomMetadata = apitest.FieldOf[json.RawMessage](t, raw)
		default:
			t.Errorf("the update has no field for %q", key)
		}
	}
	return u
}

// compareJSON compares the encoding of value with raw. Inside the items of
// lists a null and an absent key mean the same.
func compareJSON(t *testing.T, name string, value any, raw json.RawMessage) {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if !same.JSON(withoutNullsInItems(decoded(t, encoded), false), withoutNullsInItems(decoded(t, raw), false)) {
		t.Errorf("%s:\ngot  %s\nwant %s", name, encoded, raw)
	}
}

func decoded(t *testing.T, raw []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func withoutNullsInItems(value any, item bool) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = withoutNullsInItems(v[i], true)
		}
	case map[string]any:
		for key, inner := range v {
			if inner == nil && item {
				delete(v, key)
				continue
			}
			v[key] = withoutNullsInItems(inner, false)
		}
	}
	return value
}

// TestDocumentedExchanges plays the recorded responses to the calls
// themselves and looks at what was sent.
func TestDocumentedExchanges(t *testing.T) {
	t.Parallel()
	calls := map[string]func(*Service, evidence.Exchange) error{
		"billing/me_get": func(s *Service, _ evidence.Exchange) error { _, err := s.Me(t.Context()); return err },
		"billing/customer_create": func(s *Service, e evidence.Exchange) error {
			var create CustomerCreate
			if err := json.Unmarshal(e.Request.Body, &create); err != nil {
				return err
			}
			_, err := s.CreateCustomer(t.Context(), create)
			return err
		},
		"billing/customer_get": func(s *Service, e evidence.Exchange) error {
			_, err := s.GetCustomer(t.Context(), lastSegment(e.Request.Path))
			return err
		},
		"billing/customer_update": func(s *Service, e evidence.Exchange) error {
			_, err := s.UpdateCustomer(t.Context(), lastSegment(e.Request.Path), *updateOf(t, e.Request.Body))
			return err
		},
		"billing/customer_delete": func(s *Service, e evidence.Exchange) error {
			return s.DeleteCustomer(t.Context(), lastSegment(e.Request.Path))
		},
		"billing/customers_list_by_external_id": func(s *Service, e evidence.Exchange) error {
			found, err := s.FindCustomers(t.Context(), CustomerQuery{ExternalID: e.Request.Query["external_id"]})
			if err == nil && len(found) == 0 {
				t.Error("found nothing")
			}
			return err
		},
		"billing/billing_account_get": func(s *Service, e evidence.Exchange) error {
			_, err := s.GetBillingAccount(t.Context(), lastSegment(e.Request.Path))
			return err
		},
	}
	for name, call := range calls {
		exchange, err := evidence.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var sent *http.Request
		var body []byte
		w := newWire(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			if exchange.Request.Method == http.MethodPost && r.Method == http.MethodGet {
				respond(200, listOf())(w, r)
				return
			}
			sent = r
			w.WriteHeader(exchange.Response.Status)
			_, _ = w.Write(exchange.Response.Bytes())
		}})
		if err := call(newService(t, w), exchange); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		body = []byte(w.Bodies[len(w.Bodies)-1])
		if sent.Method != exchange.Request.Method || sent.URL.Path != exchange.Request.Path {
			t.Errorf("%s: sent %s %s", name, sent.Method, sent.URL.Path)
		}
		if len(exchange.Request.Body) > 0 {
			compareJSON(t, name, json.RawMessage(body), exchange.Request.Body)
		}
	}
}

func lastSegment(path string) string { return path[strings.LastIndex(path, "/")+1:] }

func TestDocumentedRefusals(t *testing.T) {
	t.Parallel()
	exchange, err := evidence.Load("billing/customer_create_external_id_taken")
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, newWire(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(exchange.Response.Status)
		_, _ = io.Copy(w, bytes.NewReader(exchange.Response.Bytes()))
	}}))
	_, err = s.CreateCustomer(t.Context(), CustomerCreate{Name: "n", ExternalID: new("x")})
	e, ok := api.AsError(err)
	if !ok || e.Code != "external_id_taken" || e.Field != "external_id" || e.ExistingID == "" {
		t.Errorf("got %+v, %v", e, err)
	}
}
