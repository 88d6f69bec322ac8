package billing

import (
	"errors"
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

func TestFindCustomersComparesEveryItem(t *testing.T) {
	t.Parallel()
	pages := []http.HandlerFunc{
		respond(200,
			`{"data":[{"id":"c1","external_id":"e1","document_number":"529.982.247-25"},{"id":"c2"}],"meta":{"total":4,"page":1,"per_page":2,"total_pages":2}}`),
		respond(200,
			`{"data":[{"id":"c3","external_id":"E1","document_number":"52998224725"},{"id":"c4","external_id":"e1","document_number":null}],"meta":{"total":4,"page":2,"per_page":2,"total_pages":2}}`),
	}
	tests := []struct {
		query CustomerQuery
		want  string
	}{
		{CustomerQuery{ExternalID: "e1"}, "c1 c4"},
		{CustomerQuery{DocumentNumber: "529982247-25"}, "c1 c3"},
		{CustomerQuery{ExternalID: "e1", DocumentNumber: "52998224725"}, "c1"},
		{CustomerQuery{ExternalID: "e9"}, ""},
	}
	for _, test := range tests {
		next := turns(pages...)
		w := newWire(map[string]http.HandlerFunc{listPath: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("external_id") != test.query.ExternalID ||
				r.URL.Query().Get("document_number") != test.query.DocumentNumber {
				t.Errorf("asked %s", r.URL.RawQuery)
			}
			next(w, r)
		}})
		found, err := newService(t, w).FindCustomers(t.Context(), test.query)
		if got := apitest.Join(found, customerID); err != nil || got != test.want {
			t.Errorf("%+v: %s, %v, want %s", test.query, got, err, test.want)
		}
	}
	if _, err := newService(t, newWire(nil)).FindCustomers(t.Context(),
		CustomerQuery{Search: "x"}); err == nil {
		t.Error("found customers by nothing")
	}
	if _, err := newService(t, newWire(map[string]http.HandlerFunc{listPath: respond(403, "")})).FindCustomers(t.Context(),
		CustomerQuery{ExternalID: "e1"}); err == nil {
		t.Error("a list that cannot be read found nothing, without an error")
	}
}

func TestListsApplyTheFiltersThemselves(t *testing.T) {
	t.Parallel()
	s := newService(t, newWire(map[string]http.HandlerFunc{
		listPath: respond(200, listOf(`{"id":"old","updated_at":"2025-12-31T23:59:59.999Z"}`,
			`{"id":"new","updated_at":"2026-01-01T00:00:00.000Z"}`, `{"id":"odd","updated_at":"lately"}`)),
		accountsPath: respond(200, listOf(
			`{"id":"a1","external_id":"x","status":"active","updated_at":"2026-02-01T00:00:00Z","customer":{"id":"c1"}}`,
			`{"id":"a2","external_id":"y","status":"closed","updated_at":"2025-02-01T00:00:00Z","customer":{"id":"c2"}}`,
			`{"id":"a3","status":"frozen","updated_at":"2026-02-01T00:00:00Z"}`)),
	}))
	got, err := apitest.IDs(s.ListCustomers(t.Context(), CustomerQuery{UpdatedAtGTE: "2026-01-01"}), customerID)
	if err != nil || got != "new odd" {
		t.Errorf("customers %v, %v", got, err)
	}
	for want, query := range map[string]BillingAccountQuery{
		"a1": {ExternalID: "x"}, "a2 a3": {CustomerID: "c2"}, "a2": {Status: "closed"}, "a3": {Status: "frozen"},
		"a1 a3": {UpdatedAtGTE: "2025-12-31T22:00:00-02:00"},
	} {
		if got, err := apitest.IDs(s.ListBillingAccounts(t.Context(), query), accountID); err != nil || got != want {
			t.Errorf("%+v: accounts %s, %v, want %s", query, got, err, want)
		}
	}
}

// TestRefusesOrder: a list is asked for by id once more only where the service may have rejected the order.
func TestRefusesOrder(t *testing.T) {
	t.Parallel()
	of := func(field string) map[string]string { return map[string]string{field: "is unknown"} }
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"the order":        {&api.Error{Status: http.StatusUnprocessableEntity, Fields: of("sort_by")}, true},
		"in another way":   {&api.Error{Status: http.StatusBadRequest, Fields: of("sort_by")}, true},
		"nothing is named": {&api.Error{Status: http.StatusBadRequest}, true},
		"a filter":         {&api.Error{Status: http.StatusUnprocessableEntity, Fields: of("status")}, false},
		"the page":         {&api.Error{Status: http.StatusUnprocessableEntity, Fields: of("page")}, false},
		"the token":        {&api.Error{Status: http.StatusUnauthorized, Fields: of("sort_by")}, false},
		"no response":      {errors.New("broken"), false},
	} {
		if have := rejectsOrder(c.err); have != c.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}
