package subscription

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

var pauseType = types.ObjectType{AttrTypes: map[string]attr.Type{"behavior": types.StringType,
	"resumes_at": fwtype.DateTimeType{}}}

// pauseOf is the argument pause as the service has it; null while the subscription is not paused. Either sign of a
// pause may be missing from a response (service description, Recurring billing §2); a behavior that the response leaves
// out is null.
func pauseOf(s *billing.Subscription) types.Object {
	p := s.PauseCollection
	if s.Status == statusCanceled || s.Status != statusPaused && (p == nil || p.Behavior == "") {
		return types.ObjectNull(pauseType.AttrTypes)
	}
	behavior, resumesAt := types.StringNull(), s.ResumesAt
	if p != nil {
		behavior = wire.TextOrNull(p.Behavior)
		if p.ResumesAt != nil {
			resumesAt = p.ResumesAt
		}
	}
	return pauseObject(behavior, fwtype.DateTimePointer(resumesAt))
}

func pauseObject(behavior types.String, resumesAt fwtype.DateTime) types.Object {
	return types.ObjectValueMust(pauseType.AttrTypes, map[string]attr.Value{"behavior": behavior,
		"resumes_at": resumesAt})
}

// pauseLike is the pause that runs, as prior writes it where that means the same. Where the service only says that
// there is one, it is taken for the one known before.
func pauseLike(prior, now types.Object, remote *billing.Subscription) types.Object {
	if prior.IsNull() || prior.IsUnknown() || now.IsNull() {
		return now
	}
	if remote.PauseCollection == nil && remote.ResumesAt == nil || samePause(prior, now) {
		return prior
	}
	return now
}

// pauseFields reads a known pause.
func pauseFields(pause types.Object) (behavior types.String, resumesAt fwtype.DateTime) {
	behavior, _ = pause.Attributes()["behavior"].(types.String)
	resumesAt, _ = pause.Attributes()["resumes_at"].(fwtype.DateTime)
	return behavior, resumesAt
}

// samePause reports whether both mean the same pause. A behavior that is null was not in the response, and is not
// a difference.
func samePause(a, b types.Object) bool {
	if a.IsNull() || b.IsNull() || a.IsUnknown() || b.IsUnknown() {
		return a.Equal(b)
	}
	behaviorA, resumesA := pauseFields(a)
	behaviorB, resumesB := pauseFields(b)
	return (behaviorA.IsNull() || behaviorB.IsNull() || behaviorA.Equal(behaviorB)) && resumesA.Means(resumesB)
}

// pauseRuns reports whether the pause in the state is one that runs, and not one that is fulfilled or was ended before
// that, and whose resumes_at has passed. Some services show a pause without the status.
func (m model) pauseRuns() bool {
	if m.Pause.IsNull() {
		return false
	}
	_, resumesAt := pauseFields(m.Pause)
	due, planned := api.Moment(resumesAt.ValueString())
	ended, known := api.Moment(m.ResumedAt.ValueString())
	began, dated := api.Moment(m.PausedAt.ValueString())
	switch {
	case m.Status.ValueString() == statusPaused || !planned || !known:
		return true
	case dated:
		return ended.Before(began)
	default:
		return !m.ResumesAt.IsNull() && ended.Before(due)
	}
}

// pauseDiffers reports whether the configuration asks for another pause than the one in the state.
func (p *planning) pauseDiffers() bool {
	return !p.Planned.Pause.IsNull() && !samePause(p.Planned.Pause, p.State.Pause)
}

// pauseOver reports whether the configured pause has ended already: there is nothing to pause.
func (p *planning) pauseOver() bool {
	_, resumesAt := pauseFields(p.Planned.Pause)
	return p.past(resumesAt)
}

func (p *planning) pauses() bool { return p.pauseDiffers() && !p.pauseOver() }

// resumes reports whether a pause that runs has to end. One that is not known yet may become none.
func (p *planning) resumes() bool {
	pause := p.Planned.Pause
	_, resumesAt := pauseFields(pause)
	none := pause.IsNull() || pause.IsUnknown() || resumesAt.IsUnknown()
	return p.State.pauseRuns() && (none || p.pauseDiffers() && p.pauseOver())
}

// pausedUntil is the end of the pause that is carried out, or fulfilled, once the plan is applied. A pause that is
// over already when it is added to a subscription is a mistake; after an import, and for a new subscription, the
// configuration may be older than the object.
func (p *planning) pausedUntil() string {
	if p.Planned.Pause.IsNull() {
		return ""
	}
	_, resumesAt := pauseFields(p.Planned.Pause)
	switch {
	case !p.pauseDiffers() || !p.pauseOver():
		return p.own.PausedUntil
	case p.own.applied() && !p.own.pausedUntil(resumesAt):
		p.refused("pause", "its pause would have ended already", "pause.resumes_at is %q, which is in the past. Write a "+
			"later date, or remove pause.", resumesAt.ValueString())
	case !p.own.pausedUntil(resumesAt):
		p.warnPauseOver()
	}
	return resumesAt.ValueString()
}

// warnPauseOver reports that a configured pause has ended before the subscription was created or imported.
func (p *planning) warnPauseOver() {
	if _, resumesAt := pauseFields(p.Planned.Pause); p.past(resumesAt) {
		p.Diags.AddAttributeWarning(path.Root("pause"), p.Planned.title()+" is not paused, because the pause is over",
			fmt.Sprintf("pause.resumes_at is %q, which is in the past, so there is nothing to pause. The block has no "+
				"further effect and can be removed.", resumesAt.ValueString()))
	}
}

// keepFulfilled leaves a pause in the state that the service does not have any more because its resumes_at has passed:
// a configuration that still names it asks for nothing. now is the service's clock.
func (m *model) keepFulfilled(prior model, now time.Time) {
	_, resumesAt := pauseFields(prior.Pause)
	due, planned := api.Moment(resumesAt.ValueString())
	if m.Pause.IsNull() && planned && !due.After(now) && m.Status.ValueString() != statusCanceled {
		m.Pause = prior.Pause
	}
}

// warnEndedPause reports that a pause that the configuration asked for was ended before its time. A pause that never
// began, because the step that pauses failed, has not ended.
func warnEndedPause(prior, state model, diags *diag.Diagnostics) {
	began := prior.Status.ValueString() == statusPaused || !prior.PausedAt.IsNull()
	if prior.Pause.IsNull() || !state.Pause.IsNull() || !began {
		return
	}
	diags.AddAttributeWarning(path.Root("pause"), "The pause of "+state.displayName()+" has ended",
		"It was ended outside of Terraform. If the configuration still has the pause block, the plan pauses again: "+
			"remove it, or set another resumes_at.")
}
