// Package delivery sends events to webhook endpoints. It implements the states of a delivery, the schedule of its
// attempts, and an attempt over the network (service description, Collections §3 Delivery status, §5 and §8).
package delivery

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
)

// Timeout is the time limit of an attempt, from the name lookup to the end of the response (service description,
// Collections §8).
const Timeout = 10 * time.Second

// UserAgent identifies the sender, in version 1.0 as documented.
const UserAgent = "Collections-Webhooks-Sandbox/1.0"

// SignatureHeader is the name of the header with the signature.
const SignatureHeader = "X-Webhook-Signature"

const (
	timestampLayout   = "2006-01-02T15:04:05.000Z"
	maxResponseHeader = 64 << 10
)

// Message is the request of one attempt.
type Message struct {
	URL         string
	ForwardTo   string // where the request is sent instead, on this machine or in a private network; empty: to URL
	Event       string
	EventID     string
	DeliveryID  string
	Number      int // of the attempt, starting at 1
	Cycle       int
	At          time.Time // of the sending
	Body        []byte    // sent unchanged
	Secret      string
	Credentials Credentials
}

// Sender sends messages. The zero value sends to public addresses and trusts the system's authorities.
type Sender struct {
	Guard netguard.Guard
	CAs   *x509.CertPool // nil: the system's
}

// Send makes one attempt. Only a 2xx response is a success; redirects are not followed. An error means that there must
// be no further attempt: it wraps netguard.ErrInternal, or the cause of ctx's cancellation, in which case the outcome
// is unknown.
func (s Sender) Send(ctx context.Context, m Message) (Attempt, error) {
	limited, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	request, err := m.Request(limited)
	if err != nil {
		return Attempt{}, err
	}
	credential, _ := m.Credentials.header()
	scrub := newScrubber(append(m.Credentials.secrets(), m.Secret, request.Header.Get(SignatureHeader))...)
	attempt := Attempt{
		Number: m.Number, Cycle: m.Cycle, At: m.At, URL: m.URL,
		RequestHeaders: scrub.headers(request.Header, "Authorization", credential),
		RequestBody:    string(m.Body),
	}
	attempt.RequestHeaders[SignatureHeader] = request.Header.Get(SignatureHeader)
	transport := s.transport()
	if m.ForwardTo != "" {
		transport.DialContext = s.Guard.DialLocal
	}
	defer transport.CloseIdleConnections()
	// A round trip does not follow redirects or keep cookies.
	response, err := transport.RoundTrip(request)
	if err == nil {
		defer response.Body.Close()
		err = attempt.capture(response, scrub)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return attempt, context.Cause(ctx)
	case errors.Is(err, netguard.ErrInternal):
		attempt.Error = netguard.ErrInternal.Error()
		return attempt, netguard.ErrInternal
	case err != nil && limited.Err() != nil:
		attempt.Error = fmt.Sprintf("no complete response within %s", Timeout)
	case err != nil:
		attempt.Error = scrub.text(err.Error())
	case response.StatusCode < 200 || response.StatusCode > 299:
		attempt.Error = fmt.Sprintf("the endpoint responded with %d", response.StatusCode)
	}
	return attempt, nil
}

// transport is created for each attempt, so that the name is resolved again instead of reusing a connection. It ignores
// proxy settings, because addresses cannot be checked behind a proxy.
func (s Sender) transport() *http.Transport {
	return &http.Transport{
		DialContext:            s.Guard.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: s.CAs, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true, // capture the received bytes
		MaxResponseHeaderBytes: maxResponseHeader,
	}
}

// Request builds the documented request
// (service description, Collections §2 Delivery request headers).
func (m Message) Request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(m.ForwardTo, m.URL), bytes.NewReader(m.Body))
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	if name, value := m.Credentials.header(); name != "" {
		request.Header.Set(name, value)
	}
	for name, value := range map[string]string{
		"Content-Type":          "application/json",
		"User-Agent":            UserAgent,
		"X-Webhook-Event":       m.Event,
		"X-Webhook-Event-Id":    m.EventID,
		"X-Webhook-Delivery-Id": m.DeliveryID,
		"X-Webhook-Attempt":     strconv.Itoa(m.Number),
		"X-Webhook-Timestamp":   m.At.UTC().Format(timestampLayout),
		SignatureHeader:         Signature(m.Secret, m.At, m.Body),
	} {
		request.Header.Set(name, value)
	}
	return request, nil
}

// capture records the response. The rest of a long body is not read, because it does not affect the outcome.
func (a *Attempt) capture(response *http.Response, scrub scrubber) error {
	a.HTTPCode = response.StatusCode
	a.ResponseHeaders = scrub.headers(response.Header, "Set-Cookie")
	content, err := io.ReadAll(io.LimitReader(response.Body, maxCapture))
	a.ResponseBody = scrub.body(content, len(content) == maxCapture)
	return err
}

// Signature returns the value of X-Webhook-Signature for a body sent at that time: t in whole seconds, and v1 the
// HMAC-SHA256 of "<t>.<body>" with the complete secret including its prefix as the key (service description,
// Collections §5).
func Signature(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// Redacted replaces a sensitive value (service description, Collections §2 Delivery record).
const Redacted = "[REDACTED]"

// maxCapture is the largest part of a response's body that is kept, in bytes.
const maxCapture = 16 << 10

// scrubber removes secrets from the recorded exchange.
type scrubber struct {
	replace *strings.Replacer
	longest int // length of the longest secret in bytes
}

// newScrubber ignores empty secrets, which would match everywhere.
func newScrubber(secrets ...string) scrubber {
	secrets = slices.DeleteFunc(secrets, func(secret string) bool { return secret == "" })
	// Longest first, because a secret may contain another one.
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range secrets {
		pairs = append(pairs, secret, Redacted)
	}
	longest := 0
	if len(secrets) > 0 {
		longest = len(secrets[0])
	}
	return scrubber{strings.NewReplacer(pairs...), longest}
}

func (s scrubber) text(text string) string {
	return s.replace.Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

// headers captures headers and redacts the values of sensitive ones completely.
func (s scrubber) headers(header http.Header, sensitive ...string) map[string]string {
	captured := map[string]string{}
	for name, values := range header {
		captured[name] = s.text(strings.Join(values, ", "))
		if slices.Contains(sensitive, name) {
			captured[name] = Redacted
		}
	}
	return captured
}

// body captures a body. A truncated one is marked, and loses its end, which may be the beginning of a secret.
func (s scrubber) body(content []byte, cut bool) string {
	text := s.replace.Replace(string(content))
	if cut {
		text = text[:max(len(text)-s.longest, 0)] + "\n[truncated]"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// The documented kinds of authentication toward the consumer
// (service description, Collections §5).
const (
	None   = "none"
	Basic  = "basic"
	Bearer = "bearer"
	Header = "header"
)

// Credentials authenticate a request to the consumer, in addition to the signature.
// Which fields belong to which type is documented; the others are empty.
type Credentials struct {
	Type     string `json:"type"`
	Username string `json:"username,omitempty"` // basic
	Password string `json:"password,omitempty"` // basic
	Token    string `json:"token,omitempty"`    // bearer
	Name     string `json:"name,omitempty"`     // header
	Value    string `json:"value,omitempty"`    // header
}

// header returns the header with the credentials; an empty name means none.
func (c Credentials) header() (name, value string) {
	switch c.Type {
	case Basic:
		return "Authorization", "Basic " + c.basic()
	case Bearer:
		return "Authorization", "Bearer " + c.Token
	case Header:
		return http.CanonicalHeaderKey(c.Name), c.Value
	default:
		return "", ""
	}
}

func (c Credentials) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
}

// secrets returns the texts that must not appear in a delivery's record, even if the consumer returns them.
func (c Credentials) secrets() []string {
	switch c.Type {
	case Basic:
		return []string{c.basic(), c.Password}
	case Bearer:
		return []string{c.Token}
	case Header:
		return []string{c.Value}
	default:
		return nil
	}
}

// Status is the status of a delivery (service description, Collections §3).
type Status string

// The documented states.
const (
	Pending   Status = "pending"
	Success   Status = "success"
	Failed    Status = "failed"
	Exhausted Status = "exhausted"
)

// Attempt is an attempt with the captured request and response. Sensitive headers are already redacted, except for the
// signature, which users compare with their own.
type Attempt struct {
	Number          int               `json:"number"` // from 1 in each cycle
	Cycle           int               `json:"cycle"`
	At              time.Time         `json:"at"`
	URL             string            `json:"url,omitempty"`
	HTTPCode        int               `json:"http_code,omitempty"` // 0: no response
	Error           string            `json:"error,omitempty"`     // empty: success
	RequestHeaders  map[string]string `json:"request_headers,omitempty"`
	RequestBody     string            `json:"request_body,omitempty"`
	ResponseHeaders map[string]string `json:"response_headers,omitempty"`
	ResponseBody    string            `json:"response_body,omitempty"`
}

// Delivery is the delivery of one event to one endpoint. It is an immutable value: methods return a changed copy that
// shares no memory with the original.
type Delivery struct {
	Status   Status `json:"status"`
	Attempts int    `json:"attempts"` // of this cycle
	// Cycle counts manual redeliveries, to distinguish the outcome of an attempt started before a redelivery from one in
	// the new cycle.
	Cycle       int        `json:"cycle"`
	Due         *time.Time `json:"due,omitempty"` // of the next attempt; nil if there is none
	DeliveredAt *time.Time `json:"delivered_at,omitempty"`
	LastError   string     `json:"last_error,omitempty"`
	Trail       []Attempt  `json:"trail,omitempty"` // all attempts, oldest first
}

// New returns a delivery whose first attempt is due immediately.
func New(at time.Time) Delivery { return Delivery{Status: Pending, Due: &at} }

// Open reports whether an attempt is pending.
func (d Delivery) Open() bool { return d.Due != nil }

// NextRetryAt returns the time of the next attempt of a failed delivery; nil if there is none.
func (d Delivery) NextRetryAt() *time.Time {
	if d.Status != Failed {
		return nil
	}
	return d.Due
}

// Last returns the latest attempt of this cycle.
func (d Delivery) Last() (Attempt, bool) {
	if len(d.Trail) == 0 || d.Trail[len(d.Trail)-1].Cycle != d.Cycle {
		return Attempt{}, false
	}
	return d.Trail[len(d.Trail)-1], true
}

// After returns the delivery after an attempt: success, failed with the next attempt scheduled, or exhausted after the
// last one. An attempt of an earlier cycle is only added to the trail.
func (d Delivery) After(a Attempt) Delivery {
	d.Trail = append(d.Trail[:len(d.Trail):len(d.Trail)], a)
	if a.Cycle != d.Cycle || !d.Open() {
		return d
	}
	d.Attempts, d.LastError, d.Due = a.Number, a.Error, nil
	if a.Error == "" {
		d.Status, d.DeliveredAt = Success, &a.At
		return d
	}
	wait, again := Wait(a.Number)
	if !again {
		d.Status = Exhausted
		return d
	}
	next := a.At.Add(wait)
	d.Status, d.Due = Failed, &next
	return d
}

// GivenUp returns the delivery when it must not be sent: exhausted immediately, without another attempt.
func (d Delivery) GivenUp(why string) Delivery {
	d.Status, d.Due, d.LastError = Exhausted, nil, why
	return d
}

// Redeliverable reports whether a manual redelivery is allowed.
func (d Delivery) Redeliverable() bool { return d.Status == Failed || d.Status == Exhausted }

// Restarted returns the delivery after a manual redelivery: a new cycle of attempts, the first one due immediately.
func (d Delivery) Restarted(at time.Time) Delivery {
	return Delivery{Status: Pending, Cycle: d.Cycle + 1, Due: &at, Trail: d.Trail}
}

// MaxAttempts is the number of attempts before a delivery is exhausted (service description, Collections §8).
const MaxAttempts = 8

// firstWait is the delay after the first failure; it doubles with each one.
const firstWait = 4 * time.Minute

// Wait returns the delay after a failed attempt, numbered from 1. It returns false after the last one.
func Wait(failed int) (time.Duration, bool) {
	if failed < 1 || failed >= MaxAttempts {
		return 0, false
	}
	return firstWait << (failed - 1), true
}
