package claims

import (
	"crypto/tls"
	"mime"
	"net/http"
	"regexp"
	"slices"
)

var (
	uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	timeForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)
)

// nobody is a well-formed id that no object has.
const nobody = "00000000-0000-4000-8000-000000000000"

func conventionClaims() []Claim {
	return []Claim{
		claim(1, "Recurring billing §1 Wire rules", "Every response carries its own Request-Id.", checkRequestID),
		claim(2, "Recurring billing §1 Wire rules", "Every response with a body is JSON and declares it in Content-Type.",
			checkContentType),
		claim(3, "Recurring billing §1 Wire rules", "The connection uses TLS 1.2 or 1.3 with one of the documented ciphers.",
			checkTLS),
		claim(4, "Recurring billing §1 Wire rules", "A body that is not sent as JSON is rejected.", checkOnlyJSON),
		claim(5, "Recurring billing §7 Errors; wire contract: customers.get",
			"An unknown id returns 404 in the error shape.", checkUnknownID),
		claim(6, "Recurring billing §7 Errors", "An id that is not a UUID is rejected in the error shape.", checkMalformedID),
		claim(7, "Recurring billing §7 Errors", "A path that does not exist returns 404 in the error shape.",
			checkUnknownPath),
		claim(8, "Recurring billing §7 Errors",
			"A method that a path does not have returns 404 or 405 in the error shape.", checkUnknownMethod),
		claim(9, "Recurring billing §7 Errors", "A body that is broken JSON returns 400 in the error shape.",
			checkBrokenJSON),
		claim(10, "Recurring billing §1 Wire rules; wire contract: customers.get",
			"A customer is returned with ETag or Last-Modified, and with 304 and an empty body when they are sent back.",
			checkNotModified),
		claim(11, "Recurring billing §1 Wire rules; wire contract: customers.get",
			"The same condition returns 200 and the new object after the object has changed.", checkModified),
		claim(12, "Recurring billing §4 Organization of the token; wire contract: me.get",
			"/v1/me is a bare object with every documented member.", checkMe),
	}
}

func checkRequestID(p *probe) {
	responses := []*response{
		p.get(mePath),
		p.get(mePath),
		p.get(customersPath),
		p.get(customerPath(nobody)),
		p.post(customersPath, object{}),
		p.send(call{method: http.MethodGet, path: mePath, anonymous: true}),
		p.get("/v1/no-such-thing"),
	}
	wantRequestIDs(responses)
}

// wantRequestIDs fails unless every response carries its own Request-Id.
func wantRequestIDs(responses []*response) {
	var seen []string
	for _, a := range responses {
		id := a.header.Get("Request-Id")
		if id == "" {
			a.failf("no Request-Id")
		}
		if slices.Contains(seen, id) {
			a.failf("the Request-Id stood on an earlier response too")
		}
		seen = append(seen, id)
	}
}

func checkContentType(p *probe) {
	responses := []*response{
		p.get(mePath),
		p.get(customersPath),
		p.get(customerPath(nobody)),
		p.post(customersPath, object{}),
		p.send(call{method: http.MethodGet, path: mePath, anonymous: true}),
	}
	for _, a := range responses {
		a.wantJSON()
	}
}

// wantJSON fails unless the body is one JSON value and called so.
func (a *response) wantJSON() {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		a.failf("Content-Type is %q, want application/json", a.header.Get("Content-Type"))
	}
	if a.body == (any)(missing{}) {
		a.failf("the body is not one JSON value: %s", clip(a.raw))
	}
}

// documentedCiphers are those of Recurring billing §1 and Financial management §1.
var documentedCiphers = []uint16{
	tls.TLS_AES_128_GCM_SHA256,
	tls.TLS_AES_256_GCM_SHA384,
	tls.TLS_CHACHA20_POLY1305_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	0xc028, // ECDHE-RSA-AES256-SHA384, which crypto/tls has no name for
}

func checkTLS(p *probe) { wantTLS(p.get(mePath)) }

func wantTLS(a *response) {
	switch {
	case a.tls == nil:
		a.failf("the connection is not encrypted")
	case a.tls.Version < tls.VersionTLS12:
		a.failf("%s, want TLS 1.2 or 1.3", tls.VersionName(a.tls.Version))
	case !slices.Contains(documentedCiphers, a.tls.CipherSuite):
		a.failf("cipher %s is not a documented one", tls.CipherSuiteName(a.tls.CipherSuite))
	}
}

func checkOnlyJSON(p *probe) {
	name := unique()
	a := p.send(call{
		method: http.MethodPost, path: customersPath, raw: "name=" + name,
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	})
	wantRefusal(a)
	p.get(customersPath, "search", name).want("meta.total", 0)
}

// wantRefusal accepts any 4xx in the error shape, for what the description
// gives no status to.
func wantRefusal(a *response) {
	if a.status < 400 || a.status > 499 {
		a.failf("want a 4xx")
	}
	a.wantError("")
}

func checkUnknownID(p *probe) {
	p.get(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
	p.patch(customerPath(nobody), object{"name": unique()}).wantStatus(http.StatusNotFound).wantError("")
	p.delete(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
	p.get(accountPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
}

func checkMalformedID(p *probe) { wantRefusal(p.get(customerPath("not-an-id"))) }

func checkUnknownPath(p *probe) {
	p.get("/v1/no-such-thing").wantStatus(http.StatusNotFound).wantError("")
}

func checkUnknownMethod(p *probe) {
	a := p.send(call{method: http.MethodPut, path: mePath, body: object{}})
	a.wantStatus(http.StatusNotFound, http.StatusMethodNotAllowed).wantError("")
}

func checkBrokenJSON(p *probe) {
	for _, raw := range []string{`{"name":`, `not json`} {
		p.send(call{method: http.MethodPost, path: customersPath, raw: raw}).
			wantStatus(http.StatusBadRequest).wantError("")
	}
}

// conditions are the headers that make the next read of the same object
// conditional. A response that carries no validator is a failure.
func conditions(a *response) http.Header {
	header := http.Header{}
	if tag := a.header.Get("ETag"); tag != "" {
		header.Set("If-None-Match", tag)
	}
	if moment := a.header.Get("Last-Modified"); moment != "" {
		if _, err := http.ParseTime(moment); err != nil {
			a.failf("Last-Modified: %w", err)
		}
		header.Set("If-Modified-Since", moment)
	}
	if len(header) == 0 {
		a.failf("neither ETag nor Last-Modified")
	}
	return header
}

func checkNotModified(p *probe) {
	path, _ := p.customer(nil)
	p.wantNotModified(path)
}

// wantNotModified reads once, and then with all and with each of the validators.
func (p *probe) wantNotModified(path string, query ...string) {
	both := conditions(p.get(path, query...).wantStatus(http.StatusOK))
	wanted := []http.Header{both}
	for name, values := range both {
		wanted = append(wanted, http.Header{name: values})
	}
	for _, header := range wanted {
		a := p.send(call{method: http.MethodGet, path: path, query: pairs(query), header: header}).
			wantStatus(http.StatusNotModified)
		if len(a.raw) > 0 {
			a.failf("the body of a 304 is not empty: %s", clip(a.raw))
		}
	}
}

func checkModified(p *probe) {
	path, _ := p.customer(nil)
	header := conditions(p.get(path).wantStatus(http.StatusOK))
	name := unique()
	p.patch(path, object{"name": name}).wantStatus(http.StatusOK)
	if _, tagged := header["If-None-Match"]; !tagged {
		// Last-Modified has whole seconds: a change within one cannot show.
		p.failf("%w: an ETag", ErrNotGiven)
		return
	}
	p.send(call{method: http.MethodGet, path: path, header: header}).wantStatus(http.StatusOK).want("data.name", name)
}

func checkMe(p *probe) {
	a := p.get(mePath).wantStatus(http.StatusOK)
	if a.at("data") != (any)(missing{}) {
		a.failf("the organization is wrapped in data")
	}
	for _, member := range []string{"id", "name", "email", "document_type", "document_number", "environment"} {
		a.text(member)
	}
	a.wantMatch("created_at", timeForm)
}
