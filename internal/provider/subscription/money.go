package subscription

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
		p.Diags.AddAttributeWarning(path.Root(argCancelAtPeriodEnd), fmt.Sprintf("%s ends with its period (%s)",
			state.title(), state.periodEnd()), "Its cancellation is scheduled, but not configured. To let it end, write "+
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
	from := "from the apply on"
	if trial := state.TrialEnd; !trial.IsNull() && !p.past(trial) {
		from = "from the end of its trial on (" + trial.ValueString() + ")"
	}
	if !state.ResumesAt.IsNull() {
		cause += " before its scheduled end (" + state.ResumesAt.ValueString() + ")"
	}
	p.Diags.AddAttributeWarning(path.Root("pause"), state.title()+" "+verb+" and charged again",
		fmt.Sprintf("%s. It is charged %s; next invoice: %s%s. To keep it paused, set pause.", cause, from,
			cmp.Or(state.CycleBillingDate.ValueString(), "not known"), state.charge()))
}

// warnPaused warns about a pause that only a later change of the configuration ends.
func (p *planning) warnPaused() {
	_, resumesAt := pauseFields(p.Planned.Pause)
	if p.Planned.Pause.IsUnknown() || !resumesAt.IsNull() {
		return
	}
	p.Diags.AddAttributeWarning(path.Root("pause"), p.Planned.title()+" is paused without an end",
		"pause.resumes_at is not set, so it stays paused, and is not charged, until pause is removed. If you have set it, "+
			"check the spelling: Terraform silently drops names that do not exist inside pause.")
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
