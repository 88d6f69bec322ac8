package billing

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

func TestCreateBillingAccountSettlesALostResponse(t *testing.T) {
	t.Parallel()
	ours := accountJSON(t, nil)
	closed := accountJSON(t, map[string]any{"id": "a0", "status": "closed"})
	other := accountJSON(t, map[string]any{"customer": map[string]any{"id": "c2"}})
	lean := `{"id":"a1","external_id":"x1","status":"active"}`
	created := respond(201, data(ours))
	taken := respond(422,
		`{"error":{"code":"external_id_taken","message":"taken","details":{"field":"external_id","id":"a1"}}}`)
	nothing := respond(200, listOf())
	tests := map[string]struct {
		create, list http.HandlerFunc
		single       string
		adopted      bool
		posts        int
		err          string
	}{
		"returned":    {create: created, posts: 1},
		"lost, found": {create: lost, list: respond(200, listOf(ours)), single: ours, adopted: true, posts: 1},
		"5xx, found": {create: respond(504, ""), list: respond(200, listOf(ours)), single: ours,
			adopted: true, posts: 1},
		"found without fields": {create: lost, list: respond(200, listOf(lean)), single: ours, adopted: true, posts: 1},
		"found beside a closed": {create: lost, list: respond(200, listOf(closed, ours)), single: ours,
			adopted: true, posts: 1},
		"filter ignored": {create: lost,
			list: respond(200, listOf(accountJSON(t, map[string]any{"id": "a9", "external_id": "x9"}), ours)), single: ours,
			adopted: true, posts: 1},
		"only a closed one":     {create: turns(lost, created), list: respond(200, listOf(closed)), posts: 2},
		"not found, sent again": {create: turns(lost, created), list: nothing, posts: 2},
		"sent again, taken": {create: turns(lost, taken), list: turns(nothing, nothing, nothing, nothing,
			respond(200, listOf(ours))),
			single: ours, posts: 2, err: "another system has created (a1)"},
		"of another customer": {create: lost, list: respond(200, listOf(lean)), single: other, posts: 1, err: "differs"},
		"taken before":        {create: taken, posts: 1, err: "external_id_taken"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(map[string]http.HandlerFunc{
					createAccount: test.create, accountsPath: turns(respond(200, listOf()), orNothing(test.list)),
					getAccount: respond(200, data(test.single)),
				})
				got, err := newService(t, w).CreateBillingAccount(t.Context(), BillingAccountCreate{
					Customer: CustomerRef{ID: "c1"}, ExternalID: new("x1"), PaymentTermsDays: new(int64(10)),
				})
				if posted(t, w.Count(createAccount), test.posts); failed(t, err, test.err) {
					return
				}
				if got.ID != "a1" || got.Adopted != test.adopted || got.Customer == nil || *got.BalanceCents != 9007199254740993 {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestCreateBillingAccountWithoutExternalIDStaysUndecided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(map[string]http.HandlerFunc{createAccount: lost, accountsPath: respond(200, listOf())})
		_, err := newService(t, w).CreateBillingAccount(t.Context(),
			BillingAccountCreate{Customer: CustomerRef{ID: "c1"}})
		if _, ok := api.AsAmbiguous(err); !ok ||
			!strings.Contains(err.Error(), "The billing account may or may not exist. It was looked up 4 times") {
			t.Errorf("got %v", err)
		}
		if w.Count(createAccount) != 1 {
			t.Errorf("sent %v", w.Seen)
		}
	})
}

// TestCreateBillingAccountShowsAnOlderOne: a response to a creation that shows an account from before is about another
// one, which is never taken over.
func TestCreateBillingAccountShowsAnOlderOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		old := accountJSON(t, map[string]any{"external_id": nil})
		w := newWire(map[string]http.HandlerFunc{createAccount: respond(201, data(old)),
			accountsPath: respond(200, listOf(old)), getAccount: respond(200, data(old))})
		_, err := newService(t, w).CreateBillingAccount(t.Context(),
			BillingAccountCreate{Customer: CustomerRef{ID: "c1"}})
		if _, ok := api.AsAmbiguous(err); !ok || !strings.Contains(err.Error(), `"a1", which existed before`) ||
			w.Count(createAccount) != 1 {
			t.Errorf("got %v after %v", err, w.Seen)
		}
	})
}

func TestAccountMatches(t *testing.T) {
	t.Parallel()
	account := BillingAccount{
		ExternalID: new("x1"), BillingEmail: new("a@b.c"), PaymentTermsDays: new(int64(10)), AutoCollection: new(false),
		CustomMetadata: json.RawMessage(`{"n":9007199254740993}`),
		Customer:       &AccountCustomer{ID: "c1"},
	}
	full := BillingAccountCreate{
		Customer: CustomerRef{ID: "c1"}, ExternalID: new("x1"), BillingEmail: new("a@b.c"),
		PaymentTermsDays: new(int64(10)), AutoCollection: new(false),
		CustomMetadata: json.RawMessage(`{"n":9007199254740993}`),
	}
	tests := map[string]struct {
		change func(*BillingAccountCreate)
		want   bool
	}{
		"everything":    {func(*BillingAccountCreate) {}, true},
		"nothing asked": {func(c *BillingAccountCreate) { *c = BillingAccountCreate{Customer: c.Customer} }, true},
		"external_id":   {func(c *BillingAccountCreate) { c.ExternalID = new("x2") }, false},
		"billing_email": {func(c *BillingAccountCreate) { c.BillingEmail = new("z@b.c") }, false},
		"terms":         {func(c *BillingAccountCreate) { c.PaymentTermsDays = new(int64(11)) }, false},
		"collection":    {func(c *BillingAccountCreate) { c.AutoCollection = new(true) }, false},
		"metadata": {func(c *BillingAccountCreate) { c.CustomMetadata = json.RawMessage(`{"n":9007199254740992}`) },
			false},
		"other id": {func(c *BillingAccountCreate) { c.Customer.ID = "c2" }, false},
	}
	for name, test := range tests {
		create := full
		test.change(&create)
		if create.matches(account) != test.want {
			t.Errorf("%s: matches is %v", name, !test.want)
		}
	}
	if !full.matches(BillingAccount{ExternalID: new("x1"), BillingEmail: new("a@b.c"),
		CustomMetadata: full.CustomMetadata}) {
		t.Error("what the response leaves out decides")
	}
}
