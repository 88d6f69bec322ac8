package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzed plays bodies as successes, in turn, and sends each request once.
func fuzzed(t *testing.T, bodies ...[]byte) (*script, *Client) {
	var steps []step
	for _, body := range bodies {
		steps = append(steps, ok(string(body)))
	}
	s := play(steps...)
	return s, newClient(t, s, func(cfg *Config) { cfg.MaxRetries = 0 })
}

// fuzzedPages splits what is fuzzed into the bodies of pages.
func fuzzedPages(text []byte) [][]byte {
	pages := bytes.Split(text, []byte("\n"))
	return pages[:min(len(pages), 8)]
}

// FuzzList: a list ends, whatever its pages are: after each page was read at most once, and once more to find that it
// repeats. No id comes twice.
func FuzzList(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"id":"a"}],"meta":{"total":2,"page":1,"per_page":1,"total_pages":2}}` + "\n" + `{"data":[{"id":"b"}]}`,
		`{"data":[{"name":"a"}]}`, `{"data":[{},{}]}` + "\n" + `{"data":[{"id":"a"},{"id":"a"}]}`, `{"data":null}`,
		`{"data":[null]}`, `{"data":[{"id":"a"}],"meta":{"total":9,"per_page":1}}`,
		`{"data":[{"id":"a"}],"meta":{"total":-1,"total_pages":1e9}}`, `{"data":{}}`, `[]`, `{"meta":[]}`,
		`{"data":[{"id":7}]}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, named bool) {
		pages := fuzzedPages(text)
		s, c := fuzzed(t, pages...)
		options := ListOptions[thing]{ID: func(v thing) string { return v.ID }}
		if !named {
			options.ID = nil
		}
		seen := map[string]bool{}
		for item, err := range List(t.Context(), c, Request{Operation: "customers.list"}, options) {
			if err != nil {
				break
			}
			if named && item.ID != "" && seen[item.ID] {
				t.Fatalf("%q comes twice", item.ID)
			}
			seen[item.ID] = true
		}
		if most := 2 * (len(pages) + 1); s.count() > most {
			t.Fatalf("%d requests for %d pages", s.count(), len(pages))
		}
	})
}

// FuzzCursor: a list with cursors ends, each cursor is sent as it came, and no item of a list that ends without an
// error comes twice.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"id":"a"}],"meta":{"next_cursor":"x"}}` + "\n" + `{"data":[{"id":"b"}],"meta":{"next_cursor":null}}`,
		`{"data":[],"meta":{"next_cursor":"x"}}`, `{"data":[{}],"meta":{"next_cursor":"&limit=1#\u0000"}}`,
		`{"data":[],"meta":{"next_cursor":7}}`, `{"data":[],"meta":null}`, `{"data":[{"id":"a"}],"meta":[]}`,
		`{"data":[{"id":"a"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		pages := fuzzedPages(text)
		s, c := fuzzed(t, pages...)
		seen := map[string]bool{}
		for item, err := range Cursor(t.Context(), c, Request{Operation: "finance.records.list",
			Path: map[string]string{"collection": "payables"}},
			CursorOptions[thing]{ID: func(v thing) string { return v.ID }}) {
			if err == nil && item.ID != "" && seen[item.ID] {
				t.Fatalf("%q comes twice", item.ID)
			}
			seen[item.ID] = true
		}
		if s.count() > len(pages)+1 {
			t.Fatalf("%d requests for %d pages", s.count(), len(pages))
		}
		for i, request := range s.seen[1:] {
			cursor, err := cursorOf(&Response{Body: pages[i]})
			if err != nil || cursor == "" || request.URL.Query().Get("cursor") != cursor || len(request.URL.Query()) != 2 {
				t.Fatalf("%s after the cursor %q, %v", request.URL, cursor, err)
			}
		}
	})
}

// FuzzOne: what comes back without an error is the object that was asked for, and JSON.
func FuzzOne(f *testing.F) {
	for _, seed := range []string{`{"data":{"id":"c1"}}`, `{"id":"C1"}`, `{"data":{"id":"c2"}}`, `{"data":null}`,
		`{"error":{"code":"x"}}`, `{}`, `{"data":{"id":["c1"]}}`, `{"data":{"Id":"c2"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, c := fuzzed(t, body)
		object, err := One[thing](t.Context(), c, getCustomer)
		if err == nil && object.ID != "" && object.ID != "c1" {
			t.Errorf("c1 was asked for, and %q is returned", object.ID)
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("the error is no text: %q", err)
		}
	})
}

// FuzzOwnToken: an error shows no token of the provider, wherever in the response it is, and however JSON writes it.
func FuzzOwnToken(f *testing.F) {
	for _, seed := range []struct{ before, after string }{
		{`{"error":{"code":"c","message":"`, `"}}`}, {`{"error":{"code":"`, `","message":"m"}}`},
		{"<title>", "</title>"}, {"", ""}, {`{"error":{"code":"c","message":"m","details":{"fields":{"`, `":["x"]}}}}`},
		{`{"error":"`, `","error_code":"x"}`}, {`{"message":"`, `"}`},
	} {
		f.Add(seed.before, seed.after, "text/html", uint32(0))
		f.Add(seed.before, seed.after, "application/json", uint32(5))
	}
	f.Fuzz(func(t *testing.T, before, after, contentType string, escapes uint32) {
		if strings.Contains(before+after, testToken[:8]) {
			return
		}
		var token strings.Builder
		for i, c := range testToken {
			if escapes>>(i%32)&1 == 1 && strings.HasPrefix(strings.TrimSpace(before), "{") {
				fmt.Fprintf(&token, `\u%04x`, c)
			} else {
				token.WriteRune(c)
			}
		}
		s := step{status: 422, body: before + token.String() + after, header: map[string]string{"Content-Type": contentType,
			"Request-Id": contentType + testToken}}
		_, err := One[thing](t.Context(), newClient(t, play(s)), createCustomer)
		e, isError := AsError(err)
		if !isError {
			t.Fatalf("%v", err)
		}
		if shown := fmt.Sprintf("%v %+v %s", err, *e, e.Details); strings.Contains(shown, testToken[:8]) {
			t.Errorf("the token is shown: %s", shown)
		}
	})
}

// FuzzMaskText: what looks like a secret is masked in every text, in JSON at any depth, and in JSON inside of JSON.
func FuzzMaskText(f *testing.F) {
	for _, seed := range []string{"", "sent ", `{"a":"`, "authorization: ", "Bearer ", "eyJaaaaa.a.", `\u0000`,
		"\xff", "whsec"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		const hidden = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
		if strings.Contains(before+after, hidden[:12]) {
			return
		}
		for _, secret := range []string{"whsec_" + hidden, "eyJhbGciOiJIUzUxMiJ9." + hidden + "." + hidden,
			"Bearer " + hidden} {
			text := before + " " + secret + after
			inner := encodeMasked(map[string]any{"deep": []any{text, map[string]any{text: nil}}})
			for _, shown := range []string{maskText(text), MaskJSON([]byte(inner)),
				MaskJSON([]byte(encodeMasked(map[string]any{"body": inner})))} {
				if strings.Contains(shown, hidden[:12]) {
					t.Errorf("%q is shown as %q", text, shown)
				}
			}
		}
	})
}

// FuzzRefreshed: whatever a list says, a refresh shows the object that was asked for, as a read of it does.
func FuzzRefreshed(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"id":"a","v":1}],"meta":{"total":1,"per_page":100}}`,
		`{"data":[{"id":"a","v":2}],"meta":{"total":1,"per_page":1}}`,
		`{"data":[{"id":"b","v":1}],"meta":{"total":9,"per_page":1}}`,
		`{"data":[null],"meta":{"total":1,"per_page":9223372036854775807}}`, `{"data":[{}],"meta":{"total":1,"per_page":1}}`,
		`{"data":[],"meta":{"total":1000000,"per_page":100}}`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		respond := func(r *http.Request) step {
			if id, single := strings.CutPrefix(r.URL.Path, "/v1/customers/"); single {
				return ok(`{"data":{"id":"` + id + `","v":1}}`)
			}
			return ok(string(text))
		}
		c := newClient(t, play(step{respond: respond}), func(cfg *Config) { cfg.MaxRetries, cfg.BulkRefresh = 0, true })
		for _, id := range []string{"b", "c", "d", "e", "a", "f", "g"} {
			object, _, err := Refreshed(t.Context(), c, &Writes{}, Listing{Family: "customers", ByID: true}, id,
				func(ctx context.Context, id string) (*map[string]any, error) {
					v, err := One[map[string]any](ctx, c, Request{Operation: "customers.get", Path: map[string]string{"id": id}})
					return &v, err
				}, func(*map[string]any) string { return "" })
			if err != nil || !strings.EqualFold(fmt.Sprint((*object)["id"]), id) && (*object)["id"] != nil {
				t.Fatalf("%s is %v, %v", id, object, err)
			}
		}
	})
}
