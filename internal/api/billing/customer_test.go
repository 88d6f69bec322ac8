package billing

import (
	"net/http"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	listPath     = "GET /v1/customers"
	accountsPath = "GET /v1/billing-accounts"
	ours         = `{"id":"c1","external_id":"e1","name":"Ana"}`
)

func TestResponsesWithoutAnIDAreErrors(t *testing.T) {
	t.Parallel()
	s := newService(t, newWire(map[string]http.HandlerFunc{"/": respond(200, `{"data":{"name":"x"}}`)}))
	_, customer := s.GetCustomer(t.Context(), "c1")
	_, update := s.UpdateCustomer(t.Context(), "c1", CustomerBody{})
	_, account := s.GetBillingAccount(t.Context(), "a1")
	_, me := s.Me(t.Context())
	for name, err := range map[string]error{"customer": customer, "update": update, "account": account, "me": me} {
		if e, ok := api.AsError(err); !ok || !strings.Contains(e.Message, "with an id") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadsOfEmptyIDsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{"/": respond(200, listOf(ours))})
	s := newService(t, w)
	_, get := s.GetCustomer(t.Context(), "")
	_, update := s.UpdateCustomer(t.Context(), "..", CustomerBody{})
	remove := s.DeleteCustomer(t.Context(), ".")
	if get == nil || update == nil || remove == nil || len(w.Seen) != 0 {
		t.Errorf("%v, %v, %v; sent %v", get, update, remove, w.Seen)
	}
}

func TestMeIsABareObject(t *testing.T) {
	t.Parallel()
	s := newService(t,
		newWire(map[string]http.HandlerFunc{"GET /v1/me": respond(200,
			`{"id":"o1","environment":"sandbox","plan":{"x":1}}`)}))
	me, err := s.Me(t.Context())
	if err != nil || me.ID != "o1" || me.Environment != "sandbox" {
		t.Errorf("%+v, %v", me, err)
	}
	s = newService(t, newWire(map[string]http.HandlerFunc{"GET /v1/me": respond(404, "<html>")}))
	if _, err := s.Me(t.Context()); err == nil || api.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
}

func TestBodiesAreEmptyWhenNothingIsSent(t *testing.T) {
	t.Parallel()
	if !(CustomerBody{}).IsEmpty() || !(AccountBody{}).IsEmpty() {
		t.Error("a body without a field is not empty")
	}
	if (CustomerBody{Notes: api.Null[string]()}).IsEmpty() || (AccountBody{AutoCollection: api.Set(false)}).IsEmpty() {
		t.Error("a body with a field is empty")
	}
}
