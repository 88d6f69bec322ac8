package page

import (
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
			Organization: row.Organization, ID: s.ID, ExternalID: textOf(s.ExternalID),
			Customer: v.payer(account), Account: s.BillingAccountID, Status: s.Status, Cycle: s.BillingCycle,
			Plan: textOf(s.PlanID), PendingPlan: textOf(row.PendingPlanID), Items: len(row.Items),
			Amount:      amountOf(s.RecurringAmountCents, account.Account.Currency),
			PeriodStart: s.CurrentPeriodStart.Time, PeriodEnd: s.CurrentPeriodEnd.Time,
			Timeline: v.timeline(row, histories[s.ID]),
		}
	})
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

// timeline puts together what a subscription's dates, its invoices and the
// request log tell, the oldest first. A date tells the last time only, the last
// pause for instance; the log what was asked since it was emptied.
func (v viewer) timeline(row billing.SubscriptionRow, h history) []Moment {
	moments := []Moment{{At: row.Subscription.CreatedAt.Time, What: "created"}}
	for _, r := range h.requests {
		moments = append(moments, Moment{At: r.Time, What: "asked: " + r.Operation, Detail: asked(r)})
	}
	moments = append(moments, past(row)...)
	for _, i := range h.invoices {
		moments = append(moments, invoiceMoment(i))
	}
	moments = append(moments, future(row)...)
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
	var moments []Moment
	for _, date := range []struct {
		at           *server.Timestamp
		what, detail string
	}{
		{s.TrialStart, "trial begins", ""}, {s.TrialEnd, "trial ends", ""}, {s.ActivatedAt, "active", ""},
		{s.PausedAt, "paused", paused}, {s.ResumedAt, "resumed", ""},
		{s.CanceledAt, "canceled", textOf(s.CancellationReason)},
	} {
		if date.at != nil {
			moments = append(moments, Moment{At: date.at.Time, What: date.what, Detail: date.detail})
		}
	}
	return moments
}

// future is what time brings next, to one that is on its way.
func future(r billing.SubscriptionRow) []Moment {
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
		end.Detail = "with plan " + *r.PendingPlanID
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

// asked is what the body of a change said of its terms.
func asked(r server.Request) string {
	value, _ := server.Decode(r.Body)
	fields, _ := value.(map[string]any)
	var said []string
	for _, name := range terms {
		if text, ok := finance.Simple(fields[name]); ok {
			said = append(said, name+" "+text)
		}
	}
	return strings.Join(said, ", ")
}
