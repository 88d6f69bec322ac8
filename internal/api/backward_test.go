package api

import (
	"strings"
	"testing"
)

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
		"none":     {[]string{envelope(0, 1, 2)}, 0, "", "1"},
		"one page": {[]string{envelope(2, 1, 2, "a", "b")}, 0, "b a", "1"},
		"three pages": {[]string{envelope(5, 1, 2, "a", "b"), envelope(5, 3, 2, "e"), envelope(5, 2, 2, "c", "d"),
			envelope(5, 1, 2, "a", "b")}, 0, "e d c b a", "1 3 2 1"},
		"the newest": {[]string{envelope(5, 1, 2, "a", "b"), envelope(5, 3, 2, "e")}, 1, "e", "1 3"},
		"without total_pages": {[]string{`{"data":[{"id":"a"}],"meta":{"total":2,"per_page":1}}`,
			`{"data":[{"id":"b"}],"meta":{"total":2,"per_page":1}}`, `{"data":[{"id":"a"}],"meta":{"total":2,"per_page":1}}`}, 0,
			"b a", "1 2 1"},
		"without meta": {[]string{envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "a", "b"), envelope(-1, 0, 0, "c")}, 0,
			"c b a", "1 1 2"},
		"more pages promised than exist": {[]string{`{"data":[{"id":"a"}],"meta":{"total_pages":99}}`,
			`{"data":[],"meta":{"total_pages":99}}`, `{"data":[{"id":"a"}],"meta":{"total_pages":99}}`,
			`{"data":[],"meta":{"total_pages":99}}`}, 0, "a", "1 99 1 2"},
		"one is deleted on the way": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"),
			envelope(3, 1, 2, "b", "c")}, 0, "d c b", "1 2 1"},
		"one comes on the way": {[]string{envelope(3, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d"),
			envelope(4, 1, 2, "a", "b")}, 0, "d c b a", "1 2 1"},
		"one is missed": {[]string{envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "d"), envelope(4, 1, 2, "a", "b"),
			envelope(4, 1, 2, "a", "b"), envelope(4, 2, 2, "c", "d")}, 0, "d b a c", "1 2 1 1 2"},
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
	for _, err := range ListBackward(t.Context(), newClient(t, play(ok(envelope(3, 1, 2, "a", "b")), refusal(403, "{}"))),
		listCustomers, ListOptions[thing]{ID: byID}) {
		if e, ok := AsError(err); !ok || e.Status != 403 {
			t.Errorf("%v, want the refusal of the second request", err)
		}
	}
}
