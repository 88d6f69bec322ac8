package billing

import (
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The state transitions of a subscription (service description, Recurring billing §3; wire contract: Behaviour where
// the descriptions are silent). A rejected transition changes nothing.

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

// pause pauses until resumesAt, or until resumed. Pausing again updates the terms of the pause.
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

// resume ends a pause: the subscription returns to its trial if that is still running, and otherwise becomes active.
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

// schedule sets or reverts the cancellation at the end of the period, as an update does. Only the cancel operation
// checks allow_cancel.
func (r *SubscriptionRow) schedule(cancelAtPeriodEnd bool) {
	r.Subscription.CancelAtPeriodEnd = cancelAtPeriodEnd
	if !cancelAtPeriodEnd {
		r.Subscription.CancellationReason = nil
	}
}

// end cancels the subscription, with its pending plan and its pause.
func (r *SubscriptionRow) end(at time.Time) {
	r.Subscription.Status, r.Subscription.CanceledAt = SubscriptionCanceled, &server.Timestamp{Time: at}
	r.Subscription.endPause()
	r.PendingPlanID = nil
}

// begin starts a new subscription: trialing until trialEnd, otherwise active (wire contract: subscription, first
// status). A trial is the current period.
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

// changePlan changes the plan immediately or at the end of the period. The current plan reverts a pending change.
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

// setPlan changes the plan immediately, as in an update. null removes the plan from a subscription priced by its items.
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

// setPastDue applies a failed payment, or a later successful one: active ↔ past_due.
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

// SetPastDue applies setPastDue to any subscription.
func (s *Service) SetPastDue(id string, on bool) error {
	e := server.AuditEntry{Cause: server.ByPayment, Action: "payment succeeded"}
	if on {
		e.Action = "payment failed"
	}
	return s.manipulate(e, id, func(row *SubscriptionRow) error { return row.setPastDue(on) })
}

// SetStatus sets any status, documented or not, without a transition. This is the only way to reach draft, confirmed
// and suspended, and clients must handle unknown statuses. Other fields do not change. It fails if the subscription
// does not exist.
func (s *Service) SetStatus(id, status string) error {
	e := server.AuditEntry{Cause: server.ByCommand, Action: "subscription status"}
	return s.manipulate(e, id, func(row *SubscriptionRow) error {
		row.Subscription.Status = status
		return nil
	})
}

// manipulate changes a subscription of any organization outside the API.
func (s *Service) manipulate(e server.AuditEntry, id string, change func(row *SubscriptionRow) error) error {
	now := s.Clock.Now()
	if err := s.Settle(now); err != nil {
		return err
	}
	return s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Subscriptions.Get(tx, id)
		if !ok {
			return server.ErrNotFound.With("There is no subscription with this id.")
		}
		before := row
		if err := change(&row); err != nil {
			return err
		}
		e.Time = now
		s.audit(tx, e, before, row)
		row.Subscription.UpdatedAt = row.Subscription.UpdatedAt.Next(now)
		s.putSubscription(tx, row)
		return nil
	})
}

// Due returns when the next time-driven change is due. Canceled subscriptions, and statuses without documented
// time-driven changes (draft, confirmed, suspended), have none.
func (r SubscriptionRow) Due() (at time.Time, ok bool) {
	s := r.Subscription
	switch s.Status {
	case subscriptionTrialing, SubscriptionActive, SubscriptionPastDue, subscriptionPaused:
	default:
		return time.Time{}, false
	}
	at = r.periodEnd().Time
	if (s.CancelAtPeriodEnd || r.PendingPlanID != nil) && s.CurrentPeriodEnd.Before(at) {
		at = s.CurrentPeriodEnd.Time // a longer trial delays only the invoice
	}
	if s.Status == subscriptionPaused && s.ResumesAt != nil && s.ResumesAt.Before(at) {
		at = s.ResumesAt.Time
	}
	if r.BillingDate != nil && r.BillingDate.Before(at) {
		at = r.BillingDate.Time
	}
	return at, true
}

// trial returns the end of a trial that is later than that of the period: a copy can have one, and nothing is invoiced
// before it ends. Zero without one.
func (r SubscriptionRow) trial() time.Time {
	if s := r.Subscription; s.TrialEnd != nil && s.TrialEnd.After(s.CurrentPeriodEnd.Time) {
		return s.TrialEnd.Time
	}
	return time.Time{}
}

// periodEnd returns when the next period begins.
func (r SubscriptionRow) periodEnd() server.Timestamp {
	if end := r.trial(); !end.IsZero() {
		return server.Timestamp{Time: end}
	}
	return r.Subscription.CurrentPeriodEnd
}

// pass applies the changes due at that time, and reports whether an invoice is made. A pause that ends together with
// the period ends first.
func (r *SubscriptionRow) pass(at time.Time) (invoiced bool) {
	s := &r.Subscription
	s.UpdatedAt = s.UpdatedAt.Next(at)
	if s.Status == subscriptionPaused && s.ResumesAt != nil && !s.ResumesAt.After(at) {
		// resume rejects only subscriptions that are not paused.
		_ = r.resume(s.ResumesAt.Time)
	}
	if !s.CurrentPeriodEnd.After(at) {
		if s.CancelAtPeriodEnd {
			r.end(at)
			return false
		}
		if r.PendingPlanID != nil {
			s.PlanID, r.PendingPlanID = r.PendingPlanID, nil
		}
	}
	if end := r.periodEnd(); !end.After(at) {
		if s.Status == subscriptionTrialing {
			s.activate(at)
		}
		r.startPeriod(end)
		invoiced = r.BillingDate == nil
	}
	if r.BillingDate != nil && !r.BillingDate.After(at) {
		next := addMonths(r.BillingDate.Time, cycleMonths[s.BillingCycle], r.BillingDay)
		r.BillingDate, invoiced = &server.Timestamp{Time: next}, true
	}
	return invoiced
}

// never is later than any due time.
var never = time.Date(lastYear+100, 1, 1, 0, 0, 0, 0, time.UTC)

// note records when a subscription is due, so that most requests need no search.
func (s *Service) note(row SubscriptionRow) {
	if at, ok := row.Due(); ok && at.Before(s.due) {
		s.due = at
	}
}

// Settle applies all changes that are due, before a request reads them: each once, at its own time, in chronological
// order, in one transaction.
func (s *Service) Settle(now time.Time) error {
	if store.Read(s.DB, func(*store.Tx) bool { return s.due.After(now) }) {
		return nil
	}
	err := s.DB.UpdatePast(func(tx *store.Tx) error {
		s.due = never
		var renewals []renewal
		for _, row := range s.Subscriptions.All(tx) {
			passed, renewed := row.passUntil(now, s.costs(tx), func(at time.Time, before, after SubscriptionRow) {
				s.auditDue(tx, at, before, after)
			})
			if len(renewed) > 0 || passed.Subscription.UpdatedAt != row.Subscription.UpdatedAt {
				s.putSubscription(tx, passed)
			}
			s.note(passed)
			renewals = append(renewals, renewed...)
		}
		slices.SortStableFunc(renewals, func(a, b renewal) int { return a.at.Compare(b.at) })
		for _, one := range renewals {
			s.invoiceRenewal(tx, one.row, one.at)
		}
		return nil
	})
	if err != nil { // rolled back: still due
		_ = s.DB.Update(func(*store.Tx) error { s.due = time.Time{}; return nil })
	}
	return err
}

// renewal is a subscription when an invoice of it is made.
type renewal struct {
	row SubscriptionRow
	at  time.Time
}

// passUntil applies all changes due until now, and also returns the row after each renewal. note is called for each
// change.
func (r SubscriptionRow) passUntil(now time.Time, costs costs,
	note func(at time.Time, before, after SubscriptionRow)) (passed SubscriptionRow, renewed []renewal) {
	for {
		at, ok := r.Due()
		if !ok || at.After(now) {
			return r, renewed
		}
		before := r
		invoiced := r.pass(at)
		note(at, before, r)
		if invoiced {
			renewed = append(renewed, renewal{r.derived(costs), at})
		}
	}
}

func (s *Service) putSubscription(tx *store.Tx, row SubscriptionRow) SubscriptionRow {
	row = row.derived(s.costs(tx))
	s.Subscriptions.Put(tx, row.Subscription.ID, row)
	s.note(row)
	return row
}

// cycleMonths contains the lengths of the billing cycles in calendar months (service description, Recurring billing §2
// Subscription).
var cycleMonths = map[string]int{"monthly": 1, "quarterly": 3, "semiannual": 6, "annual": 12}

const defaultCycle = "monthly"

// lastYear limits the timestamps in requests, so that later periods still have four-digit years.
const lastYear = 9900

// addMonths returns the anchor day that many months later, at the same time of day, or the last day of a shorter month.
func addMonths(t time.Time, months, anchorDay int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1,
		t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	lastDay := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(anchorDay, lastDay)-1)
}

// startPeriod starts a period without a trial, aligned to the anchor day.
func (r *SubscriptionRow) startPeriod(at server.Timestamp) {
	r.Subscription.CurrentPeriodStart = at
	end := addMonths(at.Time, cycleMonths[r.Subscription.BillingCycle], r.AnchorDay)
	r.Subscription.CurrentPeriodEnd = server.Timestamp{Time: end}
}
