package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxMessageRunes = 500
	maxHintRunes    = 120
)

// parseError parses an unsuccessful response in any form: the service's error object, its flat variant, a proxy's page,
// or nothing. It accepts any bytes without a panic.
func parseError(status int, header http.Header, body []byte) *Error {
	e := &Error{
		Status:      status,
		RequestID:   cleanLine(header.Get("Request-Id"), 100),
		ContentType: cleanLine(header.Get("Content-Type"), 100),
		RetryAfter:  retryAfter(header, time.Now()),
	}
	switch {
	case status == http.StatusNotModified:
		e.Message = "the response is 304 (Not Modified), even to a request without conditions; a cache between here and " +
			"the service is broken"
	case status >= 300 && status <= 399:
		e.Message = redirectMessage(header)
	case tooDeep(body) || !e.readShape(body):
		e.Message = hint(body, e.ContentType)
	}
	return e
}

// readShape parses the two documented shapes (service description, Recurring billing §7). It returns false for other
// bodies.
func (e *Error) readShape(body []byte) bool {
	var top struct {
		Error     json.RawMessage `json:"error"`
		ErrorCode string          `json:"error_code"`
	}
	if json.Unmarshal(body, &top) != nil {
		return false
	}
	// A gateway's 404 has this shape too. The service documents it only for a missing token.
	var text string
	if json.Unmarshal(top.Error, &text) == nil && text != "" && top.ErrorCode != "" {
		if e.Missing() {
			return false
		}
		e.set(top.ErrorCode, text, nil)
		return true
	}
	// A numeric code, even as a string, is not from this service: gateways also respond with {"error": {"code": 404, …}}.
	var object struct {
		Code    string          `json:"code"`
		Message json.RawMessage `json:"message"`
		Details json.RawMessage `json:"details"`
	}
	if json.Unmarshal(top.Error, &object) != nil || strings.Trim(object.Code, "0123456789 ") == "" {
		return false
	}
	e.set(object.Code, plainText(object.Message), object.Details)
	return true
}

func (e *Error) set(code, message string, details json.RawMessage) {
	e.Structured = true
	e.Code = cleanLine(code, maxHintRunes)
	e.Message = maskText(cleanLine(message, maxMessageRunes))
	if len(details) > 0 && !bytes.Equal(details, []byte("null")) {
		e.Details = details
		e.readDetails()
	}
}

// readDetails parses the documented content of the details.
func (e *Error) readDetails() {
	var details map[string]json.RawMessage
	if json.Unmarshal(e.Details, &details) != nil {
		return
	}
	e.Field = cleanLine(plainText(details["field"]), maxHintRunes)
	e.ExistingID = plainText(details["id"])
	e.Required = texts(details["required"])
	e.Granted = texts(details["granted"])
	var fields map[string]json.RawMessage
	if json.Unmarshal(details["fields"], &fields) != nil || len(fields) == 0 {
		return
	}
	e.Fields = make(map[string]string, len(fields))
	for name, value := range fields {
		e.Fields[cleanLine(name, maxHintRunes)] = maskText(cleanLine(strings.Join(texts(value), "; "), maxMessageRunes))
	}
}

// plainText returns the text of a JSON string, or the JSON itself for any other value.
func plainText(raw json.RawMessage) string {
	var text string
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return ""
	case json.Unmarshal(raw, &text) == nil:
		return text
	}
	return string(raw)
}

// texts parses a list of strings; a single string is a list of one.
func texts(raw json.RawMessage) []string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		items = []json.RawMessage{raw}
	}
	var found []string
	for _, item := range items {
		if text := plainText(item); text != "" {
			found = append(found, text)
		}
	}
	return found
}

// redirectMessage contains only the host, because the rest of a location may contain secrets.
func redirectMessage(header http.Header) string {
	target := "another address"
	if location, err := url.Parse(header.Get("Location")); err == nil && location.Host != "" {
		target = "the host " + cleanLine(location.Hostname(), maxHintRunes)
	}
	return "the service redirects to " + target + ", and redirects are not followed; check the configured address"
}

var (
	htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	htmlNoise = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<[^>]*>`)
)

// hint describes a body that is not the service's error object, in a few words.
func hint(body []byte, contentType string) string {
	body = bytes.TrimSpace(body[:min(len(body), 64<<10)])
	var other struct {
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	switch {
	case len(body) == 0:
		return "the response has no body"
	case body[0] == '<' || strings.Contains(strings.ToLower(contentType), "html"):
		return quoteHint("an HTML page instead of JSON", htmlText(string(body)))
	case !tooDeep(body) && json.Unmarshal(body, &other) == nil:
		for _, raw := range []json.RawMessage{other.Message, other.Detail, other.Error} {
			if text := plainText(raw); text != "" {
				return quoteHint("JSON that is not the service's error object", text)
			}
		}
		return "JSON that is not the service's error object"
	}
	return quoteHint("no JSON", string(body))
}

func htmlText(page string) string {
	if title := htmlTitle.FindStringSubmatch(page); title != nil {
		page = title[1]
	}
	return html.UnescapeString(htmlNoise.ReplaceAllString(page, " "))
}

func quoteHint(what, text string) string {
	text = maskText(cleanLine(text, maxHintRunes))
	if text == "" {
		return what
	}
	return fmt.Sprintf("%s (%q)", what, text)
}

// cleanLine returns one line of at most limit runes, without control characters.
func cleanLine(text string, limit int) string {
	text = text[:min(len(text), 64<<10)]
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// maxRetryAfter limits the accepted Retry-After. It is far beyond any wait, and keeps the arithmetic from overflowing.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter parses the header Retry-After: whole seconds or an HTTP date. A date is relative to the response's own
// Date, so that a wrong clock on either side does not matter, or to now if there is none. It returns zero for absent,
// malformed and negative values and for dates in the past.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter // digits that overflow are a very long time
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}
