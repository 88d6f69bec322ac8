package billing

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// kind is how one type of object is created.
type kind struct {
	path   string
	body   string // what is sent, without an external_id and the opening brace
	other  string // what is sent for another object that could have the external_id
	ended  string // the status of one that has ended
	create func(ctx context.Context, s *Service, externalID *string) (id string, adopted bool, err error)
}

var kinds = map[string]kind{
	"customer": {"/v1/customers", `"name":"Ana"}`, `"name":"Bia"}`, "",
		func(ctx context.Context, s *Service, externalID *string) (string, bool, error) {
			created, err := s.CreateCustomer(ctx, CustomerBody{Name: api.Set("Ana"), ExternalID: optional(externalID),
				CreateBillingAccount: api.Set(false)})
			if err != nil {
				return "", false, err
			}
			return created.Customer.ID, created.Adopted, nil
		}},
	"account": {"/v1/billing-accounts", `"customer":{"id":"c1"}}`, `"customer":{"id":"c2"}}`, "closed",
		func(ctx context.Context, s *Service, externalID *string) (string, bool, error) {
			created, err := s.CreateBillingAccount(ctx, AccountBody{Customer: api.Set(CustomerRef{ID: "c1"}),
				ExternalID: optional(externalID)})
			if err != nil {
				return "", false, err
			}
			return created.ID, created.Adopted, nil
		}},
	"subscription": {"/v1/subscriptions", `"billing_account_id":"b1","plan_id":"p1"}`,
		`"billing_account_id":"b1","plan_id":"p2"}`, "canceled",
		func(ctx context.Context, s *Service, externalID *string) (string, bool, error) {
			body := SubscriptionBody{BillingAccountID: api.Set("b1"), PlanID: api.Set("p1")}
			if externalID != nil {
				body.ExternalID = api.Set(*externalID)
			}
			created, err := s.CreateSubscription(ctx, body)
			if err != nil {
				return "", false, err
			}
			return created.ID, created.Adopted, nil
		}},
}

// optional is a field that is left out for nil.
func optional(text *string) api.Field[string] {
	if text == nil {
		return api.Field[string]{}
	}
	return api.Set(*text)
}

// TestLostCreations: no request precedes a creation. A lost one is adopted when it has an external_id and is proven to
// come of the request; another object with the external_id is named; without one nothing is adopted.
func TestLostCreations(t *testing.T) {
	t.Parallel()
	const kept, lostAfter, lostBefore, lag = apitest.Kept, apitest.LostAfter, apitest.LostBefore, 10 * time.Second
	coded, code := `"external_id":"x1",`, new("x1")
	for name, test := range map[string]struct {
		fates         []apitest.Fate
		lag           time.Duration
		ignores       bool   // filters
		undated       bool   // responses
		before, after string // what another system creates in addition to the body, an hour before or 5 s after the request
		other         bool   // that differs from what is sent
		code          *string
		adopted       bool
		taken         string
		candidates    string
		undecided     bool
		posts         int
	}{
		"returned":                   {code: code, posts: 1},
		"rejected":                   {before: coded, code: code, taken: "rejected", posts: 1},
		"lost":                       {fates: []apitest.Fate{lostAfter}, code: code, adopted: true, posts: 1},
		"lost, reads lag":            {fates: []apitest.Fate{lostAfter}, lag: lag, code: code, adopted: true, posts: 1},
		"lost, filters ignored":      {fates: []apitest.Fate{lostAfter}, ignores: true, before: `"external_id":"x2",`, code: code, adopted: true, posts: 1},
		"lost, a closed one":         {fates: []apitest.Fate{lostBefore, kept}, before: coded + `"status":"ended",`, code: code, posts: 2},
		"lost, no Date":              {fates: []apitest.Fate{lostAfter}, undated: true, code: code, candidates: "o1", posts: 1},
		"not done, taken":            {fates: []apitest.Fate{lostBefore}, before: coded, code: code, candidates: "o1", posts: 1},
		"not done, taken by another": {fates: []apitest.Fate{lostBefore}, before: coded, other: true, code: code, taken: "o1", posts: 1},
		"not done, lost":             {fates: []apitest.Fate{lostBefore, lostAfter}, code: code, adopted: true, posts: 2},
		"not done, others faster":    {fates: []apitest.Fate{lostBefore, kept}, after: coded, other: true, code: code, taken: "o1", posts: 1},
		"the same, seen late":        {fates: []apitest.Fate{lostBefore, kept}, lag: lag, after: coded, other: true, code: code, taken: "o1", posts: 2},
		"no code, lost":              {fates: []apitest.Fate{lostAfter}, before: " ", candidates: "o2", posts: 1},
		"no code, lost, reads lag":   {fates: []apitest.Fate{lostAfter}, lag: lag, candidates: "o1", posts: 1},
		"no code, ignored filters":   {fates: []apitest.Fate{lostAfter}, ignores: true, after: coded, candidates: "o1", posts: 1},
		"no code, not done":          {fates: []apitest.Fate{lostBefore}, before: " ", candidates: "o1", posts: 1},
		"no code, nothing there":     {fates: []apitest.Fate{lostBefore}, undecided: true, posts: 1},
		"no code, two":               {fates: []apitest.Fate{lostAfter}, after: " ", candidates: "o1 o2", posts: 1},
		"no code, no Date":           {fates: []apitest.Fate{lostAfter}, undated: true, before: " ", candidates: "o1 o2", posts: 1},
	} {
		for kindName, kind := range kinds {
			if kind.ended == "" && name == "lost, a closed one" {
				continue // customers do not end
			}
			t.Run(kindName+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWire(nil, kind.path)
					w.Fates, w.Lag, w.IgnoresFilters = test.fates, test.lag, test.ignores
					w.Latency = func(*http.Request) time.Duration { return 20 * time.Millisecond }
					if w.Clock = func() time.Time { return time.Now().Add(-25 * time.Hour) }; test.undated {
						w.Clock = nil
					}
					theirs := kind.body
					if test.other {
						theirs = kind.other
					}
					if test.before != "" {
						w.Add(kind.path, strings.Replace("{"+test.before+theirs, "ended", kind.ended, 1))
						time.Sleep(time.Hour)
					}
					if test.after != "" {
						time.AfterFunc(5*time.Second, func() { w.Add(kind.path, "{"+test.after+theirs) })
					}
					id, adopted, err := kind.create(t.Context(), newService(t, w), test.code)
					var taken *api.TakenError
					errors.As(err, &taken)
					lost, ambiguous := api.AsAmbiguous(err)
					switch {
					case test.taken == "rejected":
						if e, ok := api.AsError(err); !ok || ambiguous || e.ExistingID != "o1" {
							t.Errorf("got %v", err)
						}
					case test.taken != "":
						if taken == nil || taken.ID != test.taken {
							t.Errorf("got %q, %v", id, err)
						}
					case test.candidates != "" || test.undecided:
						if !ambiguous || strings.Join(lost.Candidates, " ") != test.candidates {
							t.Errorf("got %q, %v", id, err)
						}
					case err != nil || adopted != test.adopted || !strings.HasSuffix(w.IDs(kind.path), id):
						t.Errorf("got %q, adopted %t, %v", id, adopted, err)
					}
					if posts := w.Count("POST " + kind.path); posts != test.posts || w.Seen[0] != "POST "+kind.path {
						t.Errorf("posted %d times, want %d: %v", posts, test.posts, w.Seen)
					}
				})
			})
		}
	}
}

// TestAdoptedSubscription_items: items are part of what was sent, where the service lists them.
func TestAdoptedSubscription_items(t *testing.T) {
	t.Parallel()
	for price, adopted := range map[string]bool{"q1": true, "q2": false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(map[string]http.HandlerFunc{"GET /v1/subscriptions/{id}/items": respond(200,
				listOf(`{"id":"i1","product_id":"p","price_id":"q1","quantity":1}`))}, "/v1/subscriptions")
			w.Fates = []apitest.Fate{apitest.LostAfter}
			got, err := newService(t, w).CreateSubscription(t.Context(), SubscriptionBody{
				BillingAccountID: api.Set("b1"), ExternalID: api.Set("x1"),
				Items: api.Set([]SubscriptionItemInput{{ProductID: "p", PriceID: price}})})
			var taken *api.TakenError
			if (got != nil && got.Adopted) != adopted || errors.As(err, &taken) == adopted {
				t.Errorf("%s: %+v, %v", price, got, err)
			}
		})
	}
}

// TestAdoptedCustomer_account: the account that was created with an adopted customer is found by its customer, unless
// none was asked for.
func TestAdoptedCustomer_account(t *testing.T) {
	t.Parallel()
	get := func(id, customer string) http.HandlerFunc {
		return respond(200, `{"data":{"id":"`+id+`","customer":{"id":"`+customer+`"}}}`)
	}
	for name, test := range map[string]struct {
		list    http.HandlerFunc
		without bool
		want    string
		fails   bool
	}{
		"among others": {list: respond(200, listOf(`{"id":"a1"}`, `{"id":"a2"}`)), want: "a2"},
		"rejected":     {list: respond(403, ""), fails: true},
		"not wanted":   {list: respond(403, ""), without: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(map[string]http.HandlerFunc{"GET /v1/billing-accounts": test.list,
				"GET /v1/billing-accounts/a1": get("a1", "c9"), "GET /v1/billing-accounts/a2": get("a2", "o1")}, "/v1/customers")
			w.Fates = []apitest.Fate{apitest.LostAfter}
			create := CustomerBody{Name: api.Set("Ana"), ExternalID: api.Set("x1")}
			if test.without {
				create.CreateBillingAccount = api.Set(false)
			}
			got, err := newService(t, w).CreateCustomer(t.Context(), create)
			if err != nil || !got.Adopted || (got.AccountError != nil) != test.fails ||
				(got.BillingAccount != nil) != (test.want != "") || test.want != "" && got.BillingAccount.ID != test.want {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		})
	}
}

// TestShows: an object has what was sent, in whichever form the service shows it. What was not sent is not compared.
func TestShows(t *testing.T) {
	t.Parallel()
	customer := CustomerBody{
		Name: api.Set("Ana"), ExternalID: api.Set("e1"), Nickname: api.Set("An"), LegalName: api.Set("Ana Ltda"),
		PaymentTermsDays: api.Set(int64(3)), DocumentNumber: api.Set("529.982.247-25"), Kind: api.Set("natural"),
		Birthday: api.Set("1990-01-02"), Email: api.Set("a@b.c"), Phone: api.Set("1"), Notes: api.Set(""),
		Addresses:      api.Set([]Address{{City: new("Recife")}, {City: new("Natal")}}),
		Websites:       api.Set([]Contact{{Kind: new("k"), Value: "w"}}),
		Tags:           api.Set([]string{"a", "b", "b"}),
		CustomMetadata: api.Set(json.RawMessage(`{"n":9007199254740993,"f":1.50,"k":[1,{"z":null}]}`)),
	}
	account := AccountBody{
		Customer: api.Set(CustomerRef{ID: "c1"}), ExternalID: api.Set("x1"), BillingEmail: api.Set("a@b.c"),
		PaymentTermsDays: api.Set(int64(10)), AutoCollection: api.Set(false),
		CustomMetadata: api.Set(json.RawMessage(`{"n":1}`)),
	}
	subscription := SubscriptionBody{
		BillingAccountID: api.Set("a1"), ExternalID: api.Set("x1"), CompanyID: api.Set("co1"),
		ProductGroupID: api.Set("g1"), DiscountCodeID: api.Set("d1"), PlanID: api.Set("plan1"),
		BillingCycle: api.Set("monthly"), CollectionMethod: api.Set("manual_charge"),
		TrialEnd: api.Set("2025-10-01T00:00:00-03:00"), ProrationBehavior: api.Set("none"),
		NfeIssuancePolicy: api.Set("disabled"), Notes: api.Set("n"), TrialPeriodDays: api.Set(int64(3)),
		CustomMetadata: api.Set(json.RawMessage(`{"a":1.0}`)),
		Items:          api.Set([]SubscriptionItemInput{{ProductID: "p", PriceID: "q"}}),
	}
	// A map has no order: each of the values is the last one compared in some of the rounds.
	contact := CustomerBody{Name: api.Set("Ana"), Email: api.Set("a@b.c"), Emails: api.Set([]Contact{{Value: "a@b.c"}})}
	for range 32 {
		if shows(contact, json.RawMessage(`{"name":"Bia","emails":[{"value":"a@b.c"}]}`)) {
			t.Fatal("another name is the same one, next to an e-mail address that is sent twice")
		}
	}
	for name, test := range map[string]struct {
		sent, least any
		shown       string
		others      []string // one field changed in each
		silent      []string
	}{
		"customer": {customer, CustomerBody{Name: api.Set("Ana")}, `{"id":"c1","name":"Ana","external_id":"e1","nickname":"An",
			"legal_name":"Ana Ltda","document_number":"52998224725","kind":"natural","birthday":"1990-01-02","notes":null,
			"addresses":[{"city":"Natal","complement":null},{"city":"Recife"}],"phones":[{"value":"1"}],
			"emails":[{"kind":null,"value":"a@b.c"}],"websites":[{"kind":"k","value":"w"}],"tags":["b","a","b"],
			"custom_metadata":{"k":[1.0,{"z":null}],"f":15e-1,"n":9007199254740993}}`,
			[]string{`"name":"Bia"`, `"external_id":null`, `"external_id":"E2"`, `"nickname":"x"`, `"legal_name":null`,
				`"document_number":"52998224726"`, `"kind":"juridical"`, `"birthday":"1990-01-03"`, `"notes":"x"`,
				`"addresses":[{"city":"Natal"},{"city":"Olinda"}]`, `"addresses":[{"city":"Natal"}]`,
				`"addresses":[{"city":"Natal"},{"city":"Recife"},{}]`, `"phones":[]`, `"phones":null`, `"emails":[{"value":"b"}]`,
				`"websites":[{"kind":null,"value":"w"}]`, `"tags":["a","a","b"]`, `"custom_metadata":null`,
				`"custom_metadata":{"n":9007199254740992,"f":1.5,"k":[1,{"z":null}]}`,
				`"custom_metadata":{"n":9007199254740993,"f":1.5,"k":[1,{"z":null}],"more":1}`}, nil},
		"account": {account, AccountBody{Customer: api.Set(CustomerRef{ID: "c1"})}, `{"id":"a1","external_id":"x1",
			"billing_email":"a@b.c","payment_terms_days":10,"auto_collection":false,"custom_metadata":{"n":1},
			"customer":{"id":"c1","name":"Ana"}}`,
			[]string{`"external_id":"x2"`, `"billing_email":"z"`, `"payment_terms_days":11`, `"auto_collection":true`,
				`"custom_metadata":{"n":2}`, `"custom_metadata":{"n":"1"}`, `"customer":{"id":"c2"}`},
			[]string{`"payment_terms_days":null`, `"auto_collection":null`, `"customer":null`}},
		"subscription": {subscription, SubscriptionBody{BillingAccountID: api.Set("a1")}, `{"id":"s1","billing_account_id":"a1",
			"external_id":"x1","company_id":"co1","product_group_id":"g1","discount_code_id":"d1","plan_id":"plan1",
			"billing_cycle":"monthly","collection_method":"manual_charge","trial_end":"2025-10-01T03:00:00.000Z",
			"proration_behavior":"none","nfe_issuance_policy":"disabled","notes":"n","custom_metadata":{"a":1}}`,
			[]string{`"billing_account_id":"a2"`, `"external_id":null`, `"company_id":null`, `"product_group_id":"g2"`,
				`"discount_code_id":null`, `"plan_id":null`, `"billing_cycle":"annual"`, `"collection_method":null`,
				`"trial_end":"2025-10-01T00:00:00.000Z"`, `"trial_end":null`, `"proration_behavior":"always_invoice"`,
				`"nfe_issuance_policy":"on_finalization"`, `"notes":"m"`, `"custom_metadata":{"a":2}`}, nil},
	} {
		if !shows(test.sent, json.RawMessage(test.shown)) || !shows(test.least, json.RawMessage(test.shown)) {
			t.Errorf("%s: the same one is another", name)
		}
		changed := func(field string) json.RawMessage {
			return json.RawMessage(test.shown[:len(test.shown)-1] + "," + field + "}")
		}
		for _, field := range test.others {
			if shows(test.sent, changed(field)) {
				t.Errorf("%s: another one with %s is the same", name, field)
			}
		}
		for _, field := range test.silent {
			if !shows(test.sent, changed(field)) {
				t.Errorf("%s: a response without it is another one: %s", name, field)
			}
		}
	}
}
