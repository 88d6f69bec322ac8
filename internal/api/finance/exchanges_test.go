package finance

import (
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// played is a written-down request with those that follow from it: the pages of a list.
func played(t *testing.T, first evidence.Exchange) []evidence.Exchange {
	t.Helper()
	chain := []evidence.Exchange{first}
	for cursor := cursorIn(first); cursor != ""; cursor = cursorIn(chain[len(chain)-1]) {
		next := slices.IndexFunc(exchanges(200, 200), func(e evidence.Exchange) bool {
			return e.Request.Query["cursor"] == cursor
		})
		if next < 0 {
			t.Fatalf("no written-down page follows %s", chain[len(chain)-1].Name)
		}
		chain = append(chain, exchanges(200, 200)[next])
	}
	return chain
}

func cursorIn(e evidence.Exchange) string {
	var page struct {
		Meta struct {
			Next string `json:"next_cursor"`
		}
	}
	_ = json.Unmarshal(e.Response.Body, &page) // what is not a page has no cursor
	return page.Meta.Next
}

func exchanges(from, to int) (found []evidence.Exchange) {
	for _, e := range evidence.All("finance/") {
		if e.Response.Status >= from && e.Response.Status <= to {
			found = append(found, e)
		}
	}
	return found
}

// TestExchanges plays every written-down success to its call: what is sent is what was written down, and what is
// returned comes out with nothing lost or changed.
func TestExchanges(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, exchange := range exchanges(200, 299) {
		made := exchange.Operation == "finance.records.create"
		if exchange.Request.Query["cursor"] != "" || made && exchange.Request.Headers["X-Idempotency-Key"] == "" {
			continue // a later page; a creation that this client never sends
		}
		covered[exchange.Operation] = true
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			chain := played(t, exchange)
			d := newDesk()
			n := 0
			for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
				d.over[method] = func(w http.ResponseWriter, r *http.Request) {
					response := chain[min(n, len(chain)-1)].Response
					n++
					w.Header().Del("Date") // a creation of that time is new
					w.Header().Set("Content-Type", response.Headers["Content-Type"])
					respond(response.Status, string(response.Bytes()))(w, r)
				}
			}
			s := newService(t, d)
			got, err := calls[exchange.Operation](t, s, exchange)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.seen) != len(chain) {
				t.Fatalf("asked %s", d.requests())
			}
			for i, e := range chain {
				sameRequest(t, d.seen[i], d.bodies[i], e.Request)
			}
			sameResponse(t, got, chain)
		})
	}
	for operation := range calls {
		if !covered[operation] {
			t.Errorf("no exchange of %s was played", operation)
		}
	}
}

// sameRequest compares all but the limit, which is the client's own affair.
func sameRequest(t *testing.T, got *http.Request, body string, want evidence.Request) {
	t.Helper()
	query := url.Values{}
	for name, value := range want.Query {
		query.Set(name, value)
	}
	have := got.URL.Query()
	have.Del("limit")
	query.Del("limit")
	if got.Method != want.Method || got.URL.Path != want.Path || have.Encode() != query.Encode() {
		t.Errorf("sent %s %s, want %s %s?%s", got.Method, got.URL, want.Method, want.Path, query.Encode())
	}
	if key := got.Header.Get("X-Idempotency-Key"); key != want.Headers["X-Idempotency-Key"] {
		t.Errorf("sent the key %q, want %q", key, want.Headers["X-Idempotency-Key"])
	}
	if (body == "") != (want.Body == nil) || body != "" && !reflect.DeepEqual(decoded(t, body),
		decoded(t, string(want.Body))) {
		t.Errorf("sent  %s\nwant %s", body, want.Body)
	}
}

// sameResponse compares what came out with the data of the responses, those of pages one after the other.
func sameResponse(t *testing.T, got any, chain []evidence.Exchange) {
	t.Helper()
	if text, isText := got.(string); isText || got == nil {
		if text != chain[0].Response.Text {
			t.Errorf("got  %s\nwant %s", text, chain[0].Response.Text)
		}
		return
	}
	var want any
	for _, e := range chain {
		whole := decoded(t, string(e.Response.Body))
		data, wrapped := whole.(map[string]any)["data"]
		items, isList := data.([]any)
		before, _ := want.([]any)
		switch {
		case isList:
			want = append(append([]any{}, before...), items...)
		case wrapped:
			want = data
		default:
			want = whole
		}
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(decoded(t, string(encoded)), want) {
		t.Errorf("got  %s\nwant %v", encoded, want)
	}
}

// TestExchangesOfRefusals plays every written-down rejection: its status, its code and the fields it names come out,
// after one request.
func TestExchangesOfRefusals(t *testing.T) {
	t.Parallel()
	statuses := map[int]bool{}
	for _, exchange := range exchanges(400, 499) {
		gone := exchange.Request.Method == http.MethodDelete && exchange.Response.Status == http.StatusNotFound
		if gone || exchange.Response.Status == http.StatusTooManyRequests {
			continue
		}
		statuses[exchange.Response.Status] = true
		d := newDesk()
		d.over[exchange.Request.Method] = respond(exchange.Response.Status, string(exchange.Response.Body))
		if exchange.Response.Status == http.StatusNotFound {
			d.over["GET "+path.Dir(exchange.Request.Path)] = respond(200, `{"data":[]}`)
		}
		s := newService(t, d)
		_, err := calls[exchange.Operation](t, s, exchange)
		e, ok := api.AsError(err)
		if !ok || strings.Contains(err.Error(), "does not prove") {
			t.Errorf("%s: %v after %s", exchange.Name, err, d.requests())
			continue
		}
		var want struct {
			Error struct {
				Code    string
				Details struct{ Fields map[string]string }
			}
		}
		if err := json.Unmarshal(exchange.Response.Body, &want); err != nil {
			t.Fatal(err)
		}
		fields := want.Error.Details.Fields
		if e.Status != exchange.Response.Status || e.Code != want.Error.Code ||
			len(fields) > 0 && !reflect.DeepEqual(e.Fields, fields) {
			t.Errorf("%s: got %+v", exchange.Name, e)
		}
	}
	for _, status := range []int{400, 401, 403, 404, 422} {
		if !statuses[status] {
			t.Errorf("no refusal with status %d was played", status)
		}
	}
}

// placeOf takes the path /v1/{collection}/{id} of a written-down request apart.
func placeOf(e evidence.Exchange) (collection, id string) {
	collection, id, _ = strings.Cut(strings.TrimPrefix(e.Request.Path, "/v1/"), "/")
	return collection, id
}

// calls carries out each operation out of a written-down request. A list is read completely.
var calls = map[string]func(*testing.T, *Service, evidence.Exchange) (any, error){
	"finance.accounts.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		return raws(s.ListAccounts(t.Context(), queryOf(e)))
	},
	"finance.payables.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		return raws(s.ListPayables(t.Context(), queryOf(e)))
	},
	"finance.receivables.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		return raws(s.ListReceivables(t.Context(), queryOf(e)))
	},
	"finance.records.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, _ := placeOf(e)
		return raws(s.ListRecords(t.Context(), collection, queryOf(e)))
	},
	"finance.records.create": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, _ := placeOf(e)
		made, err := s.CreateRecord(t.Context(), collection, e.Request.Body, e.Request.Headers["X-Idempotency-Key"])
		if err != nil {
			return nil, err
		}
		return made.Raw, nil
	},
	"finance.records.get": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, id := placeOf(e)
		return raw(s.GetRecord(t.Context(), collection, id))
	},
	"finance.records.update": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, id := placeOf(e)
		change, _ := decoded(t, string(e.Request.Body)).(map[string]any)
		return raw(s.UpdateRecord(t.Context(), collection, id, change))
	},
	"finance.records.delete": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, id := placeOf(e)
		_, err := s.DeleteRecord(t.Context(), collection, id)
		return nil, err
	},
	"finance.openapi.json": func(t *testing.T, s *Service, _ evidence.Exchange) (any, error) {
		return s.OpenAPIJSON(t.Context())
	},
	"finance.openapi.yaml": func(t *testing.T, s *Service, _ evidence.Exchange) (any, error) {
		return s.OpenAPIYAML(t.Context())
	},
}

func queryOf(e evidence.Exchange) Query {
	q := Query{Filters: map[string]string{}}
	for name, value := range e.Request.Query {
		if !Reserved(name) {
			q.Filters[name] = value
		}
	}
	return q
}

func raw(record *Record, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return record.Raw, nil
}

func raws(list iter.Seq2[Record, error]) (any, error) {
	all := []json.RawMessage{}
	for record, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, record.Raw)
	}
	return all, nil
}
