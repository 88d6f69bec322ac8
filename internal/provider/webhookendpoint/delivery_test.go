package webhookendpoint

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
)

// TestAwait: it is looked at once and then twice a second, for as long as an attempt can take, unless the run is
// interrupted.
func TestAwait(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		after     int   // looks until the outcome is there; 0: never
		fails     error // of every look
		interrupt time.Duration
		took      time.Duration
		err       error
	}{
		"at once":              {after: 1, took: 0},
		"at the third look":    {after: 3, took: time.Second},
		"never":                {took: 20 * time.Second, err: errNoOutcome},
		"fails":                {fails: broken, took: 0, err: broken},
		"interrupted":          {interrupt: 700 * time.Millisecond, took: 700 * time.Millisecond, err: context.Canceled},
		"interrupted too late": {after: 2, interrupt: time.Second, took: 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.interrupt > 0 {
					time.AfterFunc(c.interrupt, cancel)
				}
				start, looks := time.Now(), 0
				delivery, err := await(ctx, func(context.Context) (*collections.Delivery, error) {
					if looks++; looks == c.after {
						return &collections.Delivery{ID: "d-1"}, nil
					}
					return nil, c.fails
				})
				if took := time.Since(start); took != c.took || !errors.Is(err, c.err) || (delivery != nil) != (c.err == nil) {
					t.Errorf("%v and %v after %s, want %v after %s", delivery, err, took, c.err, c.took)
				}
			})
		})
	}
}

// TestAwait_lookInterrupted: a look that the end of the time breaks off is not what is reported.
func TestAwait_lookInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, err := await(t.Context(), func(ctx context.Context) (*collections.Delivery, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if !errors.Is(err, errNoOutcome) {
			t.Errorf("%v, want %v", err, errNoOutcome)
		}
	})
}

// TestOutcome: everything that is known of a delivery is said, and a long response is cut between two characters.
func TestOutcome(t *testing.T) {
	t.Parallel()
	full := collections.Delivery{ID: "d-1", Status: "failed", Attempts: 2, HTTPCode: new(int64(503)),
		LastError: new("the endpoint responded with 503"), NextRetryAt: new("2026-03-14T12:12:00.000Z"),
		ResponseBody: new("busy")}
	const want = "Delivery d-1 is failed. Attempts: 2. Last HTTP status: 503. Last error: the endpoint responded with " +
		"503. " +
		"Next attempt: about 2026-03-14T12:12:00.000Z. Response: busy"
	if text := outcome(&full); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	bare := collections.Delivery{ID: "d-1", Status: "pending", LastError: new(""), ResponseBody: new("")}
	if text := outcome(&bare); text != "Delivery d-1 is pending. Attempts: 0." {
		t.Errorf("%q", text)
	}
	long := collections.Delivery{ResponseBody: new(strings.Repeat("ã", 301))}
	if text := consumerResponse(&long); text != " Response: "+strings.Repeat("ã", 300)+"…" {
		t.Errorf("%q", text)
	}
}
