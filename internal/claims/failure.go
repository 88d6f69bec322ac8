package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// Failure is the error of a claim that does not hold.
type Failure struct {
	// Exchange is the failing request and response, without secrets. It is nil if no request was sent.
	Exchange *evidence.Exchange

	err  error
	mask *strings.Replacer // nil until all secrets of the check are known
}

func (f *Failure) Error() string {
	if f.mask == nil {
		return f.err.Error()
	}
	return f.mask.Replace(f.err.Error())
}

func (f *Failure) Unwrap() error { return f.err }

// WrongRoute reports whether the response suggests that the service does not serve this method and path: 405, 501, or a
// 404 that is not in the error shape of the services.
func (f *Failure) WrongRoute() bool {
	if f.Exchange == nil || f.Exchange.Operation == "" {
		return false
	}
	switch f.Exchange.Response.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		a := response{raw: f.Exchange.Response.Bytes()}
		a.decode()
		return !a.own()
	}
	return false
}

// own reports whether an error has the shape of the services, or the flat one. Other errors are not about the object.
func (a *response) own() bool {
	_, coded := a.at("error.code").(string)
	_, flat := a.at("error_code").(string)
	return coded || flat
}

// ServiceFailed returns the status if the service failed regardless of the request: 5xx, or repeated 429. Otherwise it
// returns 0.
func (f *Failure) ServiceFailed() int {
	if f.Exchange == nil || f.Exchange.Response.Status != http.StatusTooManyRequests && f.Exchange.Response.Status < 500 ||
		f.WrongRoute() {
		return 0
	}
	return f.Exchange.Response.Status
}

// ScopeError is the error of a claim that could not be checked because the target's token lacks a scope. It wraps
// [ErrNotGiven].
type ScopeError struct {
	// Scopes lists the required scopes.
	Scopes []string
}

func (e *ScopeError) Error() string {
	return "a token with the scope " + strings.Join(e.Scopes, " or ")
}

func (e *ScopeError) Unwrap() error { return ErrNotGiven }

// lacking returns the scopes that the rejected request requires; nil for any other response.
func (a *response) lacking() (scopes []string) {
	required, _ := a.at("error.details.required").([]any)
	for _, scope := range required {
		if text, ok := scope.(string); ok && a.status == http.StatusForbidden {
			scopes = append(scopes, text)
		}
	}
	return scopes
}

// redacted replaces secrets in reports.
const redacted = "[REDACTED]"

// maxReported limits a body in a report, in bytes.
const maxReported = 4 << 10

// leastSecret is the minimum length of a text that is masked everywhere. A shorter one may be part of any word.
const leastSecret = 6

// secretMembers lists the members whose text must not be in a report.
var secretMembers = []string{"token", "secret", "password"}

// The headers in a report. They contain no credentials.
var (
	reportedRequest  = []string{"Content-Type", "If-None-Match", idempotencyHeader}
	reportedResponse = []string{"Content-Type", "Request-Id", "Allow", "Date", "ETag", "Location", "Retry-After"}
)

// secrets returns the credentials of the target, which must not be in a report.
func (t Target) secrets() []string {
	return slices.DeleteFunc([]string{
		t.Token, t.RevokedToken, t.ExpiredToken, t.NarrowToken,
		t.FinanceToken, t.FinanceExpiredToken, t.FinanceNarrowToken, t.CollectionsAPIKey,
	}, func(secret string) bool { return secret == "" })
}

// masked replaces the secrets that the check has seen, in the error's text and exchange.
func (p *probe) masked(err error) error {
	var failure *Failure
	if !errors.As(err, &failure) {
		return err
	}
	var pairs []string
	for _, secret := range p.secrets {
		pairs = append(pairs, secret, redacted)
	}
	failure.mask = strings.NewReplacer(pairs...)
	if failure.Exchange != nil {
		exchange := *failure.Exchange
		exchange.Request.Body = []byte(failure.mask.Replace(string(exchange.Request.Body)))
		exchange.Response.Body = []byte(failure.mask.Replace(string(exchange.Response.Body)))
		exchange.Response.Text = failure.mask.Replace(exchange.Response.Text)
		if p.target.ReadOnly {
			exchange = reduced(exchange)
		}
		failure.Exchange = &exchange
	}
	return err
}

// noteRequest starts the report of a call.
func (p *probe) noteRequest(request *http.Request, c call, body []byte) *evidence.Exchange {
	p.learnSecrets(body)
	operation, _, _ := operationOf(c.method, c.path, p.finance)
	exchange := evidence.Exchange{Operation: operation.Name, Request: evidence.Request{
		Method: request.Method, Path: request.URL.Path, Headers: shown(request.Header, reportedRequest),
	}}
	for name, values := range request.URL.Query() {
		if exchange.Request.Query == nil {
			exchange.Request.Query = map[string]string{}
		}
		exchange.Request.Query[name] = strings.Join(values, ", ")
	}
	exchange.Request.Body, _ = reportedBody(body)
	return &exchange
}

func (p *probe) noteResponse(a *response) {
	p.learnSecrets(a.raw)
	response := evidence.Response{Status: a.status, Headers: shown(a.header, reportedResponse)}
	response.Body, response.Text = reportedBody(a.raw)
	a.exchange.Response = response
}

func shown(header http.Header, names []string) map[string]string {
	shown := map[string]string{}
	for _, name := range names {
		if value := header.Get(name); value != "" {
			shown[name] = value
		}
	}
	return shown
}

// reportedBody returns a body as JSON, or as text if it is not JSON or too long.
func reportedBody(raw []byte) (body json.RawMessage, text string) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err == nil && compact.Len() <= maxReported {
		return compact.Bytes(), ""
	}
	if len(raw) > maxReported {
		return nil, string(raw[:maxReported]) + "…"
	}
	return nil, string(raw)
}

// learnSecrets records the texts in a body that are secrets by the name of their member, and the value of an endpoint's
// authentication header.
func (p *probe) learnSecrets(raw []byte) {
	a := response{raw: raw}
	a.decode()
	p.learnFrom("", a.body)
}

func (p *probe) learnFrom(parent string, value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			p.learnFrom(parent, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			text, isText := value[name].(string)
			secret := slices.Contains(secretMembers, name) || parent == "authentication" && name == "value"
			if isText && secret && len(text) >= leastSecret {
				p.secrets = append(p.secrets, text)
			}
			p.learnFrom(name, value[name])
		}
	}
}
