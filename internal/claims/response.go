package claims

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// response is a response with its decoded body and exact numbers.
type response struct {
	p      *probe
	what   string // method and path, for errors
	status int
	header http.Header
	tls    *tls.ConnectionState
	raw    []byte
	body   any // missing{} if the body is empty or not JSON

	exchange *evidence.Exchange // nil if the response is a part of another one
}

func (a *response) decode() {
	a.body = missing{}
	decoder := json.NewDecoder(bytes.NewReader(a.raw))
	decoder.UseNumber()
	var body any
	if err := decoder.Decode(&body); err != nil {
		return
	}
	if _, err := decoder.Token(); errors.Is(err, io.EOF) {
		a.body = body
	}
}

// at returns the value at a path of member names and array positions, such as "data.emails.0.value". The empty path is
// the whole body.
func (a *response) at(path string) any {
	value := a.body
	if path == "" {
		return value
	}
	for step := range strings.SplitSeq(path, ".") {
		switch node := value.(type) {
		case map[string]any:
			member, ok := node[step]
			if !ok {
				return missing{}
			}
			value = member
		case []any:
			position, err := strconv.Atoi(step)
			if err != nil || position < 0 || position >= len(node) {
				return missing{}
			}
			value = node[position]
		default:
			return missing{}
		}
	}
	return value
}

// text returns the string at path. Anything else is a failure.
func (a *response) text(path string) string {
	text, ok := a.at(path).(string)
	if !ok {
		a.failf("%s is %s, want a string", path, show(a.at(path)))
	}
	return text
}

func (a *response) list(path string) []any {
	list, ok := a.at(path).([]any)
	if !ok && !a.same(path, a.at(path), []any{}) {
		a.failf("%s is %s, want an array", path, show(a.at(path)))
	}
	return list
}

// integer returns the whole number of 0 or more at path. Anything else is a failure.
func (a *response) integer(path string) int {
	number, _ := a.at(path).(json.Number)
	n, err := strconv.Atoi(number.String())
	if err != nil || n < 0 {
		a.failf("%s is %s, want an integer of 0 or more", path, show(a.at(path)))
	}
	return n
}

// failf records a failure with its request and Request-Id.
func (a *response) failf(format string, args ...any) {
	if a.exchange != nil && a.p.err == nil {
		a.p.last = a.exchange
	}
	prefix := []any{a.what, a.status, a.header.Get("Request-Id")}
	a.p.failf("%s (status %d, Request-Id %q): "+format, append(prefix, args...)...)
}

// wantStatus fails unless the response has one of the statuses; it returns a for chaining.
func (a *response) wantStatus(statuses ...int) *response {
	for _, status := range statuses {
		if a.status == status {
			return a
		}
	}
	a.failf("want status %v; the response is %s", statuses, clip(a.raw))
	return a
}

// want fails unless the value at path equals the wanted one as JSON.
func (a *response) want(path string, wanted any) *response {
	if wanted == (any)(missing{}) { // missing in the response that it is compared with
		wanted = nil
	}
	if got := a.at(path); !a.same(path, got, asJSON(wanted)) {
		a.failf("%s is %s, want %s", path, show(got), show(asJSON(wanted)))
	}
	return a
}

// wantPresent fails unless every member exists under path, even if it is null.
func (a *response) wantPresent(path string, members ...string) *response {
	for _, member := range members {
		if a.at(path+"."+member) == (missing{}) && !a.accepts().accept(fieldsLeftOut) {
			a.failf("%s has no member %s", path, member)
		}
	}
	return a
}

// wantMatch fails unless the value at path is a string that matches.
func (a *response) wantMatch(path string, form *regexp.Regexp) *response {
	if text, ok := a.at(path).(string); !ok || !form.MatchString(text) {
		a.failf("%s is %s, want the form %s", path, show(a.at(path)), form)
	}
	return a
}

// wantEmpty fails unless the value at path is null or empty.
func (a *response) wantEmpty(path string) *response {
	switch value := a.at(path).(type) {
	case nil:
		return a
	case []any:
		if len(value) == 0 {
			return a
		}
	case map[string]any:
		if len(value) == 0 {
			return a
		}
	}
	if !a.unset(path) {
		a.failf("%s is %s, want empty or null", path, show(a.at(path)))
	}
	return a
}

// wantError fails unless the body is {error: {code, message}} with nonempty strings. An empty code matches any.
func (a *response) wantError(code string) *response {
	for _, member := range []string{"error.code", "error.message"} {
		if text, ok := a.at(member).(string); !ok || text == "" {
			a.failf("%s is %s, want text; the response is %s", member, show(a.at(member)), clip(a.raw))
		}
	}
	if code != "" {
		a.want("error.code", code)
	}
	return a
}

// wantFields fails unless every field exists under path with its value.
func (a *response) wantFields(path string, fields object) *response {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		a.wantItems(path+"."+name, fields[name])
	}
	return a
}

// wantItems is want, except that items of phones, emails, websites and addresses may contain additional members that
// are null.
func (a *response) wantItems(path string, wanted any) {
	items, ok := wanted.([]object)
	if !ok {
		a.want(path, wanted)
		return
	}
	got := a.list(path)
	if len(got) != len(items) {
		a.failf("%s is %s, want %d items", path, show(got), len(items))
		return
	}
	for i, item := range items {
		member, ok := got[i].(map[string]any)
		if !ok || !a.same(path, withoutNulls(member), withoutNulls(item)) {
			a.failf("item %d of %s is %s, want %s", i, path, show(got[i]), show(item))
		}
	}
}

// time returns the time at path, which must be a date-time.
func (a *response) time(path string) time.Time {
	moment, err := time.Parse(time.RFC3339Nano, a.text(path))
	if err != nil {
		a.failf("%s is %s, want a date-time", path, show(a.at(path)))
	}
	return moment
}
