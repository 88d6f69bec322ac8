package sandbox_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// lively is a sandbox with something in every section of its page, and the
// credentials that it has taken and given out.
func lively(t *testing.T) (server *sandbox.Server, credentials []string) {
	t.Helper()
	receiver := hook.Start(t)
	receiver.Respond(hook.Status(503, ""))
	options := reaching(receiver)
	options.Web = true
	server = start(t, options)
	c, hooks := call(t, server), collect(t, server)
	c.create(
		`{"name":"<script>alert(1)</script>","external_id":"javascript:alert(2)","document_number":"529.982.247-25","email":"ana@example.com"}`)
	path, _ := c.subscribe(`,"external_id":"tenant-1","trial_period_days":14`)
	server.Clock().Advance(20 * 24 * time.Hour)
	c.do("POST", path+"/pause", `{"behavior":"void"}`).want(200)
	c.do("POST", path+"/resume", ``).want(200)
	c.do("POST", path+"/change-plan", `{"plan_id":"`+otherPlan+`","timing":"end_of_period"}`).want(200)
	c.do("POST", path+"/change-plan", `{"plan_id":"none"}`).want(422)
	endpoint, registered := hooks.endpoint(`{"url":"` + receiver.URL +
		`/in?token=s3cret-in-the-query","authentication":{"type":"basic","username":"ana","password":"p4ssw0rd-of-ana"}}`)
	hooks.endpoint(
		`{"url":"https://hooks.example.com/out","active":false,"authentication":{"type":"header","name":"X-Key","value":"v4lue-of-the-header"}}`)
	hooks.do("POST", endpoint+"/test", "").want(202)
	settle(t, server)
	made := hooks.do("POST", keysPath, `{"name":"erp","scopes":["charges:read"]}`).want(201)
	rotated := hooks.do("POST", keysPath+"/"+made.text("data", "id")+"/rotate", `{"graceDays":3}`).want(200)
	server.AddFault(sandbox.Fault{Operation: "customers.list", DropAfter: true, Times: 1})
	if _, err := c.try("GET", "/v1/customers?search=ana", ""); err == nil {
		t.Error("no drop")
	}
	return server, []string{
		server.BillingToken(), server.FinanceToken(), server.CollectionsKey(), server.ControlToken(), "p4ssw0rd-of-ana",
		"s3cret-in-the-query", "v4lue-of-the-header", registered.text("data", "secret"), made.text("data", "token"),
		rotated.text("data", "token"),
	}
}

// browse asks for something on the web page's listener.
func browse(t *testing.T, server *sandbox.Server, method, path,
	host string) (status int, header http.Header, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.WebURL()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	return wholeResponse(t, http.DefaultClient.Do, request)
}

// wholeResponse sends a request and returns the whole response.
func wholeResponse(t *testing.T, send func(*http.Request) (*http.Response, error),
	request *http.Request) (status int, header http.Header, body string) {
	t.Helper()
	response, err := send(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(content)
}

// section is what one section of the page says, without its elements, relative times, and links to details.
func section(t *testing.T, document, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(document, `<section id="`+name+`"`)
	content, _, closed := strings.Cut(rest, "</section>")
	if !found || !closed {
		t.Fatalf("no section %s in %s", name, document)
	}
	content = regexp.MustCompile(
		`<span class="ago">[^<]*</span>|<button[^>]*>[^<]*</button>|<a data-detail[^>]*>[^<]*</a>`).ReplaceAllString(content,
		" ")
	return words(content)
}

// words are what a document says, but for the tokens in a history, which are shown in few places.
func words(document string) string {
	text := regexp.MustCompile(`</?small[^>]*>|<code class="token">[^<]*</code>`).ReplaceAllString(document, "")
	text = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// show returns the page.
func show(t *testing.T, server *sandbox.Server) string {
	t.Helper()
	status, header, document := browse(t, server, "GET", "/", "")
	if status != 200 || header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("status %d, %v: %s", status, header, document)
	}
	return document
}

func TestWebPageShows(t *testing.T) {
	t.Parallel()
	server, _ := lively(t)
	document := show(t, server)
	for name, wants := range map[string][]string{
		"customers": {"<script>alert(1)</script> javascript:alert(2) 529.982.247-25 ana@example.com", "2026-05-04 09:00:00"},
		"accounts":  {"Ana none active 0.00 BRL 10 days none tenant-1", "10 days ana@example.com none"},
		"subscriptions": {
			"Ana, tenant-1 active", "Plan " + plan, "Pending plan " + otherPlan,
			"monthly, 2026-05-18 09:00:00 to 2026-06-18 09:00:00", "2026-05-04 09:00:00 created trialing by Go-http-client plan " +
				plan + ", trial end 2026-05-18T09:00:00Z 2026-05-18 09:00:00 trial ended trialing to active by clock",
			"invoice INV-000001 open,", "2026-05-18 09:00:00 period begins until 2026-06-18 2026-05-18 09:00:00 invoice",
			"2026-05-18 to 2026-06-18, due 2026-05-28",
			"pause requested active to paused by Go-http-client behavior void",
			"resume requested paused to active by Go-http-client",
			"plan change requested by Go-http-client pending plan " + otherPlan,
			"2026-06-18 09:00:00 next period begins (upcoming) with plan " + otherPlan,
		},
		"endpoints": {
			"/in?… active", "Deliveries 2 Authentication basic",
			"https://hooks.example.com/out inactive", "Deliveries none Authentication header",
		},
		"deliveries": {"webhook.test failed 2026-05-24 09:00:00 https://", "/in?… 2026-05-24 09:00:00 503 the endpoint " +
			"responded with 503 2026-05-24 09:04:00"},
		"invoices": {"INV-000001 open", "Ana tenant-1 2026-05-18 to 2026-06-18 2026-05-28 2026-05-18 09:00:00"},
		"tokens":   {"jwt_sandbox_", "rb_sandbox_", "* never"},
		"keys": {"erp ck_sandbox_", "active charges:read never", "rotated replaced by ck_sandbox_",
			"2026-05-27 09:00:00 grace period: 3 d 0 h left"},
		"finance": {"payables 14 The newest records of payables", "Aluguel da loja 4200.00"},
		"requests": {
			"Go-http-client/1.1 2026-05-04 09:00:00 , 13 requests, 12 writes, 2 failed",
			"2026-05-24 09:00:00 200 dropped customers.list fault-1 GET /v1/customers?search=ana", "422 rejected subscriptions.change_plan",
		},
	} {
		got := section(t, document, name)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %s", name, want, got)
			}
		}
	}
	if strings.Contains(section(t, document, "subscriptions"), "plan_id none") {
		t.Error("a refused change stands in the timeline")
	}
}

// No credential is on the page, whoever gave it to whom.
func TestWebPageShowsNoCredential(t *testing.T) {
	t.Parallel()
	server, credentials := lively(t)
	seen := map[string]bool{}
	var look func(path string)
	look = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		status, _, content := browse(t, server, "GET", path, "")
		if status != 200 {
			t.Errorf("%s: status %d", path, status)
		}
		for _, credential := range credentials {
			if credential == "" || strings.Contains(content, credential) {
				t.Errorf("%s shows the credential %q", path, credential)
			}
		}
		for _, link := range regexp.MustCompile(`href="(/(?:object|request)[^"]*)"`).FindAllStringSubmatch(content, -1) {
			look(html.UnescapeString(link[1]))
		}
	}
	for _, path := range []string{"/", "/?q=webhook", "/page.js", "/style.css"} {
		look(path)
	}
	if len(seen) < 20 {
		t.Errorf("only %d pages", len(seen))
	}
}

// What time brings has come when the page shows it, and the pause it is in.
func TestWebPageFollowsTheClock(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c := call(t, server)
	path, _ := c.subscribe("")
	c.do("POST", path+"/pause", `{"behavior":"keep_as_draft","resumes_at":"2026-06-20T00:00:00Z"}`).want(200)
	c.do("POST", path+"/cancel", `{"cancel_at_period_end":true,"reason":"moves away"}`).want(200)
	server.ResetRequests()
	got := section(t, show(t, server), "subscriptions")
	for _, want := range []string{"pause requested active to paused by Go-http-client behavior keep_as_draft",
		"2026-06-04 09:00:00 canceled at the end of the period (upcoming) moves away 2026-06-20 00:00:00 pause ends " +
			"(upcoming)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	server.Clock().Advance(40 * 24 * time.Hour)
	if got := section(t, show(t, server), "subscriptions"); !strings.Contains(got, "Ana canceled Id") ||
		!strings.Contains(got, "2026-06-04 09:00:00 period ended paused to canceled by clock reason: moves away") ||
		strings.Contains(got, "upcoming") {
		t.Errorf("after the period: %s", got)
	}
}

// Long lists have pages, the newest first, and the filter selects from all of them.
func TestWebPageHasPages(t *testing.T) {
	t.Parallel()
	customers := make([]map[string]any, 103)
	for i := range customers {
		customers[i] = map[string]any{"name": fmt.Sprintf("Customer %d.", i), "external_id": fmt.Sprintf("code-%d", i),
			"create_billing_account": i == 7}
	}
	seed, err := json.Marshal(map[string]any{"customers": customers,
		"webhook_endpoints": []any{map[string]any{"url": "https://hooks.example.com/in"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, sandbox.Options{Web: true, Start: morning, SeedDocument: seed})
	for i := range 52 {
		if _, err := server.Emit(fmt.Sprintf("event.n%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	server.Clock().Advance(time.Minute)
	c := call(t, server)
	c.create(`{"name":"The last"}`)
	for range 60 {
		c.do("GET", "/v1/me", "", "User-Agent", "crm/3 linux").want(200)
	}
	document := show(t, server)
	if got := section(t, document, "customers"); strings.Count(got, "Customer ") != 1+49 ||
		!strings.Contains(got, "1 to 50 of 104 Next") || !strings.Contains(got, "The last") {
		t.Errorf("customers: %s", got)
	}
	if _, got, _ := strings.Cut(section(t, document, "deliveries"), "grouped"); !strings.Contains(got, "event.n51 ") ||
		strings.Contains(got, "event.n1 ") || !strings.Contains(got, "1 to 50 of 52 Next") ||
		strings.Index(got, "event.n51 ") > strings.Index(got, "event.n50 ") {
		t.Errorf("deliveries: %s", got)
	}
	if got := section(t, document, "requests"); strings.Count(got, "me.get") != 20 ||
		!strings.Contains(got, "60 requests, 20 shown") || !strings.Contains(got, "Show the whole run") ||
		!strings.Contains(got, "customers.create") {
		t.Errorf("requests: %s", got)
	}
	for _, test := range []struct {
		path, section string
		rows          int
		want          string
	}{
		{"/?customers=3", "customers", 4, "101 to 104 of 104 Previous"}, {"/?customers=9", "customers", 4, "101 to 104"},
		{"/?customers=-1", "customers", 50, "1 to 50"}, {"/?customers=x", "customers", 50, "1 to 50"},
		{"/?q=code-77", "customers", 1, "Customer 77."}, {"/?q=customer+7.", "accounts", 1, "Customer 7."},
		{"/?q=no+such", "customers", 0, "Nothing here matches the filter."}, {"/?deliveries=2", "deliveries", 2, "event.n1 "},
		{"/?event=event.n7", "deliveries", 1, "event.n7 "}, {"/?status=success", "deliveries", 0, "Nothing here matches"},
		{"/?run=2", "requests", 50, "1 to 50 of 60 Next"}, {"/?run=2&requests=2", "requests", 10, "51 to 60 of 60 Previous"},
	} {
		_, _, document := browse(t, server, "GET", test.path, "")
		_, rest, _ := strings.Cut(document, `<section id="`+test.section+`"`)
		rest, _, _ = strings.Cut(rest, "</section>")
		if n := len(regexp.MustCompile(`<(tr|li) id="`).FindAllString(rest, -1)); n != test.rows ||
			!strings.Contains(words(rest), test.want) {
			t.Errorf("%s: %d rows, want %d with %q: %s", test.path, n, test.rows, test.want, words(rest))
		}
	}
}

// With more than one organization, each object names its own.
func TestWebPageOfSeveral(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	other, err := server.NewOrganization(sandbox.Organization{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := server.NewToken(sandbox.Token{Organization: other.ID})
	if err != nil {
		t.Fatal(err)
	}
	c := call(t, server)
	c.create(`{"name":"Ours"}`)
	c.with(token).create(`{"name":"Theirs"}`)
	document := show(t, server)
	if !strings.Contains(document, `<strong>Other</strong> sandbox <span class="copyable"><code class="id" title="`+other.ID) {
		t.Error("the other organization is not named")
	}
	for name, owner := range map[string]string{"Ours": server.Organization().ID, "Theirs": other.ID} {
		if row := regexp.MustCompile(name + ` .*? (\S{36}) (\S{36})(?: |$)`).FindStringSubmatch(section(t, document,
			"customers")); row == nil || row[2] != owner {
			t.Errorf("%s: %v, want the organization %s", name, row, owner)
		}
	}
}

// Nobody gets a page who has not asked for one.
func TestNoWebPage(t *testing.T) {
	t.Parallel()
	if address := start(t, sandbox.Options{}).WebURL(); address != "" {
		t.Errorf("there is a page at %s", address)
	}
}

// The page is read-only, for this machine, and may load nothing but its own.
func TestWebPageIsClosed(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Addr: "127.0.0.1"})
	for _, c := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "/", "", 200}, {"HEAD", "/", "", 200}, {"GET", "/style.css", "", 200}, {"GET", "/page.js", "", 200},
		{"GET", "/", "localhost:1234", 200}, {"GET", "/", "[::1]:80", 200}, {"GET", "/", "127.0.0.2", 200},
		{"GET", "/", "example.com", 403}, {"GET", "/", "localhost.example.com", 403}, {"GET", "/", "192.0.2.1:80", 403},
		{"GET", "/page.js", "127.0.0.1.example.com", 403}, {"POST", "/", "", 405}, {"DELETE", "/", "", 405},
		{"PUT", "/style.css", "", 405}, {"GET", "/clock", "", 404}, {"POST", "/clock", "", 403}, {"POST", "/clock", "example.com", 403}, {"GET", "/favicon.svg", "", 200}, {"GET", "/object?id=none", "", 404}, {"GET", "/object", "", 404},
		{"GET", "/request?id=none", "", 404}, {"GET", "/request", "", 404}, {"GET", "/request?id=none", "example.com", 403},
		{"GET", "/page.html", "", 404}, {"GET", "/page.go", "", 404}, {"GET", "/templates/layout.html", "", 404}, {"GET", "/v1/customers", "", 404}, {"GET", "/../go.mod", "", 404},
	} {
		status, header, body := browse(t, server, c.method, c.path, c.host)
		if status != c.want {
			t.Errorf("%s %s at %q: status %d, want %d", c.method, c.path, c.host, status, c.want)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
			"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'") ||
			strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Referrer-Policy") != "same-origin" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: headers %v", c.method, c.path, header)
		}
		if c.want != 200 && strings.Contains(body, `id="live"`) {
			t.Errorf("%s %s at %q shows the page", c.method, c.path, c.host)
		}
	}
}

// A subscription that is canceled in its trial never reaches the end of the trial.
func TestWebPageOfACanceledTrial(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c := call(t, server)
	path, _ := c.subscribe(`,"trial_period_days":14`)
	c.do("POST", path+"/cancel", `{}`).want(200)
	if got := section(t, show(t, server), "subscriptions"); strings.Contains(got, "trial ends") ||
		strings.Contains(got, "period begins until") ||
		!strings.Contains(got, "trialing to canceled by Go-http-client") {
		t.Errorf("before the end of the trial: %s", got)
	}
	server.Clock().Advance(30 * 24 * time.Hour)
	if got := section(t, show(t, server), "subscriptions"); strings.Contains(got, "trial ends") {
		t.Errorf("after the end of the trial: %s", got)
	}
}

// Another plan is an event at the time from which it runs, immediately or when the period ends.
func TestWebPageShowsChangesOfPlan(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c := call(t, server)
	path, _ := c.subscribe("")
	c.do("POST", path+"/change-plan", `{"plan_id":"`+otherPlan+`","timing":"end_of_period"}`).want(200)
	if got := section(t, show(t, server), "subscriptions"); strings.Contains(got, "clock plan") {
		t.Errorf("before the period ends: %s", got)
	}
	server.Clock().Advance(70 * 24 * time.Hour)
	c.do("POST", path+"/change-plan", `{"plan_id":"`+plan+`","timing":"immediate"}`).want(200)
	server.ResetRequests()
	got := section(t, show(t, server), "subscriptions")
	for _, want := range []string{"2026-06-04 09:00:00 period ended by clock plan " + otherPlan,
		"2026-07-13 09:00:00 plan change requested by Go-http-client plan " + plan} {
		if strings.Count(got, want) != 1 {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

// Each key of custom_metadata is that of the client which has changed it last, whatever a request repeats of others.
func TestWebPageShowsWhoseKeyItIs(t *testing.T) {
	t.Parallel()
	server := start(t,
		sandbox.Options{Web: true,
			SeedDocument: []byte(
				`{"customers":[{"name":"Ana","external_id":"ana","custom_metadata":{"segment":"retail","crm":{"owner":"Bia"},"old":1}}]}`)})
	c := call(t, server)
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(string(c.do("GET", "/v1/customers", "").want(200).body))[1]
	c.do("PATCH", "/v1/customers/"+id, `{"custom_metadata_mode":"merge","custom_metadata":{"segment":"food","crm":{"score":7}}}`,
		"User-Agent", "crm/3 linux").want(200)
	c.do("PATCH", "/v1/customers/"+id,
		`{"custom_metadata":{"segment":"food","crm":{"owner":"Bia","score":7},"tier":"gold"}}`,
		"User-Agent", "terraform-provider-billing/1.0 Terraform/1.11").want(200)
	got := section(t, show(t, server), "customers")
	for _, want := range []string{"seed crm.owner crm crm.score segment terraform-provider-billing tier "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "old") {
		t.Errorf("a key that was removed has an owner: %s", got)
	}
}

// Active faults are at the top until they have ended.
func TestWebPageShowsFaults(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	if document := show(t, server); strings.Contains(document, "Active faults") {
		t.Error("there is no active fault")
	}
	server.AddFault(sandbox.Fault{Operation: "me.get", Status: 503, Times: 2})
	if got := section(t, show(t, server), "faults"); !strings.Contains(got,
		"Active faults 1 fault-1 operation=me.get,times=2,status=503") {
		t.Errorf("faults: %s", got)
	}
}

// TestWebPageShowsObjects requires each object to have a page with its JSON, to which the page and the requests lead.
func TestWebPageShowsObjects(t *testing.T) {
	t.Parallel()
	server, _ := lively(t)
	document := show(t, server)
	for _, test := range []struct{ kind, want string }{
		{"customer", `"custom_metadata": null`}, {"subscription", `"pending_plan_id": "` + otherPlan},
		{"account", `"balance_cents": 0`}, {"invoice", `"number": "INV-000001"`}, {"endpoint", `"url": "https://`},
		{"key", `"keyPrefix": "ck_sandbox_`}, {"record", `"company_id": "`},
	} {
		id := regexp.MustCompile(` id="` + test.kind + `-([\w-]+)"`).FindStringSubmatch(document)
		if id == nil || !strings.Contains(document, `href="/object?id=`+id[1]) {
			t.Errorf("no %s with a link to its page", test.kind)
			continue
		}
		status, _, body := browse(t, server, "GET", "/object?id="+id[1], "")
		if status != 200 || !strings.Contains(html.UnescapeString(body), test.want) ||
			!strings.Contains(body, `<h1>`+test.kind+` `) || !strings.Contains(body, `href="/?q=`+id[1]+`#`+test.kind+`-`+id[1]+`"`) {
			t.Errorf("%s: %d, no %q in %s", test.kind, status, test.want, body)
		}
	}
}

// TestWebPageShowsChanges requires a request to show its bodies and what it has changed, before and after, and an
// object the requests that have changed it, also when it has been deleted.
func TestWebPageShowsChanges(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning, SeedDocument: []byte(`{"plans":[
		{"id":"` + plan + `","name":"Pro","amount_cents":14990},{"id":"` + otherPlan + `","name":"Max","amount_cents":99000}]}`)})
	c, hooks := call(t, server), collect(t, server)
	path, _ := c.subscribe("")
	changed := c.do("POST", path+"/change-plan", `{"plan_id":"`+otherPlan+`","timing":"immediate"}`).want(200)
	customer := c.create(`{"name":"Ana","external_id":"ana"}`)
	updated := c.do("PATCH", "/v1/customers/"+customer, `{"name":"Bia"}`, "User-Agent", "crm/3 linux").want(200)
	deleted := c.do("DELETE", "/v1/customers/"+customer, "").want(200)
	endpoint, _ := hooks.endpoint(`{"url":"https://hooks.example.com/in?a=1"}`)
	moved := hooks.do("PATCH", endpoint, `{"url":"https://hooks.example.com/in?a=2"}`).want(200)

	text := func(address string) string {
		t.Helper()
		status, _, body := browse(t, server, "GET", address, "")
		if status != 200 {
			t.Fatalf("%s: status %d", address, status)
		}
		return words(body)
	}
	of := func(r result) string { return "/request?id=" + r.header.Get("Request-Id") }
	for _, test := range []struct{ address, want string }{
		{of(changed), "plan_id Pro (3a6d9c1f) Max (c9e17b52)"},
		{of(changed), "recurring_amount_cents 14990 99000"},
		{of(changed), `"timing": "immediate"`},
		{of(updated), "customer Ana name Ana Bia"}, {of(updated), "Client crm/3"}, {of(updated), `Response body { "data": {`},
		{of(deleted), "external_id ana none"}, {of(deleted), "status active closed"},
		{of(moved), "url https://hooks.example.com/in?… https://hooks.example.com/in?…"},
		{"/object?id=" + customer, "There is no such object, or it has been deleted."},
		{"/object?id=" + customer, "name Ana Bia"}, {"/object?id=" + customer, "name none Ana"},
		{"/", "plan change requested by Go-http-client plan Max request"}, {"/", "Plan Max c9e17b52"},
	} {
		if got := text(test.address); !strings.Contains(got, test.want) && !strings.Contains(got,
			strings.Replace(test.want, "customer Ana", "customer Bia", 1)) {
			t.Errorf("%s: no %q in %s", test.address, test.want, got)
		}
	}
	c.do("GET", "/v1/customers/"+customer, "").want(404)
	_, _, history := browse(t, server, "GET", "/object?id="+customer, "")
	if !strings.Contains(words(history), "Show the 1 read too") ||
		strings.Count(text("/object?id="+customer+"&reads=1"), "customers.get") != 1 {
		t.Errorf("reads are not on request: %s", words(history))
	}
	if strings.Count(history, `<div class="line`) != 3 || strings.Contains(history, "<pre") {
		t.Errorf("a deleted customer has other requests than its three, or is shown: %s", history)
	}
	if _, _, request := browse(t, server, "GET", of(updated), ""); strings.Count(request, "/object?id="+customer) != 2 {
		t.Errorf("the changed object is not once in the request and once in its change: %s", request)
	}
	if got := text(of(updated)); strings.Contains(got, "updated_at 2") || strings.Contains(got, "external_id ana ana") {
		t.Errorf("fields that say nothing: %s", got)
	}
}

// The history of an object says what time did, and that of an endpoint has its deliveries, also when it is removed.
func TestWebPageShowsWhatTimeDid(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c, hooks := call(t, server), collect(t, server)
	path, made := c.subscribe(`,"trial_period_days":14`)
	_, manual := c.subscribe(`,"collection_method":"manual_invoice"`)
	expiring := hooks.do("POST", keysPath, `{"name":"erp","scopes":["charges:read"],"expiresAt":"2026-05-06T00:00:00Z"}`)
	key := expiring.text("data", "id")
	endpoint, registered := hooks.endpoint(`{"url":"https://hooks.example.com/in?a=1"}`)
	hooks.do("POST", endpoint+"/test", "").want(202)
	c.do("GET", path, "").want(200)
	text := func(path string) string {
		_, _, document := browse(t, server, "GET", path, "")
		return words(document)
	}
	if got := text("/"); !strings.Contains(got, "trial ends the first period begins") ||
		strings.Count(got, "trial ends (upcoming)") != 1 {
		t.Errorf("no end of the trial: %s", got)
	}
	server.Clock().Advance(40 * 24 * time.Hour)
	for id, wants := range map[string][]string{
		made.text("data", "id"):       {"trial ended trialing to active by clock", "INV-000001 open", "begins (upcoming)"},
		manual.text("data", "id"):     {"period begins until 2026-07-04, without an invoice: it is invoiced on request only"},
		registered.text("data", "id"): {"Deliveries 2026-05-04 09:00:00", "webhook.test All 1"},
		key:                           {"2026-05-06 00:00:00", "expired by clock"},
	} {
		for _, want := range wants {
			if got := text("/object?id=" + id); !strings.Contains(got, want) {
				t.Errorf("no %q in %s", want, got)
			}
		}
	}
	hooks.do("DELETE", endpoint, "").want(204)
	if got := text("/object?id=" + registered.text("data", "id")); !strings.Contains(got,
		"endpoint https://hooks.example.com/in?…") || !strings.Contains(got, "webhook.test All 1") {
		t.Errorf("of a removed endpoint: %s", got)
	}
}

// All that comes is shown, 50 at a time.
func TestWebPageShowsAllThatComes(t *testing.T) {
	t.Parallel()
	subscriptions := make([]any, 53)
	for i := range subscriptions {
		subscriptions[i] = map[string]any{"billing_account_id": "external_id=a", "plan_id": plan,
			"external_id": fmt.Sprintf("s-%d", i)}
	}
	seed, err := json.Marshal(map[string]any{
		"customers":        []any{map[string]any{"name": "Ana", "external_id": "ana", "create_billing_account": false}},
		"billing_accounts": []any{map[string]any{"customer": map[string]any{"id": "external_id=ana"}, "external_id": "a"}},
		"subscriptions":    subscriptions,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, sandbox.Options{Web: true, Start: morning, SeedDocument: seed})
	for path, want := range map[string]int{"/": 5, "/?coming=1": 50, "/?coming=2": 3, "/?q=s-17": 1} {
		_, _, document := browse(t, server, "GET", path, "")
		if got := strings.Count(document, "Advance to it"); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// The time is that of the sandbox, with seconds, also when the page is loaded.
func TestWebPageShowsTheTimeOfNow(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	before := server.Clock().Now().Truncate(time.Second)
	_, header, document := browse(t, server, "GET", "/", "")
	shown := regexp.MustCompile(`<strong><time datetime="([^"]*)">`).FindStringSubmatch(document)
	if shown == nil || shown[1] != header.Get("Sandbox-Time") || shown[1] < before.UTC().Format(time.RFC3339) {
		t.Errorf("%v at %s, want %s", shown, before, header.Get("Sandbox-Time"))
	}
}

// TestWebPageFiltersRequests requires a request to be found by what is known of it, and to stand in its run.
func TestWebPageFiltersRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c := call(t, server)
	crm := func(method, path, body string) result { return c.do(method, path, body, "User-Agent", "crm/3 linux") }
	id := c.create(`{"name":"Ana","notes":"by hand"}`)
	c.do("GET", "/v1/customers/"+id, "").want(200)
	c.do("GET", "/v1/subscriptions?status=active", "").want(200)
	nickname := crm("PATCH", "/v1/customers/"+id, `{"nickname":"Nana"}`).want(200).header.Get("Request-Id")
	crm("PATCH", "/v1/customers/"+id, `{"name":7}`).want(422)
	for query, want := range map[string]int{
		"": 5, "?q=nana": 1, "?q=ANA": 4, "?q=by+hand": 1, "?q=" + nickname[:8]: 1, "?q=crm+rejected": 1, "?q=name+must+be": 1, "?q=" + id[:10]: 4,
		"?operation=customers": 4, "?operation=customers.update": 2, "?operation=custom": 0, "?show=writes": 3, "?show=failed": 1,
		"?show=writes&operation=customers&q=nickname": 1, "?q=nothing+like+that": 0, "?q=subscriptions?status": 1,
	} {
		status, _, document := browse(t, server, "GET", "/"+query, "")
		got := section(t, document, "requests")
		if n := strings.Count(document, `<li id="request-`); status != 200 || n != want ||
			strings.Contains(got, "No request matches the filter.") != (want == 0) {
			t.Errorf("%s: %d requests, want %d: %s", query, n, want, got)
		}
	}
	_, _, document := browse(t, server, "GET", "/?operation=customers.update&show=failed&q=%22crm", "")
	for _, want := range []string{`value="&#34;crm"`, `<option selected>customers.update</option>`,
		`value="failed" checked`} {
		if !strings.Contains(document, want) {
			t.Errorf("the filter does not say %s", want)
		}
	}
	_, _, document = browse(t, server, "GET", "/?show=failed", "")
	if got := section(t, document, "requests"); !strings.Contains(got,
		"crm/3 2026-05-04 09:00:00 , 2 requests, 2 writes, 1 failed : customers.update 422, 1 shown") || strings.Contains(got, "Go-http-client") {
		t.Errorf("runs: %s", got)
	}
	// Of the runs the newest is open, and with a filter each.
	_, _, document = browse(t, server, "GET", "/?show=writes", "")
	if all, filtered := show(t, server), document; strings.Count(all, `run" open>`) != 1 ||
		strings.Count(filtered, `run" open>`) != 2 {
		t.Error("other runs are open")
	}
	got := section(t, show(t, server), "requests")
	_, older, found := strings.Cut(got, "crm/3")
	if !found || !strings.Contains(older, "Go-http-client/1.1") ||
		!strings.Contains(older, " 3 requests, 1 write 09:00:00") {
		t.Errorf("the newest run is not the first: %s", got)
	}
}

// hostile is a sandbox in which every text that users can choose is this one, and its pages.
func hostile(t *testing.T, text string) string {
	t.Helper()
	seed, err := json.Marshal(map[string]any{
		"plans":             []any{map[string]any{"id": plan, "name": text, "amount_cents": 100}},
		"customers":         []any{map[string]any{"name": text, "external_id": text, "custom_metadata": map[string]any{text: text}}},
		"webhook_endpoints": []any{map[string]any{"url": "https://hooks.example.com/in", "description": text}},
		"api_keys":          []any{map[string]any{"name": text, "scopes": []string{"charges:read"}}},
		"finance":           map[string]any{"payables": []any{map[string]any{"name": text, "status": text}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, sandbox.Options{Web: true, Start: morning, Seed: 7, SeedDocument: seed,
		Organization: sandbox.Organization{Name: text}})
	if _, err := server.NewOrganization(sandbox.Organization{Name: text}); err != nil {
		t.Fatal(err)
	}
	c := call(t, server)
	body := func(name string) string {
		document, err := json.Marshal(map[string]string{name: text})
		if err != nil {
			t.Fatal(err)
		}
		return string(document)
	}
	path, made := c.subscribe("")
	c.do("PATCH", path, body("external_id"), "User-Agent", text)
	c.do("POST", path+"/cancel", body("reason"), "User-Agent", text)
	c.do("POST", "/v1/billing-accounts/"+made.text("data", "billing_account_id")+"/suspend", body("reason"))
	c.do("GET", "/v1/"+url.PathEscape(text)+"?search="+url.QueryEscape(text), "")
	_, _, pages := browse(t, server, "GET", "/", "")
	for _, link := range regexp.MustCompile(`href="(/(?:object|request)\?id=[\w-]+)"`).FindAllStringSubmatch(pages, -1) {
		_, _, page := browse(t, server, "GET", link[1], "")
		pages += page
	}
	_, _, page := browse(t, server, "GET", "/?q=zzz"+url.QueryEscape(text)+"&operation=zzz"+url.QueryEscape(text), "")
	return pages + page
}

// TestNothingIsMarkup requires everything that users have written to be text: it makes no element and no attribute, and
// leads nowhere.
func TestNothingIsMarkup(t *testing.T) {
	t.Parallel()
	quoted, element := regexp.MustCompile(`"[^"]*"`), regexp.MustCompile(`<[^>]*>`)
	skeleton := func(document string) string {
		return quoted.ReplaceAllString(strings.Join(element.FindAllString(document, -1), "\n"), "")
	}
	own := regexp.MustCompile(`^(#[\w-]+|/(\?q=[\w-]+)?(#[\w-]+)?|/\?(endpoint|run)=[\w-]+#[a-z]+|/(object|request)\?id=[\w-]+|/clock|/emit|/resend|/style\.css|/page\.js|/favicon\.svg|5|` +
		`width=device-width, initial-scale=1)$`)
	want := skeleton(hostile(t, "plain"))
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img/src=x/onerror=alert(1)>`, `javascript:alert(1)`, `https://elsewhere.example/`,
		`"/onclick="alert(1)`, `'/onclick='alert(1)`, `</main><base/href="//x">`, `{{.}}`, `<!--`,
	} {
		out := hostile(t, text)
		if got := skeleton(out); got != want {
			t.Errorf("%s changes the elements of the pages: %d bytes, want %d", text, len(got), len(want))
		}
		for _, found := range regexp.MustCompile(`\s(?:href|src|action|content)="([^"]*)"`).FindAllStringSubmatch(out, -1) {
			if !own.MatchString(found[1]) {
				t.Errorf("%s: the page leads to %s", text, found[1])
			}
		}
	}
}

// TestWebPageOfAnEmptySandbox requires each section to say what to do.
func TestWebPageOfAnEmptySandbox(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning, NoExampleData: true})
	document := show(t, server)
	for _, kind := range []string{"requests", "customers", "billing accounts", "subscriptions", "invoices",
		"webhook endpoints", "records"} {
		if !strings.Contains(document, `<p class="empty">No `+kind+" yet. ") {
			t.Errorf("an empty page says nothing of %s", kind)
		}
	}
	for _, want := range []string{
		`stands still at <strong><time datetime="2026-05-04T09:00:00Z">2026-05-04 09:00:00</time></strong> UTC`,
		"<title>Padaria Exemplo Ltda - billing sandbox</title>", "<strong>Padaria Exemplo Ltda</strong> sandbox",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, unwanted := range []string{"0001-01-01", "Active faults", ">Organization<", "not shown"} {
		if strings.Contains(document, unwanted) {
			t.Errorf("an empty page says %q", unwanted)
		}
	}
	if running := show(t, start(t, sandbox.Options{Web: true})); !strings.Contains(running, "The clock is running: ") {
		t.Error("a running clock is not told")
	}
}

// The page is sent again only when it would show something else.
func TestWebPageIsSentOnce(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c := call(t, server)
	ask := func(revision string) (status int, next string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.WebURL(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("If-None-Match", revision)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.Header.Get("Sandbox-Time") == "" {
			t.Error("no Sandbox-Time")
		}
		return response.StatusCode, response.Header.Get("ETag")
	}
	_, revision := ask("")
	for _, change := range []struct {
		name string
		do   func()
	}{
		{"a request", func() { c.do("GET", "/v1/me", "").want(200) }}, {"a write", func() { c.create(`{"name":"Ana"}`) }},
		{"a fault", func() { server.AddFault(sandbox.Fault{Status: 500, Operation: "me.get"}) }},
		{"the end of the faults", server.ClearFaults},
		{"a write without a request", func() {
			if _, err := server.NewOrganization(sandbox.Organization{Name: "Other"}); err != nil {
				t.Error(err)
			}
		}},
		{"the clock", func() { server.Clock().Advance(time.Second) }}, {"an empty log", server.ResetRequests},
	} {
		if status, _ := ask(revision); status != http.StatusNotModified {
			t.Errorf("before %s: status %d", change.name, status)
		}
		change.do()
		status, next := ask(revision)
		if status == http.StatusNotModified {
			t.Errorf("after %s: status %d", change.name, status)
		}
		revision = next
	}
}
