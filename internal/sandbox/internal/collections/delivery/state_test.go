package delivery_test

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// schedule is the table in Collections §8.
var schedule = []struct {
	attempt int
	after   string // the event
	wait    string // after the previous failure
}{
	{1, "0m", ""},
	{2, "4m", "4m"},
	{3, "12m", "8m"},
	{4, "28m", "16m"},
	{5, "1h", "32m"},
	{6, "2h4m", "1h4m"},
	{7, "4h12m", "2h8m"},
	{8, "8h28m", "4h16m"},
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Collections §8: attempts follow the schedule and end after the last one.
func TestSchedule(t *testing.T) {
	t.Parallel()
	if len(schedule) != delivery.MaxAttempts {
		t.Errorf("%d attempts, the table has %d", delivery.MaxAttempts, len(schedule))
	}
	d := delivery.New(noon)
	for _, row := range schedule {
		due := noon.Add(duration(t, row.after))
		if d.Due == nil || !d.Due.Equal(due) {
			t.Fatalf("attempt %d is due at %v, want %v", row.attempt, d.Due, due)
		}
		if row.wait != "" {
			if wait, ok := delivery.Wait(row.attempt - 1); !ok || wait != duration(t, row.wait) {
				t.Errorf("attempt %d comes %v after the failure, want %s", row.attempt, wait, row.wait)
			}
		}
		d = d.After(delivery.Attempt{Number: row.attempt, At: due, Error: "503"})
	}
	if d.Status != delivery.Exhausted || d.Open() || d.Attempts != delivery.MaxAttempts {
		t.Errorf("after the last attempt %+v", d)
	}
	for _, number := range []int{-1, 0, delivery.MaxAttempts, 99} {
		if _, ok := delivery.Wait(number); ok {
			t.Errorf("something comes after attempt %d", number)
		}
	}
}

// Collections §3 Delivery status: every transition.
func TestArrows(t *testing.T) {
	t.Parallel()
	failing := func(times int) delivery.Delivery {
		d := delivery.New(noon)
		for number := range times {
			d = d.After(delivery.Attempt{Number: number + 1, At: *d.Due, Error: "503", HTTPCode: 503})
		}
		return d
	}
	ok := func(d delivery.Delivery) delivery.Delivery {
		return d.After(delivery.Attempt{Number: d.Attempts + 1, Cycle: d.Cycle, At: *d.Due, HTTPCode: 200})
	}
	tests := map[string]struct {
		got      delivery.Delivery
		status   delivery.Status
		attempts int
		open     bool
		lastErr  string
	}{
		"new":                             {delivery.New(noon), delivery.Pending, 0, true, ""},
		"pending, 2xx":                    {ok(delivery.New(noon)), delivery.Success, 1, false, ""},
		"pending, failure":                {failing(1), delivery.Failed, 1, true, "503"},
		"failed, 2xx":                     {ok(failing(3)), delivery.Success, 4, false, ""},
		"failed, 2xx at the last attempt": {ok(failing(7)), delivery.Success, 8, false, ""},
		"failed, failure":                 {failing(7), delivery.Failed, 7, true, "503"},
		"failed, 8th failure":             {failing(8), delivery.Exhausted, 8, false, "503"},
		"pending, given up":               {delivery.New(noon).GivenUp("internal"), delivery.Exhausted, 0, false, "internal"},
		"failed, given up":                {failing(2).GivenUp("internal"), delivery.Exhausted, 2, false, "internal"},
		"failed, redelivery":              {failing(2).Restarted(noon), delivery.Pending, 0, true, ""},
		"exhausted, redelivery":           {failing(8).Restarted(noon), delivery.Pending, 0, true, ""},
		"redelivery, 2xx":                 {ok(failing(8).Restarted(noon)), delivery.Success, 1, false, ""},
	}
	for name, test := range tests {
		d := test.got
		if d.Status != test.status || d.Attempts != test.attempts || d.Open() != test.open || d.LastError != test.lastErr {
			t.Errorf("%s: %+v", name, d)
		}
		if (d.DeliveredAt != nil) != (d.Status == delivery.Success) {
			t.Errorf("%s: delivered at %v", name, d.DeliveredAt)
		}
		if (d.NextRetryAt() != nil) != (d.Status == delivery.Failed) {
			t.Errorf("%s: next retry at %v", name, d.NextRetryAt())
		}
		if d.Redeliverable() != (d.Status == delivery.Failed || d.Status == delivery.Exhausted) {
			t.Errorf("%s: redeliverable %v", name, d.Redeliverable())
		}
	}
}

// The outcome of an attempt that was in progress during a redelivery is added to the trail, and changes nothing else.
func TestLateOutcome(t *testing.T) {
	t.Parallel()
	failed := delivery.New(noon).After(delivery.Attempt{Number: 1, At: noon, Error: "503"})
	restarted := failed.Restarted(noon.Add(time.Minute))
	late := restarted.After(delivery.Attempt{Number: 2, Cycle: 0, At: noon.Add(4 * time.Minute)})
	if late.Status != delivery.Pending || late.Attempts != 0 || !late.Open() || len(late.Trail) != 2 {
		t.Errorf("after a late success %+v", late)
	}
	if _, ok := late.Last(); ok {
		t.Error("the new cycle has an attempt of the old one")
	}
	if len(failed.Trail) != 1 || len(restarted.Trail) != 1 {
		t.Error("a delivery has changed under its owner")
	}
	given := failed.GivenUp("internal").After(delivery.Attempt{Number: 2})
	if given.Status != delivery.Exhausted {
		t.Errorf("an attempt moved what had been given up: %+v", given)
	}
}

// Collections §5 HMAC signature, against vectors that another tool computed.
func TestSignature(t *testing.T) {
	t.Parallel()
	vectors := evidence.Signatures()
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		if got := delivery.Signature(v.Secret, time.Unix(v.Timestamp, 999_000_000), []byte(v.Body)); got != v.Header {
			t.Errorf("%s: %s, want %s", v.Name, got, v.Header)
		}
	}
}
