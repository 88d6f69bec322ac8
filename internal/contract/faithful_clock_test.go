package contract_test

import (
	"cmp"
	"net/http"
	"time"
)

// parse is the moment that a value says, zero for one that says none.
func parse(value any) time.Time {
	text, _ := value.(string)
	t, _ := time.Parse(time.RFC3339, text) // zero with an error
	return t
}

// setPeriod begins a period and has the next invoice made at its end.
func setPeriod(subscription object, start time.Time) {
	months := map[any]int{"monthly": 1, "quarterly": 3, "semiannual": 6, "annual": 12}[subscription["billing_cycle"]]
	end := moment(start.AddDate(0, months, 0))
	subscription["current_period_start"], subscription["current_period_end"], subscription["cycle_billing_date"] = moment(start), end, end
}

// moveSubscription does a step whose request is valid.
func (f *faithful) moveSubscription(subscription object, step string, sent object) reply {
	canceled := subscription["status"] == "canceled"
	switch step {
	case "items":
		return ok(f.setItems(subscription, sent))
	case "invoices":
		return reply{status: http.StatusCreated, body: object{"data": f.invoice(subscription)}}
	case "pause":
		if canceled || subscription["allow_pause"] == false {
			return refused
		}
		f.pause(subscription, sent)
	case "resume":
		if subscription["status"] != "paused" {
			return refused
		}
		f.resume(subscription)
	case "cancel":
		if canceled || subscription["allow_cancel"] == false {
			return refused
		}
		f.cancel(subscription, sent)
	case "change-plan":
		changePlan(subscription, sent)
	default:
		return notFound
	}
	return ok(subscription)
}

func (f *faithful) invoice(subscription object) object {
	invoice := object{"id": newUUID(), "subscription_id": subscription["id"], "billing_account_id": subscription["billing_account_id"]}
	f.invoices = append(f.invoices, invoice)
	return invoice
}

func (f *faithful) pause(subscription, sent object) {
	var until any
	if t := parse(sent["resumes_at"]); !t.IsZero() {
		until = moment(t)
	}
	behavior, _ := sent["behavior"].(string)
	subscription["status"], subscription["paused_at"], subscription["resumes_at"] = "paused", f.moment(), until
	subscription["pause_collection"] = object{"behavior": cmp.Or(behavior, "mark_uncollectible"), "resumes_at": until}
}

func (f *faithful) resume(subscription object) {
	subscription["status"] = "active"
	if parse(subscription["trial_end"]).After(f.now) {
		subscription["status"] = "trialing"
	}
	subscription["pause_collection"], subscription["resumes_at"], subscription["resumed_at"] = nil, nil, f.moment()
}

func (f *faithful) cancel(subscription, sent object) {
	subscription["cancellation_reason"] = sent["reason"]
	if sent["cancel_at_period_end"] == true {
		subscription["cancel_at_period_end"] = true
		return
	}
	subscription["status"], subscription["canceled_at"] = "canceled", f.moment()
}

func changePlan(subscription, sent object) {
	metadata := object{}
	if sent["timing"] != "end_of_period" {
		subscription["plan_id"] = sent["plan_id"]
	} else if sent["plan_id"] != subscription["plan_id"] {
		metadata["pending_plan_id"] = sent["plan_id"]
	}
	subscription["metadata"] = metadata
}

// advance moves the clock and does what came due.
func (f *faithful) advance(by time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deliverUntil(f.now.Add(by))
	f.now = f.now.Add(by)
	for _, subscription := range f.subscriptions {
		if due := parse(subscription["resumes_at"]); subscription["status"] == "paused" && !due.IsZero() && !due.After(f.now) {
			f.resume(subscription)
		}
		if subscription["status"] == "trialing" && !parse(subscription["trial_end"]).After(f.now) {
			subscription["status"] = "active"
		}
		for subscription["status"] != "canceled" && !parse(subscription["current_period_end"]).After(f.now) {
			f.endPeriod(subscription)
		}
	}
}

func (f *faithful) endPeriod(subscription object) {
	end := parse(subscription["current_period_end"])
	if subscription["cancel_at_period_end"] == true {
		subscription["status"], subscription["canceled_at"] = "canceled", moment(end)
		return
	}
	if plan := at(subscription, "metadata.pending_plan_id"); plan != nil {
		subscription["plan_id"], subscription["metadata"] = plan, object{}
	}
	setPeriod(subscription, end)
	if subscription["collection_method"] != "manual_invoice" && subscription["status"] == "active" {
		f.invoice(subscription)
	}
}
