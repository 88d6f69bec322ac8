package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

func (v *viewer) planText(id string) string {
	if id == "" {
		return "none, priced by items"
	}
	return cmp.Or(v.Billing.PlanName(v.tx, id), id)
}

// actions maps operations in the audit trail to display texts.
var actions = map[string]string{
	"subscriptions.create": "created", "subscriptions.update": "changed", "subscriptions.pause": "pause requested",
	"subscriptions.resume": "resume requested", "subscriptions.change_plan": "plan change requested",
	"subscriptions.cancel": "cancellation requested", "subscriptions.items.sync": "items replaced",
	"subscriptions.invoice": "invoice requested", "subscription status": "status set",
}

// event is one entry of a timeline.
type event struct {
	At            time.Time
	What, Detail  string
	Before, After string // status; equal if unchanged
	Cause         string // as in the audit trail; empty: unknown
	Client, Token string // of a request
	Request       string // its Request-Id, if still in the log
	ToCome        bool   // in the future
}

// By is the client of the request, or another cause.
func (e event) By() string {
	if e.Cause != server.ByRequest {
		return e.Cause
	}
	return cmp.Or(clientName(e.Client), "unnamed client")
}

// audited returns the entries of the audit trail about an object, oldest first.
func (v *viewer) audited(id string) (events []event) {
	if v.trail == nil {
		v.trail, v.logged = map[string][]server.AuditEntry{}, map[string]bool{}
		for _, e := range v.Billing.AuditTrail(v.tx) {
			v.trail[e.ID] = append(v.trail[e.ID], e)
		}
		for _, r := range v.requests {
			v.logged[r.RequestID] = true
		}
	}
	for _, e := range v.trail[id] {
		one := event{At: e.Time, What: cmp.Or(actions[e.Action], e.Action), Before: e.Before, After: e.After,
			Cause: e.Cause, Client: e.Client, Token: v.tokenText(e.Token)}
		if v.logged[e.RequestID] {
			one.Request = e.RequestID
		}
		var said []string
		for _, name := range slices.Sorted(maps.Keys(e.Terms)) {
			text := cmp.Or(server.TextOf(e.Terms[name]), "none")
			if strings.HasSuffix(name, "plan_id") && text != "none" {
				text = v.planText(text)
			}
			said = append(said, strings.TrimSuffix(strings.ReplaceAll(name, "_", " "), " id")+" "+text)
		}
		if e.Reason != "" {
			said = append(said, "reason: "+e.Reason)
		}
		one.Detail = strings.Join(said, ", ")
		events = append(events, one)
	}
	return events
}

// tokenText returns the public prefix of a token, with the name if it is an API key.
func (v *viewer) tokenText(prefix string) string {
	if prefix == "" {
		return ""
	}
	for _, row := range v.Collections.Keys.All(v.tx) {
		if row.Key.KeyPrefix == prefix {
			return row.Key.Name + " " + prefix
		}
	}
	return prefix
}

// timeline combines a subscription's audit trail, dates, invoices and logged requests, oldest first. Before a copy was
// made, only the dates are known.
func (v *viewer) timeline(row billing.SubscriptionRow) []event {
	events := v.audited(row.Subscription.ID)
	known := map[string]bool{}
	for _, e := range events {
		known[iso(e.At)], known[e.Request] = true, true
	}
	for _, r := range v.requests {
		if r.Object == row.Subscription.ID && strings.HasPrefix(r.Operation, "subscriptions.") && r.IsWrite() &&
			r.Status/100 == 2 && !known[r.RequestID] {
			events = append(events, event{At: r.Time, What: cmp.Or(actions[r.Operation], r.Operation),
				Cause: server.ByRequest, Client: r.Client, Token: r.Token, Request: r.RequestID})
		}
	}
	invoices := v.invoicesOf(row.Subscription.ID)
	for _, e := range past(row, invoices) {
		if !e.At.After(v.now) && (e.Detail != "" || !known[iso(e.At)]) {
			events = append(events, e)
		}
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

// invoicesOf returns the invoices of a subscription.
func (v *viewer) invoicesOf(id string) []billing.Invoice {
	if v.invoices == nil {
		v.invoices = map[string][]billing.Invoice{}
		for _, of := range v.Billing.Invoices.All(v.tx) {
			v.invoices[of.Invoice.SubscriptionID] = append(v.invoices[of.Invoice.SubscriptionID], of.Invoice)
		}
	}
	return v.invoices[id]
}

// past returns the events derived from the subscription's dates.
func past(r billing.SubscriptionRow, invoices []billing.Invoice) []event {
	s := r.Subscription
	period := s.CurrentPeriodStart
	detail := "until " + day(s.CurrentPeriodEnd)
	if !slices.ContainsFunc(invoices, func(i billing.Invoice) bool { return i.PeriodStart.Equal(period.Time) }) {
		detail += ", without an invoice" + noInvoice(r)
	}
	periodStart := &period
	if s.TrialEnd != nil && period.Before(s.TrialEnd.Time) {
		periodStart = nil // the trial has separate events
	}
	trialEnd := s.TrialEnd
	if trialEnd != nil && s.CanceledAt != nil && s.CanceledAt.Before(trialEnd.Time) {
		trialEnd = nil // canceled during the trial
	}
	var events []event
	for _, date := range []struct {
		at           *server.Timestamp
		what, detail string
	}{
		{&s.CreatedAt, "created", ""}, {s.TrialStart, "trial begins", ""}, {trialEnd, "trial ends", ""},
		{s.ActivatedAt, "active", ""},
		{periodStart, "period begins", detail},
		{s.PausedAt, "paused", ""}, {s.ResumedAt, "resumed", ""}, {s.CanceledAt, "canceled", ""},
	} {
		if date.at != nil {
			events = append(events, event{At: date.at.Time, What: date.what, Detail: date.detail})
		}
	}
	return events
}

// noInvoice returns why the current period has no invoice.
func noInvoice(r billing.SubscriptionRow) string {
	switch s := r.Subscription; {
	case server.TextOf(s.CollectionMethod) == "manual_invoice":
		return ": it is invoiced on request only (manual_invoice)"
	case s.ConfirmedAt != nil && s.ConfirmedAt.Equal(s.CurrentPeriodStart.Time):
		return ": the first one is made at its end"
	}
	return " in this sandbox"
}

// history returns what requests, commands and time did to an object, oldest first.
func (v *viewer) history(id string) []event {
	if row, ok := v.Billing.Subscriptions.Get(v.tx, id); ok {
		return v.timeline(row)
	}
	events := v.audited(id)
	row, ok := v.Collections.Keys.Get(v.tx, id)
	if end := row.Key.ExpiresAt; ok && end != nil && (row.Key.RevokedAt == nil || row.Key.RevokedAt.After(end.Time)) {
		expiry := event{At: end.Time, What: "expired", Cause: server.ByClock}
		if end.After(v.now) {
			expiry.What, expiry.ToCome = "expires", true
		}
		events = append(events, expiry)
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.At.Compare(b.At) })
	return events
}

// future returns the upcoming events of a subscription.
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
	if s.TrialEnd != nil && !s.TrialEnd.Before(end.At) { // in a copy, the trial can be longer than the period
		end.At, end.What, end.Detail = s.TrialEnd.Time, "trial ends", "the first period begins"
	}
	if r.BillingDate != nil {
		events = append(events, event{At: r.BillingDate.Time, What: "next invoice"})
	}
	switch {
	case s.CancelAtPeriodEnd:
		end.What, end.Detail = "canceled at the end of the period", server.TextOf(s.CancellationReason)
	case r.PendingPlanID != nil:
		end.Detail = "with plan " + v.planText(*r.PendingPlanID)
	}
	return append(events, end)
}

func invoiceEvent(i billing.Invoice) event {
	price := "amount set by the plan"
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
