package sandbox_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const aSeed = `{
  "subscriptions": [
    {"billing_account_id": "external_id=aurora-main", "plan_id": "` + plan + `", "external_id": "aurora-pro",
     "items": [{"product_id": "` + plan + `", "price_id": "` + otherPlan +
	`", "unit_amount_subcents": 9007199254740993}]}
  ],
  "billing_accounts": [
    {"external_id": "aurora-main", "customer": {"id": "external_id=aurora"}, "payment_terms_days": 15}
  ],
  "customers": [
    {"external_id": "aurora", "name": "Padaria Aurora", "create_billing_account": false},
    {"external_id": "brisa", "name": "Café Brisa"}
  ],
  "webhook_endpoints": [
    {"url": "https://hooks.example.com/in", "events": ["charge.paid"], "secret": "whsec_known-to-the-tests"},
    {"url": "https://hooks.example.com/other"}
  ],
  "api_keys": [
    {"name": "erp", "scopes": ["webhook_endpoints:read"], "token": "ck_sandbox_erp_0123456789abcdef"},
    {"name": "other"}
  ],
  "finance": {
    "payables": [{"name": "Aluguel", "amount": "4500.00", "type": "debit"}, {"name": "Energia", "amount": "812.35", "type": "debit"}],
    "budget-lines": [{"total": 9007199254740993}]
  }
}`

// A seed is there when the server is, as if each element had been sent; its
// references lead where they say, and its credentials work.
func TestSeedDocument(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Seed: 1, SeedDocument: []byte(aSeed), Start: morning})
	if len(server.Requests()) != 0 || server.SeedIgnored() {
		t.Errorf("%d requests logged, ignored: %v", len(server.Requests()), server.SeedIgnored())
	}
	c := call(t, server)
	customers := c.do("GET", "/v1/customers?external_id=aurora", "").want(200)
	accounts := c.do("GET", "/v1/billing-accounts?external_id=aurora-main", "").want(200)
	if got, want := accounts.text("data", 0, "customer", "id"), customers.text("data", 0, "id"); got != want ||
		accounts.json("data", 0, "payment_terms_days") != "15" {
		t.Errorf("account %s, want one of %s", accounts.body, want)
	}
	subscriptions := c.do("GET", "/v1/subscriptions", "").want(200)
	if got, want := subscriptions.text("data", 0, "billing_account_id"), accounts.text("data", 0, "id"); got != want ||
		subscriptions.text("data", 0, "external_id") != "aurora-pro" {
		t.Errorf("subscription %s, want one of %s", subscriptions.body, want)
	}
	items := c.do("GET", "/v1/subscriptions/"+subscriptions.text("data", 0, "id")+"/items", "").want(200)
	if got := items.json("data", 0, "unit_amount_subcents"); got != "9007199254740993" {
		t.Errorf("the amount has become %s", got)
	}
	if got := c.do("GET", "/v1/billing-accounts", "").want(200).json("meta", "total"); got != "2" {
		t.Errorf("%s accounts, want that of aurora and the one that came with brisa", got)
	}

	k := collect(t, server)
	k.do("GET", endpointsPath, "").want(200)
	erp := k.with("ck_sandbox_erp_0123456789abcdef")
	if got := erp.do("GET", endpointsPath, "").want(200).json("meta", "total"); got != "2" {
		t.Errorf("the seeded key sees %s endpoints", got)
	}
	erp.do("POST", endpointsPath, `{"url":"https://hooks.example.com/more"}`).want(403)
	keys := k.do("GET", keysPath, "").want(200)
	if keys.text("data", 1, "name") != "erp" || keys.text("data", 1, "keyPrefix") != "ck_sandbox_erp" ||
		!strings.HasPrefix(keys.text("data", 2, "keyPrefix"), "ck_sandbox_") {
		t.Errorf("keys %s", keys.body)
	}
}

// Records of financial management are made in any collection, and take the
// place of the examples.
func TestSeedOfFinance(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{SeedDocument: []byte(aSeed)})
	f := call(t, server)
	f.base, f.token = server.FinanceURL(), server.FinanceToken()
	payables := f.do("GET", "/v1/payables", "").want(200)
	if got := payables.names("name"); !slices.Equal(got, []string{"Aluguel", "Energia"}) {
		t.Errorf("payables %v", got)
	}
	if got := f.do("GET", "/v1/budget-lines", "").want(200).json("data", 0, "total"); got != "9007199254740993" {
		t.Errorf("the total has become %s", got)
	}
	if got := f.do("GET", "/v1/receivables", "").want(200).json("data"); got != "[]" {
		t.Errorf("receivables %s", got)
	}
}

// A secret from the seed is what deliveries are signed with.
func TestSeededSecretSigns(t *testing.T) {
	t.Parallel()
	receiver := hook.Start(t)
	o := reaching(receiver)
	const secret = "whsec_known-to-the-tests"
	o.SeedDocument = []byte(`{"webhook_endpoints":[{"url":"` + receiver.URL + `/in","secret":"` + secret + `"}]}`)
	server := start(t, o)
	if _, err := server.Emit("charge.paid", nil); err != nil {
		t.Fatal(err)
	}
	settle(t, server)
	got := receiver.Take()
	if len(got) != 1 || !got[0].SignedWith(secret) {
		t.Errorf("received %v", got)
	}
}

// Ids follow the seed of chance, also those of the document.
func TestSeedDocumentRepeats(t *testing.T) {
	t.Parallel()
	ids := func() []string {
		server := start(t, sandbox.Options{Seed: 7, SeedDocument: []byte(aSeed)})
		return slices.Concat(call(t, server).do("GET", "/v1/customers?sort_by=name", "").names("id"),
			collect(t, server).do("GET", endpointsPath, "").names("id"))
	}
	if first, again := ids(), ids(); len(first) != 4 || !slices.Equal(first, again) {
		t.Errorf("%v, then %v", first, again)
	}
}

// A problem names its place; all of one list are reported together, and none of a
// later one, which they may have brought about.
func TestSeedProblems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		seed string
		want []string
	}{
		"no JSON":       {"{\n\"customers\": [\n}", []string{"line 3: is not valid JSON"}},
		"blank":         {" \n", []string{"is not valid JSON: EOF"}},
		"cut off":       {`{"customers": [`, []string{"is not valid JSON: unexpected EOF"}},
		"not UTF-8":     {"{\"customers\": [{\"name\": \"S\xe3o\"}]}", []string{"it is not encoded in UTF-8"}},
		"twice":         {`{"customers": [], "customers": []}`, []string{`has the member "customers" twice`}},
		"two values":    {`{} {}`, []string{"more than one JSON value"}},
		"no object":     {`[]`, []string{"must be an object"}},
		"unknown lists": {`{"clients": [], "finance.x": []}`, []string{"clients: is not a key", "finance.x: is not a key"}},
		"no list":       {`{"customers": {"name": "Ana"}}`, []string{"customers: must be an array"}},
		"no element":    {`{"customers": [{"name": "Ana"}, "Bia"]}`, []string{"customers[1]: must be an object"}},
		"fields": {`{"customers": [{"name": "Ana", "nick": 1}, {}, {"name": 3, "phones": [{}]}], "subscriptions": [{}]}`,
			[]string{"customers[0].nick: is not a field", "customers[1].name: is required",
				"customers[2].name: must be a string", "customers[2].phones[0].value: is required"}},
		"taken": {`{"customers": [{"name": "Ana", "external_id": "a"}, {"name": "Bia", "external_id": "a"}]}`,
			[]string{"customers[1].external_id: Another object"}},
		"plans": {`{"plans": [{"name": "Pro"}, {"name": "Pro", "amount_cents": 10.5}, {"name": "Pro", "amount_cents": 1, "price": 2}]}`,
			[]string{"plans[0].amount_cents: is required", "plans[1].amount_cents: must be an integer",
				"plans[2].price: is not a field"}},
		"products": {`{"products": [{"name": "A", "id": "` + seats + `"}, {"name": "B", "id": "` + seats + `"}]}`,
			[]string{"products[1].id: another one has it"}},
		"prices": {`{"prices": [{"product_id": "` + seats + `", "unit_amount_subcents": 1}]}`,
			[]string{"prices[0].product_id: no product has it"}},
		"no such customer": {`{"billing_accounts": [{"customer": {"id": "external_id=a"}}]}`,
			[]string{"billing_accounts[0].customer.id: no customer has this external_id"}},
		"an account without a code": {
			`{"customers": [{"name": "Ana", "external_id": "a"}], "subscriptions": [{"billing_account_id": "external_id=a", "plan_id": "` + plan + `"}]}`, []string{"subscriptions[0].billing_account_id: no billing account has this external_id; the account that comes with a customer has none"}},
		"address": {`{"webhook_endpoints": [{"url": "http://hooks.example.com"}]}`,
			[]string{"webhook_endpoints[0].url: "}},
		"internal": {`{"webhook_endpoints": [{"url": "https://10.0.0.1/"}]}`,
			[]string{"webhook_endpoints[0].url: "}},
		"short secret": {`{"webhook_endpoints": [{"url": "https://hooks.example.com", "secret": "whsec_1"}]}`,
			[]string{"webhook_endpoints[0].secret: must be whsec_"}},
		"no secret": {`{"webhook_endpoints": [{"url": "https://hooks.example.com", "secret": null}]}`,
			[]string{"webhook_endpoints[0].secret: must be whsec_"}},
		"finance": {`{"finance": {"payables": [{"amount": 10, "id": "x"}, {"amount": "-1.00"}], "x": {}}}`,
			[]string{"finance.x: must be an array"}},
		"no object of finance": {`{"finance": []}`, []string{"finance: must be an object"}},
		"records": {`{"finance": {"payables": [{"amount": 10}, {"id": "x"}], "accounts": [{}]}}`,
			[]string{"finance.accounts[0].name: is required"}},
		"record": {`{"finance": {"payables": [{"amount": 10}, {"id": "x"}]}}`,
			[]string{"finance.payables[0].amount: must be", "finance.payables[1].id: is set by the service"}},
		"collection": {`{"finance": {"no name": [{}]}}`, []string{"finance.no name[0]: no collection can have this name"}},
		"token": {
			`{"api_keys": [{"name": "a", "token": "ck_sandbox_a_0123456789abcdef"}, {"name": "b", "token": "ck_sandbox_a_fedcba9876543210"}, {"name": "c", "token": "secret"}]}`, []string{"api_keys[1].token: another one has it", "api_keys[2].token: must be ck_sandbox_NAME_SECRET"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := sandbox.Start(t.Context(), sandbox.Options{SeedDocument: []byte(test.seed)})
			if err == nil {
				server.Close()
			}
			var refused *sandbox.SeedError
			if !errors.As(err, &refused) || len(refused.Problems) != len(test.want) {
				t.Fatalf("%v, want %q", err, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(refused.Problems[i], want) {
					t.Errorf("%q, want %q", refused.Problems[i], want)
				}
			}
		})
	}
}

// A rejected seed leaves the state new, a used state is left alone.
func TestSeedAndState(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db")}
	o.SeedDocument = []byte(`{"customers":[{"name":"Ana"}],"subscriptions":[{}]}`)
	if server, err := sandbox.Start(t.Context(), o); err == nil {
		server.Close()
		t.Fatal("a seed with problems is taken")
	}
	for _, run := range []struct {
		seed    string
		ignored bool
	}{
		{`{"customers":[{"name":"Bia"}],"webhook_endpoints":[{"url":"https://hooks.example.com"}]}`, false},
		{`{"customers":[{"name":"Caio"}]}`, true},
		{``, false},
	} {
		o.SeedDocument = []byte(run.seed)
		server := start(t, o)
		if got := call(t, server).do("GET", "/v1/customers", "").names("name"); !slices.Equal(got, []string{"Bia"}) ||
			server.SeedIgnored() != run.ignored {
			t.Errorf("%q: customers %v, ignored %v", run.seed, got, server.SeedIgnored())
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSeedWithTolerance without an envelope hide no id from the seed.
func TestSeedWithTolerance(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{SeedDocument: []byte(aSeed), Bend: bend.Must("bare-objects")})
	collect(t, server).with("ck_sandbox_erp_0123456789abcdef").do("GET", endpointsPath, "").want(200)
}
