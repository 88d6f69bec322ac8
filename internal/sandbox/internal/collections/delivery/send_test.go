package delivery_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
)

// receiver returns a receiver with a fixed response, and a sender that can reach it.
func receiver(t *testing.T, response hook.Response) (*hook.Receiver, delivery.Sender) {
	t.Helper()
	r := hook.Start(t)
	r.Respond(response)
	return r, delivery.Sender{Guard: netguard.Guard{AllowLoopback: true}, CAs: r.CAs()}
}

func message(url string) delivery.Message {
	return delivery.Message{
		URL: url, Event: "charge.paid", EventID: "event-1", DeliveryID: "delivery-1", Number: 3,
		At: time.Date(2026, 5, 4, 12, 0, 0, 7_000_000, time.UTC), Body: []byte(`{"event":"charge.paid"}`),
		Secret: "whsec_secret",
	}
}

// Collections §2 Delivery request headers.
func TestRequest(t *testing.T) {
	t.Parallel()
	server, sender := receiver(t, func(w http.ResponseWriter, _ hook.Delivery) {
		w.Header().Set("Set-Cookie", "session=abc")
		w.Header().Set("X-Consumer", "erp")
		w.WriteHeader(http.StatusNoContent)
	})
	m := message(server.URL + "/in?from=billing")
	attempt, err := sender.Send(t.Context(), m)
	if err != nil || attempt.Error != "" || attempt.HTTPCode != 204 {
		t.Fatalf("%+v, %v", attempt, err)
	}
	got := server.Got()[0]
	if got.Body != string(m.Body) || attempt.RequestBody != got.Body {
		t.Errorf("sent %q, captured %q", got.Body, attempt.RequestBody)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": delivery.UserAgent, "X-Webhook-Event": "charge.paid",
		"X-Webhook-Event-Id": "event-1", "X-Webhook-Delivery-Id": "delivery-1", "X-Webhook-Attempt": "3",
		"X-Webhook-Timestamp": "2026-05-04T12:00:00.007Z",
		"X-Webhook-Signature": delivery.Signature(m.Secret, m.At, m.Body),
		"Authorization":       "", "Cookie": "",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if !strings.HasSuffix(delivery.UserAgent, "/1.0") {
		t.Errorf("user agent %s is not of version 1.0", delivery.UserAgent)
	}
	if attempt.RequestHeaders["X-Webhook-Signature"] != got.Header.Get("X-Webhook-Signature") || attempt.URL != m.URL ||
		attempt.ResponseHeaders["Set-Cookie"] != delivery.Redacted {
		t.Errorf("captured %v and %v", attempt.RequestHeaders, attempt.ResponseHeaders)
	}
	if attempt.RequestHeaders["X-Webhook-Attempt"] != "3" || attempt.ResponseHeaders["X-Consumer"] != "erp" {
		t.Errorf("captured %v and %v", attempt.RequestHeaders, attempt.ResponseHeaders)
	}
}

// Collections §5 Request authentication toward the consumer, and §2: credentials are not in the trail, even if the
// consumer returns them.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		credentials   delivery.Credentials
		header, value string
		secret        string
	}{
		"basic": {delivery.Credentials{Type: delivery.Basic, Username: "ana", Password: "p4ss-w0rd"}, "Authorization",
			"Basic YW5hOnA0c3MtdzByZA==", "p4ss-w0rd"},
		"bearer": {delivery.Credentials{Type: delivery.Bearer, Token: "t0ken"}, "Authorization", "Bearer t0ken", "t0ken"},
		"header": {delivery.Credentials{Type: delivery.Header, Name: "x-gateway-key", Value: "v4lue"}, "X-Gateway-Key",
			"v4lue", "v4lue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, sender := receiver(t, func(w http.ResponseWriter, d hook.Delivery) {
				w.Header().Set("X-Echo", d.Header.Get(test.header))
				fmt.Fprintf(w, "you are %s with %s, signed %s", d.Header.Get(test.header), test.secret,
					d.Header.Get("X-Webhook-Signature"))
			})
			m := message(server.URL)
			m.Credentials = test.credentials
			attempt, err := sender.Send(t.Context(), m)
			if err != nil || attempt.Error != "" {
				t.Fatalf("%+v, %v", attempt, err)
			}
			if got := server.Got()[0].Header.Get(test.header); got != test.value {
				t.Errorf("sent %q", got)
			}
			if attempt.RequestHeaders[test.header] != delivery.Redacted {
				t.Errorf("captured %v", attempt.RequestHeaders)
			}
			delete(attempt.RequestHeaders, "X-Webhook-Signature")
			trail := fmt.Sprintf("%+v", attempt)
			for _, secret := range []string{test.secret, test.value, m.Secret, delivery.Signature(m.Secret, m.At, m.Body)} {
				if strings.Contains(trail, secret) {
					t.Errorf("%q is in the trail: %s", secret, trail)
				}
			}
			if !strings.Contains(attempt.ResponseBody, "you are ") {
				t.Errorf("response body %q", attempt.ResponseBody)
			}
		})
	}
}

// Collections §8: only 2xx counts; redirects are not followed.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for status, success := range map[int]bool{200: true, 201: true, 204: true, 299: true, 301: false, 302: false,
		307: false, 400: false, 401: false, 410: false, 500: false, 503: false} {
		server, sender := receiver(t, func(w http.ResponseWriter, _ hook.Delivery) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		})
		attempt, err := sender.Send(t.Context(), message(server.URL))
		if err != nil || (attempt.Error == "") != success || attempt.HTTPCode != status || len(server.Got()) != 1 {
			t.Errorf("%d: %+v, %v after %d requests", status, attempt, err, len(server.Got()))
		}
	}
}

// A network error is a failure and is retried.
func TestNetworkErrors(t *testing.T) {
	t.Parallel()
	server, sender := receiver(t, func(http.ResponseWriter, hook.Delivery) { panic(http.ErrAbortHandler) })
	untrusting := sender
	untrusting.CAs = x509.NewCertPool()
	closed := httptest.NewTLSServer(nil)
	closed.Close()
	for name, test := range map[string]struct {
		sender delivery.Sender
		url    string
	}{
		"connection dropped":    {sender, server.URL},
		"untrusted certificate": {untrusting, server.URL},
		"connection refused":    {sender, closed.URL},
		"unknown name":          {sender, "https://hooks.invalid/"},
	} {
		attempt, err := test.sender.Send(t.Context(), message(test.url))
		if err != nil || attempt.Error == "" || attempt.HTTPCode != 0 {
			t.Errorf("%s: %+v, %v", name, attempt, err)
		}
	}
}

// internalOnly resolves every name to a private address.
type internalOnly struct{}

func (internalOnly) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
}

// Collections §3: an internal destination is a permanent failure, even if it was public at registration.
func TestInternalDestination(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sender delivery.Sender
		url    string
	}{
		{delivery.Sender{}, "https://127.0.0.1/"},
		{delivery.Sender{Guard: netguard.Guard{Resolver: internalOnly{}}}, "https://hooks.example.com/"},
		{delivery.Sender{Guard: netguard.Guard{Resolver: internalOnly{}, AllowLoopback: true}}, "https://hooks.example.com/"},
	} {
		if attempt, err := test.sender.Send(t.Context(), message(test.url)); !errors.Is(err, netguard.ErrInternal) ||
			attempt.Error == "" {
			t.Errorf("%s: %+v, %v", test.url, attempt, err)
		}
	}
}

// Collections §8: ten seconds, from the look-up to the end of the response.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, theirs) }()
			return ours, nil
		}
		sender := delivery.Sender{Guard: netguard.Guard{Dial: silent}}
		begin := time.Now()
		attempt, err := sender.Send(t.Context(), message("https://8.8.8.8/"))
		if took := time.Since(begin); err != nil || took != delivery.Timeout || !strings.Contains(attempt.Error, "10s") {
			t.Errorf("after %v: %+v, %v", took, attempt, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := sender.Send(ctx, message("https://8.8.8.8/")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a context that ends first: %v", err)
		}
		synctest.Wait()
	})
}

// A long response is truncated, a secret at the cut is removed, and invalid UTF-8 is replaced.
func TestCapture(t *testing.T) {
	t.Parallel()
	const kept = 16 << 10
	m := message("")
	m.Credentials = delivery.Credentials{Type: delivery.Bearer, Token: "t0ken-of-the-consumer"}
	server, sender := receiver(t, func(w http.ResponseWriter, _ hook.Delivery) {
		_, _ = io.WriteString(w, "\xff"+strings.Repeat("x", kept-8)+m.Credentials.Token+strings.Repeat("y", kept))
	})
	m.URL = server.URL
	attempt, err := sender.Send(t.Context(), m)
	if err != nil || attempt.Error != "" {
		t.Fatalf("%+v, %v", attempt.Error, err)
	}
	body := attempt.ResponseBody
	if len(body) > kept+32 || !strings.HasSuffix(body, "[truncated]") || strings.Contains(body, "t0k") ||
		strings.Contains(body, "y") {
		t.Errorf("%d bytes, ending in %q", len(body), body[len(body)-40:])
	}
	if !strings.HasPrefix(body, "\uFFFDxxx") {
		t.Errorf("body begins with %q", body[:8])
	}
}
