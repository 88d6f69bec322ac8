package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

var listCustomers = Request{Operation: "customers.list"}

func byID(v thing) string { return v.ID }

// collect reads a list completely or its error.
func collect(t *testing.T, c *Client, o ListOptions[thing]) (ids []string, err error) {
	t.Helper()
	for v, failure := range List(t.Context(), c, listCustomers, o) {
		if failure != nil {
			return ids, failure
		}
		ids = append(ids, v.ID)
	}
	return ids, nil
}

// envelope renders a page; a negative total leaves meta out.
func envelope(total, page, perPage int, ids ...string) string {
	items := make([]map[string]string, len(ids))
	for i, id := range ids {
		items[i] = map[string]string{"id": id}
	}
	body := map[string]any{"data": items}
	if total >= 0 {
		body["meta"] = map[string]int{"total": total, "page": page, "per_page": perPage,
			"total_pages": (total + perPage - 1) / perPage}
	}
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestListFollowsThePagesThatCame(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pages []string
		want  string
		sent  int
	}{
		"one page": {[]string{envelope(2, 1, 100, "a", "b")}, "a b", 1},
		"none":     {[]string{envelope(0, 1, 100)}, "", 1},
		"clamped pages": {[]string{envelope(5, 1, 2, "a", "b"), envelope(5, 2, 2, "c", "d"),
			envelope(5, 3, 2, "e")}, "a b c d e", 3},
		"null data": {
			[]string{`{"data":null,"meta":{"total":0,"page":1,"per_page":20,"total_pages":0}}`}, "", 1},
		"null items": {[]string{`{"data":[null,{"id":"a"},null],"meta":{"total":1,"total_pages":1}}`, envelope(1, 2, 100)},
			"a", 2},
		"without meta": {[]string{envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "c")}, "a b c", 2},
		"without meta, full last page": {[]string{envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "c", "d"),
			envelope(-1, 0, 0)}, "a b c d", 3},
		"without total_pages": {[]string{`{"data":[{"id":"a"}],"meta":{"total":2,"per_page":1}}`,
			`{"data":[{"id":"b"}],"meta":{"total":2,"per_page":1}}`, envelope(2, 3, 1)}, "a b", 3},
		"fractions in meta": {[]string{`{"data":[{"id":"a"}],"meta":{"total":1.0,"per_page":1.0,"total_pages":1.0}}`,
			`{"data":[]}`}, "a", 2},
		"broken meta":                {[]string{`{"data":[{"id":"a"}],"meta":["x"]}`, `{"data":[],"meta":3}`}, "a", 2},
		"the page parameter ignored": {[]string{envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "a", "b")}, "a b", 2},
		"one on two pages": {[]string{envelope(3, 1, 2, "a", "b"), envelope(3, 2, 2, "b", "c"),
			envelope(3, 3, 2)}, "a b c", 3},
		"missing between pages": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "d"),
			envelope(4, 3, 2), envelope(4, 1, 2, "b", "c"), envelope(4, 2, 2, "d", "e"), envelope(4, 3, 2)}, "a b d c e", 6},
		"still missing after a restart": {[]string{envelope(9, 1, 5, "a", "b"), envelope(9, 2, 5, "c"),
			envelope(9, 3, 5), envelope(9, 1, 5, "a", "b"), envelope(9, 2, 5, "c"), envelope(9, 3, 5)}, "a b c", 6},
		"the total shrinks on the way": {[]string{envelope(4, 1, 2, "a", "b"), envelope(3, 2, 2, "d"),
			envelope(3, 1, 2, "b", "c"), envelope(3, 2, 2, "d")}, "a b d c", 4},
		"the total grows on the way": {[]string{envelope(2, 1, 1, "a"), envelope(3, 2, 1, "b"), envelope(3, 3, 1, "c"),
			envelope(3, 4, 1), envelope(3, 1, 1, "a"), envelope(3, 2, 1, "b"), envelope(3, 3, 1, "c"), envelope(3, 4, 1)},
			"a b c", 8},
		"more pages promised than exist": {[]string{`{"data":[{"id":"a"}],"meta":{"total_pages":99}}`,
			`{"data":[],"meta":{"total_pages":99}}`}, "a", 2},
		"without ids, told by the meta": {[]string{`{"data":[{},{}],"meta":{"total":3,"total_pages":2}}`,
			`{"data":[{}],"meta":{"total":3,"total_pages":2}}`}, "  ", 2},
		"without ids, repeated": {[]string{`{"data":[{"count":1},{"count":2}]}`,
			`{"data":[{"count":1},{"count":2}]}`}, " ", 2},
		"without ids, in turn": {[]string{`{"data":[{"count":1}]}`, `{"data":[{"count":2}]}`,
			`{"data":[{"count":1}]}`}, " ", 3},
		"a total that counts other items": {[]string{envelope(1, 1, 100, "a", "b"), envelope(1, 2, 100)}, "a b", 2},
		"a total of 0": {[]string{envelope(0, 1, 2, "a", "b"), envelope(0, 2, 2, "c", "d"), envelope(0, 3, 2, "e"),
			envelope(0, 4, 2)}, "a b c d e", 4},
		"a total that is too small": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"),
			envelope(4, 3, 2, "e"), envelope(4, 4, 2)}, "a b c d e", 4},
		"too few pages promised": {[]string{`{"data":[{"id":"a"}],"meta":{"total_pages":1}}`,
			`{"data":[{"id":"b"}],"meta":{"total_pages":1}}`, `{"data":[],"meta":{"total_pages":1}}`}, "a b", 3},
		"filtered after paging": {[]string{envelope(3, 1, 2, "a"), envelope(3, 2, 2, "b"), envelope(3, 3, 2, "c")},
			"a b c", 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []step
			for _, page := range test.pages {
				steps = append(steps, ok(page))
			}
			transport := play(append(steps, step{status: 418})...)
			got, err := collect(t, newClient(t, transport), ListOptions[thing]{ID: byID})
			if err != nil || strings.Join(got, " ") != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
			if transport.count() != test.sent {
				t.Errorf("asked %d times, want %d", transport.count(), test.sent)
			}
		})
	}
}

func TestListAsksForAStableOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		options ListOptions[thing]
		want    string
	}{
		{ListOptions[thing]{}, "page=1&per_page=100&search=x&sort_by=created_at&sort_order=asc"},
		{ListOptions[thing]{PerPage: 7, SortBy: "name", SortOrder: "desc"},
			"page=1&per_page=7&search=x&sort_by=name&sort_order=desc"},
		{ListOptions[thing]{SortBy: "-", SortOrder: "desc"}, "page=1&per_page=100&search=x"},
	}
	for _, test := range tests {
		transport := play(ok(`{"data":[]}`))
		r := listCustomers
		r.Query = map[string][]string{"search": {"x"}}
		for _, err := range List(t.Context(), newClient(t, transport), r, test.options) {
			t.Error(err)
		}
		if got := transport.seen[0].URL.RawQuery; got != test.want {
			t.Errorf("asked %s, want %s", got, test.want)
		}
		if len(r.Query) != 1 {
			t.Errorf("the caller's query became %v", r.Query)
		}
	}
}

func TestListStopsWithItsConsumer(t *testing.T) {
	t.Parallel()
	transport := play(ok(envelope(6, 1, 2, "a", "b")), ok(envelope(6, 2, 2, "c", "d")))
	var got []string
	for v, err := range List(t.Context(), newClient(t, transport), listCustomers, ListOptions[thing]{ID: byID}) {
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

func TestListFailsWhereItStands(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second step
		want   string
	}{
		"rejected":      {status(403), "403"},
		"no data":       {ok(`{"items":[]}`), "not a list"},
		"data no list":  {ok(`{"data":{"id":"x"}}`), "not a list: its data is an object"},
		"HTML":          {step{status: 200, body: "<p>", header: map[string]string{"Content-Type": "text/html"}}, "not JSON"},
		"a bad item":    {ok(`{"data":[{"id":true}]}`), `"id"`},
		"an empty body": {ok(``), "no body"},
	} {
		transport := play(ok(envelope(4, 1, 2, "a", "b")), test.second)
		got, err := collect(t, newClient(t, transport, noRetries), ListOptions[thing]{ID: byID})
		if len(got) != 2 || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v, want %s", name, got, err, test.want)
		}
	}
}

// TestListEndsEndlessPages: a list that never gets nearer to its end is told from one that others add to. Where nothing
// is counted, only the number of pages tells.
func TestListEndsEndlessPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meta  func(page int) string // of a page with one item
		items int
		want  string // part of the error
	}{
		"the total grows with every page": {func(page int) string {
			return fmt.Sprintf(`{"total":%d,"per_page":1}`, page+1)
		}, 11, "does not end"},
		"so do the pages, far ahead": {func(page int) string {
			return fmt.Sprintf(`{"total_pages":%d}`, page+500)
		}, 11, "does not end"},
		"after many pages": {func(page int) string {
			return fmt.Sprintf(`{"total_pages":%d}`, max(20, page+1))
		}, 29, "does not end"},
		"grows by more and more": {func(page int) string {
			return fmt.Sprintf(`{"total_pages":%d}`, page*page+9)
		}, 11, "does not end"},
		"grows on nine pages": {func(page int) string {
			return fmt.Sprintf(`{"total_pages":%d}`, min(page+1, 11))
		}, 11, ""},
		"grows now and then": {func(page int) string {
			return fmt.Sprintf(`{"total_pages":%d}`, min(page+2-page%2, 40))
		}, 40, ""},
		"nothing is counted": {func(int) string { return `{}` }, maxPages, "more than 10000 pages"},
	} {
		transport := play(step{respond: func(r *http.Request) step {
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			if test.want == "" && page > test.items {
				return ok(`{"data":[]}`)
			}
			return ok(fmt.Sprintf(`{"data":[{"id":"%d"}],"meta":%s}`, page, test.meta(page)))
		}})
		got, err := collect(t, newClient(t, transport), ListOptions[thing]{ID: byID})
		if len(got) != test.items || (err != nil) != (test.want != "") || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: %d items, %v", name, len(got), err)
		}
		var plain *Error
		if errors.As(err, &plain) {
			t.Errorf("%s: a list without an end is no response's error", name)
		}
	}
}

// TestListThatIsWhole: a list that has no pages is asked for once, unless its meta says otherwise.
// TestListOfTooManyBytes: pages that are too large in sum end a list before they fill the memory.
func TestListOfTooManyBytes(t *testing.T) {
	t.Parallel()
	var err error
	l := &reading[thing]{client: newClient(t, play(ok(``))), request: listCustomers,
		yield: func(_ thing, failure error) bool { err = failure; return true }}
	l.emit(&page[thing]{size: maxListBytes}, nil)
	if l.stopped {
		t.Errorf("%v", err)
	}
	l.emit(&page[thing]{size: 1}, nil)
	const want = "billing customers.list: the responses have more than 256 MiB in sum: to read less, set limit or a filter"
	if !l.stopped || fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	p, err := decodePage[thing](&Response{Body: []byte(`{"data":[]}`), Header: http.Header{}})
	if err != nil || p.size != 11 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestTooDeepNamesTheItem: of a list, the error names the object that is nested too deeply, also if its id comes after
// that.
func TestTooDeepNamesTheItem(t *testing.T) {
	t.Parallel()
	deep := func(levels int) string { return strings.Repeat(`{"id":`, levels) + `"x"` + strings.Repeat("}", levels) }
	item := func(id string, levels int) string {
		return `{"custom_metadata":` + deep(levels) + `,"kind":"id","id":"` + id + `","tags":["id"]}`
	}
	for body, want := range map[string]string{
		`{"data":[` + item("a", 5) + "," + item("b", maxNesting) + "," + item("c", 5) + `]}`: `(item "b")`,
		`{"data":[{"id":7,"x":` + deep(maxNesting) + `}]}`:                                   `(item "7")`,
		`{"data":[{"x":` + deep(maxNesting) + `}]}`:                                          "levels",
		`{"data":` + item("a", maxNesting) + `}`:                                             "levels",
		strings.Repeat("[", 100_000):                                                         "levels",
	} {
		_, err := collect(t, newClient(t, play(ok(body))), ListOptions[thing]{ID: byID})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.60s…: %v, want %s", body, err, want)
		}
	}
}

func TestListThatIsWhole(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"data":[{"count":1},{"count":2}]}`:                             1,
		`{"data":[{"id":"a"}],"meta":{}}`:                                1,
		`{"data":[{"id":"a"}],"meta":{"total":1,"page":1,"per_page":9}}`: 1,
	} {
		transport := play(ok(body))
		if _, err := collect(t, newClient(t, transport), ListOptions[thing]{ID: byID, Whole: true}); err != nil ||
			transport.count() != want {
			t.Errorf("%s: %v after %d requests, want %d", body, err, transport.count(), want)
		}
	}
}

// TestListBackward: the end of the list comes first, whatever the service says of its pages, and a consumer that stops
// early has read the first page and the last ones.
func TestListBackward(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pages []string
		limit int
		want  string
		asked string // the pages, in order
	}{
		"none":         {[]string{envelope(0, 1, 2)}, 0, "", "1"},
		"one page":     {[]string{envelope(2, 1, 2, "a", "b"), envelope(2, 2, 2)}, 0, "b a", "1 2"},
		"a short page": {[]string{envelope(1, 1, 2, "a")}, 0, "a", "1"},
		"a total of 0": {[]string{envelope(0, 1, 2, "a", "b"), envelope(0, 2, 2, "c"), envelope(0, 1, 2, "a", "b"),
			envelope(0, 2, 2, "c"), envelope(0, 3, 2)}, 0, "c b a", "1 2 1 2 3"},
		"a total that is too small": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"),
			envelope(4, 3, 2, "e"), envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"), envelope(4, 3, 2, "e"),
			envelope(4, 4, 2)}, 1, "e", "1 2 3 1 2 3 4"},
		"three pages": {[]string{envelope(5, 1, 2, "a", "b"), envelope(5, 3, 2, "e"), envelope(5, 2, 2, "c", "d"),
			envelope(5, 1, 2, "a", "b")}, 0, "e d c b a", "1 3 2 1"},
		"the newest": {[]string{envelope(5, 1, 2, "a", "b"), envelope(5, 3, 2, "e")}, 1, "e", "1 3"},
		"without total_pages": {[]string{`{"data":[{"id":"a"}],"meta":{"total":2,"per_page":1}}`,
			`{"data":[{"id":"b"}],"meta":{"total":2,"per_page":1}}`, envelope(2, 3, 1),
			`{"data":[{"id":"a"}],"meta":{"total":2,"per_page":1}}`}, 0, "b a", "1 2 3 1"},
		"without meta": {[]string{envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "c")}, 0,
			"c b a", "1 1 2"},
		"more pages promised than exist": {[]string{`{"data":[{"id":"a"}],"meta":{"total_pages":99}}`,
			`{"data":[],"meta":{"total_pages":99}}`, `{"data":[{"id":"a"}],"meta":{"total_pages":99}}`,
			`{"data":[],"meta":{"total_pages":99}}`}, 0, "a", "1 99 1 2"},
		"one is deleted on the way": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"), envelope(4, 3, 2),
			envelope(3, 1, 2, "b", "c")}, 0, "d c b", "1 2 3 1"},
		"one comes on the way": {[]string{envelope(3, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"), envelope(4, 3, 2),
			envelope(4, 1, 2, "a", "b")}, 0, "d c b a", "1 2 3 1"},
		"one is missed": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "d"), envelope(4, 1, 2, "a", "b"),
			envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"), envelope(4, 3, 2)}, 0, "d b a c", "1 2 1 1 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []step
			for _, page := range test.pages {
				steps = append(steps, ok(page))
			}
			s := play(steps...)
			var ids, asked []string
			for v, err := range ListBackward(t.Context(), newClient(t, s), listCustomers, ListOptions[thing]{ID: byID}) {
				if err != nil {
					t.Fatal(err)
				}
				if ids = append(ids, v.ID); len(ids) == test.limit {
					break
				}
			}
			for _, r := range s.seen {
				asked = append(asked, r.URL.Query().Get("page"))
			}
			if got := strings.Join(ids, " "); got != test.want || strings.Join(asked, " ") != test.asked {
				t.Errorf("%s after the pages %s, want %s after %s", got, asked, test.want, test.asked)
			}
		})
	}
	c := newClient(t, play(ok(envelope(3, 1, 2, "a", "b")), rejection(403, "{}")))
	for _, err := range ListBackward(t.Context(), c, listCustomers, ListOptions[thing]{ID: byID}) {
		if e, ok := AsError(err); !ok || e.Status != 403 {
			t.Errorf("%v, want the rejection of the second request", err)
		}
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	source := func(yield func(int, error) bool) {
		for i := range 5 {
			if !yield(i, nil) {
				return
			}
		}
		yield(0, errReset)
	}
	var got []int
	var failure error
	for n, err := range Only(source, func(n int) bool { return n%2 == 1 }) {
		if err != nil {
			failure = err
			break
		}
		got = append(got, n)
	}
	if len(got) != 2 || got[0] != 1 || got[1] != 3 || !errors.Is(failure, errReset) {
		t.Errorf("got %v, %v", got, failure)
	}
	for _, err := range Only(source, func(int) bool { return true }) {
		if err != nil {
			t.Error(err)
		}
		break // the source must not be asked again: it would panic
	}
}

// TestListThatRepeatsAPage: a service that shows the same page for ever is an error where it counts more items, and the
// whole list where it does not.
func TestListThatRepeatsAPage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meta, items string
		err         string
	}{
		"more are counted":  {`{"total":1000000000,"per_page":2}`, `[{"id":"a"},{"id":"b"}]`, "has shown 2 of 1000000000 items"},
		"in another order":  {`{"total":9,"per_page":2}`, "", "repeats a page"},
		"without ids":       {`{"total":9,"per_page":2}`, `[{},{}]`, "has shown 2 of 9 items"},
		"no more are":       {`{"total":2,"per_page":1}`, `[{"id":"a"},{"id":"b"}]`, ""},
		"none are counted":  {`{}`, `[{"id":"a"},{"id":"b"}]`, ""},
		"pages are counted": {`{"total_pages":9}`, `[{"id":"a"},{"id":"b"}]`, ""},
	} {
		n := 0
		c := newClient(t, apitest.New(map[string]http.HandlerFunc{"GET /": func(w http.ResponseWriter, r *http.Request) {
			items := test.items
			if n++; items == "" {
				items = []string{`[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"a"}]`}[n%2]
			}
			apitest.Respond(200, `{"data":`+items+`,"meta":`+test.meta+`}`)(w, r)
		}}))
		items, err := apitest.All(List(t.Context(), c, Request{Operation: "customers.list"}, ListOptions[thing]{
			ID: func(v thing) string { return v.ID }}))
		apitest.Says(t, err, test.err)
		if err == nil && len(items) != 2 {
			t.Errorf("%s: got %v", name, items)
		}
	}
}
