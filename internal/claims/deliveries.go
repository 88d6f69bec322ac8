package claims

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hook creates an endpoint at the receiver that receives only test events, unless the fields override this.
func (p *probe) hook(r *receiver, fields object) (string, *response) {
	return p.endpoint(merged(object{"url": r.url + r.path, "events": []string{"webhook.test"}}, fields))
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

// envelope returns the body of a delivery as a response.
func (p *probe) envelope(one received) *response {
	a := &response{p: p, what: "the delivery of " + one.header.Get("X-Webhook-Event"),
		header: one.header.Clone(), raw: one.body}
	a.decode()
	if a.header != nil {
		_, v1, _ := strings.Cut(a.header.Get("X-Webhook-Signature"), "v1=")
		a.header.Set("Signed-V1", v1)
		a.header.Set("Signed-At", p.sentAt(one).UTC().Format(time.RFC3339))
	}
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

// wantRedacted finds headers by name anywhere in a delivery, because the description does not name the members that
// contain them.
func (p *probe) wantRedacted(value any, names []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, shown := range value {
			if slices.Contains(names, strings.ToLower(name)) {
				if list, ok := shown.([]any); ok && len(list) == 1 {
					shown = list[0]
				}
				if shown != "[REDACTED]" {
					p.failf("the header %s is %s, want [REDACTED]", name, show(shown))
				}
			}
			p.wantRedacted(shown, names)
		}
	case []any:
		for _, item := range value {
			p.wantRedacted(item, names)
		}
	}
}

// about waits for an event about one key; other keys may change in the meantime.
func (p *probe) about(r *receiver, event, id string) *response {
	return p.envelope(p.await(1, func() []received {
		return slices.DeleteFunc(r.of(event), func(one received) bool {
			a := &response{raw: one.body}
			a.decode()
			return a.at("data.id") != id
		})
	})).want("event", event)
}
