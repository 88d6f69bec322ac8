package main

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// No command prints a control character of a name, a note, a response or a query. JSON still holds it.
func TestHostileText(t *testing.T) {
	t.Parallel()
	const hostile, inJSON = "A\x1b[2J\x07\x7f\u009b\u202e\u2066\rZ", `A\u001b[2J\u0007\u007f\u009b\u202e\u2066\rZ`
	receiver := hook.Start(t)
	receiver.Respond(func(w http.ResponseWriter, _ hook.Delivery) { _, _ = w.Write([]byte(hostile)) })
	_, s := started(t, sandbox.Options{NoExampleData: true, ReceiverCAs: receiver.CAs(),
		AllowLoopbackReceivers: true})
	folder := t.TempDir()
	state := filepath.Join(folder, "s.json") // as PowerShell writes it
	utf16 := []byte{0xff, 0xfe}
	for _, c := range []byte(`{"format_version":"1.0"}`) {
		utf16 = append(utf16, c, 0)
	}
	if err := os.WriteFile(state, utf16, 0o600); err != nil {
		t.Fatal(err)
	}
	s.ok("call", "POST", "/v1/customers", `{"name":"`+inJSON+`","notes":"`+inJSON+`","external_id":"x"}`)
	s.ok("call", "POST", "/api/v1/api-keys", `{"name":"`+inJSON+`","scopes":["webhooks:read"]}`)
	s.ok("call", "POST", "/api/v1/webhook-endpoints",
		`{"url":"`+receiver.URL+`","description":"`+inJSON+`","events":["charge.paid"]}`)
	s.ok("event", "emit", "charge.paid")
	s.run("call", "GET", "/v1/customers?sort_by="+url.QueryEscape(hostile), "--as", "crm")
	_, delivery, _ := strings.Cut(s.ok("deliveries", "--json"), `"id":"`)
	delivery, _, _ = strings.Cut(delivery, `"`)
	for _, line := range []string{"call GET /v1/customers", "edit customer external_id=x nickname=y", "requests --verbose",
		"requests --json", "audit", "audit --json", "key list", "key list --json", "deliveries", "deliveries show " + delivery,
		"coverage " + state, "coverage --imports " + state, "coverage --markdown " + state, "coverage --json " + state,
		"status", "subscription list", "fault list", "no-such-" + hostile, "edit " + hostile + " x y=z"} {
		code, out, complaint := s.run(strings.Split(line, " ")...)
		if strings.HasPrefix(line, "coverage") && code != exitUnmanaged {
			t.Errorf("%q: exit code %d", line, code)
		}
		if at := strings.IndexFunc(out+complaint, isObeyed); at >= 0 {
			t.Errorf("%q printed %q", line, out+complaint)
		}
	}
	if found := s.ok("call", "GET", "/v1/customers"); !strings.Contains(found, inJSON[:len(inJSON)-3]) {
		t.Errorf("JSON shows the name otherwise: %s", found)
	}
}

// The report of a check is a file, and no terminal: a reader may still show it in one.
func TestHostileTextInReport(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "report.md")
	f := checkFile{name: name, sent: &counter{}, lines: []checkLine{{Result: "failed", Reason: "got A\x1b[2J\u009b"}}}
	if err := f.write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), `A\u001b[2J\u009b`) {
		t.Errorf("%v: %q", err, text)
	}
}

// A character that arrives in two parts is whole, or escaped as a whole.
func TestScreen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"é\u009bx": `é\u009bx`, "a\tb\n\r": "a\tb\n\\u000d", "": "", "\u202e": `\u202e`} {
		for at := range len(text) + 1 {
			var out bytes.Buffer
			s := &screen{Writer: &out}
			for _, part := range []string{text[:at], text[at:]} {
				if _, err := s.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != want {
				t.Errorf("%q at %d: %q, want %q", text, at, out.String(), want)
			}
		}
	}
}

// A value that is no address, path or header may be a token in the wrong variable, and is not printed.
func TestMisplacedTokenIsNotPrinted(t *testing.T) {
	t.Parallel()
	const token = "rb_live_Zk3secret"
	_, s := started(t, sandbox.Options{})
	state := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(state, []byte(`{"format_version":"1.0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"BILLING_BASE_URL", "BILLING_FINANCE_BASE_URL", "BILLING_COLLECTIONS_BASE_URL",
		"BILLING_SANDBOX_CONTROL_URL", "BILLING_CA_CERTIFICATE_FILE", "BILLING_COLLECTIONS_AUTH_HEADER",
		"BILLING_RETRY_TIMEOUT"} {
		for _, value := range []string{token, token + "\x7f", "https:// " + token, token + ": x"} {
			one := steer{t, maps.Clone(s.env)}
			one.env[name] = value
			for _, line := range []string{"check --only 1", "call GET /v1/me", "call GET /v1/payables",
				"call GET /api/v1/webhook-endpoints", "copy " + state + ".copy", "coverage " + state, "status", "clock"} {
				_, out, complaint := one.run(strings.Split(line, " ")...)
				if strings.Contains(out+complaint, token) {
					t.Errorf("%s=%q %s: %s", name, value, line, complaint)
				}
			}
		}
	}
	code, out, complaint := s.run("check", "--receiver-url", token, "--receiver-listen", token)
	if code != exitUsage || strings.Contains(out+complaint, token) {
		t.Errorf("exit code %d: %s", code, complaint)
	}
}
