package sandbox_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// submit sends a form of a page as a browser does, and returns the response without following it.
func submit(t *testing.T, server *sandbox.Server, action string, fields url.Values,
	headers ...string) (status int, location string) {
	t.Helper()
	status, header, _ := submitted(t, server, action, fields, headers...)
	return status, header.Get("Location")
}

func submitted(t *testing.T, server *sandbox.Server, action string, fields url.Values,
	headers ...string) (status int, header http.Header, document string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.WebURL()+action,
		strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return wholeResponse(t, http.DefaultTransport.RoundTrip, request)
}

var field = regexp.MustCompile(`name="(\w+)" value="([^"]*)"`)

// form returns the hidden fields of the first form with an action on a page.
func form(t *testing.T, server *sandbox.Server, path, action string) url.Values {
	t.Helper()
	_, _, document := browse(t, server, "GET", path, "")
	_, rest, found := strings.Cut(document, `action="`+action+`"`)
	if !found {
		t.Fatalf("%s has no form for %s", path, action)
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	fields := url.Values{}
	for _, match := range field.FindAllStringSubmatch(rest, -1) {
		fields.Set(match[1], html.UnescapeString(match[2]))
	}
	return fields
}

// The page moves the clock, emits events and sends deliveries again, and leads back to where the form was.
func TestWebPageActs(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusServiceUnavailable, ""))
	server, hooks := startWithPage(t, erp)
	hooks.endpoint(`{"url":"` + erp.URL + `/in","events":["charge.paid"]}`)
	hooks.endpoint(`{"url":"` + erp.URL + `/other"}`)
	browser := []string{"Sec-Fetch-Site", "same-origin", "Origin", server.WebURL()}

	fields := form(t, server, "/?q=charge.paid", "/emit")
	fields.Set("event", "charge.paid")
	if status, to := submit(t, server, "/emit", fields, browser...); status != 303 || to != "/?q=charge.paid" {
		t.Errorf("emit: %d to %s", status, to)
	}
	made := server.Deliveries()
	if len(made) != 1 || made[0].Event != "charge.paid" || len(made[0].State.Trail) != 1 {
		t.Fatalf("emitted: %+v", made)
	}
	// The first form is the one that takes a duration, the next one leads to the next attempt.
	fields = form(t, server, "/", "/clock")
	fields.Set("by", "90s")
	if status, _ := submit(t, server, "/clock", fields, browser...); status != 303 ||
		!server.Clock().Now().Equal(morning.Add(90*time.Second)) {
		t.Errorf("advance: %d, %s", status, server.Clock().Now())
	}
	due := *server.Deliveries()[0].State.Due
	document := show(t, server)
	if !strings.Contains(document, `name="to" value="`+due.Format(time.RFC3339Nano)+`"><button>Advance to it`) ||
		strings.Contains(document, "clock set") {
		t.Errorf("no form that leads to %s", due)
	}
	fields.Del("by")
	fields.Set("to", due.Format(time.RFC3339Nano))
	if status, _ := submit(t, server, "/clock", fields, browser...); status != 303 ||
		len(server.Deliveries()[0].State.Trail) != 2 {
		t.Errorf("advance to: %d", status)
	}
	path := "/object?id=" + made[0].ID
	erp.Respond(hook.Status(http.StatusOK, ""))
	fields = form(t, server, path, "/resend")
	if status, to := submit(t, server, "/resend", fields, browser...); status != 303 || to != path {
		t.Errorf("resend: %d to %s", status, to)
	}
	if got := server.Deliveries()[0].State.Status; got != "success" {
		t.Errorf("sent again: %s", got)
	}
	if _, _, document := browse(t, server, "GET", path, ""); strings.Contains(document, "/resend") ||
		!strings.Contains(words(document), "deliveries resend failed to pending by command") {
		t.Errorf("after it was sent: %s", words(document))
	}

	// What cannot be done changes nothing.
	now := server.Clock().Now()
	for _, test := range []struct {
		action string
		fields url.Values
	}{
		{"/resend", nil}, {"/resend", url.Values{"delivery": {"none"}}}, {"/clock", nil}, {"/clock", url.Values{"by": {"soon"}}},
		{"/clock", url.Values{"by": {"-1d"}}}, {"/clock", url.Values{"to": {"tomorrow"}}},
		{"/clock", url.Values{"to": {morning.Format(time.RFC3339)}}}, {"/emit", url.Values{"event": {"charge.paid"}}},
		{"/emit", url.Values{"endpoint": {made[0].EndpointID}, "event": {"no.such"}}},
	} {
		sent := url.Values{"token": fields["token"]}
		for name, values := range test.fields {
			sent[name] = values
		}
		if status, _ := submit(t, server, test.action, sent, browser...); status != 422 {
			t.Errorf("%s %v: %d", test.action, test.fields, status)
		}
	}
	if !server.Clock().Now().Equal(now) || len(server.Deliveries()) != 1 {
		t.Error("a form that is not accepted has changed something")
	}
}

// A form that fails says why on a page that leads back to where the form was, and to no other site.
func TestWebPageOfAFailedForm(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	fields := form(t, server, "/?q=ana", "/clock")
	fields.Set("by", "<soon>")
	for back, want := range map[string]string{"/?q=ana#deliveries": "/?q=ana#deliveries", "https://example.com": "/"} {
		fields.Set("back", back)
		status, header, document := submitted(t, server, "/clock", fields)
		kind := header.Get("Content-Type")
		if status != 422 || kind != "text/html; charset=utf-8" ||
			!strings.Contains(document, `<a href="`+want+`">Back</a>`) || !strings.Contains(document, "/style.css") ||
			!strings.Contains(document, "&lt;soon&gt;") {
			t.Errorf("%d %s: %s", status, kind, document)
		}
	}
}

// Only the page itself can send its forms, and they lead nowhere else.
func TestWebPageActsForItselfAlone(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	fields := form(t, server, "/", "/clock")
	fields.Set("by", "1d")
	without := url.Values{"by": {"1d"}}
	for _, test := range []struct {
		fields  url.Values
		headers []string
	}{
		{without, nil}, {url.Values{"by": {"1d"}, "token": {""}}, nil}, {url.Values{"by": {"1d"}, "token": {"other"}}, nil},
		{fields, []string{"Sec-Fetch-Site", "cross-site"}}, {fields, []string{"Sec-Fetch-Site", "same-site"}},
		{fields, []string{"Origin", "https://elsewhere.example"}}, {fields, []string{"Origin", "null"}},
	} {
		if status, _ := submit(t, server, "/clock", test.fields, test.headers...); status != 403 {
			t.Errorf("%v with %v: %d", test.fields, test.headers, status)
		}
	}
	if !server.Clock().Now().Equal(morning) {
		t.Error("the clock has moved")
	}
	for back, want := range map[string]string{
		"https://elsewhere.example/": "/", "//elsewhere.example/": "/", `/\elsewhere.example`: "/", "javascript:alert(1)": "/",
		"/object?id=a#b": "/object?id=a#b", "/clock": "/", "": "/", "/?q=a+b": "/?q=a+b",
	} {
		fields.Set("back", back)
		if status, to := submit(t, server, "/clock", fields); status != 303 || to != want {
			t.Errorf("%s leads to %d %s, want %s", back, status, to, want)
		}
	}
}

// A page that is read-only has no forms and takes none.
func TestWebPageIsReadOnly(t *testing.T) {
	t.Parallel()
	readOnly := true
	server := start(t, sandbox.Options{Web: true, WebReadOnly: &readOnly})
	hooks := collect(t, server)
	endpoint, _ := hooks.endpoint(`{"url":"https://hooks.example.com/in"}`)
	hooks.do("POST", endpoint+"/test", "").want(202)
	if document := show(t, server); strings.Contains(document, `method="post"`) ||
		!strings.Contains(document, "updates automatically and is read-only.") {
		t.Error("the page has forms")
	}
	if copied := start(t, sandbox.Options{Web: true, Copy: copied(t)}); strings.Contains(show(t, copied), `method="post"`) {
		t.Error("the page of a copy has forms")
	}
	for _, action := range []string{"/clock", "/emit", "/resend"} {
		if status, _ := submit(t, server, action, url.Values{"by": {"1d"}, "token": {""}}); status != 405 {
			t.Errorf("%s: %d", action, status)
		}
	}
}
