package webhookendpoint_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const endpoints = "/api/v1/webhook-endpoints"

// subject is one webhook endpoint, driven without Terraform, and the consumer that it sends to.
type subject struct {
	*acctest.Subject
	t        *testing.T
	service  *acctest.Service
	receiver *acctest.Receiver
}

// prepare starts a sandbox that runs at the present time, as a lost response is only settled with what is new by the
// clock of this machine.
func prepare(t *testing.T, options ...acctest.Option) *subject {
	t.Helper()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, append([]acctest.Option{acctest.RunningClock, acctest.Receiving(receiver)}, options...)...)
	return &subject{Subject: service.Subject("billing_webhook_endpoint", acctest.JSON{"url": receiver.URL}), t: t,
		service: service, receiver: receiver}
}

var same, says = acctest.Same, acctest.Says

func (s *subject) secret() string { return s.Value("secret") }

// another registers an endpoint of the same url as another system would.
func (s *subject) another() acctest.JSON {
	return s.service.Must("POST", endpoints, acctest.JSON{"url": s.receiver.URL})
}

// fire fires a test event and waits until it has come.
func (s *subject) fire() {
	s.t.Helper()
	s.service.Call("POST", endpoints+"/"+s.ID()+"/test", acctest.JSON{})
	if err := s.service.Sandbox.WaitDeliveries(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// last is the newest delivery that the consumer got.
func (s *subject) last() acctest.Received {
	s.t.Helper()
	all := s.receiver.Got()
	if len(all) == 0 {
		s.t.Fatal("nothing was delivered")
	}
	return all[len(all)-1]
}

func sorted(names ...string) []string { return slices.Sorted(slices.Values(names)) }

// kinds are the types of authentication, complete, and the header by which the consumer knows them.
var kinds = map[string]struct {
	configured     acctest.JSON
	header, credit string
}{
	"none": {acctest.JSON{"type": "none"}, "Authorization", ""},
	"basic": {acctest.JSON{"type": "basic", "username": "ana", "password_wo": "p4ss"}, "Authorization",
		"Basic " + base64.StdEncoding.EncodeToString([]byte("ana:p4ss"))},
	"bearer": {acctest.JSON{"type": "bearer", "token_wo": "t0ken"}, "Authorization", "Bearer t0ken"},
	"header": {acctest.JSON{"type": "header", "name": "X-Consumer", "value_wo": "v4lue"}, "X-Consumer", "v4lue"},
}

// TestAuthentication: of each type the consumer gets the credentials, the state gets the rest, and an import finds the
// same. Before Terraform 1.11 there are no write-only arguments; the error says so and names the argument.
func TestAuthentication(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			lines := acctest.JSON{"authentication": kind.configured}
			if warned := s.Configure(lines); warned != "" {
				t.Errorf("warned: %s", warned)
			}
			s.fire()
			if have := s.last().Header.Get(kind.header); have != kind.credit {
				t.Errorf("%s is %q, want %q", kind.header, have, kind.credit)
			}
			s.Settled(lines)
			old := s.service.Direct("billing_webhook_endpoint").Without11()
			text := acctest.Errors(old.Plan(s.With(lines)).Diagnostics)
			if name == "none" {
				if text != "" {
					t.Error(text)
				}
				return // An import cannot know whether "none" was written down.
			}
			says(t, text, "authentication.", "_wo", "Terraform 1.11 and later")
			other := s.service.Direct("billing_webhook_endpoint")
			other.Import(s.ID())
			if have := other.Text("authentication"); have != s.Text("authentication") {
				t.Errorf("imported as %s, want %s", have, s.Text("authentication"))
			}
			same(t, "changes after import", other.Plan(s.With(lines)).Changes(t))
		})
	}
}

// TestAddresses: addresses that lead into internal networks on their face, and what is not an https address, are
// rejected before anything is sent, with the service's own code where it has one. What a name leads to only the service
// can tell; its rejection is on url, and nothing is in the state.
func TestAddresses(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	refused := func(url string) string { return acctest.Errors(s.Plan(acctest.JSON{"url": url}).Diagnostics) }
	for _, url := range []string{
		"", "hooks.example.com/billing", "http://hooks.example.com/", "ftp://hooks.example.com/",
		"https:///billing", "https://", "https://%zz/", "https://localhost/", "https://LOCALHOST/",
		"https://localhost.:8443/", "https://api.localhost/", "https://printer.local/",
		"https://printer.LOCAL./", "https://vault.internal/", "https://metadata.google.internal/",
		"https://127.0.0.1/", "https://127.8.9.10:8443/", "https://0.0.0.0/", "https://0.1.2.3/",
		"https://10.0.0.1/", "https://10.255.255.255/", "https://172.16.0.1/", "https://172.31.255.255/",
		"https://192.168.0.1/", "https://169.254.169.254/", "https://100.64.0.1/", "https://100.127.255.255/",
		"https://224.0.0.1/", "https://255.255.255.255/", "https://[::]/", "https://[::1]/",
		"https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fc00::1]/", "https://[fdff:ffff::1]/",
		"https://[ff02::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:10.0.0.1]/",
		"https://[::ffff:a9fe:a9fe]/", "https://[::ffff:100.64.0.1]/", "https://2130706433/",
		"https://0x7f000001/", "https://0177.0.0.1/", "https://127.1/", "https://0x7f.0.0.1/",
		"https://127%2e0.0.1/", "https://10.0.0.1.:8443/hook?a=b", "https://hooks.corp.internal:8443/",
		"HTTPS://192.168.0.1/", "https://[0:0:0:0:0:ffff:c0a8:0101]/",
	} {
		if text := refused(url); !strings.Contains(text, `AttributeName("url")`) ||
			!strings.Contains(text, "INVALID_WEBHOOK_URL") {
			t.Errorf("%q: %s", url, text)
		}
	}
	for url, has := range map[string]string{"https://ana:secret@example.com/": "credentials",
		"https://example.com/#fragment": "fragment", "https://user@10.0.0.1/": "credentials"} {
		says(t, refused(url), `AttributeName("url")`, has)
	}
	for _, url := range []string{
		"https://hooks.example.com/billing?tenant=1", "HTTPS://Hooks.Example.com:8443/",
		"https://hooks.example.com", "https://8.8.8.8/", "https://172.15.255.255/", "https://172.32.0.1/",
		"https://100.63.255.255/", "https://100.128.0.1/", "https://192.169.0.1/",
		"https://[2606:4700::1111]/", "https://[::ffff:8.8.8.8]/", "https://local.example.com/",
		"https://internal.example.com/", "https://mylocalhost.example/", "https://10.example.com/",
		"https://notlocal/", "https://xn--caf-dma.example/",
	} {
		if text := refused(url); text != "" {
			t.Errorf("%s: %s", url, text)
		}
	}
	same(t, "calls", s.Calls())
	says(t, acctest.Errors(s.Apply(s.Plan(acctest.JSON{"url": acctest.InternalURL}))), `AttributeName("url")`,
		"Could not register webhook endpoint "+acctest.InternalURL, "code: INVALID_WEBHOOK_URL", "Status: 422")
	if s.Exists() {
		t.Error("a refused endpoint is in the state")
	}
}

// TestEvents: any name is accepted; blank and null ones are errors, and what is nearly a documented name warns once.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	plan := func(events ...any) acctest.Planned { return s.Plan(s.With(acctest.JSON{"events": events})) }
	for _, wrong := range []any{"", " ", nil} {
		says(t, acctest.Errors(plan(wrong).Diagnostics), `AttributeName("events")`)
	}
	if p := plan("charge.paid", "api_key.rotated", "api_key.status_changed", "api_key.revoked", "webhook.test",
		"agreement.accepted", "dispute.opened", "charge.void", "api_key.created"); len(p.Diagnostics) > 0 {
		t.Errorf("events warn: %s", acctest.Warnings(p.Diagnostics))
	}
	for event, meant := range map[string]string{"charge.payed": "charge.paid", "Charge.Paid": "charge.paid",
		"charges.paid": "charge.paid", "api_key.rotate": "api_key.rotated", "webhook.tset": "webhook.test",
		"api-key.revoked": "api_key.revoked", "api_key.status_change": "api_key.status_changed"} {
		says(t, acctest.Warnings(plan(event, "dispute.opened").Diagnostics), `AttributeName("events")`,
			`Event "`+event+`" of webhook endpoint `+s.receiver.URL, `did you mean "`+meant+`"?`)
	}
	p := s.Plan(s.With(acctest.JSON{"events": acctest.Unknown}))
	if text := acctest.Errors(s.Apply(s.Again(p, s.With(acctest.JSON{"events": []any{}})))); text != "" {
		t.Error(text)
	}
	s.Is("events", "[]")
}

// TestTolerance: an endpoint lives its life at servers that differ as the wire contract allows.
func TestTolerance(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]sandbox.Tolerance{
		"filters are ignored":         {IgnoreFilters: true},
		"objects come bare":           {BareObjects: true},
		"no ETag, no Last-Modified":   {NoValidators: true},
		"null fields are left out":    {OmitNullFields: true},
		"unknown fields come along":   {UnknownFields: true},
		"errors are flat":             {FlatErrors: true},
		"empty lists are null":        {NullLists: true},
		"an item stands on two pages": {RepeatAcrossPages: true},
		"everything but errors": {IgnoreFilters: true, BareObjects: true, NoValidators: true, OmitNullFields: true,
			UnknownFields: true, NullLists: true, RepeatAcrossPages: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t, acctest.Tolerating(tolerance))
			for range 2 { // so that the listings have several pages
				s.service.Call("POST", endpoints, acctest.JSON{"url": "https://other.example.com/"})
			}
			s.Configure(nil)
			s.Settled(nil)
			full := acctest.JSON{"description": "d", "events": []any{"charge.paid"}, "authentication": kinds["basic"].configured}
			for _, lines := range []acctest.JSON{full, trigger("1"), trigger("2"), nil} {
				s.Configure(lines)
				s.Settled(lines)
			}
			secret := s.secret()
			s.fire()
			if !signedWith(s.last(), secret) {
				t.Error("the secret in the state is not the valid one")
			}
			other := s.service.Direct("billing_webhook_endpoint")
			if text := acctest.Errors(other.Import("url=" + s.receiver.URL)); text != "" || other.Text("id") != s.Text("id") {
				t.Errorf("imported %s: %s", other.Text("id"), text)
			}
			same(t, "changes after import", other.Plan(s.With(nil)).Changes(t))
			s.Set(nil)
		})
	}
}
