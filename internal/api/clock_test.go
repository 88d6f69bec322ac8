package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
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
				client.clock.note(http.StatusForbidden, http.Header{"Date": {text}}, time.Now())
			}
			return errors.New("rejected")
		}
		now, err := client.Now(t.Context(), ask)
		if (err != nil) != c.want.IsZero() || !now.Equal(c.want) || asked != 1 {
			t.Fatalf("%v, %v after %d requests", now, err, asked)
		}
		time.Sleep(90 * time.Second)
		later, err := client.Now(t.Context(), ask)
		if err == nil && (!later.Equal(c.want.Add(90*time.Second)) || asked != 1) {
			t.Errorf("%v after 90 s and %d requests", later, asked)
		}
	})
}

// TestClient_age: a Date has whole seconds, and is written between the sending of a request and the arrival of its
// response. What the dates leave open makes no object newer.
func TestClient_age(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type answer struct{ sent, written, arrived time.Duration } // after the request; written is zero where nothing came
	type row struct {
		answers []answer
		stands  bool // the clock
		ahead   time.Duration
		want    map[time.Duration]age // by creation, after the request
	}
	apitest.Each(t, map[string]row{
		"no Date": {want: map[time.Duration]age{0: ageUnknown}},
		"a prompt lookup": {answers: []answer{{100 * ms, 110 * ms, 120 * ms}}, want: map[time.Duration]age{
			0: newer, 50 * ms: newer, -90 * ms: newer, -1200 * ms: older, -time.Hour: older, 110 * ms: newer,
			5 * time.Second: ageUnknown}},
		"a slow one, its Date written last": {answers: []answer{{0, 20 * time.Second, 20 * time.Second}},
			want: map[time.Duration]age{0: ageClose, -900 * ms: ageClose, -10 * time.Second: older, 19 * time.Second: ageClose}},
		"a slow one, its Date written first": {answers: []answer{{0, 0, 20 * time.Second}}, want: map[time.Duration]age{
			0: newer, -10 * time.Second: ageClose, -30 * time.Second: older}},
		"a slow one, then a prompt one": {answers: []answer{{0, 20 * time.Second, 20 * time.Second},
			{21 * time.Second, 21 * time.Second, 21 * time.Second}},
			want: map[time.Duration]age{0: newer, 10 * time.Second: newer, -1500 * ms: older, -10 * time.Second: older}},
		"one before, and a slow one": {answers: []answer{{-time.Second, -time.Second, -time.Second},
			{0, 0, 20 * time.Second}}, want: map[time.Duration]age{0: newer, -10 * time.Second: older}},
		"a clock that stands": {stands: true, answers: []answer{{-900 * ms, -900 * ms, -900 * ms}, {100 * ms, 0, 150 * ms},
			{30 * time.Second, 0, 30 * time.Second}}, want: map[time.Duration]age{0: newer, -time.Minute: older}},
		"a clock that jumps ahead": {answers: []answer{{-time.Second, -time.Second, -time.Second}, {0, 20 * time.Second, 100 * ms}},
			want: map[time.Duration]age{0: ageUnknown, -time.Hour: ageUnknown}},
		"a clock that jumps back": {answers: []answer{{-time.Second, 20 * time.Second, -time.Second}, {0, 0, 100 * ms}},
			want: map[time.Duration]age{0: ageUnknown, -time.Hour: ageUnknown}},
		"a prompt one that was written after a slow one": {answers: []answer{{0, 20 * time.Second, 20 * time.Second},
			{-time.Second, 0, 21 * time.Second}}, want: map[time.Duration]age{0: newer, -10 * time.Second: older}},
		"Date ahead": {ahead: 5 * time.Second, answers: []answer{{100 * ms, 110 * ms, 120 * ms}},
			want: map[time.Duration]age{0: older}},
		"Date behind": {ahead: -5 * time.Second, answers: []answer{{100 * ms, 110 * ms, 120 * ms}},
			want: map[time.Duration]age{0: ageUnknown}},
	}, func(t *testing.T, test row) {
		client, start := &Client{}, time.Now() // whole seconds
		sent := start.Add(time.Second)
		service := func(after time.Duration) time.Time { // by its own clock
			if test.stands {
				after = min(after, 0) * 0
			}
			return sent.Add(after - 25*time.Hour)
		}
		for _, a := range test.answers {
			time.Sleep(time.Until(sent.Add(a.arrived)))
			client.clock.note(http.StatusOK, http.Header{"Content-Type": {"application/json"},
				"Date": {service(a.written).Add(test.ahead).UTC().Format(http.TimeFormat)}}, sent.Add(a.sent))
		}
		for after, want := range test.want {
			created := sent.Add(after - 25*time.Hour).UTC().Format(time.RFC3339Nano)
			if have := client.age(created, sent); have != want {
				t.Errorf("created %s after the request: %d, want %d", after, have, want)
			}
		}
		for _, created := range []string{"", "1990-01-01"} {
			if have := client.age(created, sent); have != ageUnknown {
				t.Errorf("%q: %d", created, have)
			}
		}
	})
}

// A proxy dates its errors by its own clock, which counts only until the service has responded.
func TestClockOfAProxy(t *testing.T) {
	t.Parallel()
	client, date := &Client{}, time.Date(2031, time.May, 4, 12, 0, 0, 0, time.UTC)
	for _, response := range []struct {
		status      int
		kind        string
		date, shown time.Time
	}{
		{http.StatusBadGateway, "text/html", date.Add(time.Hour), date.Add(time.Hour)},
		{http.StatusOK, "application/json", date, date},
		{http.StatusBadGateway, "text/html", date.Add(time.Hour), date},
	} {
		client.clock.note(response.status, http.Header{"Content-Type": {response.kind},
			"Date": {response.date.Format(http.TimeFormat)}}, time.Now())
		if shown, ok := client.Date(); !ok || !shown.Equal(response.shown) {
			t.Errorf("after %d: %s, want %s", response.status, shown, response.shown)
		}
	}
}
