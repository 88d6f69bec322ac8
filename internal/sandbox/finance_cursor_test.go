package sandbox_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// put makes records with these names in a collection, and returns their paths.
func (c caller) put(collection string, names ...string) (paths []string) {
	c.t.Helper()
	for _, name := range names {
		made := c.do("POST", "/v1/"+collection, `{"name":"`+name+`"}`).want(201)
		paths = append(paths, "/v1/"+collection+"/"+made.text("data", "id"))
	}
	return paths
}

// page returns the names on a page and the cursor to the next one, empty if
// there is none.
func (c caller) page(list, cursor string) (names, next string) {
	c.t.Helper()
	if cursor != "" {
		separator := "?"
		if strings.Contains(list, "?") {
			separator = "&"
		}
		list += separator + "cursor=" + url.QueryEscape(cursor)
	}
	r := c.do("GET", list, "").want(200)
	next, _ = r.at("meta", "next_cursor").(string)
	return strings.Join(r.names("name"), " "), next
}

// walk returns the names on each page from a cursor on, parted by |.
func (c caller) walk(list, cursor string) string {
	c.t.Helper()
	var pages []string
	for {
		var names string
		names, cursor = c.page(list, cursor)
		if pages = append(pages, names); cursor == "" || len(pages) > 20 {
			return strings.Join(pages, "|")
		}
	}
}

// empties is a sandbox without example data, and a caller of it.
func empties(t *testing.T) (*sandbox.Server, caller) {
	t.Helper()
	server := start(t, sandbox.Options{NoExampleData: true})
	return server, book(t, server)
}

// Financial management §4: limit is 1 to 100, 25 when not given.
func TestRecordLimits(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	var names []string
	for i := range 101 {
		names = append(names, fmt.Sprint(i))
	}
	c.put("notes", names...)
	for limit, want := range map[string]int{"": 25, "?limit=1": 1, "?limit=25": 25, "?limit=99": 99, "?limit=100": 100} {
		if n := len(c.do("GET", "/v1/notes"+limit, "").want(200).names("id")); n != want {
			t.Errorf("%q: %d records, want %d", limit, n, want)
		}
	}
	for _, limit := range []string{"0", "-1", "101", "", "x", "1.0", "99999999999999999999", "%201"} {
		if r := c.do("GET", "/v1/notes?limit="+limit, ""); r.status != 400 ||
			r.text("error", "details", "fields", "limit") == "" {
			t.Errorf("limit %q: %d %s", limit, r.status, r.body)
		}
	}
	small := book(t, start(t, sandbox.Options{MaxPerPage: 2, NoExampleData: true}))
	small.put("notes", "a", "b", "c")
	if got := small.walk("/v1/notes?limit=100", ""); got != "a b|c" {
		t.Errorf("pages of two: %s", got)
	}
}

// Pages neither repeat nor miss a record, and the last one has no cursor, also
// when it is full.
func TestRecordPages(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	c.put("notes", "a", "b", "c", "d")
	c.put("others", "x")
	for limit, want := range map[int]string{1: "a|b|c|d", 2: "a b|c d", 3: "a b c|d", 4: "a b c d", 5: "a b c d"} {
		if got := c.walk(fmt.Sprintf("/v1/notes?limit=%d", limit), ""); got != want {
			t.Errorf("limit %d: %s, want %s", limit, got, want)
		}
	}
	if got := c.walk("/v1/nothing", ""); got != "" {
		t.Errorf("an empty collection: %s", got)
	}
}

// The list changes while it is read.
func TestCursorsSurviveChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(c caller, paths []string)
		want   string
	}{
		"nothing":                             {func(caller, []string) {}, "c d|e"},
		"one more is made":                    {func(c caller, _ []string) { c.put("notes", "f") }, "c d|e f"},
		"one that was read is deleted":        {func(c caller, p []string) { c.do("DELETE", p[0], "").want(204) }, "c d|e"},
		"the one at the cursor is deleted":    {func(c caller, p []string) { c.do("DELETE", p[1], "").want(204) }, "c d|e"},
		"the one after the cursor is deleted": {func(c caller, p []string) { c.do("DELETE", p[2], "").want(204) }, "d e"},
		"both sides are deleted, one is made": {func(c caller, p []string) {
			c.do("DELETE", p[1], "")
			c.do("DELETE", p[2], "")
			c.put("notes", "f")
		}, "d e|f"},
		"the one at the cursor is changed": {func(c caller, p []string) { c.do("PATCH", p[1], `{"name":"B"}`).want(200) },
			"c d|e"},
		"one of another collection is made": {func(c caller, _ []string) { c.put("others", "x") }, "c d|e"},
		"all that were not read yet are gone": {func(c caller, p []string) {
			c.do("DELETE", p[2], "")
			c.do("DELETE", p[3], "")
			c.do("DELETE", p[4], "")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := empties(t)
			paths := c.put("notes", "a", "b", "c", "d", "e")
			first, cursor := c.page("/v1/notes?limit=2", "")
			if first != "a b" {
				t.Fatalf("first page %s", first)
			}
			test.change(c, paths)
			if got := c.walk("/v1/notes?limit=2", cursor); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// A cursor is good for the listing it was made by, and for no other one.
func TestCursorsBelongToTheirListing(t *testing.T) {
	t.Parallel()
	server, c := empties(t)
	other, err := server.NewOrganization(sandbox.Organization{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	stranger := c.with(financeToken(t, server, sandbox.Token{Organization: other.ID}))
	for _, caller := range []caller{c, stranger} {
		for _, collection := range []string{"notes", "others", "accounts"} {
			caller.put(collection, "a", "b", "c", "d")
		}
	}
	const list = "/v1/notes?limit=2&name[gte]=a&name[lte]=z"
	_, cursor := c.page(list, "")
	for _, same := range []string{
		list, "/v1/notes?limit=3&name[gte]=a&name[lte]=z", "/v1/notes?name[gte]=a&name[lte]=z",
		"/v1/notes?name%5Blte%5D=z&name%5Bgte%5D=a&limit=2", "/v1/n%6Ftes?name[lte]=%7A&name[gte]=a",
	} {
		if names, _ := c.page(same, cursor); !strings.HasPrefix(names, "c d") {
			t.Errorf("%s: %s", same, names)
		}
	}
	for name, r := range map[string]result{
		"without the filters":      c.do("GET", "/v1/notes?limit=2&cursor="+cursor, ""),
		"without one filter":       c.do("GET", "/v1/notes?limit=2&name[gte]=a&cursor="+cursor, ""),
		"with another value":       c.do("GET", "/v1/notes?limit=2&name[gte]=b&name[lte]=z&cursor="+cursor, ""),
		"with another operator":    c.do("GET", "/v1/notes?limit=2&name[gt]=a&name[lte]=z&cursor="+cursor, ""),
		"with one filter more":     c.do("GET", list+"&x=1&cursor="+cursor, ""),
		"with the filters in one":  c.do("GET", "/v1/notes?limit=2&name[gte]=a%26name%5Blte%5D%3Dz&cursor="+cursor, ""),
		"another collection":       c.do("GET", strings.Replace(list, "notes", "others", 1)+"&cursor="+cursor, ""),
		"a described collection":   c.do("GET", strings.Replace(list, "notes", "accounts", 1)+"&cursor="+cursor, ""),
		"another organization":     stranger.do("GET", list+"&cursor="+cursor, ""),
		"another sandbox":          sister(t, list, cursor),
		"a record of its own page": c.do("GET", list+"&cursor="+c.do("GET", list, "").text("data", 1, "id"), ""),
		"an empty one":             c.do("GET", list+"&cursor=", ""),
	} {
		if r.status != 400 || r.text("error", "code") != "invalid_cursor" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

// sister asks another sandbox with the same records.
func sister(t *testing.T, list, cursor string) result {
	t.Helper()
	_, c := empties(t)
	c.put("notes", "a", "b", "c", "d")
	return c.do("GET", list+"&cursor="+cursor, "")
}

// A cursor that is changed anywhere, in any way, is rejected.
func TestTamperedCursors(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	c.put("notes", "a", "b", "c")
	_, cursor := c.page("/v1/notes?limit=1", "")
	var tampered []string
	for i := range cursor {
		for _, other := range "AQgw3-_z+ \n" {
			tampered = append(tampered, cursor[:i]+string(other)+cursor[i+1:])
		}
		tampered = append(tampered, cursor[:i], cursor[i+1:], cursor[:i]+cursor[i+1:], cursor[:i]+"A"+cursor[i:],
			cursor[:i]+"\n"+cursor[i:])
	}
	tampered = append(tampered, cursor+"A", cursor+"=", cursor+"\r\n", cursor+" ", cursor+cursor, strings.ToUpper(cursor))
	tampered = slices.DeleteFunc(tampered, func(one string) bool { return one == cursor })
	if len(tampered) < 15*len(cursor) {
		t.Errorf("%d cursors from one of %d characters", len(tampered), len(cursor))
	}
	for _, one := range tampered {
		if r := c.do("GET", "/v1/notes?limit=1&cursor="+url.QueryEscape(one), ""); r.status != 400 ||
			r.text("error", "code") != "invalid_cursor" {
			t.Errorf("%q of %q: %d %s", one, cursor, r.status, r.body)
		}
	}
	if got, _ := c.page("/v1/notes?limit=1", cursor); got != "b" {
		t.Errorf("the cursor itself: %s", got)
	}
}

// A cursor is good for as long as the state is, and the same one each time.
func TestCursorsOverARestart(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db"), NoExampleData: true}
	server := start(t, o)
	c := book(t, server)
	c.put("notes", "a", "b", "c", "d")
	_, cursor := c.page("/v1/notes?limit=2", "")
	if _, again := c.page("/v1/notes?limit=2", ""); again != cursor {
		t.Errorf("the cursor of the same page is %q and then %q", cursor, again)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	c = book(t, start(t, o))
	c.put("notes", "e")
	if got, _ := c.page("/v1/notes", cursor); got != "c d e" {
		t.Errorf("after the restart: %s", got)
	}
}
