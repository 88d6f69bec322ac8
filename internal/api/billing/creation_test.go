package billing

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// store is a service with one kind of object, whose reads may lag and whose clock is
// not this machine's.
type store struct {
	t       *testing.T
	mu      sync.Mutex
	path    string // of the collection
	objects []map[string]any
	posts   []string      // what becomes of each creation, see post
	lag     time.Duration // of reads behind creations
	ignores bool          // filters
	undated bool          // responses have no Date
	posted  int
}

const (
	kept       = "kept"        // created, with a response
	lostAfter  = "lost after"  // created, without one
	lostBefore = "lost before" // not created
)

func (s *store) now() time.Time { return time.Now().UTC().Add(-25 * time.Hour) }

// add creates an object as another system does.
func (s *store) add(body map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(body)
}

// put creates an object from the body of a creation.
func (s *store) put(body map[string]any) map[string]any {
	object := map[string]any{"id": string(rune('a'+len(s.objects))) + "1", "status": "active", "at": time.Now(),
		"created_at": s.now().Format("2006-01-02T15:04:05.000Z")}
	maps.Copy(object, body)
	s.objects = append(s.objects, object)
	return object
}

func (s *store) wire() *wire {
	return newWire(map[string]http.HandlerFunc{
		"POST " + s.path: s.dated(s.post), "GET " + s.path: s.dated(s.list), "GET " + s.path + "/{id}": s.dated(s.get),
		"GET " + s.path + "/{id}/items": respond(405, ""),
	})
}

func (s *store) dated(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		if !s.undated {
			w.Header().Set("Date", s.now().Format(http.TimeFormat))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		handler(w, r)
	}
}

func (s *store) post(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	text, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(text, &body); err != nil {
		s.t.Error(err)
	}
	fate := s.posts[min(s.posted, len(s.posts)-1)]
	s.posted++
	if fate == lostBefore {
		lost(w, r)
	}
	for _, object := range s.objects {
		if object["status"] == "active" && object["external_id"] == body["external_id"] && body["external_id"] != nil {
			respond(422, `{"error":{"code":"external_id_taken","message":"taken","details":{"field":"external_id","id":"`+
				object["id"].(string)+`"}}}`)(w, r)
			return
		}
	}
	object := s.put(body)
	if fate == lostAfter {
		lost(w, r)
	}
	shown := s.text(object)
	if s.path == "/v1/customers" {
		shown = `{"customer":` + shown + `,"billing_account":{"id":"made"}}`
	}
	respond(201, data(shown))(w, r)
}

// text is the object as the service shows it.
func (s *store) text(object map[string]any) string {
	text, err := json.Marshal(object)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *store) list(w http.ResponseWriter, r *http.Request) {
	var items []string
	for i := len(s.objects) - 1; i >= 0; i-- {
		object := s.objects[i]
		hidden := time.Since(object["at"].(time.Time)) < s.lag
		for _, filter := range []string{"external_id", "document_number", "billing_account_id"} {
			want := r.URL.Query().Get(filter)
			hidden = hidden || !s.ignores && want != "" && object[filter] != want
		}
		if !hidden {
			items = append(items, s.text(object))
		}
	}
	respond(200, listOf(items...))(w, r)
}

func (s *store) get(w http.ResponseWriter, r *http.Request) {
	for _, object := range s.objects {
		if object["id"] == r.PathValue("id") && time.Since(object["at"].(time.Time)) >= s.lag {
			respond(200, data(s.text(object)))(w, r)
			return
		}
	}
	respond(404, `{"error":{"code":"not_found","message":"none"}}`)(w, r)
}

// kind is how one type of object is created.
type kind struct {
	path   string
	body   map[string]any // what is sent, without an external_id
	other  map[string]any // changes what is sent to another object that could have the external_id
	create func(ctx context.Context, s *Service, externalID *string) (id string, adopted bool, err error)
}

var kinds = map[string]kind{
	"customer": {"/v1/customers", map[string]any{"name": "Ana"}, map[string]any{"name": "Bia"},
		func(ctx context.Context, s *Service, externalID *string) (string, bool, error) {
			created, err := s.CreateCustomer(ctx, CustomerBody{Name: api.Set("Ana"), ExternalID: optional(externalID),
				CreateBillingAccount: api.Set(false)})
			if err != nil {
				return "", false, err
			}
			return created.Customer.ID, created.Adopted, nil
		}},
	"account": {"/v1/billing-accounts", map[string]any{"customer": map[string]any{"id": "c1"}},
		map[string]any{"customer": map[string]any{"id": "c2"}},
		func(ctx context.Context, s *Service, externalID *string) (string, bool, error) {
			created, err := s.CreateBillingAccount(ctx, AccountBody{Customer: api.Set(CustomerRef{ID: "c1"}),
				ExternalID: optional(externalID)})
			if err != nil {
				return "", false, err
			}
			return created.ID, created.Adopted, nil
		}},
	"subscription": {"/v1/subscriptions", map[string]any{"billing_account_id": "b1", "plan_id": "p1"},
		map[string]any{"plan_id": "p2"},
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

// with is a copy of the body of a creation with these changes.
func with(body map[string]any, changes ...map[string]any) map[string]any {
	body = maps.Clone(body)
	for _, change := range changes {
		maps.Copy(body, change)
	}
	return body
}

// TestLostCreations: no request precedes a creation. A lost one is adopted when it has an external_id and is proven to
// come of the request; another object with the external_id is named; without one nothing is adopted.
func TestLostCreations(t *testing.T) {
	t.Parallel()
	coded, code := map[string]any{"external_id": "x1"}, new("x1")
	for name, test := range map[string]struct {
		store         *store
		before, after map[string]any // what another system creates an hour before, or 5 s after, the request
		other         bool           // that differs from what is sent
		code          *string
		adopted       bool
		taken         string
		candidates    string
		undecided     bool
		posts         int
	}{
		"returned":                 {store: &store{posts: []string{kept}}, code: code, posts: 1},
		"refused":                  {store: &store{posts: []string{kept}}, before: coded, code: code, taken: "refused", posts: 1},
		"lost":                     {store: &store{posts: []string{lostAfter}}, code: code, adopted: true, posts: 1},
		"lost, reads lag":          {store: &store{posts: []string{lostAfter}, lag: 10 * time.Second}, code: code, adopted: true, posts: 1},
		"lost, filters ignored":    {store: &store{posts: []string{lostAfter}, ignores: true}, before: map[string]any{"external_id": "x2"}, code: code, adopted: true, posts: 1},
		"lost, a closed one":       {store: &store{posts: []string{lostBefore, kept}}, before: map[string]any{"external_id": "x1", "status": "closed"}, code: code, posts: 2},
		"lost, no Date":            {store: &store{posts: []string{lostAfter}, undated: true}, code: code, candidates: "a1", posts: 1},
		"not done, taken":          {store: &store{posts: []string{lostBefore}}, before: coded, code: code, taken: "a1", posts: 1},
		"not done":                 {store: &store{posts: []string{lostBefore, kept}}, code: code, posts: 2},
		"not done, lost":           {store: &store{posts: []string{lostBefore, lostAfter}}, code: code, adopted: true, posts: 2},
		"not done, others faster":  {store: &store{posts: []string{lostBefore, kept}}, after: coded, other: true, code: code, taken: "a1", posts: 1},
		"the same, seen late":      {store: &store{posts: []string{lostBefore, kept}, lag: 10 * time.Second}, after: coded, other: true, code: code, taken: "a1", posts: 2},
		"no code, lost":            {store: &store{posts: []string{lostAfter}}, before: map[string]any{}, candidates: "b1", posts: 1},
		"no code, lost, reads lag": {store: &store{posts: []string{lostAfter}, lag: 10 * time.Second}, candidates: "a1", posts: 1},
		"no code, ignored filters": {store: &store{posts: []string{lostAfter}, ignores: true}, after: coded, candidates: "a1", posts: 1},
		"no code, not done":        {store: &store{posts: []string{lostBefore}}, before: map[string]any{}, undecided: true, posts: 1},
		"no code, two":             {store: &store{posts: []string{lostAfter}}, after: map[string]any{}, candidates: "a1 b1", posts: 1},
		"no code, no Date":         {store: &store{posts: []string{lostAfter}, undated: true}, before: map[string]any{}, candidates: "b1 a1", posts: 1},
	} {
		for kindName, kind := range kinds {
			if kindName == "customer" && name == "lost, a closed one" {
				continue // customers do not end
			}
			t.Run(kindName+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := &store{t: t, path: kind.path, posts: test.store.posts, lag: test.store.lag, ignores: test.store.ignores,
						undated: test.store.undated}
					if test.before != nil {
						s.add(with(kind.body, test.before, ended(kindName, test.before)))
						time.Sleep(time.Hour)
					}
					if test.after != nil {
						theirs := with(kind.body, test.after)
						if test.other {
							theirs = with(theirs, kind.other)
						}
						time.AfterFunc(5*time.Second, func() { s.add(theirs) })
					}
					w := s.wire()
					id, adopted, err := kind.create(t.Context(), newService(t, w), test.code)
					var taken *api.TakenError
					errors.As(err, &taken)
					lost, ambiguous := api.AsAmbiguous(err)
					switch {
					case test.taken == "refused":
						if e, ok := api.AsError(err); !ok || ambiguous || e.ExistingID != "a1" {
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
					case err != nil || adopted != test.adopted || id != s.objects[len(s.objects)-1]["id"]:
						t.Errorf("got %q, adopted %t, %v", id, adopted, err)
					}
					if s.posted != test.posts || w.Seen[0] != "POST "+kind.path {
						t.Errorf("posted %d times, want %d: %v", s.posted, test.posts, w.Seen)
					}
				})
			})
		}
	}
}

// ended is the status of a subscription that has ended, where the row says so of an account.
func ended(kind string, body map[string]any) map[string]any {
	if kind == "subscription" && body["status"] == "closed" {
		return map[string]any{"status": "canceled"}
	}
	return nil
}

// TestAdoptedSubscription_items: items are part of what was sent, where the service lists them.
func TestAdoptedSubscription_items(t *testing.T) {
	t.Parallel()
	for price, adopted := range map[string]bool{"q1": true, "q2": false} {
		synctest.Test(t, func(t *testing.T) {
			s := &store{t: t, path: "/v1/subscriptions", posts: []string{lostAfter}}
			w := newWire(map[string]http.HandlerFunc{"POST " + s.path: s.dated(s.post), "GET " + s.path: s.dated(s.list),
				"GET " + s.path + "/{id}":       s.dated(s.get),
				"GET " + s.path + "/{id}/items": respond(200, listOf(`{"id":"i1","product_id":"p","price_id":"q1","quantity":1}`))})
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
		"among others": {list: respond(200, listOf(`{"id":"o1"}`, `{"id":"o2"}`)), want: "o2"},
		"rejected":     {list: respond(403, ""), fails: true},
		"not wanted":   {list: respond(403, ""), without: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &store{t: t, path: "/v1/customers", posts: []string{lostAfter}}
			w := newWire(map[string]http.HandlerFunc{"POST " + s.path: s.dated(s.post), "GET " + s.path: s.dated(s.list),
				"GET /v1/billing-accounts": test.list, "GET /v1/billing-accounts/o1": get("o1", "c9"),
				"GET /v1/billing-accounts/o2": get("o2", "a1")})
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
			[]string{`"name":"Bia"`, `"external_id":null`, `"external_id":"E1"`, `"nickname":"x"`, `"legal_name":null`,
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
				`"custom_metadata":{"n":2}`, `"customer":{"id":"c2"}`},
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
