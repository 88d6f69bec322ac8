package billing

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	createPath   = "POST /v1/customers"
	listPath     = "GET /v1/customers"
	accountsPath = "GET /v1/billing-accounts"
	ours         = `{"id":"c1","external_id":"e1","name":"Ana"}`
)

var wanted = CustomerCreate{Name: "Ana", ExternalID: new("e1")}

func TestCreateCustomerSettlesALostResponse(t *testing.T) {
	t.Parallel()
	taken := respond(422,
		`{"error":{"code":"external_id_taken","message":"taken","details":{"field":"external_id","id":"c1"}}}`)
	created := respond(201, `{"data":{"customer":`+ours+`,"billing_account":{"id":"a1"}}}`)
	account := `{"id":"a1","customer":{"id":"c1"}}`
	tests := map[string]struct {
		create   http.HandlerFunc
		list     http.HandlerFunc
		accounts http.HandlerFunc
		adopted  bool
		account  string
		posts    int
		err      string
	}{
		"returned": {create: created, account: "a1", posts: 1},
		"lost, found": {create: lost, list: respond(200, listOf(ours)), accounts: respond(200, listOf(account)),
			adopted: true, account: "a1", posts: 1},
		"5xx, found": {create: respond(502, "<html>"), list: respond(200, listOf(ours)),
			accounts: respond(200, listOf(account)), adopted: true, account: "a1", posts: 1},
		"returned without an id, found": {create: respond(201, `{"data":{"customer":{},"billing_account":null}}`),
			list: respond(200, listOf(ours)), accounts: respond(200, listOf()), adopted: true, posts: 1},
		"found among others, filter ignored": {create: lost,
			list: respond(200, listOf(`{"id":"c0","external_id":"e0","name":"Ana"}`, ours,
				`{"id":"c2","external_id":null,"name":"Ana"}`)),
			accounts: respond(200, listOf(`{"id":"a0","customer":{"id":"c0"}}`, account)), adopted: true,
			account: "a1", posts: 1},
		"accounts cannot be read": {create: lost, list: respond(200, listOf(ours)), accounts: respond(403, ""),
			adopted: true, posts: 1},
		"lost, sent again": {create: turns(lost, created), list: respond(200, listOf()), account: "a1", posts: 2},
		"lost, sent again, taken": {create: turns(lost, taken),
			list: turns(respond(200, listOf()), respond(200, listOf()), respond(200, listOf()), respond(200, listOf()),
				respond(200, listOf(ours))),
			posts: 2, err: "another system has created (c1)"},
		"found with another name": {create: lost, list: respond(200, listOf(`{"id":"c9","external_id":"e1","name":"Bia"}`)),
			posts: 1, err: "differs"},
		"taken before": {create: taken, posts: 1, err: "external_id_taken"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(map[string]http.HandlerFunc{
					createPath: test.create, listPath: turns(respond(200, listOf()), orNothing(test.list)),
					accountsPath: orNothing(test.accounts),
				})
				got, err := newService(t, w).CreateCustomer(t.Context(), wanted)
				if posted(t, w.Count(createPath), test.posts); failed(t, err, test.err) {
					return
				}
				if got.Customer.ID != "c1" || got.Adopted != test.adopted {
					t.Errorf("got %+v", got)
				}
				if account := got.BillingAccount; (account != nil) != (test.account != "") ||
					account != nil && account.ID != test.account {
					t.Errorf("account %+v, want %q", account, test.account)
				}
			})
		})
	}
}

func orNothing(handler http.HandlerFunc) http.HandlerFunc {
	if handler == nil {
		return respond(500, "")
	}
	return handler
}

func TestCreateCustomerWithoutExternalIDStaysUndecided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(map[string]http.HandlerFunc{createPath: lost,
			listPath: respond(200, listOf(`{"id":"c0","name":"Ana"}`))})
		_, err := newService(t, w).CreateCustomer(t.Context(), CustomerCreate{Name: "Ana"})
		if _, ok := api.AsAmbiguous(err); !ok ||
			!strings.Contains(err.Error(), `customer named "Ana" may or may not exist. It was looked up 4 times`) {
			t.Errorf("got %v", err)
		}
		if w.Count(createPath) != 1 {
			t.Errorf("sent %v", w.Seen)
		}
	})
}

func TestAdoptionFindsTheAccountItself(t *testing.T) {
	t.Parallel()
	get := func(id, customer string) http.HandlerFunc {
		return respond(200, fmt.Sprintf(`{"data":{"id":%q,"customer":{"id":%q}}}`, id, customer))
	}
	routes := map[string]http.HandlerFunc{
		createPath: lost, listPath: turns(respond(200, listOf()), respond(200, listOf(ours))),
		accountsPath:                  respond(200, listOf(`{"id":"a0"}`, `{"id":"a1"}`)),
		"GET /v1/billing-accounts/a0": get("a0", "c0"), "GET /v1/billing-accounts/a1": get("a1", "c1"),
	}
	got, err := newService(t, newWire(routes)).CreateCustomer(t.Context(), wanted)
	if err != nil || got.BillingAccount == nil || got.BillingAccount.ID != "a1" {
		t.Errorf("%+v, %v", got, err)
	}

	routes[listPath] = turns(respond(200, listOf()), respond(200, listOf(ours)))
	w := newWire(routes)
	without := wanted
	without.CreateBillingAccount = new(false)
	got, err = newService(t, w).CreateCustomer(t.Context(), without)
	if err != nil || got.BillingAccount != nil || w.Count(accountsPath) != 0 {
		t.Errorf("%+v, %v: none was asked for", got, err)
	}
}

func TestResponsesWithoutAnIDAreErrors(t *testing.T) {
	t.Parallel()
	s := newService(t, newWire(map[string]http.HandlerFunc{"/": respond(200, `{"data":{"name":"x"}}`)}))
	_, customer := s.GetCustomer(t.Context(), "c1")
	_, update := s.UpdateCustomer(t.Context(), "c1", CustomerUpdate{})
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
	_, update := s.UpdateCustomer(t.Context(), "..", CustomerUpdate{})
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

func TestCustomerUpdateIsEmpty(t *testing.T) {
	t.Parallel()
	for want, updates := range map[bool][]CustomerUpdate{
		true: {{}, {CustomMetadataMode: api.Set("merge")}},
		false: {{Name: api.Set("")}, {Notes: api.Null[string]()}, {Tags: api.Set([]string{})},
			{CustomMetadata: api.Set(json.RawMessage(`{}`))}},
	} {
		for _, u := range updates {
			if u.IsEmpty() != want {
				t.Errorf("%+v: empty is %v", u, u.IsEmpty())
			}
		}
	}
}

func TestConflictNamesWhatWasFound(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{createPath: lost,
		listPath: respond(200, listOf(ours, `{"id":"c2","external_id":"e1","name":"Ana"}`))})
	_, err := newService(t, w).CreateCustomer(t.Context(), wanted)
	var conflict *api.ConflictError
	if !errors.As(err, &conflict) || strings.Join(conflict.IDs, " ") != "c1 c2" {
		t.Errorf("got %v", err)
	}
}
