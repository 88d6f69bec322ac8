package billing

import (
	"context"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

const (
	defaultPauseBehavior = "mark_uncollectible" // service description, Recurring billing §4 Subscription pause
	timingEndOfPeriod    = "end_of_period"
)

type pauseBody struct {
	Behavior  string `json:"behavior,omitempty"`
	ResumesAt string `json:"resumes_at,omitempty"`
}

// ChangePlan is the body of subscriptions.change_plan (service description, Recurring billing §4). Empty fields are
// omitted.
type ChangePlan struct {
	PlanID string `json:"plan_id"`
	Timing string `json:"timing,omitempty"` // immediate or end_of_period; "": immediate
	Reason string `json:"reason,omitempty"` // recorded in the audit log
}

// Cancel is the body of subscriptions.cancel (service description, Recurring
// billing §4).
type Cancel struct {
	AtPeriodEnd bool   `json:"cancel_at_period_end,omitempty"` // false: immediately
	Reason      string `json:"reason,omitempty"`
}

// PauseSubscription pauses a subscription, or changes its pause (wire contract: subscriptions.pause). An empty behavior
// is the service's default; with an empty resumesAt, the pause lasts until ResumeSubscription.
func (s *Service) PauseSubscription(ctx context.Context, id, behavior, resumesAt string) (*Subscription, error) {
	body := pauseBody{Behavior: behavior, ResumesAt: resumesAt}
	return s.move(ctx, id, "pause", body, outcome{
		noun: "pause",
		done: body.describes,
	})
}

// ResumeSubscription ends a pause (wire contract: subscriptions.resume).
func (s *Service) ResumeSubscription(ctx context.Context, id string) (*Subscription, error) {
	return s.move(ctx, id, "resume", nil, outcome{
		noun: "resumption",
		done: func(now *Subscription) bool { return now.live() && !now.isPaused() },
	})
}

// ChangePlan changes the plan immediately or at the end of the period. With the current plan, it reverts a pending
// change (wire contract: subscriptions.change_plan).
func (s *Service) ChangePlan(ctx context.Context, id string, c ChangePlan) (*Subscription, error) {
	return s.move(ctx, id, "change_plan", c, outcome{
		noun: "change of plan", counts: true,
		done: c.describes,
	})
}

// RemovePlan is an update that ends the current and the pending plan (wire contract: subscriptions.update).
func (s *Service) RemovePlan(ctx context.Context, id string, body SubscriptionBody) (*Subscription, error) {
	return s.move(ctx, id, "update", body, outcome{
		noun: "removal of the plan", counts: true,
		done: func(now *Subscription) bool { return api.OrEmpty(now.PlanID) == "" && now.PendingPlanID() == "" },
	})
}

// CancelSubscription cancels a subscription at the end of its period or, permanently, immediately (wire contract:
// subscriptions.cancel).
func (s *Service) CancelSubscription(ctx context.Context, id string, c Cancel) (*Subscription, error) {
	return s.move(ctx, id, "cancel", c, outcome{
		noun: "cancellation",
		done: func(now *Subscription) bool {
			return !c.AtPeriodEnd && !now.live() || c.AtPeriodEnd && now.CancelAtPeriodEnd
		},
	})
}

// outcome describes how to recognize the result of a transition after a lost response.
type outcome struct {
	noun   string
	done   func(*Subscription) bool
	counts bool // each one may be billed
}

func (s *Service) move(ctx context.Context, id, operation string, body any, o outcome) (*Subscription, error) {
	request := api.Request{Operation: "subscriptions." + operation, Path: map[string]string{"id": id}, Body: body,
		Once: true}
	return api.Change(ctx, s.client, api.Transition[*Subscription]{
		Send:     func(ctx context.Context) (*Subscription, error) { return s.changeSubscription(ctx, request) },
		Look:     func(ctx context.Context) (*Subscription, error) { return s.GetSubscription(ctx, id) },
		Done:     o.done,
		Counts:   o.counts,
		Describe: fmt.Sprintf("%s of the subscription %q", o.noun, id),
	})
}

// isPaused accepts either sign of a pause, because a response may lack one of them.
func (s *Subscription) isPaused() bool {
	return s.Status == subscriptionPaused || s.live() && s.PauseCollection != nil && s.PauseCollection.Behavior != ""
}

func (p pauseBody) describes(now *Subscription) bool {
	if !now.isPaused() {
		return false
	}
	behavior, resumesAt := p.Behavior, now.ResumesAt
	if behavior == "" {
		behavior = defaultPauseBehavior
	}
	if collection := now.PauseCollection; collection != nil {
		if collection.Behavior != "" && collection.Behavior != behavior {
			return false
		}
		if collection.ResumesAt != nil {
			resumesAt = collection.ResumesAt
		}
	}
	return sameTime(&p.ResumesAt, resumesAt)
}

// describes reports whether a subscription has this plan, now or at the end of its period; the current plan without a
// pending one is both.
func (c ChangePlan) describes(now *Subscription) bool {
	pending := now.PendingPlanID()
	return pending == "" && same.ID(c.PlanID, api.OrEmpty(now.PlanID)) || c.Timing == timingEndOfPeriod &&
		same.ID(c.PlanID, pending)
}
