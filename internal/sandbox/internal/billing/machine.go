package billing

import (
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

// SetPastDue makes an active subscription past_due, as a failed payment does,
// or with on false a past_due one active again, as when it is paid. It fails
// when there is no such subscription or it is in another state.
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
