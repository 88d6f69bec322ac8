package billing

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	accountPath   = "/v1/billing-accounts/a1"
	createAccount = "POST /v1/billing-accounts"
	getAccount    = "GET " + accountPath
)

// accountJSON is a whole account with some fields changed; a nil removes one.
func accountJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t,
		`{"id":"a1","public_id":"p1","external_id":"x1","currency":"BRL","billing_email":"a@b.c","payment_terms_days":10,
		"auto_collection":true,"balance_cents":9007199254740993,"status":"active","suspended_at":null,"suspension_reason":null,"tax_exempt":false,
		"tax_exemption_certificate":null,"customer_tax_type":null,"metadata":{},"custom_metadata":{},"created_at":"2025-01-01T00:00:00.000Z",
		"updated_at":"2025-01-01T00:00:00.000Z","customer":{"id":"c1","external_id":"e1","document_number":"529.982.247-25","name":"Ana"}}`, change)
}

// A response to a change may leave fields out: the single object is asked for,
// once, and what the response does say is newer.
func TestPartialResponsesAreCompleted(t *testing.T) {
	t.Parallel()
	stale := accountJSON(t, map[string]any{"payment_terms_days": 10, "suspension_reason": "old"})
	noCustomer := accountJSON(t, map[string]any{"payment_terms_days": 30, "customer": nil})
	tests := map[string]struct {
		response string
		single   http.HandlerFunc
		gets     int
		customer string
		terms    int64
		reason   *string
	}{
		"whole": {response: accountJSON(t, map[string]any{"payment_terms_days": 30}),
			customer: "c1", terms: 30},
		"without the customer": {response: noCustomer, single: respond(200, data(stale)), gets: 1, customer: "c1", terms: 30},
		"null for the customer": {response: changed(t, noCustomer, map[string]any{"customer": json.RawMessage("null")}),
			single: respond(200, data(stale)), gets: 1, customer: "c1", terms: 30},
		"little": {response: `{"id":"a1","payment_terms_days":30}`, single: respond(200, data(stale)), gets: 1,
			customer: "c1", terms: 30, reason: new("old")},
		"never with the customer": {response: noCustomer, single: respond(200, data(noCustomer)), gets: 1, terms: 30},
		"not readable":            {response: noCustomer, single: respond(403, ""), gets: 1, terms: 30},
	}
	for name, test := range tests {
		for _, body := range []string{test.response, data(test.response)} {
			w := newWire(map[string]http.HandlerFunc{"PATCH " + accountPath: respond(200, body),
				getAccount: orNothing(test.single)})
			got, err := newService(t, w).UpdateBillingAccount(t.Context(), "a1",
				AccountBody{PaymentTermsDays: api.Set(int64(30))})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			customer := ""
			if got.Customer != nil {
				customer = got.Customer.ID
			}
			if w.Count(getAccount) != test.gets || customer != test.customer || *got.PaymentTermsDays != test.terms ||
				api.OrEmpty(got.SuspensionReason) != api.OrEmpty(test.reason) {
				t.Errorf("%s: %d reads, got %+v", name, w.Count(getAccount), got)
			}
		}
	}
}

func TestDescribedFieldsInsideAnAccountAreStrict(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{"/": respond(200, data(`{"id":"a1","customer":{"id":"c1","name":true}}`))})
	if _, err := newService(t, w).GetBillingAccount(t.Context(), "a1"); err == nil ||
		!strings.Contains(err.Error(), "name") {
		t.Errorf("got %v", err)
	}
}

func TestFindBillingAccounts(t *testing.T) {
	t.Parallel()
	pages := func(items ...string) http.HandlerFunc {
		var handlers []http.HandlerFunc
		for i, item := range items {
			handlers = append(handlers, respond(200, changed(t, `{"data":[`+item+`]}`, map[string]any{
				"meta": map[string]int{"total": len(items), "page": i + 1, "per_page": 1, "total_pages": len(items)},
			})))
		}
		return turns(handlers...)
	}
	account := func(id, externalID, status string) string {
		return accountJSON(t, map[string]any{"id": id, "external_id": externalID, "status": status})
	}
	tests := map[string]struct {
		list http.HandlerFunc
		want string
	}{
		"the live one only": {pages(account("a1", "x1", "closed"), account("a2", "x2", "active"),
			account("a3", "x1", "suspended")), "a3"},
		"closed ones, as a last": {pages(account("a1", "x1", "closed"), account("a2", "x1", "closed"),
			account("a3", "X1", "active")), "a1 a2"},
		"every live one": {pages(account("a1", "x1", "active"), account("a2", "x1", "active")), "a1 a2"},
		"none":           {pages(account("a1", "x11", "active")), ""},
	}
	for name, test := range tests {
		w := newWire(map[string]http.HandlerFunc{accountsPath: test.list})
		found, err := newService(t, w).FindBillingAccounts(t.Context(), BillingAccountQuery{ExternalID: "x1"})
		if got := apitest.Join(found, accountID); err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
		}
	}
	w := newWire(nil)
	if _, err := newService(t, w).FindBillingAccounts(t.Context(), BillingAccountQuery{Status: "active"}); err == nil ||
		len(w.Seen) != 0 {
		t.Errorf("%v after %v", err, w.Seen)
	}
}

func TestAccountTransitions(t *testing.T) {
	t.Parallel()
	type step = func(context.Context, *Service) (*BillingAccount, error)
	suspend := func(ctx context.Context, s *Service) (*BillingAccount, error) {
		return s.SuspendBillingAccount(ctx, "a1", "late")
	}
	reactivate := func(ctx context.Context, s *Service) (*BillingAccount, error) {
		return s.ReactivateBillingAccount(ctx, "a1", "paid")
	}
	end := func(ctx context.Context, s *Service) (*BillingAccount, error) {
		return s.CloseBillingAccount(ctx, "a1", "")
	}
	type row struct {
		step   step
		path   string
		looks  []string // statuses; the last is repeated
		status string
		err    string
	}
	tests := map[string]row{
		"suspended": {step: suspend, path: "suspend", looks: []string{"suspended"},
			status: "suspended"},
		"suspended later": {step: suspend, path: "suspend", looks: []string{"active", "active", "suspended"},
			status: "suspended"},
		"not suspended": {step: suspend, path: "suspend", looks: []string{"active"}, err: "not in the requested state"},
		"closed instead": {step: suspend, path: "suspend", looks: []string{"closed"},
			err: "not in the requested state"},
		"reactivated": {step: reactivate, path: "reactivate", looks: []string{"active"},
			status: "active"},
		"not reactivated": {step: reactivate, path: "reactivate", looks: []string{"suspended"}, err: "not in the requested state"},
		"closed":          {step: end, path: "close", looks: []string{"closed"}, status: "closed"},
		"a status that nobody knows of": {step: end, path: "close", looks: []string{"archived"},
			err: `closing of the billing account "a1"`},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		var looks []http.HandlerFunc
		for _, status := range test.looks {
			looks = append(looks, respond(200, data(accountJSON(t, map[string]any{"status": status}))))
		}
		post := "POST " + accountPath + "/" + test.path
		w := newWire(map[string]http.HandlerFunc{post: lost, getAccount: turns(looks...)})
		got, err := test.step(t.Context(), newService(t, w))
		posted(t, w.Count(post), map[bool]int{true: 1, false: 2}[test.err == ""])
		if test.err != "" {
			if _, ok := api.AsAmbiguous(err); !ok || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, want %s", err, test.err)
			}
			return
		}
		if err != nil || got.Status != test.status {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestReasonsAreSentWhenThereAreAny(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{"/": respond(200, data(accountJSON(t, nil)))})
	s := newService(t, w)
	_, _ = s.SuspendBillingAccount(t.Context(), "a1", `late "again"`)
	_, _ = s.CloseBillingAccount(t.Context(), "a1", "")
	if want := []string{`{"reason":"late \"again\""}`, `{}`}; !reflect.DeepEqual(w.Bodies, want) {
		t.Errorf("sent %q", w.Bodies)
	}
}
