package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// unrepeatable are the requests that are not simply repeated, through a client. A thing with Count 1 is what is asked
// for.
var unrepeatable = map[string]func(context.Context, *Client) (thing, error){
	"a creation": func(ctx context.Context, c *Client) (thing, error) {
		created := time.Now().UTC().Format(time.RFC3339)
		got, _, err := Create(ctx, c, Creation[thing]{
			Send:     func(ctx context.Context) (thing, error) { return One[thing](ctx, c, createCustomer) },
			Describe: "thing", Unique: true, ID: byID, Created: func(thing) string { return created },
			Equal: func(_ context.Context, v thing) (bool, error) { return v.Count == 1, nil },
			Find: func(ctx context.Context) ([]thing, error) {
				found, err := One[thing](ctx, c, getCustomer)
				return []thing{found}, err
			}})
		return got, err
	},
	"a transition": func(ctx context.Context, c *Client) (thing, error) {
		path := map[string]string{"id": "c1"}
		return Change(ctx, c, Transition[thing]{
			Send: func(ctx context.Context) (thing, error) {
				return One[thing](ctx, c, Request{Operation: "subscriptions.pause", Path: path})
			},
			Look: func(ctx context.Context) (thing, error) {
				return One[thing](ctx, c, Request{Operation: "subscriptions.get", Path: path})
			},
			Done:     func(v thing) bool { return v.Count == 1 },
			Describe: "pause"})
	},
	"a repetition": func(ctx context.Context, c *Client) (thing, error) {
		return Repeat(ctx, Repetition[thing]{Send: func(ctx context.Context) (thing, error) {
			return One[thing](ctx, c, createCustomer)
		}})
	},
}

// TestInterrupts: an interrupt gives up what is not sent yet. What is sent has a grace period, less than 10 s, to end
// or to be looked up.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	const body = `{"data":{"id":"c1","count":1}}`
	throttled := func(seconds string) step {
		return step{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": seconds}}
	}
	slow := step{respond: func(*http.Request) step {
		time.Sleep(8 * time.Second)
		return ok(body)
	}}
	for name, test := range map[string]struct {
		after time.Duration // of the interrupt; negative: none
		steps []step
		limit time.Duration // of an attempt
		want  outcome       // "": it is canceled
		took  time.Duration // 0: any time
		sent  int           // 0: any number
	}{
		"before it is sent":       {0, []step{ok(body)}, time.Minute, "", 0, 0},
		"while it waits":          {5 * time.Second, []step{throttled("60")}, time.Minute, "", 5 * time.Second, 1},
		"its response comes":      {time.Second, []step{slow}, time.Minute, succeeds, 8 * time.Second, 1},
		"it is looked at":         {time.Second, []step{{hang: true}, dated(body)}, 5 * time.Second, succeeds, 0, 2},
		"no response":             {5 * time.Second, []step{{hang: true}}, time.Hour, isAmbiguous, 5*time.Second + createGrace, 0},
		"a wait beyond the grace": {-1, []step{throttled("300"), ok(body)}, time.Minute, succeeds, 0, 2},
	} {
		for kind, do := range unrepeatable {
			if kind == "a repetition" && name == "it is looked at" {
				continue // it is sent again
			}
			t.Run(kind+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if test.after == 0 {
						cancel()
					} else if test.after > 0 {
						time.AfterFunc(test.after, cancel)
					}
					transport := play(test.steps...)
					c := newClient(t, transport, func(cfg *Config) { cfg.RequestTimeout = test.limit })
					got, err := do(ctx, c)
					if test.want == "" {
						if !errors.Is(err, context.Canceled) || outcomeOf(err) == isAmbiguous {
							t.Errorf("got %v", err)
						}
					} else if outcomeOf(err) != test.want || err == nil && got.ID != "c1" ||
						err != nil && !errors.Is(err, errInterrupted) {
						t.Errorf("%+v, %v, want %s", got, err, test.want)
					}
					if took := time.Since(start); test.took > 0 && took.Truncate(time.Second) != test.took.Truncate(time.Second) {
						t.Errorf("it took %s, want %s", took, test.took)
					}
					if test.sent > 0 && transport.count() != test.sent {
						t.Errorf("%d requests, want %d", transport.count(), test.sent)
					}
				})
			})
		}
	}
	if createGrace >= 10*time.Second {
		t.Errorf("the grace period of %s is too long", createGrace)
	}
}

// dated is a response that shows the time of the service.
func dated(body string) step {
	return step{respond: func(*http.Request) step {
		return step{status: 200, body: body, header: map[string]string{"Date": time.Now().UTC().Format(http.TimeFormat)}}
	}}
}
