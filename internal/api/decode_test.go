package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// thing is a wire object of the tests' own.
type thing struct {
	ID    string          `json:"id"`
	Count int64           `json:"count"`
	Tags  []string        `json:"tags"`
	Free  json.RawMessage `json:"free"`
}

func TestOneAcceptsBareAndEnveloped(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"bare":               `{"id":"c1","count":9007199254740993}`,
		"enveloped":          `{"data":{"id":"c1","count":9007199254740993}}`,
		"envelope with meta": `{"data":{"id":"c1","count":9007199254740993},"meta":{}}`,
		"bare with own data": `{"id":"c1","count":9007199254740993,"data":{"x":1}}`,
		"unknown fields":     `{"data":{"id":"c1","count":9007199254740993,"new":{"deep":[1]},"status":"quantum"}}`,
		"null for a list":    `{"data":{"id":"c1","count":9007199254740993,"tags":null,"free":null}}`,
		"blanks around":      " \n{\"id\":\"c1\",\"count\":9007199254740993}\n ",
		"byte-order mark":    "\ufeff" + `{"data":{"id":"c1","count":9007199254740993}}`,
		"own error field":    `{"id":"c1","count":9007199254740993,"error":null}`,
	} {
		for _, contentType := range []string{"application/json; charset=utf-8", "application/problem+json",
			"text/plain", ""} {
			transport := play(step{status: 200, body: body, header: map[string]string{"Content-Type": contentType}})
			got, err := One[thing](t.Context(), newClient(t, transport), getCustomer)
			if err != nil || got.ID != "c1" || got.Count != 9007199254740993 {
				t.Errorf("%s as %q: %+v, %v", name, contentType, got, err)
			}
		}
	}
}

func TestOneKeepsNumbersExact(t *testing.T) {
	t.Parallel()
	transport := play(ok(`{"data":{"id":"c1","big":9007199254740993,"long":0.10000000000000000001}}`))
	got, err := One[map[string]any](t.Context(), newClient(t, transport), getCustomer)
	if err != nil || got["big"] != json.Number("9007199254740993") ||
		got["long"] != json.Number("0.10000000000000000001") {
		t.Errorf("%v, %v", got, err)
	}
}

// TestGetWithoutABody: a success without a body is no response to a GET, which is repeated. Whether a POST with such a
// response was carried out is not known.
func TestGetWithoutABody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, empty := range map[string]step{"200": ok(``), "white space": ok(" \n"), "204": status(204),
			"no JSON": {status: 200, header: map[string]string{"Content-Type": "text/html"}}} {
			transport := play(empty, ok(`{"data":{"id":"c1"}}`))
			got, err := One[thing](t.Context(), newClient(t, transport), getCustomer)
			if err != nil || got.ID != "c1" || transport.count() != 2 {
				t.Errorf("%s: %+v, %v after %d requests", name, got, err, transport.count())
			}
			_, err = One[thing](t.Context(), newClient(t, play(empty)), createCustomer)
			if outcomeOf(err) != isAmbiguous {
				t.Errorf("%s after a POST: %v", name, err)
			}
			_, err = One[thing](t.Context(), newClient(t, play(empty)), getCustomer)
			if outcomeOf(err) != noResponse || !strings.Contains(err.Error(), "the response has no body") {
				t.Errorf("%s for ever: %v", name, err)
			}
		}
	})
}

func TestOneRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Content-Type": "text/html"}
	tests := map[string]struct {
		response step
		want     string
	}{
		"empty object":     {ok(`{}`), "no object"},
		"null data":        {ok(`{"data":null}`), "no object"},
		"empty data":       {ok(`{"data":{}}`), "no object"},
		"null":             {ok(`null`), "not a JSON object"},
		"list":             {ok(`[]`), "not a JSON object"},
		"list in envelope": {ok(`{"data":[]}`), "the response contains a JSON array"},
		"error with 200":   {ok(`{"error":{"code":"x"}}`), "error object"},
		"HTML with 200": {step{status: 200, body: "<html><title>Log in</title>", header: html},
			`"text/html": an HTML page instead of JSON ("Log in")`},
		"text with 200": {step{status: 200, body: "fine", header: map[string]string{"Content-Type": "text/plain"}},
			`"text/plain"`},
		"mistyped field":     {ok(`{"data":{"id":true}}`), `the field "id" of the response contains a JSON bool`},
		"number too large":   {ok(`{"data":{"id":"x","count":1e30}}`), `field "count"`},
		"fraction":           {ok(`{"data":{"id":"x","count":1.5}}`), `field "count"`},
		"rejected by itself": {ok(`{"data":{"id":"unwanted"}}`), "rejects itself"},
	}
	for name, test := range tests {
		_, err := One[picky](t.Context(), newClient(t, play(test.response)), getCustomer)
		if e, ok := AsError(err); !ok || !strings.Contains(e.Message, test.want) || e.Structured ||
			e.Status != test.response.status {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		created := Request{Operation: "subscriptions.invoice", Path: getCustomer.Path}
		_, err = One[picky](t.Context(), newClient(t, play(test.response)), created)
		if outcomeOf(err) != isAmbiguous || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s after a POST: %v, want ambiguous", name, err)
		}
	}
}

// picky is a thing that can reject itself.
type picky thing

func (p *picky) Check() error {
	if p.ID == "unwanted" {
		return errors.New("it rejects itself")
	}
	return nil
}

func TestDelete(t *testing.T) {
	t.Parallel()
	htmlPage := step{status: 200, body: "<p>", header: map[string]string{"Content-Type": "text/html"}}
	own404, page := rejection(404, `{"error":{"code":"not_found","message":"gone"}}`), ok(`{"data":[]}`)
	tests := map[string]struct {
		responses []step
		want      string // "" is done
	}{
		"204":                         {[]step{status(204)}, ""},
		"200 without a body":          {[]step{status(200)}, ""},
		"200 enveloped":               {[]step{ok(`{"data":{"deleted":true}}`)}, ""},
		"200 bare":                    {[]step{ok(`{"deleted":true}`)}, ""},
		"200 with the object":         {[]step{ok(`{"data":{"id":"c1"}}`)}, ""},
		"deleted false":               {[]step{ok(`{"data":{"deleted":false}}`)}, "deleted: false"},
		"deleted of another type":     {[]step{ok(`{"data":{"deleted":"yes"}}`)}, `field "deleted"`},
		"null data":                   {[]step{ok(`{"data":null}`)}, "no object"},
		"HTML, gone":                  {[]step{htmlPage, own404, page}, ""},
		"HTML, still there":           {[]step{htmlPage, ok(`{"data":{"id":"c1"}}`)}, "not JSON"},
		"HTML, nothing known":         {[]step{htmlPage}, "not JSON"},
		"the service's 404":           {[]step{own404, page}, ""},
		"a bare 404":                  {[]step{status(404)}, "404"},
		"the service's 404 after 503": {[]step{status(503), own404, page}, ""},
		"a bare 404 after a failure":  {[]step{{err: errReset}, status(404), own404, page}, ""},
		"a bare 404 after a 503":      {[]step{status(503), status(404), own404, page}, ""},
		"bare 404s only":              {[]step{{err: errReset}, status(404)}, "404"},
		"a bare 404, still there":     {[]step{{err: errReset}, status(404), ok(`{"data":{"id":"c1"}}`)}, "404"},
		"a bare 404 after a 429":      {[]step{status(429), status(404), own404, page}, "404"},
		"a bare 404, never connected": {[]step{{err: errReset, unsent: true}, status(404), own404, page}, "404"},
		"a foreign 404 everywhere":    {[]step{own404}, "does not prove"},
		"a conflict, gone":            {[]step{status(409), own404, page}, ""},
		"a conflict, still there":     {[]step{status(409), ok(`{"data":{"id":"c1"}}`)}, "409"},
		"a conflict, nothing known":   {[]step{status(409), status(404)}, "409"},
		"rejected": {
			[]step{rejection(422, `{"error":{"code":"customer_has_active_subscriptions","message":"no"}}`)},
			"active_subscriptions"},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			err := Delete(t.Context(), newClient(t, play(test.responses...)), deleteCustomer)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
		})
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	type patch struct {
		Name  Field[string]          `json:"name,omitzero"`
		Notes Field[string]          `json:"notes,omitzero"`
		Tags  Field[[]string]        `json:"tags,omitzero"`
		Days  Field[int64]           `json:"days,omitzero"`
		Free  Field[json.RawMessage] `json:"free,omitzero"`
	}
	tests := []struct {
		patch patch
		want  string
	}{
		{patch{}, `{}`},
		{patch{Name: Set(""), Notes: Null[string]()}, `{"name":"","notes":null}`},
		{patch{Tags: Set([]string{}), Days: Set(int64(0)), Free: Set(json.RawMessage(`{"a":1}`))},
			`{"tags":[],"days":0,"free":{"a":1}}`},
		{patch{Tags: Null[[]string]()}, `{"tags":null}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(test.patch)
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %v, want %s", got, err, test.want)
		}
	}
	if value, ok := Set("x").Get(); !ok || value != "x" {
		t.Error("Set")
	}
	if _, ok := Null[string]().Get(); ok || Null[string]().IsZero() {
		t.Error("Null")
	}
}

// TestReadBack: a change whose success does not show the object is followed by a read, and nothing else is.
func TestReadBack(t *testing.T) {
	t.Parallel()
	html := step{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}}
	current := ok(`{"data":{"id":"c1","count":2}}`)
	for name, test := range map[string]struct {
		request  Request
		response step
		count    int64 // of the object that comes out; 0: an error
		sent     int
	}{
		"shown":               {updateCustomer, ok(`{"data":{"id":"c1","count":1}}`), 1, 1},
		"no content":          {updateCustomer, status(204), 2, 2},
		"no body":             {updateCustomer, status(200), 2, 2},
		"an empty object":     {updateCustomer, ok(`{}`), 2, 2},
		"null":                {updateCustomer, ok(`{"data":null}`), 2, 2},
		"HTML":                {updateCustomer, html, 2, 2},
		"an error object":     {updateCustomer, ok(`{"error":{"code":"x"}}`), 0, 1},
		"another object":      {updateCustomer, ok(`{"data":{"id":"c2"}}`), 0, 1},
		"rejected":            {updateCustomer, status(422), 0, 1},
		"a POST without body": {createCustomer, status(201), 0, 1},
	} {
		transport := play(test.response, current)
		c := newClient(t, transport)
		changed, err := One[thing](t.Context(), c, test.request)
		got, err := ReadBack(t.Context(), changed, err, func(ctx context.Context) (thing, error) {
			return One[thing](ctx, c, getCustomer)
		})
		if (err != nil) != (test.count == 0) || got.Count != test.count || transport.count() != test.sent {
			t.Errorf("%s: %+v, %v after %d requests", name, got, err, transport.count())
		}
	}
}

func TestMany(t *testing.T) {
	t.Parallel()
	one := []thing{{ID: "t1", Count: 9007199254740993}}
	tests := map[string]struct {
		response step
		items    []thing
		err      string
	}{
		"in data": {response: ok(`{"data":[{"id":"t1","count":9007199254740993}]}`), items: one},
		"bare":    {response: ok(` [{"id":"t1","count":9007199254740993,"more":1}]`), items: one},
		"bare, no type": {response: step{status: 200, body: `[]`, header: map[string]string{"Content-Type": ""}},
			items: []thing{}},
		"none":           {response: ok(`{"data":[]}`), items: []thing{}},
		"no content":     {response: status(204)},
		"no body":        {response: ok("")},
		"null":           {response: ok(`{"data":null}`)},
		"another object": {response: ok(`{"data":{"id":"s1"}}`)},
		"a bare object":  {response: ok(`{"id":"s1"}`)},
		"an error":       {response: ok(`{"error":{"code":"x","message":"no"}}`), err: "an error object"},
		"a page": {response: step{status: 200, body: "<html>",
			header: map[string]string{"Content-Type": "text/html"}}, err: "not JSON"},
		"a text":               {response: ok(`"done"`), err: "not a JSON object"},
		"items of other types": {response: ok(`{"data":[{"id":true}]}`), err: `"id"`},
		"rejected":             {response: status(422), err: "status 422"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, err := Many[thing](t.Context(), newClient(t, play(test.response)), syncItems)
			apitest.Says(t, err, test.err)
			if !reflect.DeepEqual(items, test.items) {
				t.Errorf("got %v, want %v", items, test.items)
			}
		})
	}
}

var yamlDescription = Request{Operation: "finance.openapi.yaml", Accept: "application/yaml"}

func TestRawReturnsTheDocument(t *testing.T) {
	t.Parallel()
	const document = "openapi: 3.1.0\ninfo: {title: \"<finance>\"}\n"
	for _, contentType := range []string{"application/yaml", "text/yaml; charset=utf-8", "text/plain", ""} {
		transport := play(step{status: 200, body: document, header: map[string]string{"Content-Type": contentType}})
		got, err := Raw(t.Context(), newClient(t, transport), yamlDescription)
		if err != nil || string(got) != document {
			t.Errorf("%q: %q, %v", contentType, got, err)
		}
		header := transport.seen[0].Header
		if header.Get("Accept") != "application/yaml" || header.Get("Content-Type") != "application/json" {
			t.Errorf("asked with %v", header)
		}
	}
}

func TestRawRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response step
		want     string
	}{
		"a web page": {step{status: 200, body: "sign in",
			header: map[string]string{"Content-Type": "text/html; charset=utf-8"}}, "web page"},
		"a page without a type": {step{status: 200, body: " <!doctype html>", header: map[string]string{"Content-Type": ""}},
			"web page"},
		"nothing": {step{status: 200, body: " \n", header: map[string]string{"Content-Type": "application/yaml"}},
			"no body"},
		"a rejection": {status(403), "403"},
	} {
		got, err := Raw(t.Context(), newClient(t, play(test.response), noRetries), yamlDescription)
		if got != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestOptional(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		response step
		id       string
		found    bool
		kind     outcome
	}{
		"an object": {response: ok(`{"data":{"id":"t1"}}`), id: "t1", found: true},
		"nothing":   {response: status(http.StatusNoContent)},
		"blanks":    {response: step{status: 200, body: " \n", header: map[string]string{"Content-Type": "text/plain"}}},
		"no object": {response: ok(`{"data":[1]}`), kind: isAmbiguous},
		"no JSON": {response: step{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}},
			kind: isAmbiguous},
		"rejected":   {response: rejection(422, `{"error":{"code":"x"}}`), kind: plainError},
		"lost":       {response: step{err: errReset}, kind: isAmbiguous},
		"bad object": {response: ok(`{"data":["t1"]}`), kind: isAmbiguous},
	}
	for name, test := range tests {
		got, found, err := Optional[thing](t.Context(), newClient(t, play(test.response)), createCustomer)
		if got.ID != test.id || found != test.found || (err != nil) != (test.kind != "") {
			t.Errorf("%s: got %+v, %t, %v", name, got, found, err)
		}
		if err != nil && outcomeOf(err) != test.kind {
			t.Errorf("%s: error is %s, want %s", name, outcomeOf(err), test.kind)
		}
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	want := time.Date(2025, 5, 6, 14, 22, 9, 318e6, time.UTC)
	for text, same := range map[string]bool{
		"2025-05-06T14:22:09.318Z": true, "2025-05-06T11:22:09.318-03:00": true, "2025-05-06T14:22:09.318000Z": true,
		"2025-05-06T14:22:09Z": false, "2025-05-06": false,
	} {
		if got, ok := ParseTime(text); !ok || got.Equal(want) != same {
			t.Errorf("%q is %s, %t", text, got, ok)
		}
	}
	if got, ok := ParseTime("2025-05-06"); !ok || !got.Equal(time.Date(2025, 5, 6, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a date is %s, %t", got, ok)
	}
	for _, text := range []string{"", "now", "2025-05-06 14:22:09", "2025-05-06T14:22:09", "2025-13-01"} {
		if got, ok := ParseTime(text); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// TestInside: a field is found as the decoder of objects finds it.
func TestInside(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{"id":"a"}`: `"a"`, ` { "x" : {"id":"b"}, "ID" : "a" } `: `"a"`, `{"id":"a","Id":"b"}`: `"b"`, `{"\u0069d":"a"}`: `"a"`,
		`{"id":"a","id":null}`: `"a"`, `{"id":null}`: `null`, `{"id":[{"id":"b"}],"x":"}"}`: `[{"id":"b"}]`,
		`{"x":"id"}`: ``, `["id","a"]`: ``, `"id"`: ``, ``: ``, `{"id":"a"`: `"a"`, `{"id":}`: ``, `{`: ``,
	} {
		if got := string(inside(json.RawMessage(object), "id")); got != want {
			t.Errorf("%s has %s, want %s", object, got, want)
		}
	}
}
