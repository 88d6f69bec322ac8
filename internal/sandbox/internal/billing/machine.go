package billing

import (
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The steps of a subscription from one state to another
// (service description, Recurring billing §3; wire contract: Behaviour where
// the descriptions are silent). A step that is rejected changes nothing.

// Values of timing (service description, Recurring billing §4 Subscription
// change plan).
const (
	timingImmediate   = "immediate"
	timingEndOfPeriod = "end_of_period"
)

func (r *SubscriptionRow) final() error {
	if r.Subscription.Status == SubscriptionCanceled {
		return errTransition.With("The subscription is canceled.")
	}
	return nil
}

// pause pauses until resumesAt, or until resumed. Pausing again changes the
// terms of the pause that runs.
func (r *SubscriptionRow) pause(at time.Time, behavior string, resumesAt *server.Timestamp) error {
	s := &r.Subscription
	if err := r.final(); err != nil {
		return err
	}
	if !s.AllowPause {
		return errTransition.With("The subscription does not allow a pause.")
	}
	if s.Status != subscriptionPaused {
		s.Status, s.PausedAt = subscriptionPaused, &server.Timestamp{Time: at}
	}
	s.PauseCollection = &pauseCollection{Behavior: behavior, ResumesAt: resumesAt}
	s.ResumesAt = resumesAt
	return nil
}

// resume ends a pause: the trial continues while it runs, otherwise the
// subscription is active.
func (r *SubscriptionRow) resume(at time.Time) error {
	s := &r.Subscription
	if s.Status != subscriptionPaused {
		return errTransition.With("The subscription is not paused.")
	}
	s.endPause()
	s.ResumedAt = &server.Timestamp{Time: at}
	if s.TrialEnd != nil && at.Before(s.TrialEnd.Time) {
		s.Status = subscriptionTrialing
		return nil
	}
	s.activate(at)
	return nil
}

func (s *subscription) endPause() {
	s.PauseCollection, s.PausedAt, s.ResumesAt = nil, nil, nil
}

// activate makes the subscription active; activated_at is the time of the first activation.
func (s *subscription) activate(at time.Time) {
	s.Status = SubscriptionActive
	if s.ActivatedAt == nil {
		s.ActivatedAt = &server.Timestamp{Time: at}
	}
}

// cancel cancels immediately, or when the period ends. An immediate cancellation
// replaces a scheduled one.
func (r *SubscriptionRow) cancel(at time.Time, atPeriodEnd bool, reason *string) error {
	s := &r.Subscription
	if err := r.final(); err != nil {
		return err
	}
	if !s.AllowCancel {
		return errTransition.With("The subscription does not allow a cancellation.")
	}
	if reason != nil {
		s.CancellationReason = reason
	}
	s.CancelAtPeriodEnd = atPeriodEnd
	if !atPeriodEnd {
		r.end(at)
	}
	return nil
}

// schedule sets and reverts the cancellation at the end of the period, as
// an update does. Only the cancel operation checks allow_cancel.
func (r *SubscriptionRow) schedule(cancelAtPeriodEnd bool) {
	r.Subscription.CancelAtPeriodEnd = cancelAtPeriodEnd
	if !cancelAtPeriodEnd {
		r.Subscription.CancellationReason = nil
	}
}

// end makes the subscription canceled. Nothing is pending or paused then.
func (r *SubscriptionRow) end(at time.Time) {
	r.Subscription.Status, r.Subscription.CanceledAt = SubscriptionCanceled, &server.Timestamp{Time: at}
	r.Subscription.endPause()
	r.PendingPlanID = nil
}

// begin starts the life of a new subscription: trialing until trialEnd, else
// active (wire contract: subscription, first status). During a trial the trial
// is the current period.
func (r *SubscriptionRow) begin(at time.Time, trialEnd *server.Timestamp) {
	s := &r.Subscription
	s.ConfirmedAt = &server.Timestamp{Time: at}
	if trialEnd == nil {
		r.AnchorDay = at.Day()
		s.activate(at)
		r.startPeriod(server.Timestamp{Time: at})
		return
	}
	r.AnchorDay = trialEnd.Day()
	s.Status = subscriptionTrialing
	s.TrialStart, s.TrialEnd = &server.Timestamp{Time: at}, trialEnd
	s.CurrentPeriodStart, s.CurrentPeriodEnd = server.Timestamp{Time: at}, *trialEnd
}

// changePlan runs the plan from now on, or from the end of the period. The
// current plan reverts a pending change.
func (r *SubscriptionRow) changePlan(planID, timing string) error {
	if err := r.final(); err != nil {
		return err
	}
	r.PendingPlanID = nil
	switch {
	case is(r.Subscription.PlanID, planID):
	case timing == timingEndOfPeriod:
		r.PendingPlanID = &planID
	default:
		r.Subscription.PlanID = &planID
	}
	return nil
}

// setPlan is an immediate changePlan, as an update does. null removes the plan
// from a subscription that is priced by its items.
func (r *SubscriptionRow) setPlan(planID *string) error {
	if planID != nil {
		return r.changePlan(*planID, timingImmediate)
	}
	if len(r.Items) == 0 {
		return server.Invalid(server.Problems{"plan_id": "is required without items"})
	}
	r.Subscription.PlanID, r.PendingPlanID = nil, nil
	return nil
}

// setPastDue is the effect of a failed payment, or of a later successful one: active ↔
// past_due.
func (r *SubscriptionRow) setPastDue(on bool) error {
	from, to := SubscriptionPastDue, SubscriptionActive
	if on {
		from, to = to, from
	}
	if r.Subscription.Status != from {
		return errTransition.With("The subscription is not " + from + ".")
	}
	r.Subscription.Status = to
	return nil
}

// SetPastDue is setPastDue of any subscription.
func (s *Service) SetPastDue(id string, on bool) error {
	return s.manipulate(id, func(row *SubscriptionRow) error { return row.setPastDue(on) })
}

// SetStatus puts a subscription into any status, documented or not, without a transition of
// the state machine: draft, confirmed and suspended are reached only so, and a client must
// show a status it does not know. Nothing else changes with it. It fails when there is no
// such subscription.
func (s *Service) SetStatus(id, status string) error {
	return s.manipulate(id, func(row *SubscriptionRow) error {
		row.Subscription.Status = status
		return nil
	})
}

// manipulate changes a subscription of any organization, without an operation.
func (s *Service) manipulate(id string, change func(row *SubscriptionRow) error) error {
	now := s.Clock.Now()
	if err := s.Settle(now); err != nil {
		return err
	}
	return s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Subscriptions.Get(tx, id)
		if !ok {
			return server.ErrNotFound.With("There is no subscription with this id.")
		}
		if err := change(&row); err != nil {
			return err
		}
		row.Subscription.UpdatedAt = row.Subscription.UpdatedAt.Next(now)
		s.putSubscription(tx, row)
		return nil
	})
}

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
			passed, renewed := row.passUntil(now, s.costs(tx))
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
func (r SubscriptionRow) passUntil(now time.Time, costs costs) (passed SubscriptionRow, renewed []SubscriptionRow) {
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
	row = row.derived(s.costs(tx))
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
