package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// tab is a page in a headless Chromium, which it drives over the DevTools protocol: one JSON message after another,
// each ended by a zero byte, over two pipes.
type tab struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	session string
	last    int
	// complaints are errors of scripts and violations of the page's policy.
	complaints []string
}

// browser opens a tab, or skips the test.
func browser(t *testing.T) *tab {
	t.Helper()
	program := ""
	for _, name := range []string{"google-chrome", "chromium-browser", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
		}
	}
	if program == "" {
		t.Skip("needs Chromium: neither chromium nor chromium-browser nor google-chrome is in PATH")
	}
	profile := t.TempDir()
	t.Cleanup(func() { removeProfile(t, profile) })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	command := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+profile, "--remote-debugging-pipe")
	read, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.ExtraFiles = []*os.File{read, write} // 3 and 4, as the flag wants them
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	write.Close()
	b := &tab{t: t, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		_, _ = in.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_, _ = io.Copy(io.Discard, b.out)
		_ = command.Wait()
		cancel()
		in.Close()
		out.Close()
	})
	var target struct{ TargetID, SessionID string }
	b.into(b.send("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	b.into(b.send("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &target)
	b.session = target.SessionID
	b.send("Log.enable", nil)
	b.send("Runtime.enable", nil)
	b.send("Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite",
		"clipboardSanitizedWrite"}})
	return b
}

// removeProfile removes the folder of a browser that has ended, before the end of the test does it and fails: some of
// its processes may outlive the first for a little while, and still write there.
func removeProfile(t *testing.T, folder string) {
	t.Helper()
	var err error
	for range 50 {
		if err = os.RemoveAll(folder); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error(err)
}

func (b *tab) into(message json.RawMessage, value any) {
	b.t.Helper()
	if err := json.Unmarshal(message, value); err != nil {
		b.t.Fatal(err)
	}
}

// send sends a command and returns its result.
func (b *tab) send(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": params}
	if params == nil {
		delete(message, "params")
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		message["sessionId"] = b.session
	}
	document, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(document, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		document, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var got struct {
			ID            int
			Method        string
			Result, Error json.RawMessage
		}
		b.into(document[:len(document)-1], &got)
		switch {
		case got.Method == "Log.entryAdded" || got.Method == "Runtime.exceptionThrown":
			b.complaints = append(b.complaints, string(document))
		case got.ID == b.last && got.Error != nil:
			b.t.Fatalf("%s: %s", method, got.Error)
		case got.ID == b.last:
			return got.Result
		}
	}
}

// eval returns what a JavaScript expression is, promises awaited.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.into(b.send("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true,
		"returnByValue": true, "userGesture": true}), &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return fmt.Sprint(got.Result.Value)
}

// await waits until a JavaScript expression is true.
func (b *tab) await(what, expression string) {
	b.t.Helper()
	if got := b.eval(`new Promise((ready) => {
		const until = Date.now() + 40000;
		const look = () => (` + expression + `) ? ready("yes") : Date.now() > until ? ready("no") : setTimeout(look, 50);
		look();
	})`); got != "yes" {
		b.t.Fatalf("the browser does not show %s: %s", what, b.eval("document.body.innerText"))
	}
}

// open loads an address in a window of this width.
func (b *tab) open(address string, width int) {
	b.t.Helper()
	b.send("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1,
		"mobile": false})
	b.send("Page.navigate", map[string]any{"url": "about:blank"}) // also when only the fragment is another one
	b.await("an empty page", `location.href === "about:blank"`)
	b.send("Page.navigate", map[string]any{"url": address})
	b.await(address, `location.href.startsWith("http") && document.readyState === "complete"`)
}

// fits requires the page to be as wide as its window, with nothing clipped, buttons that can be hit, and whole words.
func (b *tab) fits(what string) {
	b.t.Helper()
	if got := b.eval(`document.documentElement.scrollWidth <= innerWidth`); got != "true" {
		b.t.Errorf("%s: the page is wider than the window", what)
	}
	if got := b.eval(`[...document.querySelectorAll("nav ul, pre, .line, .wide, #coming li, .timeline li, dl")].filter((e) =>
		e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText).join("; ")`); got != "" {
		b.t.Errorf("%s: clipped: %s", what, got)
	}
	if got := b.eval(`[...document.querySelectorAll("button")].filter((e) => e.checkVisibility() &&
		(e.offsetWidth < 24 || e.offsetHeight < 24)).length`); got != "0" {
		b.t.Errorf("%s: %s buttons are smaller than 24 px", what, got)
	}
	// A short word that needs more than two lines is broken.
	if got := b.eval(`[...document.querySelectorAll("code, .by, dd, dt, .status, time, a, th")].filter((e) =>
		e.checkVisibility() && !/\s/.test(e.innerText.trim()) && e.innerText.length < 25 && e.children.length === 0 &&
		e.getClientRects().length > 2).map((e) => e.innerText).join()`); got != "" {
		b.t.Errorf("%s: words are broken: %s", what, got)
	}
}

// TestWebPageInABrowser drives the page as a user does.
func TestWebPageInABrowser(t *testing.T) {
	b := browser(t)
	server, _ := lively(t)
	c := call(t, server)
	id := c.do("GET", "/v1/subscriptions", "").text("data", 0, "id")
	c.do("PATCH", "/v1/customers/"+c.create(`{"name":"There before"}`), `{"custom_metadata":{"managed_by_terraform":1}}`,
		"User-Agent", "terraform-provider-billing/1.0.0").want(200)
	made := c.do("GET", "/v1/me", "").want(200).header.Get("Request-Id")

	delivery := server.Deliveries()[0].ID
	for _, path := range []string{"/", "/?q=webhook", "/object?id=" + id, "/object?id=" + delivery,
		"/request?id=" + made} {
		grounds := map[string]bool{}
		for _, scheme := range []string{"light", "dark"} {
			b.send("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{
				"name": "prefers-color-scheme", "value": scheme}}})
			for _, width := range []int{390, 820, 1280, 1920} {
				b.open(server.WebURL()+path, width)
				b.fits(fmt.Sprintf("%s at %d px, %s", path, width, scheme))
			}
			grounds[b.eval(`getComputedStyle(document.body).backgroundColor`)] = true
		}
		if len(grounds) != 2 {
			t.Errorf("dark and light are both %v", grounds)
		}
	}
	b.open(server.WebURL(), 1920)

	// What has the focus keeps it, and what is closed stays closed, when new requests come.
	b.eval(`document.querySelector("#requests li a[href^='/request']").focus()`)
	b.eval(`document.querySelector(".timeline").closest("details").open = false`)
	focused := b.eval(`document.activeElement.href`)
	c.create(`{"name":"Made afterwards"}`)
	b.await("a new customer", `document.getElementById("customers").innerText.includes("Made afterwards")`)
	if got := b.eval(`document.activeElement.href`); got != focused {
		t.Errorf("the focus is on %s, was on %s", got, focused)
	}
	if got := b.eval(`document.querySelector(".timeline").closest("details").open`); got != "false" {
		t.Error("what the user closed is open")
	}

	// A filter is in the address. Of a request that it names the group is open.
	b.eval(`document.querySelector("[name=q]").value = "managed_by_terraform"`)
	b.eval(`document.getElementById("filter").dispatchEvent(new Event("input"))`)
	b.await("the filtered requests", `document.querySelectorAll("#requests li").length === 1`)
	if got := b.eval(`location.search`); got != "?q=managed_by_terraform" {
		t.Errorf("the address has %s", got)
	}
	b.open(server.WebURL()+"/#request-"+made, 1280)
	b.await("the named request", `document.getElementById("request-`+made+`").checkVisibility()`)

	// Details open on the page, and lead on to the object and its requests.
	b.eval(`document.querySelector("#request-` + made + ` a[href^='/request']").click()`)
	b.await("the request", `document.querySelector("dialog[open] h1")?.innerText === "GET /v1/me"`)
	b.eval(`document.querySelector("dialog button").click()`)
	b.await("the page without the dialog", `!document.querySelector("dialog[open]") && location.hash === "#request-`+made+`"`)
	b.eval(`document.querySelector("#customers a[href^='/object']").click()`)
	b.await("the object", `document.querySelector("dialog[open]")?.innerText.includes("customers.create")`)
	b.eval(`document.querySelector("dialog [data-copy]").click()`)
	b.await("that it has copied", `document.getElementById("said").textContent.startsWith("Copied ")`)

	// The dialog is in the address: a reload keeps it, and back closes it.
	b.eval(`document.querySelector("dialog a[href^='/request']").click()`)
	b.await("the request of the object", `document.querySelector("dialog[open] h1")?.innerText.startsWith("POST ")`)
	b.send("Page.reload", nil)
	b.await("the same request", `document.querySelector("dialog[open] h1")?.innerText.startsWith("POST ")`)
	b.eval(`history.back()`)
	b.await("the object again", `document.querySelector("dialog[open] h1")?.innerText.startsWith("account")`)
	b.eval(`history.back()`)
	b.await("the page", `!document.querySelector("dialog[open]")`)

	// A form acts. What is typed into it stays when the page changes.
	b.open(server.WebURL()+"/?q=tenant-1", 390)
	was := server.Clock().Now()
	b.eval(`document.getElementById("advance-by").value = "2h"`)
	c.create(`{"name":"tenant-1 too"}`)
	b.await("another customer", `document.getElementById("customers").innerText.includes("tenant-1 too")`)
	b.eval(`document.querySelector("form[action='/clock'] button").click()`)
	for range 400 {
		if server.Clock().Now().Equal(was.Add(2 * time.Hour)) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if got := server.Clock().Now(); !got.Equal(was.Add(2 * time.Hour)) {
		t.Errorf("the clock is at %s, was at %s", got, was)
	}
	b.open(server.WebURL(), 390)
	b.eval(`scrollTo(0, document.body.scrollHeight)`)
	if got := b.eval(`document.querySelector("nav").getBoundingClientRect().top >= 0`); got != "true" {
		t.Error("the navigation does not follow")
	}
	b.open(server.WebURL(), 1280)

	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %s", b.complaints)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	b.await("that the sandbox has ended", `document.body.classList.contains("gone")`)
	if got := b.eval(`document.body.innerText`); !strings.Contains(got, "Made afterwards") ||
		!strings.Contains(got, "no longer running") {
		t.Errorf("of a sandbox that has ended the browser shows %s", got)
	}
}
