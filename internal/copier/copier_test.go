package copier_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// seed contains an object of each kind. Its credentials must not appear in a copy.
const seed = `{
  "plans": [{"id": "41111111-1111-4111-8111-111111111111", "name": "Gold", "amount_cents": 1000}],
  "customers": [{"name": "Aurora", "external_id": "aurora", "create_billing_account": false},
    {"name": "Bela", "external_id": "bela", "create_billing_account": false},
    {"name": "Cinco", "external_id": "cinco", "create_billing_account": false}],
  "billing_accounts": [{"external_id": "a-1", "customer": {"id": "external_id=aurora"}},
    {"external_id": "a-2", "customer": {"id": "external_id=bela"}}],
  "subscriptions": [{"external_id": "s-1", "billing_account_id": "external_id=a-1",
      "plan_id": "41111111-1111-4111-8111-111111111111"},
    {"external_id": "s-2", "billing_account_id": "external_id=a-2", "items": [{
      "product_id": "51111111-1111-4111-8111-111111111111", "price_id": "61111111-1111-4111-8111-111111111111"}]}],
  "webhook_endpoints": [{"url": "https://hooks.example.com/billing", "secret": "whsec_canary-of-the-secret",
    "authentication": {"type": "basic", "username": "u", "password": "canary-of-the-password"}}],
  "api_keys": [{"name": "erp", "scopes": ["*"], "token": "ck_sandbox_erp_canaryOfTheToken1"}],
  "finance": {"payables": [{"amount": "10.50", "name": "rent"}], "receivables": [{"amount": "1.00", "name": "sale"}]}
}`

func start(t *testing.T, o sandbox.Options) *sandbox.Server {
	t.Helper()
	o.Start, o.SeedDocument = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), []byte(seed)
	s, err := sandbox.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func sourceOf(t *testing.T, env map[string]string) copier.Source {
	t.Helper()
	source, err := copier.FromEnvironment(func(name string) string { return env[name] }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// copied returns the number of objects in a copy by kind.
func copied(t *testing.T, source copier.Source, o copier.Options) (count map[string]int, left []orgcopy.LeftOut,
	text string) {
	t.Helper()
	var out bytes.Buffer
	left, err := copier.Copy(t.Context(), source, o, &out)
	if err != nil {
		t.Fatal(err)
	}
	text, count = out.String(), map[string]int{}
	r, err := orgcopy.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	for object, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		count[object.Kind+object.Collection]++
	}
	return count, left, text
}

// TestCopy checks that a copy contains every object and no credential, and sends only GET requests.
func TestCopy(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]sandbox.Options{
		"plain":            {MaxPerPage: 1},
		"lean lists":       {MaxPerPage: 2, Bend: bend.Must("lean-accounts")},
		"moving pages":     {MaxPerPage: 2, Bend: bend.Must("repeat-across-pages")},
		"ignored filters":  {Bend: bend.Must("ignore-filters")},
		"items not listed": {Bend: bend.Must("items-not-listed")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, o)
			progress := map[string]int{}
			count, left, text := copied(t, sourceOf(t, s.Env()), copier.Options{Collections: []string{"payables"},
				Progress: func(kind string, n int) { progress[kind] = n }})
			want := map[string]int{"customer": 3, "account": 2, "subscription": 2, "endpoint": 1, "key": 2,
				"recordplans": 1, "recordpayables": 1}
			if !maps.Equal(count, want) {
				t.Errorf("copied %v, want %v", count, want)
			}
			if unlisted := name == "items not listed"; unlisted != (len(left) == 1) {
				t.Errorf("omitted %v", left)
			}
			if progress["customers"] != 3 || progress["subscriptions"] != 2 {
				t.Errorf("progress %v", progress)
			}
			for _, secret := range append(slices.Collect(maps.Values(s.Env())), "canary") {
				if !strings.HasPrefix(secret, "https://") && secret != s.CAFile() && strings.Contains(text, secret) {
					t.Errorf("the copy has %s", secret)
				}
			}
			for _, r := range s.Requests() {
				if r.Method != http.MethodGet {
					t.Errorf("sent %s %s", r.Method, r.Path)
				}
				if r.Operation == "billing_accounts.get" && name != "lean lists" {
					t.Errorf("read %s, which the list shows whole", r.Path)
				}
			}
		})
	}
}

// TestCopyNamesItsKey checks that a copy has the public prefix of the API key that read it.
func TestCopyNamesItsKey(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	_, _, text := copied(t, sourceOf(t, s.Env()), copier.Options{})
	prefix := s.CollectionsKey()[:strings.LastIndex(s.CollectionsKey(), "_")]
	if !strings.Contains(text, `"key":"`+prefix+`"`) {
		t.Errorf("%s is not in %s", prefix, text)
	}
	if _, _, text = copied(t, sourceOf(t, s.Env()), copier.Options{Only: []string{"endpoints"}}); strings.Contains(text,
		prefix) {
		t.Errorf("a key that no list shows is in %s", text)
	}
	env := s.Env()
	source, err := copier.FromEnvironment(func(name string) string { return env[name] }, nil,
		map[string]string{"api_keys.list": "GET /api/v1/webhook-endpoints"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, text = copied(t, source, copier.Options{}); strings.Contains(text, prefix) {
		t.Errorf("a key that the list of keys does not show is in %s", text)
	}
}

// TestCopyOnly checks that only the selected kinds are read.
func TestCopyOnly(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	count, _, _ := copied(t, sourceOf(t, s.Env()), copier.Options{Only: []string{"customers", "keys"}})
	if want := map[string]int{"customer": 3, "key": 2}; !maps.Equal(count, want) {
		t.Errorf("copied %v, want %v", count, want)
	}
}

// TestCopyWithFewScopes checks that objects that the token may not read are omitted, with the missing scope.
func TestCopyWithFewScopes(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	env := s.Env()
	token, err := s.NewToken(sandbox.Token{Scopes: []string{"customers:read", "billing_accounts:read"}})
	if err != nil {
		t.Fatal(err)
	}
	env["BILLING_TOKEN"] = token
	delete(env, "BILLING_COLLECTIONS_BASE_URL")
	delete(env, "BILLING_COLLECTIONS_API_KEY")
	count, left, _ := copied(t, sourceOf(t, env), copier.Options{})
	if want := map[string]int{"customer": 3, "account": 2}; !maps.Equal(count, want) {
		t.Errorf("copied %v, want %v", count, want)
	}
	var texts []string
	for _, one := range left {
		texts = append(texts, one.String())
	}
	for _, want := range []string{"subscriptions (the token lacks the scope subscriptions:read)",
		"API keys (BILLING_COLLECTIONS_BASE_URL and BILLING_COLLECTIONS_API_KEY are not set)"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not among %q", want, texts)
		}
	}
}

// TestCopyWhileItChanges checks that an object that changes during the copy has its last state in the copy.
func TestCopyWhileItChanges(t *testing.T) {
	t.Parallel()
	var s *sandbox.Server
	changed := false
	s = start(t, sandbox.Options{OnRequest: func(r sandbox.Request) {
		if r.Operation == "subscriptions.items.list" && !changed {
			changed = true
			s.Clock().Advance(40 * 24 * time.Hour) // every subscription is renewed
		}
	}})
	_, _, text := copied(t, sourceOf(t, s.Env()), copier.Options{})
	r, err := orgcopy.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	for object, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		var of struct {
			ID  string `json:"id"`
			End string `json:"current_period_end"`
		}
		if err := json.Unmarshal(object.Object, &of); err != nil {
			t.Fatal(err)
		}
		if object.Kind == evidence.Subscription {
			last[of.ID] = of.End
		}
	}
	for id, end := range last {
		if end < "2026-03-20" {
			t.Errorf("the period of subscription %s ends at %s", id, end)
		}
	}
}

// TestCopyWhileObjectsAreDeleted checks that deletions while a list is paged lose none of the other objects, also where
// as many are created, so that the total stays.
func TestCopyWhileObjectsAreDeleted(t *testing.T) {
	t.Parallel()
	ids := []string{"c0", "c1", "c2", "c3", "c4", "c5"}
	source := listing(t, func(query url.Values) string {
		if query.Has("updated_at_gte") {
			return `{"data":[],"meta":{"page":1,"per_page":2,"total":0,"total_pages":0}}`
		}
		page, _ := strconv.Atoi(query.Get("page"))
		if page = max(page, 1); page == 2 && ids[0] == "c0" {
			ids = append(ids[1:], "new")
		}
		var data []string
		for _, id := range ids[(page-1)*2 : page*2] {
			data = append(data, fmt.Sprintf(`{"id":%q,"created_at":"2026-01-31T12:00:00Z","updated_at":"2026-01-31T12:00:00Z"}`, id))
		}
		return fmt.Sprintf(`{"data":[%s],"meta":{"page":%d,"per_page":2,"total":6,"total_pages":3}}`,
			strings.Join(data, ","), page)
	})
	_, _, text := copied(t, source, copier.Options{})
	for _, id := range []string{"c1", "c2", "c3", "c4", "c5", "new"} {
		if !strings.Contains(text, fmt.Sprintf(`"id":%q`, id)) {
			t.Errorf("%s is missing", id)
		}
	}
}

// TestFromEnvironment checks that errors name the invalid variables, and contain no token.
func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"no organization is configured: set BILLING_BASE_URL and BILLING_TOKEN": {},
		"BILLING_BASE_URL is set and BILLING_TOKEN is not":                      {"BILLING_BASE_URL": "https://a.example.com"},
		"BILLING_TOKEN is set and BILLING_BASE_URL is not":                      {"BILLING_TOKEN": "canary"},
		"BILLING_BASE_URL: the address must start with https://":                {"BILLING_BASE_URL": "http://a", "BILLING_TOKEN": "canary"},
		"BILLING_TOKEN: the token contains a space":                             {"BILLING_BASE_URL": "https://a", "BILLING_TOKEN": "canary b"},
		"BILLING_RETRY_TIMEOUT is not a duration":                               {"BILLING_RETRY_TIMEOUT": "-1s"},
		"no organization is configured: set BILLING_BASE_URL":                   {"BILLING_RETRY_TIMEOUT": "4s"},
		"BILLING_CA_CERTIFICATE_FILE: no such file":                             {"BILLING_CA_CERTIFICATE_FILE": "/no/file"},
	} {
		_, err := copier.FromEnvironment(func(name string) string { return env[name] }, nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestCopyFollowsNoRedirect checks that a redirect is an error, and does not receive the token.
func TestCopyFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := 0
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	s := start(t, sandbox.Options{})
	fault, err := sandbox.ParseFault("operation=customers.list,status=307")
	if err != nil {
		t.Fatal(err)
	}
	s.AddFault(fault)
	if _, err := copier.Copy(context.Background(), sourceOf(t, s.Env()), copier.Options{}, &bytes.Buffer{}); err == nil {
		t.Error("a redirect is not an error")
	}
	if elsewhere > 0 {
		t.Error(fmt.Sprint("the redirect was followed ", elsewhere, " times"))
	}
}

// TestCopyOfOtherPaths checks that overrides of operations are used, and that one that cannot be used is an error.
func TestCopyOfOtherPaths(t *testing.T) {
	t.Parallel()
	env := start(t, sandbox.Options{}).Env()
	getenv := func(name string) string { return env[name] }
	source, err := copier.FromEnvironment(getenv, nil, map[string]string{
		"webhook_endpoints.list": "GET /api/v1/api-keys"})
	if err != nil {
		t.Fatal(err)
	}
	if count, _, _ := copied(t, source, copier.Options{}); count[evidence.Key] != 2 || count[evidence.Endpoint] != 2 {
		t.Errorf("endpoints are copied from another path than the given one: %v", count)
	}
	if _, err := copier.FromEnvironment(getenv, nil, map[string]string{"customers.lists": "GET /v1/x"}); err == nil ||
		!strings.Contains(err.Error(), "unknown operation") {
		t.Error(err)
	}
}

// TestCopyOfRecentInvoices checks that a copy has the invoices that show what is billed, that they do not count as a
// copied collection, and that a service without them, or a token that may not read them, is no error.
func TestCopyOfRecentInvoices(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	s.Clock().Advance(800 * 24 * time.Hour)
	invoices := func(o copier.Options) (n int, text string) {
		_, left, text := copied(t, sourceOf(t, s.Env()), o)
		if len(left) > 0 && o.Only == nil {
			text += " left out: " + left[0].String()
		}
		return strings.Count(text, `"collection":"invoices"`), text
	}
	recent, text := invoices(copier.Options{})
	all, _ := invoices(copier.Options{Collections: []string{"billing/invoices"}})
	if recent == 0 || recent >= all || strings.Contains(text, `"billing/invoices"`) {
		t.Errorf("%d recent invoices of %d: %s", recent, all, text)
	}
	if n, _ := invoices(copier.Options{Only: []string{"records"}}); n > 0 {
		t.Error("invoices are copied without subscriptions")
	}
	for status, want := range map[string]string{"404": "", "422": "", "403": ""} {
		fault, err := sandbox.ParseFault("operation=invoices.list,status=" + status)
		if err != nil {
			t.Fatal(err)
		}
		s.AddFault(fault)
		if n, text := invoices(copier.Options{}); n > 0 || !strings.Contains(text, want) {
			t.Errorf("%s: %d invoices, %s", status, n, text)
		}
	}
}

// TestCopyWithoutDate checks that a service whose responses have no Date header is copied, at this machine's time.
func TestCopyWithoutDate(t *testing.T) {
	t.Parallel()
	source := customersOnly(t, func(bool) string { return "" })
	var out bytes.Buffer
	left, err := copier.Copy(t.Context(), source, copier.Options{Collections: []string{"payables"}}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(left, func(l orgcopy.LeftOut) bool {
		return l.String() == "records of payables (BILLING_FINANCE_BASE_URL and BILLING_FINANCE_TOKEN are not set)"
	}) {
		t.Errorf("records that cannot be read are not named: %v", left)
	}
	r, err := orgcopy.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(r.Header.Time); age < 0 || age > time.Minute {
		t.Errorf("the copy is %s old", age)
	}
}

// customersOnly is a service with at most one customer, whose responses have no Date header. customer is its JSON in a
// list of everything, or of what has changed since the start of the copy.
func customersOnly(t *testing.T, customer func(changed bool) string) copier.Source {
	t.Helper()
	return listing(t, func(query url.Values) string {
		data := customer(query.Has("updated_at_gte"))
		return fmt.Sprintf(`{"data":[%s],"meta":{"page":1,"per_page":100,"total":%d,"total_pages":1}}`, data, min(len(data), 1))
	})
}

// listing is the source of a service that has only customers, and lists them so.
func listing(t *testing.T, customers func(query url.Values) string) copier.Source {
	t.Helper()
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "application/json")
		text := `{"data":[],"meta":{"page":1,"per_page":100,"total":0,"total_pages":1}}`
		switch r.URL.Path {
		case "/v1/customers":
			text = customers(r.URL.Query())
		case "/v1/me":
			text = `{"id":"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d","name":"Padaria"}`
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(service.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	return sourceOf(t, map[string]string{"BILLING_BASE_URL": service.URL, "BILLING_TOKEN": "rb_live_1234567890",
		"BILLING_CA_CERTIFICATE_FILE": ca})
}

// TestCopyWithoutUpdatedAt checks that an object that does not show when it was updated is copied.
func TestCopyWithoutUpdatedAt(t *testing.T) {
	t.Parallel()
	count, _, _ := copied(t, customersOnly(t, func(changed bool) string {
		return map[bool]string{false: `{"id":"c"}`}[changed]
	}), copier.Options{})
	if count[evidence.Customer] != 1 {
		t.Errorf("copied %v", count)
	}
}

// TestCopyOfWhatAlwaysChanges checks that a copy ends, with an error, where an object changes whenever it is read.
func TestCopyOfWhatAlwaysChanges(t *testing.T) {
	t.Parallel()
	reads := 0
	source := customersOnly(t, func(bool) string {
		if reads++; reads > 20 {
			return ""
		}
		return fmt.Sprintf(`{"id":"c","updated_at":"2026-01-31T12:00:%02dZ"}`, reads)
	})
	_, err := copier.Copy(t.Context(), source, copier.Options{}, &bytes.Buffer{})
	if want := "the customers change faster than they can be copied"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestCopyThatFails checks which errors leave objects out, and which end the copy.
func TestCopyThatFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault string
		ends  bool
	}{
		{"operation=webhook_endpoints.list,status=403,code=insufficient_scope", false},
		{"operation=webhook_endpoints.list,status=403,code=ip_not_allowed", true},
		{"operation=webhook_endpoints.list,status=400", true},
		{"operation=customers.list,status=403,code=insufficient_scope", false},
		{"operation=customers.list,status=400", true},
		{"operation=records.list,status=403,code=insufficient_scope", false},
		{"operation=records.list,status=400", true},
		{"operation=me.get,status=403,code=insufficient_scope", true},
		{"operation=invoices.list,status=401", true},
		{"operation=subscriptions.items.list,status=400", true},
	} {
		s := start(t, sandbox.Options{})
		fault, err := sandbox.ParseFault(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		s.AddFault(fault)
		left, err := copier.Copy(t.Context(), sourceOf(t, s.Env()), copier.Options{}, &bytes.Buffer{})
		if c.ends != (err != nil) || c.ends == (len(left) > 0) {
			t.Errorf("%s: %v, left out %v", c.fault, err, left)
		}
	}
}
