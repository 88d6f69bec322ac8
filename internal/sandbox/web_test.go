package sandbox_test

import (
	"crypto/tls"
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
	receiver.respond(503)
	options := receiver.options()
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
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(content, " ")
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
		"accounts":  {"Ana active 0.00 BRL 10 days"},
		"subscriptions": {
			"Ana, tenant-1 active", "Plan " + plan, "Pending plan " + otherPlan,
			"monthly, 2026-05-18 09:00:00 to 2026-06-18 09:00:00", "2026-05-04 09:00:00 created 2026-05-04 09:00:00 trial " +
				"begins 2026-05-18 09:00:00 trial ends 2026-05-18 09:00:00 active",
			"invoice INV-000001 open,", "2026-05-18 to 2026-06-18, due 2026-05-28",
			"pause requested Go-http-client behavior void", "plan change requested Go-http-client plan_id " + otherPlan +
				", timing end_of_period 2026-05-24 09:00:00 resumed",
			"2026-06-18 09:00:00 next period begins (to come) with plan " + otherPlan,
		},
		"endpoints": {
			"/in?… active", "Authentication basic",
			"webhook.test failed 2026-05-24 09:00:00 2026-05-24 09:00:00 503 the endpoint responded with 503 2026-05-24 " +
				"09:04:00",
			"https://hooks.example.com/out inactive", "Authentication header", "No deliveries yet.",
		},
		"invoices": {"INV-000001 open", "Ana tenant-1 2026-05-18 to 2026-06-18 2026-05-28 2026-05-18 09:00:00"},
		"tokens":   {"jwt_sandbox_", "rb_sandbox_", "* never"},
		"keys": {"erp ck_sandbox_", "active charges:read never", "rotated succeeded by ck_sandbox_",
			"2026-05-27 09:00:00 grace period: 3 d 0 h left"},
		"finance": {"payables 14 The newest records of payables", "Aluguel da loja 4200.00", "4 older not shown."},
		"requests": {"200 dropped billing customers.list GET /v1/customers?search=ana Go-http-client rb_sandbox_", "fault-1",
			"422 rejected billing subscriptions.change_plan"},
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
	paths := []string{"/", "/page.js", "/style.css"}
	for _, link := range regexp.MustCompile(`href="(/(?:object|request)[^"]*)"`).FindAllStringSubmatch(show(t, server),
		-1) {
		paths = append(paths, html.UnescapeString(link[1]))
	}
	for _, path := range paths {
		status, _, content := browse(t, server, "GET", path, "")
		if status != 200 {
			t.Errorf("%s: status %d", path, status)
		}
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
	for _, want := range []string{"paused keep_as_draft",
		"2026-06-04 09:00:00 canceled with the period (to come) moves away 2026-06-20 00:00:00 pause ends (to come)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	server.Clock().Advance(40 * 24 * time.Hour)
	if got := section(t, show(t, server), "subscriptions"); !strings.Contains(got, "Ana canceled Id") ||
		!strings.Contains(got, "2026-06-04 09:00:00 canceled moves away") || strings.Contains(got, "to come") {
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
	seed, err := json.Marshal(map[string]any{"customers": customers,
		"webhook_endpoints": []any{map[string]any{"url": "https://hooks.example.com/in"}}})
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
	// Which four of those that the seed created at the same time are not shown, is left open.
	got := section(t, document, "customers")
	seeded := regexp.MustCompile(`Customer \d+\.`).FindAllStringIndex(got, -1)
	if len(seeded) != 199 || !strings.Contains(got, "4 older not shown.") ||
		strings.Index(got, "The last") > seeded[0][0] {
		t.Errorf("customers: %s", got)
	}
	if got := section(t, document, "endpoints"); !strings.Contains(got, "event.n11 ") ||
		strings.Contains(got, "event.n1 ") || !strings.Contains(got, "2 older not shown.") ||
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
	if !strings.Contains(document, `Other <span class="copyable"><code class="id" title="`+other.ID) {
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
		{"PUT", "/style.css", "", 405}, {"GET", "/favicon.svg", "", 200}, {"GET", "/object?type=customer&id=none", "", 404},
		{"GET", "/object?type=token&id=1", "", 404}, {"GET", "/request?sequence=1", "", 404},
		{"GET", "/request?sequence=0", "", 404}, {"GET", "/request", "", 404}, {"GET", "/request?sequence=1", "example.com",
			403}, {"GET", "/page.html", "", 404}, {"GET", "/v1/customers", "", 404}, {"GET", "/../go.mod", "", 404},
	} {
		status, header, body := browse(t, server, c.method, c.path, c.host)
		if status != c.want {
			t.Errorf("%s %s at %q: status %d, want %d", c.method, c.path, c.host, status, c.want)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
			"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'") ||
			strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: headers %v", c.method, c.path, header)
		}
		if c.want != 200 && strings.Contains(body, "<main") {
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
		!strings.Contains(got, "trial begins") || !strings.Contains(got, "canceled") {
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
	if got := section(t, show(t, server), "subscriptions"); strings.Contains(got, "runs another plan") {
		t.Errorf("before the period ends: %s", got)
	}
	server.Clock().Advance(70 * 24 * time.Hour)
	c.do("POST", path+"/change-plan", `{"plan_id":"`+plan+`","timing":"immediate"}`).want(200)
	server.ResetRequests()
	got := section(t, show(t, server), "subscriptions")
	for _, want := range []string{"2026-06-04 09:00:00 runs another plan " + otherPlan,
		"2026-07-13 09:00:00 runs another plan " + plan} {
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
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(string(call(t, server).do("GET", "/v1/customers",
		"").want(200).body))[1]
	write := func(client, body string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, server.BillingURL()+"/v1/customers/"+id,
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+server.BillingToken())
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User-Agent", client)
		response, err := trusting(t, server.CAPEM(), &tls.Config{MinVersion: tls.VersionTLS12}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", body, response.StatusCode)
		}
	}
	write("crm/3 linux", `{"custom_metadata_mode":"merge","custom_metadata":{"crm":{"score":7}}}`)
	write("terraform-provider-billing/1.0 Terraform/1.11",
		`{"custom_metadata":{"segment":"retail","crm":{"owner":"Bia","score":7},"tier":"gold"}}`)
	got := section(t, show(t, server), "customers")
	for _, want := range []string{"seed crm.owner segment crm crm.score terraform-provider-billing tier "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "old") {
		t.Errorf("a key that was removed has an owner: %s", got)
	}
}

// Faults in force are at the top until they have ended.
func TestWebPageShowsFaults(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	if document := show(t, server); strings.Contains(document, "Faults in force") {
		t.Error("there is no fault in force")
	}
	server.AddFault(sandbox.Fault{Operation: "me.get", Status: 503, Times: 2})
	if got := section(t, show(t, server), "faults"); !strings.Contains(got,
		"Faults in force 1 fault-1 operation=me.get,times=2,status=503") {
		t.Errorf("faults: %s", got)
	}
}

// Raw objects and bodies are shown on demand, with line breaks.
func TestWebPageShowsDetails(t *testing.T) {
	t.Parallel()
	server, _ := lively(t)
	document := show(t, server)
	for _, test := range []struct{ link, want string }{
		{`/object\?type=customer&amp;id=[\w-]+`, "&#34;custom_metadata&#34;: null"},
		{`/object\?type=subscription&amp;id=[\w-]+`, "&#34;pending_plan_id&#34;: &#34;" + otherPlan},
		{`/object\?type=account&amp;id=[\w-]+`, "&#34;balance_cents&#34;: 0"},
		{`/object\?type=invoice&amp;id=[\w-]+`, "&#34;number&#34;: &#34;INV-000001&#34;"},
		{`/object\?type=endpoint&amp;id=[\w-]+`, "&#34;url&#34;: &#34;https://"},
		{`/object\?type=key&amp;id=[\w-]+`, "&#34;keyPrefix&#34;: &#34;ck_sandbox_"},
		{`/object\?type=record&amp;id=[\w-]+`, "&#34;company_id&#34;: "},
		{`/request\?sequence=1`, "&#34;document_number&#34;: &#34;529.982.247-25&#34;"},
	} {
		link := regexp.MustCompile(`"(` + test.link + `)"`).FindStringSubmatch(document)
		if link == nil {
			t.Errorf("no link %s", test.link)
			continue
		}
		if status, _, body := browse(t, server, "GET", html.UnescapeString(link[1]), ""); status != 200 ||
			!strings.Contains(body, test.want) {
			t.Errorf("%s: %d, no %q in %s", link[1], status, test.want, body)
		}
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
