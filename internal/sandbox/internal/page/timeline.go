package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

func (v *viewer) planText(id string) string {
	if id == "" {
		return "none, priced by items"
	}
	return cmp.Or(v.Billing.PlanName(v.tx, id), id)
}

// requested are the operations on a subscription in words.
var requested = map[string]string{
	"subscriptions.update": "changed", "subscriptions.pause": "pause requested",
	"subscriptions.resume": "resume requested", "subscriptions.change_plan": "plan change requested",
	"subscriptions.cancel": "cancellation requested", "subscriptions.items.sync": "items replaced",
	"subscriptions.invoice": "invoice requested",
}

// event is one entry of a timeline.
type event struct {
	At           time.Time
	What, Detail string
	By           string // client that has requested it; empty: due at that time, or not known
	Request      string // its Request-Id
	ToCome       bool   // it has not happened yet
}

// timeline puts together what a subscription's dates, its invoices and the
// request log show, the oldest first. A date shows only the last time, for example of a
// pause; the log what was asked since it was emptied.
func (v *viewer) timeline(row billing.SubscriptionRow) []event {
	events := []event{{At: row.Subscription.CreatedAt.Time, What: "created"}}
	for _, r := range v.requests {
		if r.Object == row.Subscription.ID && strings.HasPrefix(r.Operation, "subscriptions.") && isWrite(r) &&
			r.Status/100 == 2 {
			events = append(events, event{At: r.Time, What: cmp.Or(requested[r.Operation], r.Operation),
				Detail: v.asked(r), By: r.Client, Request: r.RequestID})
		}
	}
	var invoices []billing.Invoice
	for _, of := range v.Billing.Invoices.All(v.tx) {
		if of.Invoice.SubscriptionID == row.Subscription.ID {
			invoices = append(invoices, of.Invoice)
		}
	}
	events = append(events, past(row, invoices)...)
	for _, change := range v.Billing.PlanChanges(v.tx, row.Subscription.ID) {
		events = append(events, event{At: change.At, What: "plan changed", Detail: "to " + v.planText(change.Plan)})
	}
	for _, i := range invoices {
		events = append(events, invoiceEvent(i))
	}
	events = append(events, v.future(row)...)
	for i := range events {
		events[i].ToCome = events[i].At.After(v.now)
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.At.Compare(b.At) })
	return events
}

// past are the dates that the subscription keeps.
func past(r billing.SubscriptionRow, invoices []billing.Invoice) []event {
	s := r.Subscription
	period := s.CurrentPeriodStart
	detail := "until " + day(s.CurrentPeriodEnd)
	if !slices.ContainsFunc(invoices, func(i billing.Invoice) bool { return i.PeriodStart.Equal(period.Time) }) {
		detail += ", without an invoice"
	}
	periodStart := &period
	if s.TrialEnd != nil && period.Before(s.TrialEnd.Time) {
		periodStart = nil // the trial, which has events of its own
	}
	paused := ""
	if s.PauseCollection != nil {
		paused = s.PauseCollection.Behavior
	}
	trialEnd := s.TrialEnd
	if trialEnd != nil && s.CanceledAt != nil && s.CanceledAt.Before(trialEnd.Time) {
		trialEnd = nil // it was canceled before
	}
	var events []event
	for _, date := range []struct {
		at           *server.Timestamp
		what, detail string
	}{
		{s.TrialStart, "trial begins", ""}, {trialEnd, "trial ends", ""}, {s.ActivatedAt, "active", ""},
		{periodStart, "period begins", detail},
		{s.PausedAt, "paused", paused}, {s.ResumedAt, "resumed", ""},
		{s.CanceledAt, "canceled", server.TextOf(s.CancellationReason)},
	} {
		if date.at != nil {
			events = append(events, event{At: date.at.Time, What: date.what, Detail: date.detail})
		}
	}
	return events
}

// future is what happens next to a subscription that is not in a final state.
func (v *viewer) future(r billing.SubscriptionRow) []event {
	s := r.Subscription
	if _, ok := r.Due(); !ok {
		return nil
	}
	var events []event
	if s.ResumesAt != nil {
		events = append(events, event{At: s.ResumesAt.Time, What: "pause ends"})
	}
	end := event{At: s.CurrentPeriodEnd.Time, What: "next period begins"}
	switch {
	case s.CancelAtPeriodEnd:
		end.What, end.Detail = "canceled with the period", server.TextOf(s.CancellationReason)
	case r.PendingPlanID != nil:
		end.Detail = "with plan " + v.planText(*r.PendingPlanID)
	}
	return append(events, end)
}

func invoiceEvent(i billing.Invoice) event {
	price := "amount by the plan"
	if i.AmountCents != nil {
		price = amount(*i.AmountCents, i.Currency)
	}
	detail := fmt.Sprintf("%s, %s, %s to %s, due %s", i.Status, price,
		i.PeriodStart.Format(time.DateOnly), i.PeriodEnd.Format(time.DateOnly), i.DueDate)
	if i.Reason != nil {
		detail += ": " + *i.Reason
	}
	return event{At: i.CreatedAt.Time, What: "invoice " + i.Number, Detail: detail}
}

// terms are the fields of a change that say more than the operation's name.
var terms = []string{"plan_id", "timing", "behavior", "resumes_at", "cancel_at_period_end", "reason"}

// asked is what the body of a change contains of its terms, with the names of plans.
func (v *viewer) asked(r server.Request) string {
	value, _ := server.Decode(r.Body)
	fields, _ := value.(map[string]any)
	var said []string
	for _, name := range terms {
		text, ok := finance.Simple(fields[name])
		if !ok {
			continue
		}
		if name == "plan_id" {
			text = v.planText(text)
		}
		said = append(said, name+" "+text)
	}
	return strings.Join(said, ", ")
}
