package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// history is what other tables and the log know of one subscription.
type history struct {
	invoices []billing.Invoice
	requests []server.Request
}

func subscriptionAge(r billing.SubscriptionRow) (time.Time, int64) {
	return r.Subscription.CreatedAt.Time, 0
}

// viewSubscriptions are the newest subscriptions, each with its timeline.
func (v viewer) viewSubscriptions() List[Subscription] {
	histories := v.histories()
	all := v.Billing.Subscriptions.All(v.tx)
	return newest(all, shownObjects, subscriptionAge, func(row billing.SubscriptionRow) Subscription {
		s := row.Subscription
		// An account with a subscription that is not canceled cannot be deleted.
		account, _ := v.Billing.Accounts.Get(v.tx, s.BillingAccountID)
		return Subscription{
			Organization: row.Organization, ID: s.ID, ExternalID: textOf(s.ExternalID), Customer: v.payer(account),
			Account: Ref{ID: s.BillingAccountID, Text: cmp.Or(textOf(account.Account.ExternalID), s.BillingAccountID)},
			Status:  s.Status, Cycle: s.BillingCycle,
			Plan: v.plan(textOf(s.PlanID)), PendingPlan: v.plan(textOf(row.PendingPlanID)), Items: len(row.Items),
			Amount:      amountOf(s.RecurringAmountCents, account.Account.Currency),
			PeriodStart: s.CurrentPeriodStart.Time, PeriodEnd: s.CurrentPeriodEnd.Time,
			Timeline: v.timeline(row, histories[s.ID]), Metadata: v.owners(s.ID),
		}
	})
}

// plan is a plan with its name in the catalogue.
func (v viewer) plan(id string) Plan { return Plan{ID: id, Name: v.Billing.PlanName(v.tx, id)} }

// planText is a plan by its name, else by its id.
func (v viewer) planText(id string) string {
	if id == "" {
		return "none, priced by items"
	}
	return cmp.Or(v.Billing.PlanName(v.tx, id), id)
}

// histories are invoices and changing requests by subscription.
func (v viewer) histories() map[string]history {
	histories := map[string]history{}
	for _, row := range v.Billing.Invoices.All(v.tx) {
		h := histories[row.Invoice.SubscriptionID]
		h.invoices = append(h.invoices, row.Invoice)
		histories[row.Invoice.SubscriptionID] = h
	}
	for _, r := range v.requests {
		rest, ok := strings.CutPrefix(r.Path, "/v1/subscriptions/")
		if !ok || r.Method == http.MethodGet || r.Status < 200 || r.Status > 299 {
			continue
		}
		id, _, _ := strings.Cut(rest, "/")
		h := histories[id]
		h.requests = append(h.requests, r)
		histories[id] = h
	}
	return histories
}

// requested are the operations on a subscription in words.
var requested = map[string]string{
	"subscriptions.update": "changed", "subscriptions.pause": "pause requested",
	"subscriptions.resume": "resume requested", "subscriptions.change_plan": "plan change requested",
	"subscriptions.cancel": "cancellation requested", "subscriptions.items.sync": "items replaced",
	"subscriptions.invoice": "invoice requested",
}

// timeline puts together what a subscription's dates, its invoices and the
// request log show, the oldest first. A date shows only the last time, for example of a
// pause; the log what was asked since it was emptied.
func (v viewer) timeline(row billing.SubscriptionRow, h history) []Moment {
	moments := []Moment{{At: row.Subscription.CreatedAt.Time, What: "created"}}
	for _, r := range h.requests {
		moments = append(moments, Moment{At: r.Time, What: cmp.Or(requested[r.Operation], r.Operation),
			Detail: v.asked(r), By: r.Client})
	}
	moments = append(moments, past(row)...)
	for _, change := range v.Billing.PlanChanges(v.tx, row.Subscription.ID) {
		moments = append(moments, Moment{At: change.At, What: "runs another plan", Detail: v.planText(change.Plan)})
	}
	for _, i := range h.invoices {
		moments = append(moments, invoiceMoment(i))
	}
	moments = append(moments, v.future(row)...)
	for i := range moments {
		moments[i].ToCome = moments[i].At.After(v.now)
	}
	slices.SortStableFunc(moments, func(a, b Moment) int { return a.At.Compare(b.At) })
	return moments
}

// past are the dates that the subscription keeps.
func past(r billing.SubscriptionRow) []Moment {
	s := r.Subscription
	paused := ""
	if s.PauseCollection != nil {
		paused = s.PauseCollection.Behavior
	}
	trialEnd := s.TrialEnd
	if trialEnd != nil && s.CanceledAt != nil && s.CanceledAt.Before(trialEnd.Time) {
		trialEnd = nil // it was canceled before
	}
	var moments []Moment
	for _, date := range []struct {
		at           *server.Timestamp
		what, detail string
	}{
		{s.TrialStart, "trial begins", ""}, {trialEnd, "trial ends", ""}, {s.ActivatedAt, "active", ""},
		{s.PausedAt, "paused", paused}, {s.ResumedAt, "resumed", ""},
		{s.CanceledAt, "canceled", textOf(s.CancellationReason)},
	} {
		if date.at != nil {
			moments = append(moments, Moment{At: date.at.Time, What: date.what, Detail: date.detail})
		}
	}
	return moments
}

// future is what happens next to a subscription that is not in a final state.
func (v viewer) future(r billing.SubscriptionRow) []Moment {
	s := r.Subscription
	if _, ok := r.Due(); !ok {
		return nil
	}
	var moments []Moment
	if s.ResumesAt != nil {
		moments = append(moments, Moment{At: s.ResumesAt.Time, What: "pause ends"})
	}
	end := Moment{At: s.CurrentPeriodEnd.Time, What: "next period begins"}
	switch {
	case s.CancelAtPeriodEnd:
		end.What, end.Detail = "canceled with the period", textOf(s.CancellationReason)
	case r.PendingPlanID != nil:
		end.Detail = "with plan " + v.planText(*r.PendingPlanID)
	}
	return append(moments, end)
}

func invoiceMoment(i billing.Invoice) Moment {
	amount := amountOf(i.AmountCents, i.Currency)
	if amount == "" {
		amount = "amount by the plan"
	}
	detail := fmt.Sprintf("%s, %s, %s to %s, due %s", i.Status, amount,
		i.PeriodStart.Format(time.DateOnly), i.PeriodEnd.Format(time.DateOnly), i.DueDate)
	if i.Reason != nil {
		detail += ": " + *i.Reason
	}
	return Moment{At: i.CreatedAt.Time, What: "invoice " + i.Number, Detail: detail}
}

// terms are the fields of a change that say more than the operation's name.
var terms = []string{"plan_id", "timing", "behavior", "resumes_at", "cancel_at_period_end", "reason"}

// asked is what the body of a change contains of its terms, with the names of plans.
func (v viewer) asked(r server.Request) string {
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
