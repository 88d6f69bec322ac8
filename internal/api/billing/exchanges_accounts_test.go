package billing

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
)

// calls carries out each operation on billing accounts, subscriptions and
// invoices out of the body of a written-down request.
var calls = map[string]func(*testing.T, *Service, string, contract.Request) (any, error){
	"billing_accounts.create": func(t *testing.T, s *Service, _ string, r contract.Request) (any, error) {
		return s.CreateBillingAccount(t.Context(), bodyOf[BillingAccountCreate](t, r))
	},
	"billing_accounts.get": func(t *testing.T, s *Service, id string, _ contract.Request) (any, error) {
		return s.GetBillingAccount(t.Context(), id)
	},
	"billing_accounts.update": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		var u BillingAccountUpdate
		fill(t, &u, r.Body)
		return s.UpdateBillingAccount(t.Context(), id, u)
	},
	"billing_accounts.delete": func(t *testing.T, s *Service, id string, _ contract.Request) (any, error) {
		return nil, s.DeleteBillingAccount(t.Context(), id)
	},
	"billing_accounts.suspend": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		return s.SuspendBillingAccount(t.Context(), id, bodyOf[reasonBody](t, r).Reason)
	},
	"billing_accounts.reactivate": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		return s.ReactivateBillingAccount(t.Context(), id, bodyOf[reasonBody](t, r).Reason)
	},
	"billing_accounts.close": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		return s.CloseBillingAccount(t.Context(), id, bodyOf[reasonBody](t, r).Reason)
	},
	"subscriptions.create": func(t *testing.T, s *Service, _ string, r contract.Request) (any, error) {
		return s.CreateSubscription(t.Context(), bodyOf[SubscriptionCreate](t, r))
	},
	"subscriptions.get": func(t *testing.T, s *Service, id string, _ contract.Request) (any, error) {
		return s.GetSubscription(t.Context(), id)
	},
	"subscriptions.update": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		var u SubscriptionUpdate
		fill(t, &u, r.Body)
		return s.UpdateSubscription(t.Context(), id, u)
	},
	"subscriptions.delete": func(t *testing.T, s *Service, id string, _ contract.Request) (any, error) {
		return nil, s.DeleteSubscription(t.Context(), id)
	},
	"subscriptions.pause": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		body := bodyOf[pauseBody](t, r)
		return s.PauseSubscription(t.Context(), id, body.Behavior, body.ResumesAt)
	},
	"subscriptions.resume": func(t *testing.T, s *Service, id string, _ contract.Request) (any, error) {
		return s.ResumeSubscription(t.Context(), id)
	},
	"subscriptions.change_plan": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		return s.ChangePlan(t.Context(), id, bodyOf[ChangePlan](t, r))
	},
	"subscriptions.cancel": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		return s.CancelSubscription(t.Context(), id, bodyOf[Cancel](t, r))
	},
	"subscriptions.items.list": func(t *testing.T, s *Service, id string, _ contract.Request) (any, error) {
		items, listed, err := s.SubscriptionItems(t.Context(), id)
		if !listed {
			return nil, err
		}
		return items, err
	},
	"subscriptions.items.sync": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		return s.SyncSubscriptionItems(t.Context(), id, bodyOf[struct{ Items []SubscriptionItemInput }](t, r).Items)
	},
	"subscriptions.invoice": func(t *testing.T, s *Service, id string, r contract.Request) (any, error) {
		raw, _, err := s.InvoiceSubscription(t.Context(), id, bodyOf[reasonBody](t, r).Reason)
		return raw, err
	},
}

// bodyOf reads a body into the type that a caller fills, which must know all of
// it.
func bodyOf[T any](t *testing.T, r contract.Request) (body T) {
	t.Helper()
	if r.Body == nil {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

// fill sets the fields of an update that a body names.
func fill(t *testing.T, update any, body json.RawMessage) {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	target := reflect.ValueOf(update).Elem()
	for i := range target.NumField() {
		name, _, _ := strings.Cut(target.Type().Field(i).Tag.Get("json"), ",")
		raw, ok := keys[name]
		if !ok {
			continue
		}
		delete(keys, name)
		switch field := target.Field(i).Addr().Interface().(type) {
		case *api.Field[string]:
			*field = fieldOf[string](t, raw)
		case *api.Field[bool]:
			*field = fieldOf[bool](t, raw)
		case *api.Field[int64]:
			*field = fieldOf[int64](t, raw)
		case *api.Field[json.Number]:
			*field = fieldOf[json.Number](t, raw)
		case *api.Field[json.RawMessage]:
			*field = fieldOf[json.RawMessage](t, raw)
		case *api.Field[Address]:
			*field = fieldOf[Address](t, raw)
		default:
			t.Errorf("a field of another kind: %q", name)
		}
	}
	for name := range keys {
		t.Errorf("the update has no field for %q", name)
	}
}

// idIn finds the object's id in a path such as /v1/subscriptions/{id}/pause.
func idIn(path string) string {
	if parts := strings.Split(path, "/"); len(parts) > 3 {
		return parts[3]
	}
	return ""
}

// TestExchanges plays every written-down success of these operations to its
// call: what is sent is what was written down, and what is answered comes out
// with nothing lost or changed.
func TestExchanges(t *testing.T) {
	t.Parallel()
	played := map[string]bool{}
	for _, exchange := range contract.All("billing/") {
		call := calls[exchange.Operation]
		if call == nil || exchange.Response.Status > 299 {
			continue
		}
		played[exchange.Operation] = true
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			var first *http.Request
			w := newWire(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
				if first == nil {
					first = r
				}
				answer(exchange.Response.Status, string(exchange.Response.Bytes()))(w, r)
			}})
			got, err := call(t, newService(t, w), idIn(exchange.Request.Path), exchange.Request)
			if err != nil {
				t.Fatal(err)
			}
			notLoaded := strings.HasSuffix(exchange.Name, "_not_loaded")
			if (len(w.seen) == 1) == notLoaded || len(w.seen) > 2 {
				t.Errorf("sent %v", w.seen)
			}
			if first.Method != exchange.Request.Method || first.URL.Path != exchange.Request.Path {
				t.Errorf("sent %s %s", first.Method, first.URL.Path)
			}
			sameBody(t, w.bodies[0], exchange.Request.Body)
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

// sameObject compares a result with the data of an answer. A nil pointer stands
// for null and for a field left out.
func sameObject(t *testing.T, got any, body json.RawMessage) {
	t.Helper()
	var want envelope[json.RawMessage]
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	compareJSON(t, "answer", withoutNulls(t, encoded), withoutNulls(t, want.Data))
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

// TestExchangesOfRefusals plays every written-down refusal: its code, and the
// fields it names, come out.
func TestExchangesOfRefusals(t *testing.T) {
	t.Parallel()
	count := 0
	for _, exchange := range contract.All("billing/") {
		call := calls[exchange.Operation]
		tolerated := exchange.Request.Method == http.MethodDelete && exchange.Response.Status == http.StatusNotFound ||
			exchange.Operation == "subscriptions.items.list"
		if call == nil || exchange.Response.Status < 400 || exchange.Response.Status > 499 || tolerated {
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
		w := newWire(map[string]http.HandlerFunc{"/": answer(exchange.Response.Status, string(exchange.Response.Body))})
		_, err := call(t, newService(t, w), idIn(exchange.Request.Path), contract.Request{Body: json.RawMessage(`{}`)})
		e, ok := api.AsError(err)
		if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || len(w.seen) != 1 {
			t.Errorf("%s: %v after %v", exchange.Name, err, w.seen)
			continue
		}
		if e.Status != exchange.Response.Status || e.Code != want.Error.Code || !reflect.DeepEqual(e.Fields, want.Error.Details.Fields) {
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
		"billing_accounts.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListBillingAccounts(t.Context(), BillingAccountQuery{
				ExternalID: q["external_id"], CustomerID: q["customer_id"], Status: q["status"], UpdatedAtGTE: q["updated_at_gte"],
			}), func(a BillingAccount) string { return a.ID })
		},
		"subscriptions.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListSubscriptions(t.Context(), SubscriptionQuery{
				ExternalID: q["external_id"], BillingAccountID: q["billing_account_id"], Status: q["status"],
				PlanID: q["plan_id"], UpdatedAtGTE: q["updated_at_gte"],
			}), func(s Subscription) string { return s.ID })
		},
		"invoices.list": func(s *Service, q map[string]string) ([]string, error) {
			return idsOf(s.ListInvoices(t.Context(), InvoiceQuery{
				SubscriptionID: q["subscription_id"], BillingAccountID: q["billing_account_id"],
			}), func(i Invoice) string { return i.ID })
		},
	}
	played := map[string]bool{}
	for _, exchange := range contract.All("billing/") {
		list := lists[exchange.Operation]
		if list == nil {
			continue
		}
		played[exchange.Operation] = true
		var asked *http.Request
		got, err := list(newService(t, newWire(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			asked = r
			answer(200, string(exchange.Response.Bytes()))(w, r)
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
			if asked.URL.Query().Get(name) != value {
				t.Errorf("%s: asked for %s", exchange.Name, asked.URL.RawQuery)
			}
		}
	}
	if len(played) != len(lists) {
		t.Errorf("only %v were played", played)
	}
}
