package finance

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// pages returns a list page by page.
func pages(first, second string) http.HandlerFunc {
	return turns(respond(200, first), respond(200, second))
}

func TestListsAskTheirOwnPath(t *testing.T) {
	t.Parallel()
	for path, list := range map[string]func(*Service, context.Context, Query) iter.Seq2[Record, error]{
		"/v1/accounts":    (*Service).ListAccounts,
		"/v1/payables":    (*Service).ListPayables,
		"/v1/receivables": (*Service).ListReceivables,
		"/v1/cost-centers": func(s *Service, ctx context.Context, q Query) iter.Seq2[Record, error] {
			return s.ListRecords(ctx, "cost-centers", q)
		},
	} {
		d := newWire(routes{"GET " + path: pages(`{"data":[{"id":"a","name":"A"}],"meta":{"next_cursor":"c+1/=="}}`,
			`{"data":[{"id":"b"},{"name":"no id"}],"meta":{"next_cursor":null}}`)})
		ids, err := idsOf(list(newService(t, d), t.Context(),
			Query{Filters: map[string]string{"company_id": vendor, "occurred_at[gte]": "2026-01-01"}}))
		if err != nil || ids != "a b " {
			t.Errorf("%s: %q, %v", path, ids, err)
		}
		want := url.Values{"limit": {"100"}, "company_id": {vendor}, "occurred_at[gte]": {"2026-01-01"}}
		if have := d.Queries[0]; have != want.Encode() {
			t.Errorf("%s: asked %s", path, have)
		}
		want.Set("cursor", "c+1/==")
		if have := d.Queries[1]; have != want.Encode() {
			t.Errorf("%s: then asked %s", path, have)
		}
	}
}

func TestListStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]struct{ ids, asked string }{
		1:   {"a", "1"},
		2:   {"a b", "2"},
		3:   {"a b c", "3"},
		250: {"a b c d", "100"},
		0:   {"a b c d", "100"},
	} {
		d := newWire(routes{"/": pages(`{"data":[{"id":"a"},{"id":"b"}],"meta":{"next_cursor":"x"}}`,
			`{"data":[{"id":"c"},{"id":"d"}],"meta":{}}`)})
		ids, err := idsOf(newService(t, d).ListPayables(t.Context(), Query{Limit: limit}))
		if err != nil || ids != want.ids || d.Sent[0].URL.Query().Get("limit") != want.asked {
			t.Errorf("limit %d: %q, %v, asked %s", limit, ids, err, d.Queries[0])
		}
		if needed := (len(strings.Fields(ids)) + 1) / 2; len(d.Seen) != needed {
			t.Errorf("limit %d: %d requests", limit, len(d.Seen))
		}
	}
}

func TestListRefusesFiltersOfPaging(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"limit", "cursor", ""} {
		d := newWire(nil)
		if _, err := idsOf(newService(t, d).ListPayables(t.Context(), Query{Filters: map[string]string{name: "1"}})); err ==
			nil || len(d.Seen) > 0 {
			t.Errorf("%q: %v after %d requests", name, err, len(d.Seen))
		}
	}
}

// TestIgnoredFilters: a service that does not filter gives the same list, as far as that can be detected.
func TestIgnoredFilters(t *testing.T) {
	t.Parallel()
	const other = "11111111-2222-4333-8444-555555555555"
	for _, c := range []struct {
		filter, value string
		item          string
		kept          bool
	}{
		{"company_id", vendor, `"company_id":"` + vendor + `"`, true},
		{"company_id", vendor, `"company_id":"` + strings.ToUpper(vendor) + `"`, true},
		{"company_id", vendor, `"company_id":"` + other + `"`, false},
		{"company_id", vendor, `"company_id":null`, true},
		{"company_id", vendor, `"company":{"id":"` + other + `"}`, true},
		{"company_id", "acme", `"company_id":"` + other + `"`, true},
		{"status", "open,paid", `"status":"open"`, true},
		{"occurred_at[gte]", "2026-01-10", `"occurred_at":"2026-01-10"`, true},
		{"occurred_at[gte]", "2026-01-10", `"occurred_at":"2026-01-09"`, false},
		{"occurred_at[gt]", "2026-01-10", `"occurred_at":"2026-01-09"`, false},
		{"occurred_at[lte]", "2026-01-10", `"occurred_at":"2026-01-11"`, false},
		{"occurred_at[lt]", "2026-01-10", `"occurred_at":"2026-01-11"`, false},
		{"occurred_at[lte]", "2026-01-10", `"occurred_at":"2026-01-10"`, true},
		{"occurred_at[gte]", "2026-01-10T12:00:00Z", `"occurred_at":"2026-01-10T08:59:59.999-03:00"`, false},
		{"occurred_at[gte]", "2026-01-10T12:00:00Z", `"occurred_at":"2026-01-10T09:00:00.000-03:00"`, true},
		// Which zone the service counts days in is not known.
		{"occurred_at[gte]", "2026-01-10", `"occurred_at":"2026-01-09T21:00:00.000Z"`, true},
		{"occurred_at[gte]", "2026-01-10", `"occurred_at":"2026-01-08T23:00:00.000Z"`, false},
		{"occurred_at[lte]", "2026-01-10", `"occurred_at":"2026-01-11T02:00:00.000Z"`, true},
		{"occurred_at[lte]", "2026-01-10", `"occurred_at":"2026-01-12T01:00:00.000Z"`, false},
		{"occurred_at[gte]", "yesterday", `"occurred_at":"2020-01-01"`, true},
		{"occurred_at[gte]", "2026-01-10", `"occurred_at":"soon"`, true},
		{"occurred_at[near]", "2026-01-10", `"occurred_at":"2020-01-01"`, true},
		{"occurred_at[gte", "2026-01-10", `"occurred_at":"2020-01-01"`, true},
		{"amount[gte]", "10.00", `"amount":"5.00"`, true},
	} {
		d := newWire(routes{"/": respond(200, `{"data":[{"id":"a",`+c.item+`},{"id":"b"}],"meta":{"next_cursor":null}}`)})
		ids, err := idsOf(newService(t, d).ListPayables(t.Context(),
			Query{Filters: map[string]string{c.filter: c.value}, Limit: 1}))
		want := "b"
		if c.kept {
			want = "a"
		}
		if err != nil || ids != want {
			t.Errorf("%s=%s against %s: %q, %v", c.filter, c.value, c.item, ids, err)
		}
	}
}

func TestKeyFor(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	for _, c := range []struct{ collection, body string }{
		{"bills", `{}`}, {"bills", `{"a":1}`}, {"bills", `{"a":"1"}`}, {"bill", `s{"a":1}`}, {"payables", `{}`},
		{"bills\x00", `{}`}, {"bills", "\x00{}"},
	} {
		key := KeyFor(c.collection, json.RawMessage(c.body))
		if !KeyPattern.MatchString(key) || !KeyPattern.MatchString(successor(key)) || successor(key) == key {
			t.Errorf("%v: %s, followed by %s", c, key, successor(key))
		}
		if key != KeyFor(c.collection, json.RawMessage(c.body)) {
			t.Errorf("%v: not always the same key", c)
		}
		name := c.collection + c.body
		if other, taken := keys[key]; taken && other != name {
			t.Errorf("%q and %q have the same key", name, other)
		}
		keys[key] = name
	}
	// A plan that was saved by one release is applied by the next one: the key of a body never changes.
	if key := KeyFor("payables", json.RawMessage(`{"amount":"10.50"}`)); key != "52a437ff-21ab-4b58-8249-a8c7c2f242ef" {
		t.Errorf("the key is %s", key)
	}
}

func TestKeyPattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		key1: true, "6F1C0A52-6F2A-4B7E-9F56-0D4F0B9A7C11": true,
		"6f1c0a52-6f2a-1b7e-9f56-0d4f0b9a7c11": false, "6f1c0a52-6f2a-4b7e-cf56-0d4f0b9a7c11": false,
		"6f1c0a526f2a4b7e9f560d4f0b9a7c11": false, "": false, key1 + "\n": false, " " + key1: false,
	} {
		if KeyPattern.MatchString(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
