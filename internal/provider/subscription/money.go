package subscription

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Warnings of a plan about charges that start or stop without a change in the configuration.

// warnUnanswered warns about a scheduled cancellation or items from another system, or an earlier configuration, that
// are not configured: they stay. Any value of the argument removes the warning.
func (p *planning) warnUnanswered() {
	state := p.State
	if state.Status.ValueString() == statusCanceled {
		return
	}
	if p.Config.CancelAtPeriodEnd.IsNull() && state.CancelAtPeriodEnd.ValueBool() {
		p.Diags.AddAttributeWarning(path.Root(argCancelAtPeriodEnd), state.title()+" ends with "+
			p.coming(state, p.Planned).period(), "Its cancellation is scheduled, but not configured. To let it end, write "+
			"cancel_at_period_end = true. To let it continue, write cancel_at_period_end = false.")
	}
	if p.Config.Items.IsNull() && len(state.Items.Elements()) > 0 {
		var lines []string
		for _, i := range itemsOf(state.Items) {
			lines = append(lines, "  "+i.displayName())
		}
		slices.Sort(lines)
		p.Diags.AddAttributeWarning(path.Root(argItems), state.title()+" is billed for items that are not in the "+
			"configuration", fmt.Sprintf("The configuration does not set items, so these stay:\n\n%s\n\nTo manage them, add "+
			"them to items. To bill none, write items = [].", strings.Join(lines, "\n")))
	}
}

// warnResumed warns about the end of a pause, whoever started it.
func (p *planning) warnResumed() {
	state, verb, cause := p.State, "is resumed", "The configuration does not pause it, so the apply ends its pause"
	switch {
	case p.Planned.Pause.IsUnknown():
		verb, cause = "may be resumed", "If pause turns out to be null, the apply ends its pause"
	case !p.Planned.Pause.IsNull():
		_, resumesAt := pauseFields(p.Planned.Pause)
		cause = fmt.Sprintf("pause.resumes_at is %q, which is in the past, so the apply ends its pause",
			resumesAt.ValueString())
		if resumesAt.IsUnknown() {
			verb, cause = "may be resumed", "If pause.resumes_at turns out to be in the past, the apply ends its pause"
		}
	}
	if !state.ResumesAt.IsNull() {
		cause += " before its scheduled end (" + state.ResumesAt.ValueString() + ")"
	}
	resumed := p.Planned
	resumed.Pause = types.ObjectNull(pauseType.AttrTypes)
	n := p.withCurrency(state, resumed)
	follows := n.unlessEnded()
	switch {
	case !n.charges():
	case n.doubt != "" || n.mayNot:
		verb += " and may be charged again"
	case n.trial != "":
		verb += " and charged again after its trial"
		cause += ". Its trial ends at " + n.trial
	default:
		verb += " and charged again"
	}
	if behavior, _ := pauseFields(state.Pause); behavior.ValueString() == keepAsDraft {
		follows += " Drafts that were kept during the pause may be finalized."
	}
	p.Diags.AddAttributeWarning(path.Root("pause"), state.title()+" "+verb, fmt.Sprintf("%s. %s To keep it paused, set "+
		"pause.", cause, follows))
}

// warnPaused warns about a pause that only a later change of the configuration ends.
func (p *planning) warnPaused() {
	behavior, resumesAt := pauseFields(p.Planned.Pause)
	if p.Planned.Pause.IsUnknown() || !resumesAt.IsNull() {
		return
	}
	summary, until, spelling := "is paused without an end", "until pause is removed", ""
	switch configured, _ := pauseFields(p.Config.Pause); {
	case configured.IsNull():
		spelling = " If you have set it, check the spelling: Terraform silently drops names that do not exist inside pause."
	case behavior.ValueString() == keepAsDraft:
		spelling = " The invoices of that time are kept as drafts."
	}
	switch n := p.coming(p.State, p.Planned); {
	case n.ends:
		summary, until = "is paused until it ends", "until it ends with "+n.period()
	case n.mayEnd:
		until += ", or until it ends"
	}
	p.Diags.AddAttributeWarning(path.Root("pause"), p.Planned.title()+" "+summary, "pause.resumes_at is not set, so it "+
		"stays paused, and is not charged, "+until+"."+spelling)
}

// warnPending warns about a plan that is pending after the apply, and that the same apply keeps from starting.
func (p *planning) warnPending() {
	if p.Planned.PendingPlanID.ValueString() == "" || !p.has(changePlanLater, endLater, pauseIt) {
		return
	}
	switch n := p.coming(p.State, p.Planned); {
	case n.ends && p.has(changePlanLater, endLater):
		p.Diags.AddAttributeWarning(path.Root(argCancelAtPeriodEnd), p.Planned.title()+" ends before its pending plan starts",
			fmt.Sprintf("The plan %s is due to start with the next period, but the subscription ends with %s, so it never "+
				"starts. To start it, set cancel_at_period_end = false.", n.plan, n.period()))
	case n.mayEnd && p.has(changePlanLater, endLater):
		p.Diags.AddAttributeWarning(path.Root(argCancelAtPeriodEnd), p.Planned.title()+" may end before its pending plan "+
			"starts", fmt.Sprintf("The plan %s is due to start with the next period. If cancel_at_period_end, which is known "+
			"only after apply, turns out to be true, it never starts.", n.plan))
	case n.paused && !n.ends && !isAfter(p.State.CurrentPeriodEnd.ValueString(), n.resumes):
		p.Diags.AddAttributeWarning(path.Root("pause"), p.Planned.title()+" is paused when its pending plan is due to start",
			fmt.Sprintf("The plan %s is due to start at %s. Nothing is charged for it during the pause, and the service may "+
				"start it later, or never.", n.plan, p.State.periodEnd()))
	}
}

// unpaid contains the statuses of an unpaid subscription.
var unpaid = map[string]string{
	"past_due":  "An invoice was not paid in time.",
	"suspended": "The service has suspended it.",
}

// warnUnpaid warns when a refresh first sees that the subscription is unpaid.
func (m model) warnUnpaid(prior model, diags *diag.Diagnostics) {
	if text := unpaid[m.Status.ValueString()]; text != "" && !m.Status.Equal(prior.Status) {
		diags.AddAttributeWarning(path.Root("status"), m.title()+" is "+m.Status.ValueString(), text+" No change is "+
			"planned for this.")
	}
}
