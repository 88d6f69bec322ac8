package claims_test

import (
	"net/http"
	"time"
)

var transitionFaults = []fault{
	{name: "resumes_at stands in pause_collection only", breaks: []int{271, 275},
		spoil: onData(subscriptions, func(s object) { s["resumes_at"] = nil })},
	{name: "pause_collection is empty", breaks: []int{271, 272, 273},
		spoil: onData(subscriptions, func(s object) { s["pause_collection"] = object{} })},
	{name: "a pause shows in pause_collection only", breaks: []int{271, 279, 339},
		spoil: onData(subscriptions, func(s object) {
			if s["status"] == "paused" {
				s["status"] = "active"
			}
		})},
	{name: "the default is to void", breaks: []int{272}, rewrite: onStep("/pause", func(in *inFlight) {
		if in.sent["behavior"] == nil {
			in.sent["behavior"] = "void"
		}
	})},
	{name: "drafts are not kept", breaks: []int{273, 275}, rewrite: onStep("/pause", func(in *inFlight) {
		if in.sent["behavior"] == "keep_as_draft" {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a paused subscription cannot be paused", breaks: []int{275}, rewrite: onStep("/pause", func(in *inFlight) {
		if in.stored()["status"] == "paused" {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "resumed_at is not set", breaks: []int{278, 339},
		spoil: onData(subscriptions, func(s object) { s["resumed_at"] = nil })},
	{name: "pause_collection stays", breaks: []int{278, 339},
		spoil: onData(subscriptions, func(s object) { s["pause_collection"] = object{"behavior": "void"} })},
	{name: "resuming ends the trial", breaks: []int{279},
		spoil: onStep("/resume", func(in *inFlight) { setAt(in.got, "data.status", "active") })},
	{name: "changes of plan wait unless told", breaks: []int{281}, rewrite: onStep("/change-plan", func(in *inFlight) {
		if in.sent["timing"] == nil {
			in.sent["timing"] = "end_of_period"
		}
	})},
	{name: "every change of plan is immediate", breaks: []int{282},
		rewrite: onStep("/change-plan", func(in *inFlight) { delete(in.sent, "timing") })},
	{name: "a pending plan is not named", breaks: []int{282},
		spoil: onData(subscriptions, func(s object) { s["metadata"] = object{} })},
	{name: "a pending plan stays", breaks: []int{283, 335}, rewrite: onStep("/change-plan", func(in *inFlight) {
		if in.sent["plan_id"] == in.stored()["plan_id"] {
			skip("/change-plan")(in)
		}
	})},
	{name: "the reason of a cancellation is lost", breaks: []int{291, 336},
		spoil: onData(subscriptions, func(s object) { s["cancellation_reason"] = nil })},
	{name: "canceled_at is not set", breaks: []int{291, 336},
		spoil: onData(subscriptions, func(s object) { s["canceled_at"] = nil })},
	{name: "cancellations wait unless told", breaks: []int{291, 297},
		rewrite: onStep("/cancel", func(in *inFlight) { in.sent["cancel_at_period_end"] = true })},
	{name: "every cancellation is immediate", breaks: []int{292, 293, 336, 337},
		rewrite: onStep("/cancel", func(in *inFlight) { delete(in.sent, "cancel_at_period_end") })},
	{name: "an update leaves the schedule", breaks: []int{293, 337},
		rewrite: updating(func(in *inFlight) { delete(in.sent, "cancel_at_period_end") })},
	{name: "only active ones are canceled", breaks: []int{297}, rewrite: onStep("/cancel", func(in *inFlight) {
		if in.stored()["status"] != "active" {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a live subscription is deleted", breaks: []int{301}, spoil: func(in *inFlight) {
		if in.method == http.MethodDelete && in.status == http.StatusUnprocessableEntity {
			in.status = http.StatusOK
		}
	}},
	{name: "customers with subscriptions have another code", breaks: []int{301},
		spoil: whenStatus(422, 422, func(in *inFlight) { setAt(in.got, "error.code", "conflict") })},
	{name: "a customer with a paused subscription can go", breaks: []int{301}, rewrite: func(in *inFlight) {
		if paused := in.proxy.all(subscriptions, "status", "paused"); in.method == http.MethodDelete && len(paused) > 0 {
			in.proxy.ask(http.MethodPost, subscriptions+"/"+paused[0]["id"].(string)+"/cancel", object{})
		}
	}},
}

var invoiceFaults = []fault{
	{name: "an invoice is 200", breaks: []int{321},
		spoil: onStep("/invoices", func(in *inFlight) { in.status = http.StatusOK })},
	{name: "one id for all invoices", breaks: []int{321, 322, 323},
		spoil: onStep("/invoices", func(in *inFlight) { setAt(in.got, "data.id", "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10") })},
	{name: "subscription_id is ignored", breaks: []int{322}, rewrite: func(in *inFlight) {
		in.query.Del("subscription_id")
	}},
	{name: "listed invoices have no id", breaks: []int{322, 323},
		spoil: onData("/v1/invoices", func(i object) { delete(i, "id") })},

	{name: "the clock stands still", breaks: []int{334, 336, 338, 339}, advance: still},
	{name: "a plan that arrived is pending still", breaks: []int{334}, spoil: onData(subscriptions, func(s object) {
		s["metadata"] = object{"pending_plan_id": s["plan_id"]}
	})},
	{name: "every pause ends", breaks: []int{272, 340}, rewrite: onStep("/pause", func(in *inFlight) {
		if in.sent["resumes_at"] == nil {
			in.sent["resumes_at"] = moment(in.proxy.sandbox.Clock().Now().Add(24 * time.Hour))
		}
	})},
	{name: "no pause ends", breaks: []int{271, 339},
		rewrite: onStep("/pause", func(in *inFlight) { delete(in.sent, "resumes_at") })},
}

// stored is the account or subscription that a step is asked of.
func (in *inFlight) stored() object { return in.proxy.one(in.parentPath()) }
