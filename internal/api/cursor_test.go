package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

var listPayables = Request{Operation: "finance.payables.list",
	Query: url.Values{"company_id": {"c1"}, "occurred_at[gte]": {"2026-01-01"}}}

// followed reads a list completely or its error.
func followed(t *testing.T, c *Client, o CursorOptions[thing]) (ids []string, err error) {
	t.Helper()
	for v, failure := range Cursor(t.Context(), c, listPayables, o) {
		if failure != nil {
			return ids, failure
		}
		ids = append(ids, v.ID)
	}
	return ids, nil
}

// linked renders a page with the cursor of the next one; "" is null.
func linked(next string, ids ...string) string {
	items := make([]map[string]string, len(ids))
	for i, id := range ids {
		items[i] = map[string]string{"id": id}
	}
	var cursor any
	if next != "" {
		cursor = next
	}
	data, err := json.Marshal(map[string]any{"data": items, "meta": map[string]any{"next_cursor": cursor}})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestCursorFollowsThePages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pages []string
		want  string
		err   string // part of the error; the items before it came
	}{
		"one page":                   {[]string{linked("", "a", "b")}, "a b", ""},
		"none":                       {[]string{linked("")}, "", ""},
		"three pages":                {[]string{linked("x", "a", "b"), linked("y", "c"), linked("", "d")}, "a b c d", ""},
		"an empty page in between":   {[]string{linked("x", "a"), linked("y"), linked("", "b")}, "a b", ""},
		"an empty page at the end":   {[]string{linked("x", "a"), linked("")}, "a", ""},
		"one on two pages":           {[]string{linked("x", "a", "b"), linked("", "b", "c")}, "a b c", ""},
		"a page of repetitions":      {[]string{linked("x", "a"), linked("y", "a"), linked("", "b")}, "a b", ""},
		"no meta":                    {[]string{`{"data":[{"id":"a"}]}`}, "a", ""},
		"null meta":                  {[]string{`{"data":[{"id":"a"}],"meta":null}`}, "a", ""},
		"meta without a cursor":      {[]string{`{"data":[{"id":"a"}],"meta":{}}`}, "a", ""},
		"an empty cursor":            {[]string{`{"data":[{"id":"a"}],"meta":{"next_cursor":""}}`}, "a", ""},
		"null data":                  {[]string{`{"data":null,"meta":{"next_cursor":null}}`}, "", ""},
		"null items":                 {[]string{`{"data":[null,{"id":"a"}],"meta":{"next_cursor":null}}`}, "a", ""},
		"a cursor that names itself": {[]string{linked("x", "a"), linked("x", "b")}, "a", "the same cursor twice"},
		"a circle of cursors": {[]string{linked("x", "a"), linked("y", "b"), linked("x", "c")}, "a b",
			"the same cursor twice"},
		"a number for a cursor":         {[]string{`{"data":[{"id":"a"}],"meta":{"next_cursor":7}}`}, "", "not a string"},
		"an object for a cursor":        {[]string{`{"data":[{"id":"a"}],"meta":{"next_cursor":{}}}`}, "", "not a string"},
		"a list for the meta":           {[]string{`{"data":[{"id":"a"}],"meta":["x"]}`}, "", "not an object"},
		"no list":                       {[]string{linked("x", "a"), `{"items":[]}`}, "a", "not a list"},
		"a cursor that is not accepted": {[]string{linked("x", "a"), "400"}, "a", "400"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []step
			for _, page := range test.pages {
				if code, err := strconv.Atoi(page); err == nil {
					steps = append(steps, status(code))
					continue
				}
				steps = append(steps, ok(page))
			}
			transport := play(append(steps, step{status: 418})...)
			got, err := followed(t, newClient(t, transport), CursorOptions[thing]{ID: byID})
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			apitest.Says(t, err, test.err)
			if transport.count() != len(test.pages) {
				t.Errorf("asked %d times, want %d", transport.count(), len(test.pages))
			}
		})
	}
}

// TestCursorIsSentUnchanged: with every character it may have, and next to the same filters as the first request.
func TestCursorIsSentUnchanged(t *testing.T) {
	t.Parallel()
	const opaque = "a+b/c==&limit=1#é %25"
	for limit, want := range map[int]string{0: "100", 7: "7", 100: "100", 101: "100", -1: "100"} {
		transport := play(ok(linked(opaque, "a")), ok(linked("", "b")))
		if _, err := followed(t, newClient(t, transport), CursorOptions[thing]{ID: byID, Limit: limit}); err != nil {
			t.Fatal(err)
		}
		first, second := transport.seen[0].URL.Query(), transport.seen[1].URL.Query()
		if first.Has("cursor") || second.Get("cursor") != opaque {
			t.Errorf("sent the cursors %q and %q", first["cursor"], second["cursor"])
		}
		second.Del("cursor")
		if first.Encode() != second.Encode() || first.Get("limit") != want || first.Get("occurred_at[gte]") != "2026-01-01" ||
			first.Get("company_id") != "c1" {
			t.Errorf("limit %d: asked %v, then %v", limit, first, second)
		}
	}
	if len(listPayables.Query) != 2 {
		t.Errorf("the caller's query became %v", listPayables.Query)
	}
}

func TestCursorStopsWithItsConsumer(t *testing.T) {
	t.Parallel()
	transport := play(ok(linked("x", "a", "b")), ok(linked("y", "c", "d")))
	var got []string
	for v, err := range Cursor(t.Context(), newClient(t, transport), listPayables, CursorOptions[thing]{ID: byID}) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, v.ID); len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) || transport.count() != 2 {
		t.Errorf("%v after %d requests", got, transport.count())
	}
}

// TestCursorEndsEndlessLists: although every cursor is new.
func TestCursorEndsEndlessLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		item  func(page int) string
		want  string
		items int
	}{
		"always new": {func(page int) string { return strconv.Itoa(page) }, "more than 10000 pages", 10_000},
		// The first page brings something, and ten others nothing.
		"the same":     {func(int) string { return "a" }, "10 pages in a row", 1},
		"nothing ever": {func(int) string { return "" }, "10 pages in a row", 0},
	} {
		page := 0
		transport := play(step{respond: func(*http.Request) step {
			page++
			next := fmt.Sprintf("cursor-%d", page)
			if id := test.item(page); id != "" {
				return ok(linked(next, id))
			}
			return ok(linked(next))
		}})
		got, err := followed(t, newClient(t, transport), CursorOptions[thing]{ID: byID})
		if len(got) != test.items || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d items, %v", name, len(got), err)
		}
	}
}
