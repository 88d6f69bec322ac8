package claims

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// deliveryMembers lists the members of a delivery in every response.
var deliveryMembers = []string{
	"id", "event", "eventId", "status", "httpCode", "attempts", "createdAt",
	"lastError", "requestBody", "responseBody", "deliveredAt", "nextRetryAt",
}

// hook creates an endpoint at the receiver that receives only test events, unless the fields override this.
func (p *probe) hook(r *receiver, fields object) (string, *response) {
	return p.endpoint(merged(object{"url": r.url + "/" + unique(), "events": []string{"webhook.test"}}, fields))
}

// fire sends a test event to an endpoint and returns the delivery's id.
func (p *probe) fire(endpoint string) string {
	return p.do(endpoint + "/test").wantStatus(http.StatusAccepted).text("data.deliveryId")
}

// record waits until a delivery has that status, or exists if the status is empty, and returns it as a response.
func (p *probe) record(endpoint, id, status string) *response {
	return p.recordWhen(endpoint, id, func(item any) error {
		if got := text(item, "status"); status != "" && got != status {
			return fmt.Errorf("the delivery %s is %q, want %q: %s", id, got, status, show(item))
		}
		return nil
	})
}

func (p *probe) recordWhen(endpoint, id string, look func(any) error) *response {
	path := endpoint + "/deliveries"
	var found any = object{}
	p.eventually(func() error {
		for _, item := range p.listed(path) {
			if text(item, "id") == id {
				found = item
				return look(item)
			}
		}
		return fmt.Errorf("GET %s does not contain the delivery %s", path, id)
	})
	return p.listedResponse(path, found)
}

// signatureForm matches the header's value: seconds and a lowercase HMAC.
var signatureForm = regexp.MustCompile(`^t=(\d+),v1=([0-9a-f]{64})$`)

// sentAt returns the t of the signature, or zero after a failure.
func (p *probe) sentAt(one received) time.Time {
	parts := signatureForm.FindStringSubmatch(one.header.Get("X-Webhook-Signature"))
	if parts == nil {
		p.failf("X-Webhook-Signature is %q, want t=<unix seconds>,v1=<lowercase hex>", one.header.Get("X-Webhook-Signature"))
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		p.failf("X-Webhook-Signature: t: %w", err)
	}
	return time.Unix(seconds, 0)
}

// signedWith reports whether a delivery verifies with the secret.
func signedWith(one received, secret string) bool {
	parts := signatureForm.FindStringSubmatch(one.header.Get("X-Webhook-Signature"))
	if parts == nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(parts[1] + "."))
	mac.Write(one.body)
	return hex.EncodeToString(mac.Sum(nil)) == parts[2]
}

// wantSigned fails unless a delivery verifies with the secret.
func (p *probe) wantSigned(one received, secret string) {
	if p.sentAt(one); p.err == nil && !signedWith(one, secret) {
		p.failf("the signature of %s does not verify with the endpoint's secret", one.header.Get("X-Webhook-Event"))
	}
}

// wantHeader fails unless the delivery has that header once, with that value.
func (p *probe) wantHeader(one received, name, value string) {
	if got := one.header.Values(name); len(got) != 1 || got[0] != value {
		p.failf("the delivery's %s is %q, want %q", name, got, value)
	}
}

// envelope returns the body of a delivery as a response.
func (p *probe) envelope(one received) *response {
	a := &response{p: p, what: "the delivery of " + one.header.Get("X-Webhook-Event"),
		header: http.Header{}, raw: one.body}
	a.decode()
	return a
}

// sameText reports whether a recorded body equals the one on the wire, as text or as JSON.
func sameText(recorded any, wire []byte) bool {
	if text, ok := recorded.(string); ok {
		return bytes.Equal([]byte(text), wire)
	}
	a := &response{raw: wire}
	a.decode()
	return sameJSON(recorded, a.body)
}
