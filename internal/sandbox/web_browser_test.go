package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
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
	switch {
	case program == "" && os.Getenv("BROWSER_TESTS") == "required":
		t.Fatal("there is no browser, and BROWSER_TESTS requires one")
	case program == "":
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
	result, failed := b.try(method, params)
	if failed != nil {
		b.t.Fatalf("%s: %s", method, failed)
	}
	return result
}

// try is send that returns the error of the browser.
func (b *tab) try(method string, params map[string]any) (result, failed json.RawMessage) {
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
		case got.ID == b.last:
			return got.Result, got.Error
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
	b.await(address, `document.querySelector("nav") && (!location.hash.startsWith("#/") || document.querySelector("dialog[open] h1"))`)
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

// says requires an element to contain each text, with single spaces; not those that begin with !.
func (b *tab) says(selector string, wants ...string) {
	b.t.Helper()
	got := b.eval(`document.querySelectorAll("details").forEach((d) => d.open = true),
		(document.querySelector(` + strconv.Quote(selector) + `)?.innerText ?? "").replace(/\s+/g, " ")`)
	for _, want := range wants {
		unwanted, isUnwanted := strings.CutPrefix(want, "!")
		if strings.Contains(got, unwanted) == isUnwanted {
			b.t.Errorf("%s: %s: want %q in %s", b.eval("location.href"), selector, want, got)
		}
	}
}

const inDialog = "dialog[open]"

// TestPageInABrowser drives the page as a user does.
func TestPageInABrowser(t *testing.T) {
	b := browser(t)
	server, _ := lively(t)
	delivery := server.Deliveries()[0]
	c := call(t, server)
	id := c.do("GET", "/v1/subscriptions", "").text("data", 0, "id")
	customer := c.create(`{"name":"There before"}`)
	changed := c.do("PATCH", "/v1/customers/"+customer, `{"custom_metadata":{"managed_by_terraform":1}}`,
		"User-Agent", "terraform-provider-billing/1.0.0").want(200).header.Get("Request-Id")
	for _, path := range []string{"/", "/?q=webhook", "/#/object?id=" + id, "/#/object?id=" + delivery.ID,
		"/#/request?id=" + changed} {
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
	for _, section := range []struct {
		name  string
		wants []string
	}{
		{"customers", []string{"<script>alert(1)</script> javascript:alert(2) 529.982.247-25 ana@example.com account ",
			"none 2026-05-04 09:00:00 20 days ago",
			" terraform-provider-billing managed_by_terraform 2026-05-24"}},
		{"accounts", []string{"Ana none active 0.00 BRL 10 days none tenant-1", "10 days ana@example.com none"}},
		{"subscriptions", []string{"Ana, tenant-1 active", "Plan " + plan[:8], "Pending plan " + otherPlan[:8], "Amount 107.35 BRL",
			"monthly, 2026-05-18 09:00:00 to 2026-06-18 09:00:00", "created trialing by Go-http-client plan " + plan +
				", trial end 2026-05-18T09:00:00Z request 2026-05-18 09:00:00 6 days ago trial ended trialing to active by clock",
			"period begins until 2026-06-18 2026-05-18", "invoice INV-000001 open, 107.35 BRL, 2026-05-18 to 2026-06-18, due 2026-05-28",
			"pause requested active to paused by Go-http-client behavior void", "resume requested paused to active by Go-http-client",
			"plan change requested by Go-http-client pending plan " + otherPlan, "!plan none", "!trial ends",
			"2026-06-18 09:00:00 in 25 days next period begins (upcoming) with plan " + otherPlan}},
		{"invoices", []string{"INV-000001 open 107.35 BRL Ana tenant-1 2026-05-18 to 2026-06-18 2026-05-28 2026-05-18 09:00:00"}},
		{"endpoints", []string{"/in?… active", "Deliveries 2 Authentication basic", "https://hooks.example.com/out?… inactive",
			"Deliveries none Authentication header"}},
		{"deliveries", []string{"webhook.test failed 2026-05-24 09:00:00 https://", "/in?… 2026-05-24 09:00:00 503 the endpoint " +
			"responded with 503 2026-05-24 09:04:00"}},
		{"keys", []string{"erp ck_sandbox_", "active charges:read never", "rotated replaced by ck_sandbox_",
			"2026-05-27 09:00:00 in 3 days grace period: 3 d 0 h left"}},
		{"tokens", []string{"jwt_sandbox_", "billing * never"}},
		{"finance", []string{"payables 14 The newest records of payables", "Aluguel da loja 4200.00"}},
		{"requests", []string{"terraform-provider-billing/1.0.0 apply, 2026-05-24 09:00:00, 1 request, 1 write",
			"Go-http-client/1.1 2026-05-04 09:00:00, 15 requests, 13 writes, 2 failed: subscriptions.change_plan 422, customers.list dropped",
			"200 dropped customers.list fault-1 GET /v1/customers?search=ana", "validation_error: plan_id must be a UUID"}},
		{"coming", []string{"Coming next 4 2026-05-24 09:04:00 in 4 minutes delivery webhook.test attempt 2 to https://",
			"key erp expires Advance to it 2026-06-18 09:00:00 in 25 days subscription tenant-1 next period begins with plan"}},
	} {
		b.says("#"+section.name, section.wants...)
	}
	if got := b.eval(`[...document.querySelectorAll("section")].map((s) => s.id).slice(0, 2).join()`); got != "deliveries,requests" {
		t.Errorf("where deliveries failed, the sections are %s", got)
	}

	// Details open in a dialog, and lead on to the object and its requests. The dialog is in the address.
	b.eval(`document.querySelector("#request-` + changed + ` a[href^='#/request']").click()`)
	b.await("the request", `document.querySelector("dialog[open] h1")?.innerText.startsWith("PATCH ")`)
	b.says(inDialog, "Client terraform-provider-billing/1.0.0", "custom_metadata.managed_by_terraform none 1",
		`curl --cacert "$BILLING_CA_CERTIFICATE_FILE" \ -X 'PATCH' \ -H `, `"Authorization: Bearer $BILLING_TOKEN" \`,
		`--data-binary '{"custom_metadata":{"managed_by_terraform":1}}' \ "$BILLING_BASE_URL"'/v1/customers/`+customer+`'`,
		"Authorization: [REDACTED]", `Request body { "custom_metadata": { "managed_by_terraform": 1 } }`, `Response body { "data": {`,
		"!updated_at 2")
	b.eval(`document.querySelector("dialog tbody a").click()`)
	b.await("the object", `document.querySelector("dialog[open] h1")?.innerText === "customer There before"`)
	b.says(inDialog, "customers.create", "name none There before", `JSON { "addresses": null`, `"id": "`+customer)
	b.send("Page.reload", nil)
	b.await("the same object", `document.querySelector("dialog[open] h1")?.innerText === "customer There before"`)
	b.eval(`document.querySelector("dialog [data-copy]").click()`)
	b.await("that it has copied", `document.getElementById("said").textContent.startsWith("Copied ")`)
	b.eval(`history.back()`)
	b.await("the request again", `document.querySelector("dialog[open] h1")?.innerText.startsWith("PATCH ")`)
	b.eval(`document.querySelector("dialog button").click()`)
	b.await("the page", `!document.querySelector("dialog[open]") && location.hash === ""`)
	b.open(server.WebURL()+"/#/object?id="+delivery.ID, 1280)
	b.says(inDialog, "Attempt 1 · 503 · 2026-05-24 09:00:00 Request POST https://", "/in?… ", "X-Webhook-Signature: t=",
		"Response 503 ",
		"not now", "Cause request webhook_endpoints.test by Go-http-client", `Payload { "event": "webhook.test", "timestamp"`,
		"Payload, as sent {\"event\":\"webhook.test\"", `printf '%s' '1779613200.{"event":"webhook.test"`, "!rotated since", "Send it again")
	b.open(server.WebURL()+"/#/object?id="+delivery.EndpointID, 1280)
	b.says(inDialog, "Deliveries 2026-05-24 09:00:00 now failed api_key.rotated", "All 2")
	b.open(server.WebURL()+"/#/object?id=none", 1280)
	b.says(inDialog, "Not found")
	// What the log says of an endpoint that is gone stays.
	collect(t, server).do("DELETE", endpointsPath+"/"+delivery.EndpointID, "").want(204)
	b.open(server.WebURL()+"/#/object?id="+delivery.EndpointID, 1280)
	b.says(inDialog, "There is no such object, or it has been deleted.", "/in?… (removed)", "All 2", "url https://")
	b.open(server.WebURL()+"/#/object?id="+delivery.ID, 1280)
	b.says(inDialog, "Can be sent again no: the endpoint is inactive or removed", "!Send it again")

	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %s", b.complaints)
	}
}

// TestPageFollows checks that the page shows what changes, keeps what the user does meanwhile, filters, and acts.
func TestPageFollows(t *testing.T) {
	b := browser(t)
	customers := make([]any, 103)
	for i := range customers {
		customers[i] = map[string]any{"name": fmt.Sprintf("Customer %d.", i), "create_billing_account": i == 7}
	}
	seed, err := json.Marshal(map[string]any{"customers": customers,
		"webhook_endpoints": []any{map[string]any{"url": "https://hooks.example.com/in?a=1"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, sandbox.Options{Web: true, Start: morning, SeedDocument: seed})
	c := call(t, server)
	for i := range 52 {
		if _, err := server.Emit(fmt.Sprintf("event.n%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	settle(t, server)
	path, _ := c.subscribe(`,"external_id":"tenant-1"`)
	for range 60 {
		c.do("GET", "/v1/me", "", "User-Agent", "crm/3 linux").want(200)
	}
	rejected := c.do("PATCH", "/v1/customers/"+c.create(`{"name":"Ana","notes":"by hand"}`), `{"name":7}`,
		"User-Agent", "crm/3 linux").want(422).header.Get("Request-Id")
	for _, test := range []struct {
		path, section string
		rows          int
		want          string
	}{
		{"/", "customers", 50, "1 to 50 of 105 Next"}, {"/?customers=3", "customers", 5, "101 to 105 of 105 Previous"},
		{"/?customers=9", "customers", 5, "101 to 105"}, {"/?customers=x", "customers", 50, "1 to 50"},
		{"/?q=customer+7.", "accounts", 1, "Customer 7."}, {"/?q=no+such", "customers", 0, "Nothing here matches the filter."},
		{"/?deliveries=2", "deliveries", 2, "event.n1 "}, {"/?event=event.n7", "deliveries", 1, "event.n7 "},
		{"/?status=success", "deliveries", 0, "Nothing here matches"}, {"/?run=2", "requests", 50, "1 to 50 of 61 Next"},
		{"/?run=2&requests=2", "requests", 11, "51 to 61 of 61 Previous"}, {"/?q=NOTES+hand", "requests", 1, "customers.create"},
		{"/?q=" + rejected[:8], "requests", 1, "2 failed: "}, {"/?operation=customers", "requests", 3, "customers.update"},
		{"/?operation=custom", "requests", 0, "No request matches the filter."}, {"/?show=failed", "requests", 1, "422 rejected"},
		{"/?show=writes&q=name+must", "requests", 1, "customers.update 422"}, {"/", "requests", 23, "61 requests, 1 write"},
	} {
		b.open(server.WebURL()+test.path, 1280)
		if test.want != "2 failed: " {
			b.says("#"+test.section, test.want)
		}
		if got := b.eval(`document.querySelectorAll("#` + test.section + ` :is(tr, li)[id]").length`); got != strconv.Itoa(test.rows) {
			t.Errorf("%s: %s rows, want %d", test.path, got, test.rows)
		}
	}
	b.eval(`document.querySelector("#customers [rel=next]").click()`)
	b.await("the second page", `location.search === "?customers=2" && document.getElementById("customers").innerText.includes("51 to 100")`)

	// What has the focus keeps it, and what is closed stays closed, when something changes.
	b.open(server.WebURL(), 1280)
	b.eval(`document.querySelector("#requests li a[href^='#/request']").focus()`)
	b.eval(`document.querySelector(".timeline").closest("details").open = false`)
	focused := b.eval(`document.activeElement.href`)
	c.do("POST", path+"/pause", `{"behavior":"void","resumes_at":"2026-05-20T00:00:00.5Z"}`).want(200)
	b.await("the pause", `document.getElementById("subscriptions").innerText.includes("paused")`)
	if got := b.eval(`document.activeElement.href`); got != focused {
		t.Errorf("the focus is on %s, was on %s", got, focused)
	}
	if got := b.eval(`document.querySelector(".timeline").closest("details").open`); got != "false" {
		t.Error("what the user closed is open")
	}
	server.AddFault(sandbox.Fault{Operation: "me.get", Status: 503, Times: 2})
	b.await("the fault", `document.getElementById("faults")?.innerText.includes("operation=me.get,times=2,status=503")`)
	server.ClearFaults()
	b.await("no fault", `!document.getElementById("faults")`)
	server.ResetRequests()
	b.await("no request", `document.getElementById("requests").innerText.includes("No requests yet.")`)

	// A filter is in the address.
	c.do("GET", "/v1/me", "").want(200)
	made := c.do("GET", "/v1/customers?per_page=1", "").header.Get("Request-Id")
	b.eval(`document.querySelector("[name=q]").value = "per_page"`)
	b.eval(`document.querySelector("[name=q]").dispatchEvent(new Event("input", { bubbles: true }))`)
	b.await("the filtered requests", `document.querySelectorAll("#requests li").length === 1 && location.search === "?q=per_page"`)
	b.open(server.WebURL()+"/#request-"+made, 1280)
	b.await("the named request", `document.getElementById("request-`+made+`")?.checkVisibility()`)

	// A form acts, and says why it does not. What is typed into it stays when the page changes.
	b.open(server.WebURL(), 390)
	b.eval(`document.getElementById("advance-by").value = "soon"`)
	c.create(`{"name":"Made meanwhile"}`)
	b.await("another customer", `document.getElementById("customers").innerText.includes("Made meanwhile")`)
	b.eval(`document.querySelector("[data-action=clock] button").click()`)
	b.await("why not", `document.getElementById("failure").innerText.includes("Not done: advance")`)
	b.eval(`document.getElementById("advance-by").value = "2h"`)
	b.eval(`document.querySelector("[data-action=clock] button").click()`)
	b.await("the time", `document.querySelector(".clock").innerText.includes("11:00:00") && document.getElementById("failure").hidden`)
	b.open(server.WebURL()+"/?q=tenant-1", 390)
	b.says("#coming", "2026-05-20 00:00:00 in 15 days subscription tenant-1 pause ends Advance to it")
	b.eval(`[...document.querySelectorAll("#coming li")].find((e) => e.innerText.includes("pause ends")).querySelector("button").click()`)
	b.await("the end of the pause", `document.querySelector(".clock").innerText.includes("2026-05-20 00:00:00") &&
		document.getElementById("subscriptions").innerText.includes("pause ended")`)
	b.open(server.WebURL(), 390)
	b.eval(`document.querySelector("[data-action=events] select").value = "charge.paid"`)
	b.eval(`document.querySelector("[data-action=events] button").click()`)
	b.await("the delivery", `document.getElementById("deliveries").innerText.includes("charge.paid")`)
	b.eval(`scrollTo(0, document.body.scrollHeight)`)
	if got := b.eval(`document.querySelector("nav").getBoundingClientRect().top >= 0`); got != "true" {
		t.Error("the navigation does not follow")
	}
	if len(b.complaints) > 1 || len(b.complaints) == 1 && !strings.Contains(b.complaints[0], "422") {
		t.Errorf("the browser complains: %s", b.complaints)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	b.await("that the sandbox has ended", `document.body.classList.contains("gone")`)
	b.says("body", "Made meanwhile", "no longer running")
	_, port, _ := strings.Cut(strings.TrimPrefix(server.WebURL(), "http://"), ":")
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	start(t, sandbox.Options{WebPort: number, Start: morning})
	for range 200 { // until the page has loaded itself again; meanwhile nothing can be evaluated
		got, failed := b.try("Runtime.evaluate", map[string]any{"expression": `document.body.classList.contains("gone")`})
		if failed == nil && strings.Contains(string(got), "false") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.await("the sandbox that was started again", `document.getElementById("customers")?.innerText.includes("No customers yet.")`)
}

// TestPageOfOthers checks what other sandboxes show: an empty one that is read-only, and one whose users write markup.
func TestPageOfOthers(t *testing.T) {
	b := browser(t)
	readOnly := true
	empty := start(t, sandbox.Options{Web: true, WebReadOnly: &readOnly, Start: morning, NoExampleData: true})
	b.open(empty.WebURL(), 1280)
	b.says("body", "No requests yet. Run", "No customers yet. ", "No billing accounts yet. ", "No subscriptions yet. ",
		"No invoices yet. ",
		"No webhook endpoints yet. ", "No deliveries yet. ", "No records yet. ", "stands still at 2026-05-04 09:00:00 UTC", "and is read-only",
		"Padaria Exemplo Ltda sandbox", "!Coming", "!Active faults", "!Organization", "!Advance")
	c := call(t, empty)
	path, _ := c.subscribe(`,"trial_period_days":14`)
	c.do("POST", path+"/cancel", `{"cancel_at_period_end":true,"reason":"moves away"}`).want(200)
	_, manual := c.subscribe(`,"collection_method":"manual_invoice"`)
	b.await("the subscription", `document.getElementById("subscriptions").innerText.includes("moves away")`)
	b.says("#coming", "billing-sandbox clock set 2026-05-18T09:00:00", "canceled at the end of the period")
	b.says("#subscriptions", "without an invoice: it is invoiced on request only (manual_invoice)")
	empty.Clock().Advance(30 * 24 * time.Hour)
	b.await("the end", `document.getElementById("subscriptions").innerText.includes("canceled by clock")`)
	b.open(empty.WebURL()+"/#/object?id="+manual.text("data", "id"), 1280)
	b.says(inDialog, "created active by Go-http-client")
	for expression, want := range map[string]string{
		`m.ago(0, 59e3) + m.ago(0, 6e4) + m.ago(0, -9e6) + m.ago(0, 59 * 864e5)`: "nowin 1 minute2 hours agoin 59 days",
		`m.ago(0, 70 * 864e5) + m.ago(0, -800 * 864e5)`:                          "in 2 months2 years ago",
		`m.left(0, 7 * 864e5) + m.left(0, 36e5) + m.left(0, 6e4) + m.left(0, 0)`: "7 d 0 h left1 h 0 min left1 min leftover",
		`m.took(999e3) + m.took(999e6) + m.took(1.45e9)`:                         "<1 ms999 ms1.4 s",
		`m.amount(0, "BRL") + m.amount(-1, "") + m.amount(123456, "BRL")`:        "0.00 BRL-0.01 1234.56 BRL",
		`m.indented('{"a":1.0,"b":[],"c":[{"d":"x, y"}],"e":{}}')`:               "{\n  \"a\": 1.0,\n  \"b\": [],\n  \"c\": [\n    {\n      \"d\": \"x, y\"\n    }\n  ],\n  \"e\": {}\n}",
		`["10000000-0000-a", "20000000-0000-4000-8000-00000000aa01", "30000000-1000"].map((id) => Object.values(m.abbreviate(id,
			m.byStart([id, "20000000-0000-4000-8000-00000000aa02", "30000000-2000"]))).join("|")).join()`: "10000000|-0000-a|,20000000|-0000-4000-8000-00000000|aa01,30000000-1|000|",
	} {
		if got := b.eval(`import("/model.js").then((m) => ` + expression + `)`); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}

	counts := map[string]bool{}
	for _, text := range []string{"plain", `<script>alert(1)</script>`, `"><img/src=x/onerror=alert(1)>`, `'/onclick='alert(1)`,
		`</main><base/href="//x">`, "javascript:alert(1)", "<!--"} {
		counts[hostile(t, b, text)] = true
	}
	if len(counts) != 1 {
		t.Errorf("what users write changes the elements: %v", counts)
	}
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %s", b.complaints)
	}
}

// hostile returns how many elements each view has of a sandbox in which every text that users can choose is this one.
// None of them leads away or has a script.
func hostile(t *testing.T, b *tab, text string) string {
	t.Helper()
	document := func(value any) string {
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	server := start(t, sandbox.Options{Web: true, Start: morning, Seed: 7, Organization: sandbox.Organization{Name: text},
		SeedDocument: []byte(document(map[string]any{
			"plans":             []any{map[string]any{"id": plan, "name": text, "amount_cents": 100}},
			"customers":         []any{map[string]any{"name": text, "external_id": text, "custom_metadata": map[string]any{text: text}}},
			"webhook_endpoints": []any{map[string]any{"url": "https://hooks.example.com/in", "description": text}},
			"api_keys":          []any{map[string]any{"name": text, "scopes": []string{"charges:read"}}},
			"finance":           map[string]any{"payables": []any{map[string]any{"name": text, "status": text}}},
		}))})
	if _, err := server.NewOrganization(sandbox.Organization{Name: text}); err != nil {
		t.Fatal(err)
	}
	c := call(t, server)
	path, made := c.subscribe("")
	c.do("PATCH", path, document(map[string]string{"external_id": text}), "User-Agent", text)
	c.do("POST", path+"/cancel", document(map[string]string{"reason": text}), "User-Agent", text)
	wrong := c.do("GET", "/v1/"+url.PathEscape(text)+"?search="+url.QueryEscape(text), "").header.Get("Request-Id")
	count := ""
	for _, address := range []string{"/", "/?event=" + url.QueryEscape(text), "/#/object?id=" + made.text("data", "id"),
		"/#/request?id=" + wrong} {
		b.open(server.WebURL()+address, 1280)
		b.says("#customers", text)
		b.says("header", text)
		count += b.eval(`document.querySelectorAll("*").length`) + " "
		if got := b.eval(`[...document.querySelectorAll("body *")].filter((e) => ["SCRIPT", "IMG", "BASE"].includes(e.tagName) ||
			e.getAttributeNames().some((name) => name.startsWith("on")) || /^[^?#/]|^\/\//.test(e.getAttribute("href") ?? "/"))
			.map((e) => e.outerHTML).join()`); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
	return count
}
