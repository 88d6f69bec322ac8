package sandbox_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// browser finds a Chromium, or skips the test.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("needs Chromium: neither chromium nor chromium-browser nor google-chrome is in PATH")
	return ""
}

// dump lets a headless browser load the page and run it for ten seconds of the
// browser's own time, and answers the document as it is then, and what the
// browser has said.
func dump(t *testing.T, program, address string) (document, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", address)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// In a browser the page keeps to its own policy, and shows what is made after it
// was loaded.
func TestWebPageInABrowser(t *testing.T) {
	program := browser(t)
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	c := call(t, server)
	c.create(`{"name":"There before"}`)
	page, err := url.Parse(server.WebURL())
	if err != nil {
		t.Fatal(err)
	}
	// The page is asked for a second time by nobody but its script. Just before
	// that, somebody makes another customer.
	var asked atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(page)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && asked.Add(1) == 2 {
			c.create(`{"name":"Made afterwards"}`)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	document, said := dump(t, program, front.URL+"/")
	for _, shown := range []string{"There before", "Made afterwards"} {
		if !strings.Contains(document, shown) {
			t.Errorf("the browser does not show %q", shown)
		}
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "CONSOLE") || strings.Contains(line, "Content Security Policy") {
			t.Errorf("the browser complains: %s", line)
		}
	}
}
