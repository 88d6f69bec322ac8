package billing

import (
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Due is when time alone next moves the subscription. It does not move a
// canceled one, nor one in a state that no document
// connects with time (draft, confirmed, suspended).
func (r SubscriptionRow) Due() (at time.Time, ok bool) {
	s := r.Subscription
	switch s.Status {
	case subscriptionTrialing, SubscriptionActive, SubscriptionPastDue:
		return s.CurrentPeriodEnd.Time, true
	case subscriptionPaused:
		if s.ResumesAt != nil && s.ResumesAt.Before(s.CurrentPeriodEnd.Time) {
			return s.ResumesAt.Time, true
		}
		return s.CurrentPeriodEnd.Time, true
	default:
		return time.Time{}, false
	}
}

// pass does what is due at that time, and reports whether a period was
// renewed. A pause that ends together with the period ends first.
func (r *SubscriptionRow) pass(at time.Time) (renewed bool) {
	s := &r.Subscription
	s.UpdatedAt = s.UpdatedAt.Next(at)
	if s.Status == subscriptionPaused && s.ResumesAt != nil && !s.ResumesAt.After(at) {
		// resume rejects only what is not paused.
		_ = r.resume(s.ResumesAt.Time)
	}
	if s.CurrentPeriodEnd.After(at) {
		return false
	}
	if s.CancelAtPeriodEnd {
		r.end(at)
		return false
	}
	if r.PendingPlanID != nil {
		s.PlanID, r.PendingPlanID = r.PendingPlanID, nil
	}
	if s.Status == subscriptionTrialing {
		s.activate(at)
	}
	r.startPeriod(s.CurrentPeriodEnd)
	return true
}

// never is after everything that can be due.
var never = time.Date(lastYear+100, 1, 1, 0, 0, 0, 0, time.UTC)

// note keeps in mind when a subscription is due, so that a request does not search all of them without need.
func (s *Service) note(row SubscriptionRow) {
	if at, ok := row.Due(); ok && at.Before(s.due) {
		s.due = at
	}
}

// Settle processes what is due by now, before a request reads any of
// it: each thing once, at its own time, in the order of these timestamps, in one
// transaction.
func (s *Service) Settle(now time.Time) error {
	if store.Read(s.DB, func(*store.Tx) bool { return s.due.After(now) }) {
		return nil
	}
	err := s.DB.Update(func(tx *store.Tx) error {
		s.due = never
		var renewals []SubscriptionRow
		for _, row := range s.Subscriptions.All(tx) {
			passed, renewed := row.passUntil(now, s.pricing(tx))
			s.notePlans(tx, row, renewed, func(r SubscriptionRow) time.Time { return r.Subscription.CurrentPeriodStart.Time })
			if len(renewed) > 0 || passed.Subscription.UpdatedAt != row.Subscription.UpdatedAt {
				s.putSubscription(tx, passed)
			}
			s.note(passed)
			renewals = append(renewals, renewed...)
		}
		slices.SortStableFunc(renewals, func(a, b SubscriptionRow) int {
			return a.Subscription.CurrentPeriodStart.Compare(b.Subscription.CurrentPeriodStart.Time)
		})
		for _, row := range renewals {
			s.invoiceRenewal(tx, row)
		}
		return nil
	})
	if err != nil { // nothing has happened: it is still due
		_ = s.DB.Update(func(*store.Tx) error { s.due = time.Time{}; return nil })
	}
	return err
}

// passUntil processes everything that is due by now, and returns the row as it was after
// each renewal too.
func (r SubscriptionRow) passUntil(now time.Time, costs pricing) (passed SubscriptionRow, renewed []SubscriptionRow) {
	for {
		at, ok := r.Due()
		if !ok || at.After(now) {
			return r, renewed
		}
		if r.pass(at) {
			renewed = append(renewed, r.derived(costs))
		}
	}
}

func (s *Service) putSubscription(tx *store.Tx, row SubscriptionRow) SubscriptionRow {
	row = row.derived(s.pricing(tx))
	s.Subscriptions.Put(tx, row.Subscription.ID, row)
	s.note(row)
	return row
}

// cycleMonths are the lengths of the billing cycles, in calendar months
// (service description, Recurring billing §2 Subscription).
var cycleMonths = map[string]int{"monthly": 1, "quarterly": 3, "semiannual": 6, "annual": 12}

const defaultCycle = "monthly"

// lastYear bounds timestamps that a request may name, so that the periods after
// them can still be written in four digits.
const lastYear = 9900

// addMonths returns the anchor day so many months later, at the same time of
// day, or the last day of that month where it is shorter.
func addMonths(t time.Time, months, anchorDay int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1,
		t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	lastDay := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(anchorDay, lastDay)-1)
}

// startPeriod begins a period, without a trial in it, that the anchor day
// governs.
func (r *SubscriptionRow) startPeriod(at server.Timestamp) {
	r.Subscription.CurrentPeriodStart = at
	end := addMonths(at.Time, cycleMonths[r.Subscription.BillingCycle], r.AnchorDay)
	r.Subscription.CurrentPeriodEnd = server.Timestamp{Time: end}
}
