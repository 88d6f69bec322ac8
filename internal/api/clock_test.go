package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// TestClient_Now: the time is that of the newest Date plus what has passed since, asked for once at the most, and
// unknown without one.
func TestClient_Now(t *testing.T) {
	t.Parallel()
	date := time.Date(2031, time.May, 4, 12, 0, 0, 0, time.UTC)
	type row struct {
		dates []string
		want  time.Time // zero: unknown
	}
	apitest.Each(t, map[string]row{
		"none":       {nil, time.Time{}},
		"unreadable": {[]string{"yesterday"}, time.Time{}},
		"one":        {[]string{date.Format(http.TimeFormat)}, date},
		"the newest counts": {[]string{date.Format(http.TimeFormat), date.Add(time.Hour).Format(http.TimeFormat)},
			date.Add(time.Hour)},
		"kept without one": {[]string{date.Format(http.TimeFormat), ""}, date},
	}, func(t *testing.T, c row) {
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
}

// TestClient_Precedes: a Date has whole seconds and is written before its response arrives, so what is less than a
// second older than a moment does not precede it. What shows no time does not either.
func TestClient_Precedes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, moment := &Client{}, time.Now()
		service := moment.Add(-25 * time.Hour) // by its own clock
		text := func(d time.Duration) string { return service.Add(d).UTC().Format(time.RFC3339Nano) }
		if client.Precedes(text(-time.Hour), moment) {
			t.Error("without a Date")
		}
		time.Sleep(2500 * time.Millisecond)
		client.clock.note(http.StatusOK, http.Header{"Date": {service.Add(2500 * time.Millisecond).UTC().
			Format(http.TimeFormat)}, "Content-Type": {"application/json"}})
		for created, want := range map[string]bool{text(-time.Hour): true, text(-1600 * time.Millisecond): true,
			text(-900 * time.Millisecond): false, text(0): false, text(time.Hour): false, "": false, "1990-01-01": false} {
			if client.Precedes(created, moment) != want {
				t.Errorf("%s, with the request at %s: want %t", created, text(0), want)
			}
		}
	})
}
