package sandbox_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// lively is a sandbox with something in every section of its page, and the
// credentials that it has taken and given out.
func lively(t *testing.T) (server *sandbox.Server, credentials []string) {
	t.Helper()
	receiver := consume(t)
	receiver.answer(503)
	options := receiver.options()
	options.Web = true
	server = start(t, options)
	c, hooks := call(t, server), collect(t, server)
	c.create(`{"name":"<script>alert(1)</script>","external_id":"javascript:alert(2)","document_number":"529.982.247-25","email":"ana@example.com"}`)
	path, _ := c.subscribe(`,"external_id":"tenant-1","trial_period_days":14`)
	server.Clock().Advance(20 * 24 * time.Hour)
	c.do("POST", path+"/pause", `{"behavior":"void"}`).want(200)
	c.do("POST", path+"/resume", ``).want(200)
	c.do("POST", path+"/change-plan", `{"plan_id":"`+otherPlan+`","timing":"end_of_period"}`).want(200)
	c.do("POST", path+"/change-plan", `{"plan_id":"none"}`).want(422)
	endpoint, registered := hooks.endpoint(`{"url":"` + receiver.URL + `/in?token=s3cret-in-the-query","authentication":{"type":"basic","username":"ana","password":"p4ssw0rd-of-ana"}}`)
	hooks.endpoint(`{"url":"https://hooks.example.com/out","active":false,"authentication":{"type":"header","name":"X-Key","value":"v4lue-of-the-header"}}`)
	hooks.do("POST", endpoint+"/test", "").want(202)
	settle(t, server)
	made := hooks.do("POST", keysPath, `{"name":"erp","scopes":["charges:read"]}`).want(201)
	rotated := hooks.do("POST", keysPath+"/"+made.text("data", "id")+"/rotate", `{"graceDays":3}`).want(200)
	server.AddFault(sandbox.Fault{Operation: "customers.list", DropAfter: true, Times: 1})
	if _, err := c.try("GET", "/v1/customers?search=ana", ""); err == nil {
		t.Error("no drop")
	}
	return server, []string{
		server.BillingToken(), server.FinanceToken(), server.CollectionsKey(), server.ControlToken(), "p4ssw0rd-of-ana", "s3cret-in-the-query",
		"v4lue-of-the-header", registered.text("data", "secret"), made.text("data", "token"), rotated.text("data", "token"),
	}
}

// browse asks for something on the web page's listener.
func browse(t *testing.T, server *sandbox.Server, method, path, host string) (status int, header http.Header, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.WebURL()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	response, err := http.DefaultClient.Do(request)
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

// section is what one section of the page says, without its elements.
func section(t *testing.T, document, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(document, `<section id="`+name+`"`)
	content, _, closed := strings.Cut(rest, "</section>")
	if !found || !closed {
		t.Fatalf("no section %s in %s", name, document)
	}
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(content, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// show answers the page.
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
		"accounts":  {"Ana active 0.00 BRL 10 days"},
		"subscriptions": {
			"Ana, tenant-1 active", "Plan " + plan, "Pending plan " + otherPlan, "monthly, 2026-05-18 09:00:00 to 2026-06-18 09:00:00",
			"2026-05-04 09:00:00 created 2026-05-04 09:00:00 trial begins 2026-05-18 09:00:00 trial ends 2026-05-18 09:00:00 active",
			"invoice INV-000001 open,", "2026-05-18 to 2026-06-18, due 2026-05-28", "asked: subscriptions.pause behavior void",
			"asked: subscriptions.change_plan plan_id " + otherPlan + ", timing end_of_period 2026-05-24 09:00:00 resumed",
			"2026-06-18 09:00:00 next period begins (to come) with plan " + otherPlan,
		},
		"endpoints": {
			"/in?… active", "Authentication basic", "webhook.test failed 2026-05-24 09:00:00 2026-05-24 09:00:00 503 the endpoint answered 503 2026-05-24 09:04:00",
			"https://hooks.example.com/out inactive", "Authentication header", "No deliveries yet.",
		},
		"keys":     {"erp ck_sandbox_", "active charges:read never", "rotated succeeded by ck_sandbox_", "2026-05-27 09:00:00 grace: 3 d 0 h left"},
		"finance":  {"payables 14 The newest records of payables", "Aluguel da loja 4200.00", "4 older not shown."},
		"requests": {"200 dropped billing customers.list GET /v1/customers?search=ana rb_sandbox_", "fault-1", "422 refused billing subscriptions.change_plan"},
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
	for _, path := range []string{"/", "/page.js", "/style.css"} {
		_, _, content := browse(t, server, "GET", path, "")
		for _, credential := range credentials {
			if credential == "" || strings.Contains(content, credential) {
				t.Errorf("%s shows the credential %q", path, credential)
			}
		}
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
	for _, want := range []string{"paused keep_as_draft", "2026-06-04 09:00:00 canceled with the period (to come) moves away 2026-06-20 00:00:00 pause ends (to come)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	server.Clock().Advance(40 * 24 * time.Hour)
	if got := section(t, show(t, server), "subscriptions"); !strings.Contains(got, "Ana canceled Id") || !strings.Contains(got, "2026-06-04 09:00:00 canceled moves away") || strings.Contains(got, "to come") {
		t.Errorf("after the period: %s", got)
	}
}

// Long lists end, the newest shown first.
func TestWebPageIsBounded(t *testing.T) {
	t.Parallel()
	customers := make([]map[string]any, 203)
	for i := range customers {
		customers[i] = map[string]any{"name": fmt.Sprintf("Customer %d.", i), "create_billing_account": false}
	}
	seed, err := json.Marshal(map[string]any{"customers": customers, "webhook_endpoints": []any{map[string]any{"url": "https://hooks.example.com/in"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, sandbox.Options{Web: true, Start: morning, SeedDocument: seed})
	for i := range 12 {
		if _, err := server.Emit(fmt.Sprintf("event.n%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	server.Clock().Advance(time.Minute)
	call(t, server).create(`{"name":"The last"}`)
	document := show(t, server)
	if got := section(t, document, "customers"); strings.Count(got, "Customer ") != 199 || !strings.Contains(got, "4 older not shown.") || strings.Index(got, "The last") > strings.Index(got, "Customer ") {
		t.Errorf("customers: %s", got)
	}
	if got := section(t, document, "endpoints"); !strings.Contains(got, "event.n11 ") || strings.Contains(got, "event.n1 ") || !strings.Contains(got, "2 older not shown.") ||
		strings.Index(got, "event.n11 ") > strings.Index(got, "event.n10 ") {
		t.Errorf("deliveries: %s", got)
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
	if !strings.Contains(document, `Other <code class="id">`+other.ID) {
		t.Error("the other organization is not named")
	}
	for name, owner := range map[string]string{"Ours": server.Organization().ID, "Theirs": other.ID} {
		if row := regexp.MustCompile(name + ` .*? (\S{36}) (\S{36})(?: |$)`).FindStringSubmatch(section(t, document, "customers")); row == nil || row[2] != owner {
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
		{"GET", "/", "example.com", 403}, {"GET", "/", "localhost.example.com", 403}, {"GET", "/", "192.0.2.1:80", 403}, {"GET", "/page.js", "127.0.0.1.example.com", 403},
		{"POST", "/", "", 405}, {"DELETE", "/", "", 405}, {"PUT", "/style.css", "", 405},
		{"GET", "/page.html", "", 404}, {"GET", "/v1/customers", "", 404}, {"GET", "/../go.mod", "", 404},
	} {
		status, header, body := browse(t, server, c.method, c.path, c.host)
		if status != c.want {
			t.Errorf("%s %s at %q: status %d, want %d", c.method, c.path, c.host, status, c.want)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'") ||
			strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: headers %v", c.method, c.path, header)
		}
		if c.want != 200 && strings.Contains(body, "<main") {
			t.Errorf("%s %s at %q shows the page", c.method, c.path, c.host)
		}
	}
}
