package billing

import (
	"errors"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

var (
	machineStart = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	trialOver    = server.Timestamp{Time: machineStart.AddDate(0, 0, 14)}
	planA, planB = "3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71", "c9e17b52-06af-4d3b-8e94-61f5a2d7b830"
)

// stateNames are all documented statuses, and the two kinds of pause.
var stateNames = []string{
	"draft", "confirmed", "trialing", "active", "past_due", "canceled", "paused", "paused in trial", "suspended",
}

// inState creates a subscription in the state, by transitions if possible.
func inState(t *testing.T, name string) SubscriptionRow {
	t.Helper()
	row := SubscriptionRow{Subscription: subscription{
		PlanID: &planA, BillingCycle: "monthly", AllowPause: true, AllowCancel: true,
		CreatedAt: server.Timestamp{Time: machineStart}, UpdatedAt: server.Timestamp{Time: machineStart},
	}}
	var err error
	switch name {
	case "trialing", "paused in trial":
		row.begin(machineStart, &trialOver)
	default:
		row.begin(machineStart, nil)
	}
	switch name {
	case "past_due":
		err = row.setPastDue(true)
	case "canceled":
		err = row.cancel(machineStart, false, nil)
	case "paused", "paused in trial":
		err = row.pause(machineStart, defaultPauseBehavior, nil)
	case "draft", "confirmed", "suspended":
		row.Subscription.Status = name
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return row
}

// The result of each transition from every state, "" for a rejection
// (Recurring billing §3 Subscription status; wire contract: pause, resume,
// cancel, resume of one not paused). "any" and "any non-final" of the
// description are spelt out.
func TestArrows(t *testing.T) {
	t.Parallel()
	soon := machineStart.Add(time.Hour)
	steps := []struct {
		name  string
		step  func(r *SubscriptionRow) error
		leads map[string]string
	}{
		{"cancel", func(r *SubscriptionRow) error { return r.cancel(soon, false, nil) }, map[string]string{
			"draft": "canceled", "confirmed": "canceled", "trialing": "canceled", "active": "canceled", "past_due": "canceled",
			"canceled": "", "paused": "canceled", "paused in trial": "canceled", "suspended": "canceled",
		}},
		{"cancel at period end", func(r *SubscriptionRow) error { return r.cancel(soon, true, nil) }, map[string]string{
			"draft": "draft", "confirmed": "confirmed", "trialing": "trialing", "active": "active", "past_due": "past_due",
			"canceled": "", "paused": "paused", "paused in trial": "paused", "suspended": "suspended",
		}},
		{"pause", func(r *SubscriptionRow) error { return r.pause(soon, "void", nil) }, map[string]string{
			"draft": "paused", "confirmed": "paused", "trialing": "paused", "active": "paused", "past_due": "paused",
			"canceled": "", "paused": "paused", "paused in trial": "paused", "suspended": "paused",
		}},
		{"resume", func(r *SubscriptionRow) error { return r.resume(soon) }, map[string]string{
			"draft": "", "confirmed": "", "trialing": "", "active": "", "past_due": "",
			"canceled": "", "paused": "active", "paused in trial": "trialing", "suspended": "",
		}},
		{"change plan", func(r *SubscriptionRow) error { return r.changePlan(planB, timingImmediate) }, map[string]string{
			"draft": "draft", "confirmed": "confirmed", "trialing": "trialing", "active": "active", "past_due": "past_due",
			"canceled": "", "paused": "paused", "paused in trial": "paused", "suspended": "suspended",
		}},
		{"payment fails", func(r *SubscriptionRow) error { return r.setPastDue(true) }, map[string]string{
			"draft": "", "confirmed": "", "trialing": "", "active": "past_due", "past_due": "",
			"canceled": "", "paused": "", "paused in trial": "", "suspended": "",
		}},
		{"payment made good", func(r *SubscriptionRow) error { return r.setPastDue(false) }, map[string]string{
			"draft": "", "confirmed": "", "trialing": "", "active": "", "past_due": "active",
			"canceled": "", "paused": "", "paused in trial": "", "suspended": "",
		}},
	}
	for _, s := range steps {
		for _, from := range stateNames {
			to, listed := s.leads[from]
			if !listed {
				t.Fatalf("%s from %s is not in the table", s.name, from)
			}
			row := inState(t, from)
			before := row
			err := s.step(&row)
			if to == "" {
				if !sameCode(err, errTransition) {
					t.Errorf("%s from %s: %v, want a refusal", s.name, from, err)
				}
				to = before.Subscription.Status
			} else if err != nil {
				t.Errorf("%s from %s: %v", s.name, from, err)
			}
			if row.Subscription.Status != to {
				t.Errorf("%s from %s leads to %s, want %s", s.name, from, row.Subscription.Status, to)
			}
		}
	}
}

func sameCode(err error, want *server.Error) bool {
	var got *server.Error
	return errors.As(err, &got) && got.Code == want.Code && got.Status == want.Status
}

// byID are the amounts that follow from the ids.
func byID(r SubscriptionRow) amounts.Amount { return r.amount(amounts.Arithmetic{}, priceAmount) }

// The effect of the end of the period in every state (Recurring billing §3
// lifecycle), with nothing scheduled and with a cancellation.
func TestArrowsOfTime(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]struct {
		to, scheduled string
		renewals      int
	}{
		"draft": {"draft", "draft", 0}, "confirmed": {"confirmed", "confirmed", 0},
		"suspended": {"suspended", "suspended", 0}, "trialing": {"active", "canceled", 1},
		"active": {"active", "canceled", 1}, "past_due": {"past_due", "canceled", 1}, "paused": {"paused", "canceled", 1},
		"paused in trial": {"paused", "canceled", 1}, "canceled": {"canceled", "canceled", 0},
	} {
		row := inState(t, from)
		end := row.Subscription.CurrentPeriodEnd.Time
		if passed, renewed := row.passUntil(end.Add(-time.Millisecond), byID,
			unnoted); passed.Subscription.Status != row.Subscription.Status || len(renewed) != 0 {
			t.Errorf("%s moves before its period ends", from)
		}
		passed, renewed := row.passUntil(end, byID, unnoted)
		if passed.Subscription.Status != want.to || len(renewed) != want.renewals {
			t.Errorf("%s: %s after %d renewals, want %s after %d", from, passed.Subscription.Status, len(renewed),
				want.to, want.renewals)
		}
		row.Subscription.CancelAtPeriodEnd = true
		passed, renewed = row.passUntil(end, byID, unnoted)
		if passed.Subscription.Status != want.scheduled || len(renewed) != 0 {
			t.Errorf("%s with a scheduled cancellation: %s after %d renewals, want %s", from, passed.Subscription.Status,
				len(renewed), want.scheduled)
		}
	}
}

// allow_pause and allow_cancel (wire contract: pause, cancel).
func TestForbiddenSteps(t *testing.T) {
	t.Parallel()
	row := inState(t, "active")
	row.Subscription.AllowPause, row.Subscription.AllowCancel = false, false
	for name, err := range map[string]error{
		"pause": row.pause(machineStart, "void", nil), "cancel": row.cancel(machineStart, false, nil),
		"cancel later": row.cancel(machineStart, true, nil),
	} {
		if !sameCode(err, errTransition) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	if row.Subscription.Status != SubscriptionActive || row.Subscription.CancelAtPeriodEnd {
		t.Errorf("a refused step changed %+v", row.Subscription)
	}
}

// Periods are calendar months from an anchor day.
func TestAddMonths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from   string
		months int
		anchor int
		want   string
	}{
		{"2026-01-31T12:00:00.123Z", 1, 31, "2026-02-28T12:00:00.123Z"},
		{"2026-02-28T12:00:00.123Z", 1, 31, "2026-03-31T12:00:00.123Z"},
		{"2026-03-31T00:00:00Z", 1, 31, "2026-04-30T00:00:00Z"},
		{"2028-01-30T00:00:00Z", 1, 30, "2028-02-29T00:00:00Z"},
		{"2026-11-30T23:59:59Z", 3, 30, "2027-02-28T23:59:59Z"},
		{"2026-08-31T00:00:00Z", 6, 31, "2027-02-28T00:00:00Z"},
		{"2028-02-29T00:00:00Z", 12, 29, "2029-02-28T00:00:00Z"},
		{"2026-12-15T00:00:00Z", 1, 15, "2027-01-15T00:00:00Z"},
	} {
		from, err := time.Parse(time.RFC3339Nano, test.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := addMonths(from, test.months, test.anchor).Format(time.RFC3339Nano); got != test.want {
			t.Errorf("%s and %d months: %s, want %s", test.from, test.months, got, test.want)
		}
	}
}

func unnoted(time.Time, SubscriptionRow, SubscriptionRow) {}

// What is scheduled for the end of the period happens then, also in a trial that lasts longer: a copy can have one.
func TestTrialAfterThePeriod(t *testing.T) {
	t.Parallel()
	row := inState(t, "trialing")
	end := row.Subscription.CurrentPeriodEnd.Time
	row.Subscription.TrialEnd = &server.Timestamp{Time: end.AddDate(0, 0, 1)}
	if at, _ := row.Due(); !at.Equal(end.AddDate(0, 0, 1)) {
		t.Errorf("it is due at %s", at)
	}
	row.Subscription.CancelAtPeriodEnd = true
	passed, invoices := row.passUntil(end, byID, unnoted)
	if passed.Subscription.Status != "canceled" || !passed.Subscription.CanceledAt.Equal(end) || len(invoices) > 0 {
		t.Errorf("%s at %v", passed.Subscription.Status, passed.Subscription.CanceledAt)
	}
}
