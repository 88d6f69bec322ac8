package evidence_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// signed computes the value of the signature header, to verify the recorded ones with a second implementation.
func signed(secret string, timestamp int64, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", timestamp, body) // a hash never returns an error
	return fmt.Sprintf("t=%d,v1=%s", timestamp, hex.EncodeToString(mac.Sum(nil)))
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, vector := range evidence.Signatures() {
		if names[vector.Name] {
			t.Errorf("two vectors are named %q", vector.Name)
		}
		names[vector.Name] = true
		raw, err := json.Marshal(vector)
		if err != nil {
			t.Fatal(err)
		}
		checkNoSecret(t, raw)
		if want := signed(vector.Secret, vector.Timestamp, vector.Body); vector.Header != want {
			t.Errorf("%s: the header is %q, want %q", vector.Name, vector.Header, want)
		}
	}
	if len(names) < 10 {
		t.Errorf("%d vectors, want all that were written", len(names))
	}
}

// documentedEvents lists the events whose format is documented in Collections §6.
var documentedEvents = []string{"webhook.test", "charge.paid", "api_key.rotated", "api_key.status_changed",
	"api_key.revoked"}

func TestEventsAreAsDelivered(t *testing.T) {
	t.Parallel()
	var names []string
	for _, event := range evidence.Events() {
		names = append(names, event.Event)
		t.Run(event.Name, func(t *testing.T) {
			t.Parallel()
			checkSource(t, event.Source)
			checkEvent(t, event)
			raw, err := json.Marshal(event)
			if err != nil {
				t.Fatal(err)
			}
			checkNoSecret(t, raw)
		})
	}
	for _, name := range documentedEvents {
		if !slices.Contains(names, name) {
			t.Errorf("missing delivery of %s", name)
		}
	}
}

func checkEvent(t *testing.T, event evidence.Event) {
	t.Helper()
	headers := event.Request.Headers
	for name, want := range map[string]string{
		"Content-Type":    "application/json",
		"User-Agent":      "Collections-Webhooks/1.0",
		"X-Webhook-Event": event.Event,
	} {
		if headers[name] != want {
			t.Errorf("%s is %q, want %q", name, headers[name], want)
		}
	}
	for _, name := range []string{"X-Webhook-Event-Id", "X-Webhook-Delivery-Id"} {
		if !uuidForm.MatchString(headers[name]) {
			t.Errorf("%s is %q, not a UUID", name, headers[name])
		}
	}
	sent, err := time.Parse(time.RFC3339, headers["X-Webhook-Timestamp"])
	if err != nil {
		t.Errorf("X-Webhook-Timestamp: %v", err)
	}
	if want := signed(event.Secret, sent.Unix(), event.Request.Body); headers["X-Webhook-Signature"] != want {
		t.Errorf("X-Webhook-Signature is %q, want %q", headers["X-Webhook-Signature"], want)
	}
	envelope := decode([]byte(event.Request.Body))
	checkValues(t, "body", envelope)
	if got := at(envelope, "event"); got != event.Event {
		t.Errorf("the envelope has the event %v", got)
	}
	for _, member := range []string{"timestamp", "organizationId", "data"} {
		if at(envelope, member) == nil {
			t.Errorf("the envelope has no %s", member)
		}
	}
	if strings.Contains(event.Request.Body, event.Secret) {
		t.Error("the body contains the endpoint's secret")
	}
}
