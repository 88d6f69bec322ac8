package webhookendpoint_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestDirect_refusedAddresses: addresses that lead into internal networks on their face, and what is not an https
// address, are rejected before anything is sent, with the service's own code where it has one.
func TestDirect_refusedAddresses(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	const code = "INVALID_WEBHOOK_URL"
	for url, says := range map[string]string{
		"":                                    code,
		"hooks.example.com/billing":           code,
		"http://hooks.example.com/":           code,
		"ftp://hooks.example.com/":            code,
		"https:///billing":                    code,
		"https://":                            code,
		"https://%zz/":                        code,
		"https://ana:secret@example.com/":     "credentials",
		"https://example.com/#fragment":       "fragment",
		"https://localhost/":                  code,
		"https://LOCALHOST/":                  code,
		"https://localhost.:8443/":            code,
		"https://api.localhost/":              code,
		"https://printer.local/":              code,
		"https://printer.LOCAL./":             code,
		"https://vault.internal/":             code,
		"https://metadata.google.internal/":   code,
		"https://127.0.0.1/":                  code,
		"https://127.8.9.10:8443/":            code,
		"https://0.0.0.0/":                    code,
		"https://0.1.2.3/":                    code,
		"https://10.0.0.1/":                   code,
		"https://10.255.255.255/":             code,
		"https://172.16.0.1/":                 code,
		"https://172.31.255.255/":             code,
		"https://192.168.0.1/":                code,
		"https://169.254.169.254/":            code,
		"https://100.64.0.1/":                 code,
		"https://100.127.255.255/":            code,
		"https://224.0.0.1/":                  code,
		"https://255.255.255.255/":            code,
		"https://[::]/":                       code,
		"https://[::1]/":                      code,
		"https://[fe80::1]/":                  code,
		"https://[fe80::1%25eth0]/":           code,
		"https://[fc00::1]/":                  code,
		"https://[fdff:ffff::1]/":             code,
		"https://[ff02::1]/":                  code,
		"https://[::ffff:127.0.0.1]/":         code,
		"https://[::ffff:10.0.0.1]/":          code,
		"https://[::ffff:a9fe:a9fe]/":         code,
		"https://[::ffff:100.64.0.1]/":        code,
		"https://2130706433/":                 code,
		"https://0x7f000001/":                 code,
		"https://0177.0.0.1/":                 code,
		"https://127.1/":                      code,
		"https://0x7f.0.0.1/":                 code,
		"https://127%2e0.0.1/":                code,
		"https://user@10.0.0.1/":              "credentials",
		"https://10.0.0.1.:8443/hook?a=b":     code,
		"https://hooks.corp.internal:8443/":   code,
		"HTTPS://192.168.0.1/":                code,
		"https://[0:0:0:0:0:ffff:c0a8:0101]/": code,
	} {
		text := acctest.Errors(s.Plan(acctest.JSON{"url": url}).Diagnostics)
		if !strings.Contains(text, `AttributeName("url")`) || !strings.Contains(text, says) {
			t.Errorf("%q is not refused with %q: %s", url, says, text)
		}
	}
	same(t, "calls", s.Calls())
}

// TestDirect_publicAddresses: what only looks a little like an internal address is planned.
func TestDirect_publicAddresses(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	for _, url := range []string{
		"https://hooks.example.com/billing?tenant=1", "HTTPS://Hooks.Example.com:8443/", "https://hooks.example.com",
		"https://8.8.8.8/", "https://172.15.255.255/",
		"https://172.32.0.1/", "https://100.63.255.255/", "https://100.128.0.1/", "https://192.169.0.1/",
		"https://[2606:4700::1111]/", "https://[::ffff:8.8.8.8]/",
		"https://local.example.com/", "https://internal.example.com/", "https://mylocalhost.example/",
		"https://10.example.com/", "https://notlocal/", "https://xn--caf-dma.example/",
	} {
		if text := acctest.Errors(s.Plan(acctest.JSON{"url": url}).Diagnostics); text != "" {
			t.Errorf("%s: %s", url, text)
		}
	}
	if text := acctest.Errors(s.Plan(acctest.JSON{"url": acctest.Unknown}).Diagnostics); text != "" {
		t.Error(text)
	}
}

// TestDirect_refusedByTheService: what a name leads to only the service can tell; its rejection lands on url, at the
// registration and at a change, and the endpoint stays what it was.
func TestDirect_refusedByTheService(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	internal := s.Plan(acctest.JSON{"url": acctest.InternalURL})
	says(t, acctest.Errors(s.Apply(internal)), `AttributeName("url")`, "Could not register webhook endpoint "+
		acctest.InternalURL, "code: INVALID_WEBHOOK_URL", "Status: 422")
	if s.Exists() {
		t.Error("a refused endpoint is in the state")
	}
	s.Configure(nil)
	moved := s.Plan(acctest.JSON{"url": acctest.InternalURL})
	says(t, acctest.Errors(s.Apply(moved)), `AttributeName("url")`, "Could not update", "code: INVALID_WEBHOOK_URL")
	s.Is("url", `"`+s.receiver.URL+`"`)
	s.Settled(nil)
}

// TestDirect_events: any name is accepted; blank and null ones are errors; the order means nothing.
func TestDirect_events(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	if warned := s.Configure(acctest.JSON{"events": []any{"charge.paid", "api_key.rotated", "api_key.status_changed",
		"api_key.revoked", "webhook.test", "agreement.accepted", "dispute.opened", "charge.void",
		"api_key.created"}}); warned != "" {
		t.Errorf("events warn: %s", warned)
	}
	s.Configure(acctest.JSON{"events": []any{"dispute.opened", "charge.paid"}})
	s.Settled(acctest.JSON{"events": []any{"charge.paid", "dispute.opened"}})
	for _, wrong := range [][]any{{""}, {" "}, {nil}} {
		says(t, acctest.Errors(s.Plan(s.With(acctest.JSON{"events": wrong})).Diagnostics), `AttributeName("events")`)
	}
	p := s.Plan(s.With(acctest.JSON{"events": acctest.Unknown}))
	same(t, "unknown", p.Unknown(t), "events", "updated_at")
	s.Apply(s.Again(p, s.With(acctest.JSON{"events": []any{}})))
	s.Is("events", "[]")
	if sent := s.remote()["events"].([]any); len(sent) != 0 {
		t.Errorf("events at the service: %v", sent)
	}
}

// TestDirect_nearEvents: what is nearly a documented name warns when it is added, once: in the plan, not in its apply,
// and not as long as it stays.
func TestDirect_nearEvents(t *testing.T) {
	t.Parallel()
	for event, meant := range map[string]string{"charge.payed": "charge.paid", "Charge.Paid": "charge.paid",
		"charges.paid": "charge.paid", "api_key.rotate": "api_key.rotated", "webhook.tset": "webhook.test",
		"api-key.revoked": "api_key.revoked", "api_key.status_change": "api_key.status_changed"} {
		s := prepare(t)
		lines := acctest.JSON{"events": []any{event, "dispute.opened"}}
		once := func(what string, p acctest.Planned) acctest.Planned {
			t.Helper()
			warned := acctest.Warnings(p.Diagnostics)
			says(t, warned, `AttributeName("events")`, `Event "`+event+`" of webhook endpoint `+s.receiver.URL,
				`did you mean "`+meant+`"?`)
			if strings.Count(warned, "did you mean") != 1 {
				t.Errorf("%s of %s: %s", what, event, warned)
			}
			return p
		}
		p := once("creation", s.Plan(s.With(lines)))
		if again := s.Again(p, s.With(lines)); len(again.Diagnostics) > 0 {
			t.Errorf("%s in the apply: %s", event, acctest.Warnings(again.Diagnostics))
		}
		s.Configure(nil)
		s.Reread()
		s.Apply(once("update", s.Plan(s.With(lines))))
		lines["description"] = "another"
		s.Reread()
		if p := s.Plan(s.With(lines)); len(p.Diagnostics) > 0 {
			t.Errorf("%s stays: %s", event, acctest.Warnings(p.Diagnostics))
		}
	}
}

// TestDirect_allEvents: a selection that becomes none, which means all, warns in the plan.
func TestDirect_allEvents(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(acctest.JSON{"events": []any{"charge.paid"}})
	for _, lines := range []acctest.JSON{nil, {"events": []any{}}} {
		s.Reread()
		p := s.Plan(s.With(lines))
		says(t, acctest.Warnings(p.Diagnostics), `AttributeName("events")`, "Webhook endpoint "+s.receiver.URL+" (id "+s.ID()+
			") will receive all events", `["charge.paid"] to none`)
		if again := s.Again(p, s.With(lines)); len(again.Diagnostics) > 0 {
			t.Errorf("in the apply: %s", acctest.Warnings(again.Diagnostics))
		}
	}
	s.Configure(nil)
	if warned := s.Settled(nil); warned != "" {
		t.Errorf("all events warn again: %s", warned)
	}
}
