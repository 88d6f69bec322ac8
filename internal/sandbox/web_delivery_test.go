package sandbox_test

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// startWithPage starts a sandbox with the web page, which may send webhooks to a receiver.
func startWithPage(t *testing.T, receiver *hook.Receiver) (*sandbox.Server, caller) {
	t.Helper()
	options := reaching(receiver)
	options.Web = true
	server := start(t, options)
	return server, collect(t, server)
}

// A delivery shows what was sent and what the receiver responded, and how to send it again. The filter finds it.
func TestWebPageOfADelivery(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusUnauthorized, "the signature does not match"))
	server, hooks := startWithPage(t, erp)
	endpoint, made := hooks.endpoint(`{"url":"` + erp.URL +
		`/in?token=s3cret","authentication":{"type":"bearer","token":"t0ken-of-ana"}}`)
	id := hooks.do("POST", endpoint+"/test", "").want(202).text("data", "deliveryId")
	settle(t, server)

	_, _, document := browse(t, server, "GET", "/object?id="+id, "")
	got := words(document)
	sent := erp.Take()[0]
	for _, want := range []string{
		"delivery webhook.test", "Status failed", "Next attempt 20", "Attempt 1 · 401 · 20", "/in?… Authorization: [REDACTED]",
		"X-Webhook-Signature: " + sent.Header.Get("X-Webhook-Signature"), "X-Webhook-Attempt: 1",
		"401 Unauthorized", "the signature does not match", "the endpoint responded with 401", "Payload, as sent " + sent.Body,
		`Payload { "event": "webhook.test", "timestamp"`, "Cause request webhook_endpoints.test by Go-http-client",
		"HMAC-SHA256, in hexadecimal, over t, a dot and the payload as sent", "printf '%s' '" +
			strings.TrimPrefix(strings.Split(sent.Header.Get("X-Webhook-Signature"), ",")[0], "t=") + "." + sent.Body + "'",
		"billing-sandbox deliveries resend " + id,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	for _, secret := range []string{"s3cret", "t0ken-of-ana", made.text("data", "secret")} {
		if strings.Contains(document, secret) {
			t.Errorf("shows the credential %q", secret)
		}
	}
	for query, want := range map[string]string{
		"signature+match": "deliveries", id[:8]: "deliveries", "in+bearer": "endpoints",
	} {
		_, _, document := browse(t, server, "GET", "/?q="+query, "")
		if got := section(t, document, want); !strings.Contains(got, erp.URL+"/in?…") {
			t.Errorf("%s: not in %s: %s", query, want, got)
		}
	}
	_, _, document = browse(t, server, "GET", "/?q=s3cret", "")
	for _, name := range []string{"endpoints", "deliveries"} {
		if got := section(t, document, name); !strings.Contains(got, "Nothing here matches the filter.") {
			t.Errorf("the filter finds an endpoint by its credential: %s", got)
		}
	}

	erp.Respond(hook.Status(http.StatusOK, ""))
	hooks.do("POST", endpoint+"/deliveries/"+id+"/retry", "").want(202)
	settle(t, server)
	_, _, document = browse(t, server, "GET", "/object?id="+id, "")
	got = words(document)
	if !strings.Contains(got, "Attempt 1 of redelivery 1 · 200 · 20") ||
		strings.Contains(got, "billing-sandbox deliveries") ||
		!strings.Contains(got, "Can be sent again no: only a failed or exhausted delivery can be sent again") ||
		!strings.Contains(got, "webhook_deliveries.retry failed to pending by Go-http-client") ||
		!strings.Contains(document, `<code class="token">Sandbox ck_sandbox_`) {
		t.Errorf("after the redelivery: %s", got)
	}
}

// The deliveries of an endpoint that has been removed keep its address and their signatures, and are not sent again.
func TestWebPageOfARemovedEndpoint(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusServiceUnavailable, ""))
	server, hooks := startWithPage(t, erp)
	endpoint, _ := hooks.endpoint(`{"url":"` + erp.URL + `/in","authentication":{"type":"bearer","token":"t0ken-of-ana"}}`)
	id := hooks.do("POST", endpoint+"/test", "").want(202).text("data", "deliveryId")
	settle(t, server)
	signature := erp.Take()[0].Header.Get("X-Webhook-Signature")
	hooks.do("DELETE", endpoint, "").want(204)
	if got := section(t, show(t, server), "deliveries"); !strings.Contains(got, "webhook.test failed") ||
		!strings.Contains(got, erp.URL+"/in (removed)") {
		t.Errorf("deliveries: %s", got)
	}
	_, _, document := browse(t, server, "GET", "/object?id="+id, "")
	if got := words(document); !strings.Contains(got, "Endpoint "+erp.URL+"/in (removed)") ||
		!strings.Contains(got, "X-Webhook-Signature: "+signature+" ") || strings.Contains(got, "Send it again") ||
		strings.Contains(document, "t0ken-of-ana") {
		t.Errorf("the delivery: %s", got)
	}
}

// Deliveries are selected by endpoint, event and status, with the filter of the page.
func TestWebPageSelectsDeliveries(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	server, hooks := startWithPage(t, erp)
	hooks.endpoint(`{"url":"` + erp.URL + `/a?key=s3cret"}`)
	for _, event := range []string{"charge.paid", "api_key.rotated"} {
		if _, err := server.Emit(event, nil); err != nil {
			t.Fatal(err)
		}
	}
	settle(t, server)
	_, _, document := browse(t, server, "GET", "/?q=charge&event=charge.paid&status=gone", "")
	_, selection, _ := strings.Cut(document, `class="act choices"`)
	selection, list, _ := strings.Cut(selection, "</form>")
	for _, want := range []string{`action="/#deliveries"`, `name="q" value="charge"`,
		`<option value="charge.paid" selected>charge.paid</option>`, `<option value="api_key.rotated">`,
		`<option value="gone" selected>gone</option>`} {
		if !strings.Contains(selection, want) {
			t.Errorf("no %q in %s", want, selection)
		}
	}
	if strings.Contains(selection, "s3cret") || !strings.Contains(list, "Nothing here matches the filter.") {
		t.Errorf("%s\n%s", selection, list)
	}
	_, _, document = browse(t, server, "GET", "/?event=charge.paid", "")
	if got := section(t, document, "deliveries"); strings.Count(got, erp.URL+"/a?…") != 1 {
		t.Errorf("not one delivery: %s", got)
	}
}

// A secret that has been rotated gives another signature. The page shows the one that was sent.
func TestWebPageAfterARotation(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	server, hooks := startWithPage(t, erp)
	endpoint, _ := hooks.endpoint(`{"url":"` + erp.URL + `/in"}`)
	id := hooks.do("POST", endpoint+"/test", "").want(202).text("data", "deliveryId")
	settle(t, server)
	hooks.do("POST", endpoint+"/rotate-secret", "").want(200)
	_, _, document := browse(t, server, "GET", "/object?id="+id, "")
	if got := words(document); !strings.Contains(got, "The secret has been rotated since.") ||
		!strings.Contains(got, erp.Take()[0].Header.Get("X-Webhook-Signature")) || strings.Contains(got, "openssl") {
		t.Errorf("the delivery: %s", got)
	}
}

// A request shows its headers without credentials, and the command that repeats it.
func TestWebPageRepeatsARequest(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Web: true, Start: morning})
	c := call(t, server)
	made := c.do("POST", "/v1/customers", `{"name":"Ana's"}`, "X-Trace", "a'b", "Cookie", "session=1").want(201)
	_, _, document := browse(t, server, "GET", "/request?id="+made.header.Get("Request-Id"), "")
	got := words(document)
	for _, want := range []string{"Authorization: [REDACTED] ", "X-Trace: a'b ", "Content-Type: application/json "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "details") {
		t.Error("the page of a request leads to itself")
	}
	_, command, _ := strings.Cut(got, "Send it again ")
	command, _, _ = strings.Cut(command, " Request headers ")
	const want = `curl --cacert "$BILLING_CA_CERTIFICATE_FILE" \ -X 'POST' \ -H "Authorization: Bearer $BILLING_TOKEN" \ ` +
		`-H 'Content-Type: application/json' \ -H 'X-Trace: a'\''b' \ --data-binary '{"name":"Ana'\''s"}' \ ` +
		`"$BILLING_BASE_URL"'/v1/customers'`
	if command != want {
		t.Errorf("%s\nwant %s", command, want)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl in PATH to run the command")
	}
	// On one line, a backslash at the end of a line would begin an empty word.
	run := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, ` \ `, " "))
	run.Env = os.Environ()
	for name, value := range server.Env() {
		run.Env = append(run.Env, name+"="+value)
	}
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), `"name":"Ana's"`) {
		t.Errorf("%v: %s", err, out)
	}
}

// What comes next is shown with the command that moves the clock there.
func TestWebPageShowsWhatComes(t *testing.T) {
	t.Parallel()
	readOnly := true
	server := start(t, sandbox.Options{Web: true, WebReadOnly: &readOnly, Start: morning})
	if strings.Contains(show(t, server), "Coming next") {
		t.Error("something comes in an empty sandbox")
	}
	c, hooks := call(t, server), collect(t, server)
	path, _ := c.subscribe(`,"external_id":"ana-pro"`)
	c.do("POST", path+"/pause", `{"behavior":"void","resumes_at":"2026-05-20T00:00:00.5Z"}`).want(200)
	key := hooks.do("POST", keysPath, `{"name":"erp","scopes":["charges:read"]}`).want(201).text("data", "id")
	hooks.do("POST", keysPath+"/"+key+"/rotate", `{"graceDays":3}`).want(200)
	got := words(show(t, server))
	_, got, _ = strings.Cut(got, "Coming next ")
	got, _, _ = strings.Cut(got, "Requests ")
	const want = "3 2026-05-07 09:00:00 in 3 days key erp expires billing-sandbox clock set 2026-05-07T09:00:00Z " +
		"2026-05-20 00:00:00 in 15 days subscription ana-pro pause ends " +
		"billing-sandbox clock set 2026-05-20T00:00:00.5Z 2026-06-04 09:00:00 in 31 days subscription ana-pro " +
		"next period begins billing-sandbox clock set 2026-06-04T09:00:00Z "
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
