package billing

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// calls carries out each operation on billing accounts, subscriptions and
// invoices out of the body of a written-down request.
var calls = map[string]func(*testing.T, *Service, string, evidence.Request) (any, error){
	"billing_accounts.create": func(t *testing.T, s *Service, _ string, r evidence.Request) (any, error) {
		return s.CreateBillingAccount(t.Context(), apitest.BodyOf[BillingAccountCreate](t, r.Body))
	},
	"billing_accounts.get": func(t *testing.T, s *Service, id string, _ evidence.Request) (any, error) {
		return s.GetBillingAccount(t.Context(), id)
	},
	"billing_accounts.update": func(t *testing.T, s *Service, id string, r evidence.Request) (any, error) {
		var u BillingAccountUpdate
		fill(t, &u, r.Body)
		return s.UpdateBillingAccount(t.Context(), id, u)
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
			*field = apitest.FieldOf[string](t, raw)
		case *api.Field[bool]:
			*field = apitest.FieldOf[bool](t, raw)
		case *api.Field[int64]:
			*field = apitest.FieldOf[int64](t, raw)
		case *api.Field[json.Number]:
			*field = apitest.FieldOf[json.Number](t, raw)
		case *api.Field[json.RawMessage]:
			*field = apitest.FieldOf[json.RawMessage](t, raw)
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
