package billing

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

var pauseShape = server.Shape{
	"behavior":   server.OneOf("mark_uncollectible", "keep_as_draft", "void"),
	"resumes_at": server.DateOrTime,
}

var changePlanShape = server.Shape{
	"plan_id": server.UUID,
	"timing":  server.OneOf(timingImmediate, timingEndOfPeriod),
	"reason":  server.Text,
}

var cancelShape = server.Shape{
	"cancel_at_period_end": server.Boolean,
	"reason":               server.Text,
}

// moveSubscription reads what a step takes, by read, and makes it.
func (s *Service) moveSubscription(
	c *server.Call, tx *store.Tx, read func() error, step func(row *SubscriptionRow) error,
) (server.Reply, error) {
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	if err := read(); err != nil {
		return server.Reply{}, err
	}
	changed := row
	if err := step(&changed); err != nil {
		return server.Reply{}, err
	}
	return s.respondSubscription(c, http.StatusOK, s.changeSubscription(c, tx, row, changed)), nil
}

// pauseSubscription serves subscriptions.pause.
func (s *Service) pauseSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	in := struct {
		Behavior  string  `json:"behavior"`
		ResumesAt *string `json:"resumes_at"`
	}{Behavior: defaultPauseBehavior}
	var resumesAt *server.Timestamp
	read := func() error {
		if err := c.ReadOptional(pauseShape, &in); err != nil || in.ResumesAt == nil {
			return err
		}
		// The rules have parsed it before.
		at, _ := server.ParseTime(*in.ResumesAt)
		var err error
		resumesAt, err = inFuture("resumes_at", at, c.Now)
		return err
	}
	return s.moveSubscription(c, tx, read, func(row *SubscriptionRow) error {
		return row.pause(c.Now, in.Behavior, resumesAt)
	})
}

// resumeSubscription serves subscriptions.resume, which takes no fields.
func (s *Service) resumeSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	read := func() error { return c.ReadOptional(server.Shape{}, &struct{}{}) }
	return s.moveSubscription(c, tx, read, func(row *SubscriptionRow) error { return row.resume(c.Now) })
}

// changePlanOfSubscription serves subscriptions.change_plan. The audit log the
// reason goes to is not part of the sandbox.
func (s *Service) changePlanOfSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	in := struct {
		PlanID string `json:"plan_id"`
		Timing string `json:"timing"`
	}{Timing: timingImmediate}
	read := func() error {
		_, err := c.ReadObject(changePlanShape, []string{"plan_id"}, &in)
		server.Canonical(&in.PlanID)
		if err == nil {
			err = s.checkReferences(c, tx, &in.PlanID, nil)
		}
		return err
	}
	return s.moveSubscription(c, tx, read, func(row *SubscriptionRow) error {
		return row.changePlan(in.PlanID, in.Timing)
	})
}

// cancelSubscription serves subscriptions.cancel.
func (s *Service) cancelSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	var in struct {
		CancelAtPeriodEnd bool    `json:"cancel_at_period_end"`
		Reason            *string `json:"reason"`
	}
	read := func() error { return c.ReadOptional(cancelShape, &in) }
	return s.moveSubscription(c, tx, read, func(row *SubscriptionRow) error {
		return row.cancel(c.Now, in.CancelAtPeriodEnd, in.Reason)
	})
}
