package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// MostReads limits the requests of a read-only check of one claim.
const MostReads = 30

// onlyGET is the transport of a read-only check: it rejects any other request.
type onlyGET struct{ next http.RoundTripper }

func (t onlyGET) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return nil, fmt.Errorf("a read-only check must not send %s", request.Method)
	}
	if t.next == nil {
		return http.DefaultTransport.RoundTrip(request)
	}
	return t.next.RoundTrip(request)
}

// withoutData removes the data of the service and the queries of requests from the arguments of an error.
func withoutData(args []any) []any {
	kept := make([]any, len(args))
	for i, arg := range args {
		kept[i] = arg
		switch arg := arg.(type) {
		case rendered:
			kept[i] = arg.kind
		case error:
			if failed := (*url.Error)(nil); errors.As(arg, &failed) {
				kept[i] = failed.Err
			}
		}
	}
	return kept
}

// harmless matches texts that are neither secret nor personal: ids, times, numbers, and the words of the checks.
var harmless = regexp.MustCompile(`^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|` +
	`\d{1,4}|claim[a-z0-9]+|asc|desc|id|(created|updated)_?[aA]t)$`)

func reducedText(text string) string {
	if harmless.MatchString(text) {
		return text
	}
	return "[text]"
}

// reduced returns an exchange without data: only the shape of the response, its ids and its times remain.
func reduced(e evidence.Exchange) evidence.Exchange {
	query := map[string]string{}
	for name, value := range e.Request.Query {
		query[name] = reducedText(value)
	}
	e.Request.Query = query
	delete(e.Response.Headers, "Location")
	a := response{raw: e.Response.Bytes()}
	if a.decode(); a.body == (any)(missing{}) {
		e.Response.Body, e.Response.Text = nil, clip(a.raw).kind
		return e
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(reducedValue("", a.body)); err != nil {
		panic(err) // decoded JSON can be encoded
	}
	e.Response.Body, e.Response.Text = bytes.TrimSpace(body.Bytes()), ""
	return e
}

func reducedValue(name string, value any) any {
	switch value := value.(type) {
	case string:
		if name == "code" {
			return value
		}
		return reducedText(value)
	case json.Number:
		if name == "meta" {
			return value
		}
		return "[number]"
	case []any:
		list := []any{}
		for _, item := range value {
			list = append(list, reducedValue("", item))
		}
		return list
	case map[string]any:
		if strings.HasSuffix(name, "metadata") {
			return kindOf(value)
		}
		members := object{}
		for member, of := range value {
			if name == "meta" {
				members[member] = reducedValue(name, of)
				continue
			}
			members[member] = reducedValue(member, of)
		}
		return members
	}
	return value
}
