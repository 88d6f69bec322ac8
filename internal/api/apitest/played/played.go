// Package played checks clients against the recorded exchanges of their services.
package played

import (
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// Player replays the recorded exchanges of a service to its client.
type Player[S any] struct {
	Folder  string // of the exchanges, with a slash
	Connect func(*testing.T, http.RoundTripper) S
	// Calls carry out an operation with the segments of a recorded path, and with the rest of the request. A list is read
	// to its end.
	Calls map[string]func(t *testing.T, s S, at []string, r evidence.Request) (any, error)
	// Skip matches requests that this client never sends.
	Skip func(evidence.Exchange) bool
	// Lean removes fields from a recorded response that the client does not decode.
	Lean func(value any)
}

// Exchanges returns the recorded exchanges with a status in a range.
func (p Player[S]) Exchanges(from, to int) (found []evidence.Exchange) {
	for _, e := range evidence.All(p.Folder) {
		if status := e.Response.Status; p.Calls[e.Operation] != nil && status >= from && status <= to &&
			(p.Skip == nil || !p.Skip(e)) {
			found = append(found, e)
		}
	}
	return found
}

// Call carries out the operation of an exchange.
func (p Player[S]) Call(t *testing.T, s S, e evidence.Exchange) (any, error) {
	t.Helper()
	at := append(strings.Split(e.Request.Path, "/"), make([]string, 8)...)
	return p.Calls[e.Operation](t, s, at, e.Request)
}

// Service returns a service with the recorded response, followed by the next pages of a list.
func (p Player[S]) Service(e evidence.Exchange) (s *apitest.Service, pages []evidence.Exchange) {
	pages = []evidence.Exchange{e}
	for next := cursor(e); next != ""; next = cursor(pages[len(pages)-1]) {
		all := evidence.All(p.Folder)
		i := slices.IndexFunc(all, func(e evidence.Exchange) bool { return e.Request.Query["cursor"] == next })
		pages = append(pages, all[i])
	}
	var turns []http.HandlerFunc
	for _, page := range pages {
		turns = append(turns, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", page.Response.Headers["Content-Type"])
			apitest.Respond(page.Response.Status, string(page.Response.Bytes()))(w, r)
		})
	}
	if strings.HasSuffix(e.Operation, ".list") {
		turns = append(turns, apitest.Respond(http.StatusOK, apitest.ListOf()))
	}
	s = apitest.New(map[string]http.HandlerFunc{"/": apitest.Turns(turns...)})
	s.Clock = nil // recorded creations are older than this run
	return s, pages
}

func cursor(e evidence.Exchange) string {
	var page struct {
		Meta struct {
			Next string `json:"next_cursor"`
		}
	}
	_ = json.Unmarshal(e.Response.Body, &page) // a body that is not a page has no cursor
	return page.Meta.Next
}

// Successes checks the client against every recorded success: it must send the recorded request, and return the
// response without loss or change.
func (p Player[S]) Successes(t *testing.T) {
	t.Parallel()
	played := map[string]bool{}
	for _, e := range p.Exchanges(200, 299) {
		if e.Request.Query["cursor"] != "" {
			continue // a later page
		}
		played[e.Operation] = true
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			p.success(t, e)
		})
	}
	p.complete(t, played)
}

// success replays one exchange.
func (p Player[S]) success(t *testing.T, e evidence.Exchange) {
	t.Helper()
	s, pages := p.Service(e)
	got, err := p.Call(t, p.Connect(t, s), e)
	if err != nil {
		t.Fatal(err)
	}
	most := len(pages)
	if isList := strings.HasSuffix(e.Operation, ".list"); isList || strings.HasSuffix(e.Name, "_not_loaded") ||
		e.Operation == "finance.records.create" {
		most++ // the end of a list, omitted fields, or whether an older record was deleted
	}
	if n := len(s.Seen); n < len(pages) || n > most {
		t.Errorf("sent %v", s.Seen)
	}
	sent := s.Sent[0]
	if s.Seen[0] != e.Request.Method+" "+e.Request.Path ||
		!same.JSON(decoded(s.Bodies[0], false), decoded(string(e.Request.Body), false)) ||
		sent.Header.Get("X-Idempotency-Key") != e.Request.Headers["X-Idempotency-Key"] {
		t.Errorf("sent %s %s, want %s", s.Seen[0], s.Bodies[0], e.Request.Body)
	}
	paging := []string{"page", "per_page", "limit"}
	for name, value := range e.Request.Query {
		if !slices.Contains(paging, name) && sent.URL.Query().Get(name) != value {
			t.Errorf("asked for %s, want %v", sent.URL.RawQuery, e.Request.Query)
		}
	}
	if got != nil {
		p.sameData(t, got, pages)
	}
}

// complete checks that each call was played, and that each exchange has a call.
func (p Player[S]) complete(t *testing.T, played map[string]bool) {
	t.Helper()
	for operation := range p.Calls {
		if !played[operation] {
			t.Errorf("no exchange of %s was played", operation)
		}
	}
	for _, e := range evidence.All(p.Folder) {
		if p.Calls[e.Operation] == nil {
			t.Errorf("%s: no call plays %s", e.Name, e.Operation)
		}
	}
}

// sameData compares a result with the data of the responses.
func (p Player[S]) sameData(t *testing.T, got any, pages []evidence.Exchange) {
	t.Helper()
	if text, isText := got.(string); isText {
		if text != pages[0].Response.Text {
			t.Errorf("got %s, want %s", text, pages[0].Response.Text)
		}
		return
	}
	var items []any
	var want any
	for _, page := range pages {
		want = decoded(string(page.Response.Body), true)
		if data, enveloped := want.(map[string]any)["data"]; enveloped {
			want = data
		}
		if some, isList := want.([]any); isList {
			items = append(items, some...)
			want = items
		}
	}
	if p.Lean != nil {
		p.Lean(want)
	}
	if have := decoded(encoded(t, got), true); !same.JSON(have, want) {
		t.Errorf("got  %s\nwant %s", encoded(t, have), encoded(t, want))
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// decoded decodes JSON. It treats null fields as absent, in the items of lists or everywhere.
func decoded(text string, everywhere bool) (value any) {
	if text == "" {
		return "nothing"
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return withoutNulls(value, everywhere, everywhere)
}

func withoutNulls(value any, here, everywhere bool) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i], true, everywhere)
		}
	case map[string]any:
		for key, inner := range v {
			if v[key] = withoutNulls(inner, everywhere, everywhere); inner == nil && here {
				delete(v, key)
			}
		}
	}
	return value
}

// Rejections checks that the client reports the status, code and fields of every recorded rejection. It returns the
// codes.
func (p Player[S]) Rejections(t *testing.T) (codes map[string]int) {
	t.Parallel()
	codes = map[string]int{}
	for _, e := range p.Exchanges(400, 499) {
		if e.Request.Method == http.MethodDelete && e.Response.Status == http.StatusNotFound ||
			e.Response.Status == http.StatusTooManyRequests {
			continue // no error
		}
		s, _ := p.Service(e)
		if e.Response.Status == http.StatusNotFound {
			s.HandleFunc("GET "+path.Dir(e.Request.Path), apitest.Respond(http.StatusOK, apitest.ListOf()))
		}
		e.Request.Body = json.RawMessage(`{}`)
		_, err := p.Call(t, p.Connect(t, s), e)
		rejection, ok := api.AsError(err)
		if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || strings.Contains(err.Error(), "does not prove") {
			t.Errorf("%s: %v after %v", e.Name, err, s.Seen)
			continue
		}
		code, fields := rejectionOf(e)
		codes[code]++
		if rejection.Status != e.Response.Status || rejection.Code != code ||
			len(fields) > 0 && !reflect.DeepEqual(rejection.Fields, fields) {
			t.Errorf("%s: got %+v", e.Name, rejection)
		}
	}
	return codes
}

// rejectionOf decodes both forms of an error.
func rejectionOf(e evidence.Exchange) (code string, fields map[string]string) {
	var flat struct {
		Error json.RawMessage
		Code  string `json:"error_code"`
	}
	var object struct {
		Code    string
		Details struct{ Fields map[string]string }
	}
	if json.Unmarshal(e.Response.Body, &flat) != nil || json.Unmarshal(flat.Error, &object) != nil {
		return flat.Code, nil
	}
	return object.Code, object.Details.Fields
}
