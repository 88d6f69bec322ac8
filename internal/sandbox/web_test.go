package sandbox_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// lively is a sandbox with something in every section of its page, and the
// credentials that it has given out.
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
	c.do("POST", path+"/change-plan", `{"plan_id":"5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02","timing":"end_of_period"}`).want(200)
	endpoint, registered := hooks.endpoint(`{"url":"` + receiver.URL + `/in","authentication":{"type":"basic","username":"ana","password":"p4ssw0rd-of-ana"}}`)
	hooks.do("POST", endpoint+"/test", "").want(202)
	settle(t, server)
	made := hooks.do("POST", keysPath, `{"name":"erp","scopes":["charges:read"]}`).want(201)
	rotated := hooks.do("POST", keysPath+"/"+made.text("data", "id")+"/rotate", `{"graceDays":3}`).want(200)
	c.do("GET", "/v1/customers?search=ana", "").want(200)
	return server, []string{server.BillingToken(), server.FinanceToken(), server.CollectionsKey(), server.ControlToken(), "p4ssw0rd-of-ana",
		registered.text("data", "secret"), made.text("data", "token"), rotated.text("data", "token")}
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

func TestWebPageShows(t *testing.T) {
	t.Parallel()
	server, credentials := lively(t)
	status, _, html := browse(t, server, "GET", "/", "")
	if status != 200 {
		t.Fatalf("status %d: %s", status, html)
	}
	for _, shown := range []string{
		"&lt;script&gt;alert(1)&lt;/script&gt;", "javascript:alert(2)", "529.982.247-25", "ana@example.com", // the customer
		"tenant-1", "trial ends", "invoice INV-", "asked: subscriptions.pause", "resumed", "with plan 5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02", // the subscription
		"/in", "webhook.test", "503", ">failed<", // the endpoint and its delivery
		"erp", ">rotated<", "3 d 0 h left", "charges:read", // the keys
		"payables", "4200.00", "Aluguel da loja", // financial management
		"customers.list", "/v1/customers?search=ana", "stands still at", // the log and the clock
	} {
		if !strings.Contains(html, shown) {
			t.Errorf("the page does not show %q", shown)
		}
	}
	for _, credential := range credentials {
		if credential == "" || strings.Contains(html, credential) {
			t.Errorf("the page shows the credential %q", credential)
		}
	}
	// What others have written is text, and nothing is loaded from elsewhere.
	if outside := regexp.MustCompile(`(?i)<script(?: src="/page\.js" defer)?>|(?:src|href)="[^"]*"|style="|\son\w+=`); true {
		for _, found := range outside.FindAllString(html, -1) {
			if found != `<script src="/page.js" defer>` && !regexp.MustCompile(`^(?:src|href)="(?:/page\.js|/style\.css|#[a-z]+)"$`).MatchString(found) {
				t.Errorf("the page has %s", found)
			}
		}
	}
}

// A sandbox with nothing in it says what to do.
func TestWebPageOfNothing(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, NoExampleData: true})
	_, _, html := browse(t, server, "GET", "/", "")
	for _, said := range []string{"No customers yet", "No billing accounts yet", "No subscriptions yet", "No webhook endpoints yet", "No records yet", "No requests yet", "runs; it is"} {
		if !strings.Contains(html, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	if start(t, sandbox.Options{}).WebURL() != "" {
		t.Error("there is a page that nobody has asked for")
	}
}

// With more than one organization, each object names its own.
func TestWebPageOfSeveral(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	if _, _, html := browse(t, server, "GET", "/", ""); strings.Contains(html, ">Organization<") {
		t.Error("the one organization is named everywhere")
	}
	other, err := server.NewOrganization(sandbox.Organization{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := server.NewToken(sandbox.Token{Organization: other.ID})
	if err != nil {
		t.Fatal(err)
	}
	call(t, server).with(token).create(`{"name":"Theirs"}`)
	if _, _, html := browse(t, server, "GET", "/", ""); !strings.Contains(html, other.ID) || !strings.Contains(html, "Theirs") {
		t.Error("the other organization's customer does not name it")
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
