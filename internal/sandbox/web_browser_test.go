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

// goneBody is how the body of the page begins when the sandbox does not respond.
const goneBody = `<body class="gone">`

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
// browser's own time, and returns the document as it is then, and what the
// browser has said.
func dump(t *testing.T, program, address string) (document, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", address)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// before is a server in front of the page, which calls asked with how often the
// page has been asked for by then, this time included.
func before(t *testing.T, server *sandbox.Server, asked func(times int32)) (address string) {
	t.Helper()
	page, err := url.Parse(server.WebURL())
	if err != nil {
		t.Fatal(err)
	}
	var times atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(page)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			asked(times.Add(1))
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL + "/"
}

// In a browser the page keeps to its own policy, and shows what is made after it
// was loaded.
func TestWebPageInABrowser(t *testing.T) {
	program := browser(t)
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	c := call(t, server)
	c.create(`{"name":"There before"}`)
	// The page is asked for a second time by nobody but its script. Just before
	// that, another customer is created.
	document, said := dump(t, program, before(t, server, func(times int32) {
		if times != 2 {
			return
		}
		if made, err := c.try("POST", "/v1/customers", `{"name":"Made afterwards"}`); err != nil ||
			made.status != http.StatusCreated {
			t.Errorf("create: %d %s, %v", made.status, made.body, err)
		}
	}))
	for _, shown := range []string{"There before", "Made afterwards"} {
		if !strings.Contains(document, shown) {
			t.Errorf("the browser does not show %q", shown)
		}
	}
	if strings.Contains(document, goneBody) {
		t.Error("the browser shows a sandbox that responds as one that does not")
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "CONSOLE") || strings.Contains(line, "Content Security Policy") {
			t.Errorf("the browser complains: %s", line)
		}
	}
}

// When the sandbox has ended, its page says so and keeps what it showed last.
func TestWebPageOfAnEndedSandbox(t *testing.T) {
	program := browser(t)
	t.Parallel()
	server := start(t, sandbox.Options{Web: true})
	call(t, server).create(`{"name":"There before"}`)
	document, _ := dump(t, program, before(t, server, func(times int32) {
		if times > 1 {
			panic(http.ErrAbortHandler)
		}
	}))
	for _, shown := range []string{"There before", goneBody} {
		if !strings.Contains(document, shown) {
			t.Errorf("the browser does not show %q", shown)
		}
	}
}
