package sandbox

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

var pauseShape = shape{
	"behavior":   oneOf("mark_uncollectible", "keep_as_draft", "void"),
	"resumes_at": moment,
}

var changePlanShape = shape{
	"plan_id": aUUID,
	"timing":  oneOf(timingImmediate, timingEndOfPeriod),
	"reason":  text,
}

var cancelShape = shape{
	"cancel_at_period_end": boolean,
	"reason":               text,
}

// moveSubscription reads what a step takes, by read, and makes it.
func (c *call) moveSubscription(tx *store.Tx, read func() error, step func(row *subscriptionRow) error) (reply, error) {
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	if err := read(); err != nil {
		return reply{}, err
	}
	changed := row
	if err := step(&changed); err != nil {
		return reply{}, err
	}
	return c.answerSubscription(http.StatusOK, c.changeSubscription(tx, row, changed)), nil
}

// pauseSubscription serves subscriptions.pause.
func pauseSubscription(c *call, tx *store.Tx) (reply, error) {
	in := struct {
		Behavior  string  `json:"behavior"`
		ResumesAt *string `json:"resumes_at"`
	}{Behavior: defaultPauseBehavior}
	var resumesAt *instant
	read := func() error {
		if err := c.readOptional(pauseShape, &in); err != nil || in.ResumesAt == nil {
			return err
		}
		// The rules have parsed it before.
		at, _ := parseMoment(*in.ResumesAt)
		var err error
		resumesAt, err = inFuture("resumes_at", at, c.now)
		return err
	}
	return c.moveSubscription(tx, read, func(row *subscriptionRow) error {
		return row.pause(c.now, in.Behavior, resumesAt)
	})
}

// resumeSubscription serves subscriptions.resume, which takes no fields.
func resumeSubscription(c *call, tx *store.Tx) (reply, error) {
	read := func() error { return c.readOptional(shape{}, &struct{}{}) }
	return c.moveSubscription(tx, read, func(row *subscriptionRow) error { return row.resume(c.now) })
}

// changePlanOfSubscription serves subscriptions.change_plan. The audit log the
// reason goes to is not part of the sandbox.
func changePlanOfSubscription(c *call, tx *store.Tx) (reply, error) {
	in := struct {
		PlanID string `json:"plan_id"`
		Timing string `json:"timing"`
	}{Timing: timingImmediate}
	read := func() error {
		_, err := c.readObject(changePlanShape, []string{"plan_id"}, &in)
		canonical(&in.PlanID)
		return err
	}
	return c.moveSubscription(tx, read, func(row *subscriptionRow) error {
		return row.changePlan(in.PlanID, in.Timing)
	})
}

// cancelSubscription serves subscriptions.cancel.
func cancelSubscription(c *call, tx *store.Tx) (reply, error) {
	var in struct {
		CancelAtPeriodEnd bool    `json:"cancel_at_period_end"`
		Reason            *string `json:"reason"`
	}
	read := func() error { return c.readOptional(cancelShape, &in) }
	return c.moveSubscription(tx, read, func(row *subscriptionRow) error {
		return row.cancel(c.now, in.CancelAtPeriodEnd, in.Reason)
	})
}
