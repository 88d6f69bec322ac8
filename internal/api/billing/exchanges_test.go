package billing

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// calls carries out each operation out of the body of a recorded request.
var calls = map[string]func(*testing.T, *Service, string, evidence.Request) (any, error){
	"me.get": func(t *testing.T, s *Service, _ string, _ evidence.Request) (any, error) { return s.Me(t.Context()) },
	"customers.create": func(t *testing.T, s *Service, _ string, r evidence.Request) (any, error) {
		return s.CreateCustomer(t.Context(), apitest.BodyOf[CustomerBody](t, r.Body))
	},
	"customers.get": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return s.GetCustomer(t.Context(), id)
	},
	"customers.update": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.UpdateCustomer(t.Context(), id, apitest.BodyOf[CustomerBody](t, r.Body))
	},
	"customers.delete": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return nil, s.DeleteCustomer(t.Context(), id)
	},
	"billing_accounts.create": func(t *testing.T, s *Service, _ string, r evidence.Request) (any, error) {
		return s.CreateBillingAccount(t.Context(), apitest.BodyOf[AccountBody](t, r.Body))
	},
	"billing_accounts.get": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return s.GetBillingAccount(t.Context(), id)
	},
	"billing_accounts.update": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.UpdateBillingAccount(t.Context(), id, apitest.BodyOf[AccountBody](t, r.Body))
	},
	"billing_accounts.delete": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return nil, s.DeleteBillingAccount(t.Context(), id)
	},
	"billing_accounts.suspend": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.SuspendBillingAccount(t.Context(), id, apitest.BodyOf[reasonBody](t, r.Body).Reason)
	},
	"billing_accounts.reactivate": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.ReactivateBillingAccount(t.Context(), id, apitest.BodyOf[reasonBody](t, r.Body).Reason)
	},
	"billing_accounts.close": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.CloseBillingAccount(t.Context(), id, apitest.BodyOf[reasonBody](t, r.Body).Reason)
	},
	"subscriptions.create": func(t *testing.T, s *Service, _ string, r evidence.Request) (any, error) {
		return s.CreateSubscription(t.Context(), apitest.BodyOf[SubscriptionBody](t, r.Body))
	},
	"subscriptions.get": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return s.GetSubscription(t.Context(), id)
	},
	"subscriptions.update": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.UpdateSubscription(t.Context(), id, apitest.BodyOf[SubscriptionBody](t, r.Body))
	},
	"subscriptions.delete": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return nil, s.DeleteSubscription(t.Context(), id)
	},
	"subscriptions.pause": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		body := apitest.BodyOf[pauseBody](t, r.Body)
		return s.PauseSubscription(t.Context(), id, body.Behavior, body.ResumesAt)
	},
	"subscriptions.resume": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return s.ResumeSubscription(t.Context(), id)
	},
	"subscriptions.change_plan": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.ChangePlan(t.Context(), id, apitest.BodyOf[ChangePlan](t, r.Body))
	},
	"subscriptions.cancel": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.CancelSubscription(t.Context(), id, apitest.BodyOf[Cancel](t, r.Body))
	},
	"subscriptions.items.list": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		items, listed, err := s.SubscriptionItems(t.Context(), id)
		if !listed {
			return nil, err
		}
		return items, err
	},
	"subscriptions.items.sync": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		return s.SyncSubscriptionItems(t.Context(), id,
			apitest.BodyOf[struct{ Items []SubscriptionItemInput }](t, r.Body).Items)
	},
	"subscriptions.invoice": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		raw, _, err := s.InvoiceSubscription(t.Context(), id, apitest.BodyOf[reasonBody](t, r.Body).Reason)
		return raw, err
	},
}

// TestExchanges plays every written-down success of these operations to its
// call: what is sent is what was written down, and what is returned comes out
// with nothing lost or changed.
func TestExchanges(t *testing.T) {
	t.Parallel()
	played := map[string]bool{}
	for _, exchange := range evidence.All("billing/") {
		call := calls[exchange.Operation]
		if call == nil && !strings.HasSuffix(exchange.Operation, ".list") && exchange.Operation != "me.get" {
			t.Errorf("%s: no call plays %s: add it to calls", exchange.Name, exchange.Operation)
		}
		if call == nil || exchange.Response.Status > 299 || neverSent[exchange.Name] {
			continue
		}
		played[exchange.Operation] = true
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			var first *http.Request
			before := 0 // creations look first
			w := newWire(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
				if first == nil && exchange.Request.Method == http.MethodPost && r.Method == http.MethodGet {
					before++
					respond(200, listOf())(w, r)
					return
				}
				if first == nil {
					first = r
				}
				respond(exchange.Response.Status, string(exchange.Response.Bytes()))(w, r)
			}})
			got, err := call(t, newService(t, w), idIn(exchange.Request.Path), exchange.Request)
			if err != nil {
				t.Fatal(err)
			}
			notLoaded := strings.HasSuffix(exchange.Name, "_not_loaded")
			if n := len(w.Seen) - before; (n == 1) == notLoaded || n > 2 || before > 1 {
				t.Errorf("sent %v", w.Seen)
			}
			if first.Method != exchange.Request.Method || first.URL.Path != exchange.Request.Path {
				t.Errorf("sent %s %s", first.Method, first.URL.Path)
			}
			sameBody(t, w.Bodies[before], exchange.Request.Body)
			if got != nil {
				sameObject(t, got, exchange.Response.Body)
			}
		})
	}
	for operation := range calls {
		if !played[operation] {
			t.Errorf("no exchange of %s was played", operation)
		}
	}
}

// neverSent are the requests that change or describe a customer through an
// account. This client refers to a customer by its id, and changes it by itself.
var neverSent = map[string]bool{
	"billing/account_create_by_document": true, "billing/account_create_by_external_id": true,
	"billing/account_create_new_customer": true, "billing/account_update_customer": true,
}

// idIn finds the object's id in a path such as /v1/subscriptions/{id}/pause.
func idIn(path string) string {
	if parts := strings.Split(path, "/"); len(parts) > 3 {
		return parts[3]
	}
	return ""
}

func sameBody(t *testing.T, sent string, want json.RawMessage) {
	t.Helper()
	if want == nil || sent == "" {
		if sent != string(want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		return
	}
	compareJSON(t, "request", json.RawMessage(sent), want)
}

// sameObject compares a result with the data of a response. A nil pointer means
// null or a field that is left out.
func sameObject(t *testing.T, got any, body json.RawMessage) {
	t.Helper()
	var want envelope[json.RawMessage]
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	if want.Data == nil {
		want.Data = body // bare, as the organization is
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	compareJSON(t, "response", withoutNulls(t, encoded), withoutNulls(t, lean(t, want.Data)))
}

func withoutNulls(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	for name, value := range fields {
		if string(value) == "null" {
			delete(fields, name)
		}
	}
	stripped, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return stripped
}

// TestExchangesOfRefusals plays every written-down rejection: its code, and the
// fields it names, come out.
func TestExchangesOfRefusals(t *testing.T) {
	t.Parallel()
	count := 0
	for _, exchange := range evidence.All("billing/") {
		call := calls[exchange.Operation]
		tolerated := exchange.Request.Method == http.MethodDelete && exchange.Response.Status == http.StatusNotFound ||
			exchange.Operation == "subscriptions.items.list"
		ofAnyCall := strings.HasPrefix(exchange.Name, "billing/error_") // package api plays them
		if call == nil || exchange.Response.Status < 400 || exchange.Response.Status > 499 || tolerated || ofAnyCall {
			continue
		}
		count++
		var want struct {
			Error struct {
				Code    string
				Details struct{ Fields map[string]string }
			}
		}
		if err := json.Unmarshal(exchange.Response.Body, &want); err != nil {
			t.Fatal(err)
		}
		w := newWire(map[string]http.HandlerFunc{"/": respond(exchange.Response.Status, string(exchange.Response.Body))})
		if exchange.Response.Status == http.StatusNotFound {
			w.HandleFunc("GET "+path.Dir(exchange.Request.Path), respond(200, listOf()))
		}
		_, err := call(t, newService(t, w), idIn(exchange.Request.Path), evidence.Request{Body: json.RawMessage(`{}`)})
		e, ok := api.AsError(err)
		if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || strings.Contains(err.Error(), "does not prove") {
			t.Errorf("%s: %v after %v", exchange.Name, err, w.Seen)
			continue
		}
		if e.Status != exchange.Response.Status || e.Code != want.Error.Code ||
			!reflect.DeepEqual(e.Fields, want.Error.Details.Fields) {
			t.Errorf("%s: got %+v", exchange.Name, e)
		}
	}
	if count < 15 {
		t.Errorf("only %d refusals were played", count)
	}
}

func TestExchangesOfLists(t *testing.T) {
	t.Parallel()
	lists := map[string]func(*Service, map[string]string) ([]string, error){
		"customers.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListCustomers(t.Context(), CustomerQuery{
				Listing:    Listing{Search: q["search"], SortBy: q["sort_by"], SortOrder: q["sort_order"]},
				ExternalID: q["external_id"], DocumentNumber: q["document_number"], UpdatedAtGTE: q["updated_at_gte"],
			}), customerID)
		},
		"billing_accounts.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListBillingAccounts(t.Context(), BillingAccountQuery{
				ExternalID: q["external_id"], CustomerID: q["customer_id"], Status: q["status"], UpdatedAtGTE: q["updated_at_gte"],
			}), accountID)
		},
		"subscriptions.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListSubscriptions(t.Context(), SubscriptionQuery{
				ExternalID: q["external_id"], BillingAccountID: q["billing_account_id"], Status: q["status"],
				PlanID: q["plan_id"], UpdatedAtGTE: q["updated_at_gte"],
			}), subscriptionID)
		},
		"invoices.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListInvoices(t.Context(), InvoiceQuery{
				SubscriptionID: q["subscription_id"], BillingAccountID: q["billing_account_id"],
			}), func(i Invoice) string { return i.ID })
		},
		"records.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListRecords(t.Context(), "plans", RecordQuery{
				Listing: Listing{Search: q["search"], SortBy: q["sort_by"], SortOrder: q["sort_order"]},
			}), func(r Record) string { return r.ID })
		},
	}
	played := map[string]bool{}
	for _, exchange := range evidence.All("billing/") {
		list := lists[exchange.Operation]
		if list == nil || exchange.Response.Status != http.StatusOK {
			continue
		}
		played[exchange.Operation] = true
		var asked *http.Request
		got, err := list(newService(t, newWire(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			asked = r
			respond(200, string(exchange.Response.Bytes()))(w, r)
		}})), exchange.Request.Query)
		if err != nil {
			t.Errorf("%s: %v", exchange.Name, err)
			continue
		}
		var want envelope[[]struct{ ID string }]
		if err := json.Unmarshal(exchange.Response.Body, &want); err != nil || len(got) != len(want.Data) {
			t.Errorf("%s: got %v, %v", exchange.Name, got, err)
		}
		for name, value := range exchange.Request.Query {
			if paging := name == "page" || name == "per_page"; !paging && asked.URL.Query().Get(name) != value {
				t.Errorf("%s: asked for %s", exchange.Name, asked.URL.RawQuery)
			}
		}
	}
	if len(played) != len(lists) {
		t.Errorf("only %v were played", played)
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
