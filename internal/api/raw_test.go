package api

import (
	"strings"
	"testing"
)

var yamlDescription = Request{Operation: "finance.openapi.yaml", Accept: "application/yaml"}

func TestRawReturnsTheDocument(t *testing.T) {
	t.Parallel()
	const document = "openapi: 3.1.0\ninfo: {title: \"<finance>\"}\n"
	for _, contentType := range []string{"application/yaml", "text/yaml; charset=utf-8", "text/plain", ""} {
		transport := play(step{status: 200, body: document, header: map[string]string{"Content-Type": contentType}})
		got, err := Raw(t.Context(), newClient(t, transport), yamlDescription)
		if err != nil || string(got) != document {
			t.Errorf("%q: %q, %v", contentType, got, err)
		}
		header := transport.seen[0].Header
		if header.Get("Accept") != "application/yaml" || header.Get("Content-Type") != "application/json" {
			t.Errorf("asked with %v", header)
		}
	}
}

func TestRawRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response step
		want     string
	}{
		"a web page": {step{status: 200, body: "sign in",
			header: map[string]string{"Content-Type": "text/html; charset=utf-8"}}, "web page"},
		"a page without a type": {step{status: 200, body: " <!doctype html>", header: map[string]string{"Content-Type": ""}},
			"web page"},
		"nothing": {step{status: 200, body: " \n", header: map[string]string{"Content-Type": "application/yaml"}},
			"no body"},
		"a refusal": {status(403), "403"},
	} {
		got, err := Raw(t.Context(), newClient(t, play(test.response)), yamlDescription)
		if got != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestDefaultAccept: everything else asks for JSON.
func TestDefaultAccept(t *testing.T) {
	t.Parallel()
	transport := play(ok(`{"id":"c1"}`))
	if _, err := newClient(t, transport).Do(t.Context(), getCustomer); err != nil {
		t.Fatal(err)
	}
	if got := transport.seen[0].Header.Get("Accept"); got != "application/json" {
		t.Errorf("asked for %q", got)
	}
}
