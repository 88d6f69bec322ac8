package sandbox_test

import (
	"io"
	"net/http"
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
	receiver.Respond(hook.Status(503, "not now"))
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
	hooks.endpoint(`{"url":"https:\/\/hooks.example.com/out\u003fkey=\"s3cret-in-the-query\"","active":false,` +
		`"authentication":{"type":"header","name":"X-Key","value":"v4lue-of-the-header"}}`)
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

// ask sends a request to the page's listener. Of the headers, Host is that of the request.
func ask(t *testing.T, server *sandbox.Server, method, path, body string,
	headers ...string) (status int, header http.Header, content string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.WebURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	return wholeResponse(t, http.DefaultTransport.RoundTrip, request)
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

// No response of the page's listener has a credential, whoever gave it to whom.
func TestPageHasNoCredential(t *testing.T) {
	t.Parallel()
	server, credentials := lively(t)
	paths := []string{"/", "/page.js", "/api/requests?responses=1",
		"/api/requests?object=" + server.Deliveries()[0].EndpointID}
	for _, r := range server.Requests() {
		paths = append(paths, "/api/requests/"+r.RequestID)
	}
	for _, pattern := range sandbox.ControlPatterns() {
		if path, isGet := strings.CutPrefix(pattern, "GET "); isGet {
			paths = append(paths, "/api"+strings.NewReplacer("/requests/{id}", "/requests", "{id}", server.Deliveries()[0].ID,
				"{kind}/{name}", "customer/external_id=javascript:alert(2)").Replace(path))
		}
	}
	for _, path := range paths {
		status, header, content := ask(t, server, "GET", path, "")
		if status != 200 || len(content) < 2 {
			t.Errorf("%s: status %d: %s", path, status, content)
		}
		for _, credential := range credentials {
			if credential == "" || strings.Contains(content, credential) || strings.Contains(headerText(header), credential) {
				t.Errorf("%s shows the credential %q: %s", path, credential, content)
			}
		}
	}
}

func headerText(header http.Header) string {
	var text strings.Builder
	_ = header.Write(&text) // a builder takes everything
	return text.String()
}

// The page is for this machine, may load nothing but its own, and is not there unless it is asked for.
func TestPageIsClosed(t *testing.T) {
	t.Parallel()
	if address := start(t, sandbox.Options{}).WebURL(); address != "" {
		t.Errorf("there is a page at %s", address)
	}
	server := start(t, sandbox.Options{Web: true, Addr: "127.0.0.1"})
	for _, c := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "/", "", 200}, {"HEAD", "/", "", 200}, {"GET", "/style.css", "", 200}, {"GET", "/page.js", "", 200},
		{"GET", "/favicon.svg", "", 200}, {"GET", "/api/status", "", 200},
		{"GET", "/", "localhost:1234", 200}, {"GET", "/", "[::1]:80", 200}, {"GET", "/", "127.0.0.2", 200},
		{"GET", "/", "example.com", 403}, {"GET", "/", "localhost.example.com", 403}, {"GET", "/", "192.0.2.1:80", 403},
		{"GET", "/api/status", "127.0.0.1.example.com", 403}, {"POST", "/api/clock", "example.com", 403},
		{"POST", "/", "", 405}, {"PUT", "/style.css", "", 405}, {"DELETE", "/api/faults", "", 405}, {"POST", "/api/tokens", "", 405},
		{"POST", "/api/reset", "", 405}, {"POST", "/api/stop", "", 405}, {"GET", "/api/requests/none", "", 404},
		{"GET", "/web.go", "", 404}, {"GET", "/v1/customers", "", 404}, {"GET", "/%2e%2e/web.go", "", 404},
	} {
		headers := []string{"Accept", "*/*"}
		if c.host != "" {
			headers = append(headers, "Host", c.host)
		}
		status, header, _ := ask(t, server, c.method, c.path, "", headers...)
		if status != c.want {
			t.Errorf("%s %s at %q: status %d, want %d", c.method, c.path, c.host, status, c.want)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
			"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'") ||
			strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Cross-Origin-Resource-Policy") != "same-origin" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: headers %v", c.method, c.path, header)
		}
	}
}

// pageToken returns the token that the page's actions repeat; empty: it has none.
func pageToken(t *testing.T, server *sandbox.Server) string {
	t.Helper()
	_, _, document := ask(t, server, "GET", "/", "")
	_, rest, _ := strings.Cut(document, `name="page-token" content="`)
	token, _, _ := strings.Cut(rest, `"`)
	return token
}

// The page moves the clock, emits events and sends deliveries again. Only the page itself can.
func TestPageActs(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusServiceUnavailable, ""))
	options := reaching(erp)
	options.Web = true
	server := start(t, options)
	hooks := collect(t, server)
	_, made := hooks.endpoint(`{"url":"` + erp.URL + `/in","events":["charge.paid"]}`)
	hooks.endpoint(`{"url":"` + erp.URL + `/other"}`)
	endpoint := made.text("data", "id")
	own := []string{"Page-Token", pageToken(t, server), "Sec-Fetch-Site", "same-origin", "Origin", server.WebURL()}
	act := func(want int, path, body string, headers ...string) {
		t.Helper()
		if status, _, said := ask(t, server, "POST", "/api"+path, body, headers...); status != want {
			t.Errorf("POST %s %s with %v: %d, want %d: %s", path, body, headers, status, want, said)
		}
	}
	emit := `{"event":"charge.paid","endpoint":"` + endpoint + `"}`
	for _, headers := range [][]string{nil, {"Page-Token", ""}, {"Page-Token", "other"},
		{"Page-Token", own[1], "Sec-Fetch-Site", "cross-site"}, {"Page-Token", own[1], "Sec-Fetch-Site", "same-site"},
		{"Page-Token", own[1], "Origin", "https://elsewhere.example"}, {"Page-Token", own[1], "Origin", "null"}} {
		act(403, "/events", emit, headers...)
		act(403, "/clock", `{"advance":"1d"}`, headers...)
	}
	if !server.Clock().Now().Equal(morning) || len(server.Deliveries()) != 0 {
		t.Fatal("another site has done something")
	}
	act(200, "/events", emit, own...)
	deliveries := server.Deliveries()
	if len(deliveries) != 1 || deliveries[0].EndpointID != endpoint || len(deliveries[0].State.Trail) != 1 {
		t.Fatalf("emitted: %+v", deliveries)
	}
	act(200, "/clock", `{"set":"`+deliveries[0].State.Due.Format(time.RFC3339Nano)+`"}`, own...)
	if got := server.Deliveries()[0].State; len(got.Trail) != 2 {
		t.Errorf("at the time of the next attempt: %+v", got)
	}
	erp.Respond(hook.Status(http.StatusOK, ""))
	act(200, "/deliveries/"+deliveries[0].ID+"/resend", "", own...)
	if got := server.Deliveries()[0].State.Status; got != "success" {
		t.Errorf("sent again: %s", got)
	}
	now := server.Clock().Now()
	for path, bodies := range map[string][]string{
		"/clock":  {`{}`, `{"advance":"soon"}`, `{"advance":"-1d"}`, `{"advance":" -1d"}`, `{"set":"` + morning.Format(time.RFC3339) + `"}`},
		"/events": {`{"event":"no.such","endpoint":"` + endpoint + `"}`, `{"event":"charge.paid","endpoint":"none"}`},
	} {
		for _, body := range bodies {
			if status, _, said := ask(t, server, "POST", "/api"+path, body, own...); status != 422 && status != 404 {
				t.Errorf("%s %s: %d %s", path, body, status, said)
			}
		}
	}
	act(409, "/deliveries/"+deliveries[0].ID+"/resend", "", own...)
	if !server.Clock().Now().Equal(now) || len(server.Deliveries()) != 1 {
		t.Error("what is not accepted has changed something")
	}
}

// A page that is read-only takes no action; so is that of a copy.
func TestPageIsReadOnly(t *testing.T) {
	t.Parallel()
	readOnly := true
	for _, options := range []sandbox.Options{{Web: true, WebReadOnly: &readOnly}, {Web: true, Copy: copied(t)}} {
		server := start(t, options)
		if token := pageToken(t, server); token != "" {
			t.Errorf("the page has the token %q", token)
		}
		for _, path := range []string{"/api/clock", "/api/events", "/api/deliveries/a/resend"} {
			if status, _, _ := ask(t, server, "POST", path, `{"advance":"1d"}`, "Page-Token", ""); status/100 != 4 {
				t.Errorf("%s: %d", path, status)
			}
		}
	}
}
