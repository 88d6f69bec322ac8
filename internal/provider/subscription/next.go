package subscription

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// next is what a subscription bills next, after everything that an apply does. Every warning that names a date or an
// amount of it uses next: what the state shows is often what was billed before.
type next struct {
	// none explains why no invoice follows; "" if one does, or if that is not known.
	none string
	// invoice is the date of the next invoice that is charged, and notBefore a date before which there is none; "" if not
	// known.
	invoice, notBefore string
	// cents is the recurring amount of that invoice, in the currency of the billing account; nil if not known.
	cents           *int64
	currency, cycle string
	// plan is the plan that starts with the next period; "" if the current one continues.
	plan string
	// ends is set if it ends with its period, at end, and mayEnd if that is known only after apply.
	ends, mayEnd bool
	end          string
	// paused is set if it stays paused, until the time resumes; "" without an end.
	paused  bool
	resumes string
	// trial is the end of its trial; "" if there is none, or if it is over.
	trial string
	// doubt explains why nothing is known of the next invoice: no document describes what is billed then; "" otherwise.
	doubt string
	// mayNot is set if values that are known only after apply decide whether one follows.
	mayNot bool
}

const notKnown = "not known"

// nextBilling determines what is billed after everything: state is the subscription now, planned after the apply.
// Values that the apply may change are unknown in planned. past reports whether a date is known to have passed.
func nextBilling(state, planned model, past func(value.DateTime) bool) next {
	n := next{cycle: planned.BillingCycle.ValueString(), ends: planned.CancelAtPeriodEnd.ValueBool(),
		mayEnd: planned.CancelAtPeriodEnd.IsUnknown(), plan: planned.PendingPlanID.ValueString()}
	if trial := planned.TrialEnd; !trial.IsNull() && state.hasTrial() && !past(trial) {
		n.trial = cmp.Or(trial.ValueString(), notKnown)
	}
	_, until := pauseFields(planned.Pause)
	if n.paused = !planned.Pause.IsNull() && !past(until); n.paused {
		n.resumes = until.ValueString()
	}
	if status := state.Status.ValueString(); status != "" && !slices.Contains(described, status) {
		n.doubt = "its status is " + status
	}
	if end := planned.CurrentPeriodEnd.ValueString(); n.ends && n.doubt == "" && !isAfter(n.trial, end) {
		n.end = end
	}
	n.dueAt(planned, past)
	n.costs(planned)
	n.explain(state, planned)
	return n
}

// dueAt determines the date of the next invoice that is charged: during a pause, none is.
func (n *next) dueAt(planned model, past func(value.DateTime) bool) {
	date := planned.CycleBillingDate.ValueString()
	switch {
	case n.paused && n.resumes == "":
	case n.trial != "" && (date == "" || isAfter(n.trial, date)):
		n.notBefore = n.trial
	case n.paused && n.resumes != "" && isAfter(n.resumes, date):
		n.notBefore = n.resumes
	case !past(value.DateTimePointer(&date)):
		n.invoice = date
	}
}

// costs determines the amount. The recurring amount of the service is that of the current plan.
func (n *next) costs(planned model) {
	known := !planned.RecurringAmountCents.IsNull() && !planned.RecurringAmountCents.IsUnknown()
	// No document says whether the service shows the amount before or after a discount.
	discounted := !planned.DiscountCodeID.IsNull() || strings.Trim(planned.DiscountPercent.ValueString(), "0.") != "" ||
		planned.DiscountPercent.IsUnknown()
	if known && !discounted && planned.PendingPlanID.IsNull() && n.notBefore == "" {
		n.cents = planned.RecurringAmountCents.ValueInt64Pointer()
	}
}

// explain determines why no invoice follows, or why that is not known.
func (n *next) explain(state, planned model) {
	switch status := state.Status.ValueString(); {
	case status == statusCanceled:
		n.none = "it is canceled"
	case n.ends && !isAfter(n.end, n.invoice) && !n.invoicedEarly(state):
		n.none = "it ends with " + n.period()
	case planned.CollectionMethod.ValueString() == methodManualInvoice:
		n.none = "collection_method is \"manual_invoice\""
	case n.paused && n.resumes == "":
		n.none = "it is paused"
	case n.mayEnd || planned.Pause.IsUnknown() || planned.CollectionMethod.IsUnknown() && status != "":
		n.invoice, n.cents, n.mayNot = "", nil, true
	case n.doubt != "":
		n.invoice, n.cents = "", nil
	}
}

// invoicedEarly reports whether an invoice may be charged before the subscription ends: in state, the next one is due
// before the end of the period, and neither a trial nor a pause lasts until then.
func (n *next) invoicedEarly(state model) bool {
	charged, isKnown := api.ParseTime(n.notBefore)
	end, ends := api.ParseTime(n.end)
	endless := n.paused && n.resumes == ""
	return isAfter(state.CurrentPeriodEnd.ValueString(), state.CycleBillingDate.ValueString()) && !endless &&
		(!isKnown || !ends || charged.Before(end))
}

// described are the statuses for which a document describes what is billed, and when the subscription ends.
var described = []string{statusTrialing, "active", statusPaused, statusCanceled}

// charges reports whether an invoice follows, or may.
func (n next) charges() bool { return n.none == "" }

// String describes what follows, in sentences.
func (n next) String() string { return n.describe("") }

// unlessEnded is String for an invoice that a billing account may keep from coming: another resource decides about it.
func (n next) unlessEnded() string {
	return n.describe(", unless its billing account is suspended or closed by then")
}

func (n next) describe(unless string) string {
	text := "Next invoice: " + n.due() + unless + "."
	switch {
	case n.none != "":
		return "No invoice follows automatically: " + n.none + "."
	case n.doubt != "":
		text = "Next invoice: " + n.due() + "."
	case n.isUnknown():
		text = "Date and amount of the next invoice are not known before the apply."
	}
	if n.ends && n.end != "" {
		text += " It ends at " + n.end + "."
	}
	return text
}

// isUnknown reports whether nothing is known of the next invoice, for no other reason than this plan.
func (n next) isUnknown() bool {
	return n.invoice == "" && n.notBefore == "" && n.cents == nil && n.doubt == "" && n.plan == ""
}

// period names its period, with its end if that is known.
func (n next) period() string {
	if n.end == "" {
		return "its period"
	}
	return "its period (" + n.end + ")"
}

// due describes the next invoice.
func (n next) due() string {
	if n.doubt != "" {
		return notKnown + ", because " + n.doubt
	}
	text := cmp.Or(n.invoice, notKnown)
	if n.notBefore != "" {
		text += ", but not before " + n.notBefore
	}
	if n.plan != "" {
		text += fmt.Sprintf(", on the plan %s that starts with the next period", n.plan)
	}
	return text + "; recurring amount: " + n.amount()
}

// amount formats the recurring amount with its currency.
func (n next) amount() string {
	if n.cents == nil {
		return notKnown
	}
	text := big.NewRat(*n.cents, 100).FloatString(2) //nolint:mnd // cents and decimals of a unit
	if n.currency != "" {
		text = n.currency + " " + text
	} else {
		text += " in the currency of its billing account"
	}
	if n.cycle != "" {
		text += ", billing cycle " + n.cycle
	}
	return text
}

// coming is comes at the service's time.
func (p *planning) coming(state, planned model) next { return nextBilling(state, planned, p.past) }

// withCurrency is coming for a warning that names the date or the amount. The billing account has the currency, and may
// be suspended; it is read only if a date or an amount is known.
func (p *planning) withCurrency(state, planned model) next {
	n := p.coming(state, planned)
	if n.cents == nil && n.invoice == "" || p.client == nil {
		return n
	}
	account, _, err := p.client.RefreshBillingAccount(p.ctx, state.BillingAccountID.ValueString())
	if err != nil {
		return n
	}
	if n.currency = account.Currency; account.Status == accountSuspended {
		n.invoice, n.doubt = "", "its billing account is suspended now"
	}
	return n
}

// isAfter reports whether a is later than b; false if one is not known.
func isAfter(a, b string) bool {
	one, ok := api.ParseTime(a)
	other, known := api.ParseTime(b)
	return ok && known && one.After(other)
}
