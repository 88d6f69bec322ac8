package billing

import (
	"net/http"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

var (
	newWire, respond, turns, lost = apitest.New, apitest.Respond, apitest.Turns, apitest.Lost
	data, listOf, changed         = apitest.Data, apitest.ListOf, apitest.Changed
)

func newService(t *testing.T, transport http.RoundTripper) *Service {
	t.Helper()
	client, err := api.New(api.Config{
		Service: "billing", BaseURL: "https://api.example.test", Token: "tok_1234567890", MaxRetries: 1, Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(client)
}

func posted(t *testing.T, have, want int) {
	t.Helper()
	if have != want {
		t.Errorf("posted %d times, want %d", have, want)
	}
}

func orNothing(handler http.HandlerFunc) http.HandlerFunc {
	if handler == nil {
		return respond(500, "")
	}
	return handler
}

// TestReadsThatLag: what an earlier run has written shortly before is not taken for gone, or for what it was before.
func TestReadsThatLag(t *testing.T) {
	t.Parallel()
	const created = "2000-01-01T00:00:00.500Z"
	old := data(subscriptionJSON(t, map[string]any{"updated_at": created, "notes": "old"}))
	updated := data(subscriptionJSON(t, map[string]any{"updated_at": "2000-01-01T00:00:02.000Z", "notes": "new"}))
	gone := respond(404, `{"error":{"code":"not_found","message":"none"}}`)
	type row struct {
		updated string        // as the state has it
		after   time.Duration // the read, after the write
		lag     http.HandlerFunc
		now     http.HandlerFunc
		notes   string // "": gone
		waited  time.Duration
		proof   time.Duration // how long the list that proves an absence takes
		ahead   time.Duration // the Date of the responses
	}
	tests := map[string]row{
		"new":             {created, 0, gone, respond(200, old), "old", 11 * time.Second, 0, 0},
		"new, slow proof": {created, 0, gone, respond(200, old), "old", 17 * time.Second, 16 * time.Second, 0},
		"new, misdated":   {created, 0, gone, respond(200, old), "old", 11 * time.Second, 0, 26 * time.Hour},
		"gone, misdated":  {created, 20 * time.Second, gone, gone, "", 0, 0, 26 * time.Hour},
		"gone since":      {created, 0, gone, gone, "", 11 * time.Second, 0, 0},
		"gone long after": {created, 20 * time.Second, gone, gone, "", 0, 0, 0},
		"changed": {"2000-01-01T00:00:02.000Z", 0, respond(200, old), respond(200, updated), "new",
			11 * time.Second, 0, 0},
		"changed by another": {created, 0, respond(200, updated), respond(200, updated), "new", 0, 0, 0},
		"put back long after": {"2000-01-01T00:00:02.000Z", 20 * time.Second, respond(200, old),
			respond(200, old), "old", 0, 0, 0},
		"as it was last written": {created, 0, respond(200, old), respond(200, old), "old", 0, 0, 0},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		time.Sleep(2*time.Second + test.after)
		start := time.Now()
		w := newWire(map[string]http.HandlerFunc{subscriptionsPath: func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(test.proof)
			w.Header().Set("Date", time.Now().Add(test.ahead).UTC().Format(http.TimeFormat))
			respond(200, listOf())(w, r)
		},
			getSubscription: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", time.Now().Add(test.ahead).UTC().Format(http.TimeFormat))
				if time.Since(start) < 9*time.Second {
					test.lag(w, r)
					return
				}
				test.now(w, r)
			}})
		s := newService(t, w)
		s.Wrote("s1", created, test.updated)
		got, err := s.GetSubscription(t.Context(), "s1")
		if test.notes == "" && !api.IsNotFound(err) ||
			test.notes != "" && (err != nil || api.OrEmpty(got.Notes) != test.notes) {
			t.Errorf("%+v, %v", got, err)
		}
		if took := time.Since(start); took != test.waited {
			t.Errorf("took %s, want %s", took, test.waited)
		}
	})
}
