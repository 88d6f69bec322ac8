package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// viewSubscriptions shows subscriptions with their timelines, oldest first.
func (s *Server) viewSubscriptions(tx *store.Tx, v *page.View, requests []Request) {
	invoices := map[string][]invoice{}
	for _, row := range s.invoices.All(tx) {
		invoices[row.Invoice.SubscriptionID] = append(invoices[row.Invoice.SubscriptionID], row.Invoice)
	}
	rows := []subscriptionRow{}
	for _, row := range s.subscriptions.All(tx) {
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b subscriptionRow) int {
		return a.Subscription.CreatedAt.Compare(b.Subscription.CreatedAt.Time)
	})
	for _, row := range rows {
		sub := row.Subscription
		v.Subscriptions = append(v.Subscriptions, page.Subscription{Organization: row.Organization, ID: sub.ID, ExternalID: textOf(sub.ExternalID), Account: sub.BillingAccountID,
			Status: sub.Status, Plan: textOf(sub.PlanID), Pending: textOf(row.PendingPlanID), Items: len(row.Items), PeriodStart: sub.CurrentPeriodStart.Time,
			PeriodEnd: sub.CurrentPeriodEnd.Time, Timeline: timeline(v, row, invoices[sub.ID], requests)})
	}
}

// timeline puts together what the subscription's own dates, its invoices and the
// request log tell. Of what has happened twice, a pause for example, the dates
// tell the last time only.
func timeline(v *page.View, row subscriptionRow, invoices []invoice, requests []Request) []page.Moment {
	moments := row.dates()
	for _, i := range invoices {
		moments = append(moments, page.Moment{At: i.CreatedAt.Time, What: fmt.Sprintf("invoice %s, %s, %s", i.Number, amountText(i.AmountCents, i.Currency), i.Status)})
	}
	for _, r := range requests {
		changes := strings.HasPrefix(r.Operation, "subscriptions.") && r.Method != "GET" && strings.Contains(r.Path+"/", "/"+row.Subscription.ID+"/")
		if changes && r.Status < 300 && r.Status > 0 {
			moments = append(moments, page.Moment{At: r.Time, What: "asked for " + r.Operation})
		}
	}
	for i := range moments {
		moments[i].ToCome = moments[i].At.After(v.Now)
	}
	slices.SortStableFunc(moments, func(a, b page.Moment) int { return a.At.Compare(b.At) })
	return moments
}

// dates are the moments that the subscription itself names.
func (r subscriptionRow) dates() []page.Moment {
	sub := r.Subscription
	moments := []page.Moment{{At: sub.CreatedAt.Time, What: "created"}}
	for _, date := range []struct {
		at   *instant
		what string
	}{
		{sub.TrialStart, "trial begins"}, {sub.TrialEnd, "trial ends"}, {sub.ActivatedAt, "active"}, {sub.PausedAt, "paused"},
		{sub.ResumedAt, "resumed"}, {sub.CanceledAt, "canceled"},
	} {
		if date.at != nil {
			moments = append(moments, page.Moment{At: date.at.Time, What: date.what})
		}
	}
	if sub.Status == subscriptionCanceled {
		return moments
	}
	if sub.ResumesAt != nil && sub.Status == subscriptionPaused {
		moments = append(moments, page.Moment{At: sub.ResumesAt.Time, What: "resumes"})
	}
	end := "period ends, and the next one begins"
	switch {
	case sub.CancelAtPeriodEnd:
		end = "period ends, and the subscription with it"
	case r.PendingPlanID != nil:
		end = "period ends, and the plan " + *r.PendingPlanID + " begins"
	}
	return append(moments, page.Moment{At: sub.CurrentPeriodEnd.Time, What: end})
}
