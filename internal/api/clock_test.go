package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestClient_Now: the time is that of the newest Date plus what has passed since, asked for once at the most, and
// unknown without one.
func TestClient_Now(t *testing.T) {
	t.Parallel()
	date := time.Date(2031, time.May, 4, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		dates []string
		want  time.Time // zero: unknown
	}{
		"none":       {nil, time.Time{}},
		"unreadable": {[]string{"yesterday"}, time.Time{}},
		"one":        {[]string{date.Format(http.TimeFormat)}, date},
		"the newest counts": {[]string{date.Format(http.TimeFormat), date.Add(time.Hour).Format(http.TimeFormat)},
			date.Add(time.Hour)},
		"kept without one": {[]string{date.Format(http.TimeFormat), ""}, date},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, asked := &Client{}, 0
				ask := func(context.Context) error {
					asked++
					for _, text := range c.dates {
						client.clock.note(http.StatusForbidden, http.Header{"Date": {text}})
					}
					return errors.New("refused")
				}
				now, ok := client.Now(t.Context(), ask)
				if ok == c.want.IsZero() || ok && !now.Equal(c.want) || asked != 1 {
					t.Fatalf("%v, %v after %d requests", now, ok, asked)
				}
				time.Sleep(90 * time.Second)
				if later, ok := client.Now(t.Context(), ask); ok && (!later.Equal(c.want.Add(90*time.Second)) || asked != 1) {
					t.Errorf("%v after 90 s and %d requests", later, asked)
				}
			})
		})
	}
}

// TestClient_Precedes: a Date has whole seconds, and those of several responses prove more than the newest one. A clock
// that does not move proves nothing, which takes a while to notice.
func TestClient_Precedes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stands          bool
		before, certain [2]bool // immediately, and after a longer look
	}{
		"running":  {false, [2]bool{true, true}, [2]bool{false, true}},
		"standing": {true, [2]bool{true, false}, [2]bool{false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, client := time.Now(), &Client{}
				respond := func() {
					now := time.Now()
					if c.stands {
						now = start
					}
					client.clock.note(http.StatusOK, http.Header{"Date": {now.UTC().Format(http.TimeFormat)},
						"Content-Type": {"application/json"}})
				}
				if before, certain := client.Precedes(start, client.Mark()); before || !certain {
					t.Errorf("without a Date: %t, %t", before, certain)
				}
				respond()
				time.Sleep(800 * time.Millisecond)
				respond()
				mark := client.Mark()
				if before, _ := client.Precedes(start.Add(800*time.Millisecond), mark); before {
					t.Error("the time of the mark is before it")
				}
				for i := range 2 {
					before, certain := client.Precedes(start.Add(700*time.Millisecond), mark)
					if before != c.before[i] || certain != c.certain[i] {
						t.Errorf("look %d: before %t, certain %t", i, before, certain)
					}
					time.Sleep(3 * time.Second)
					respond()
				}
			})
		})
	}
}
