package claims_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

var subscriptionFaults = []fault{
	{name: "a subscription without proposal_id", only: 201,
		spoil: onData(subscriptions, func(s object) { delete(s, "proposal_id") })},
	{name: "amounts are not integers", breaks: []int{201},
		spoil: onData(subscriptions, func(s object) { s["recurring_amount_cents"] = json.Number("149.90") })},
	{name: "subscriptions start as drafts", breaks: []int{202},
		spoil: onData(subscriptions, func(s object) { s["status"] = "draft" })},
	{name: "a subscription's notes are dropped", breaks: []int{203, 241}, rewrite: forget(subscriptions, "notes")},
	{name: "the company is dropped", only: 204, rewrite: forget(subscriptions, "company_id")},
	{name: "items need a plan", breaks: []int{205}, rewrite: subscribing(func(in *inFlight) {
		if in.sent["plan_id"] == nil {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a plan may be absent but not null", breaks: []int{205}, rewrite: subscribing(func(in *inFlight) {
		if plan, named := in.sent["plan_id"]; named && plan == nil {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "trial days are dropped", breaks: []int{206, 279, 338}, rewrite: forget(subscriptions, "trial_period_days")},
	{name: "trials are a day longer", breaks: []int{206, 207},
		spoil: onData(subscriptions, func(s object) { move(s, "trial_end", 24*time.Hour) })},
	{name: "trial_end in another offset", breaks: []int{206, 207}, spoil: onData(subscriptions, func(s object) {
		if end := parse(s["trial_end"]); !end.IsZero() {
			s["trial_end"] = end.In(time.FixedZone("", -3*60*60)).Format("2006-01-02T15:04:05.000Z07:00")
		}
	})},
	{name: "no prorations", only: 210, spoil: onData(subscriptions, func(s object) {
		if s["proration_behavior"] == "create_prorations" {
			s["proration_behavior"] = "none"
		}
	})},
	{name: "collection_method is never null", breaks: []int{210, 243}, spoil: onData(subscriptions, func(s object) {
		if s["collection_method"] == nil {
			s["collection_method"] = "charge_automatically"
		}
	})},
	{name: "a read omits the trial", only: 211, spoil: func(in *inFlight) {
		if in.method == http.MethodGet {
			onData(subscriptions, func(s object) { s["trial_start"] = nil })(in)
		}
	}},
	{name: "an update of a subscription is a replacement", only: 241, rewrite: updating(func(in *inFlight) {
		if _, named := in.sent["notes"]; !named {
			in.sent["notes"] = nil
		}
	})},
	{name: "allow_pause cannot be changed", breaks: []int{241},
		rewrite: updating(func(in *inFlight) { delete(in.sent, "allow_pause") })},
	{name: "billing_cycle cannot be changed", only: 242,
		rewrite: updating(func(in *inFlight) { delete(in.sent, "billing_cycle") })},
	{name: "percentages are numbers", only: 244, spoil: onData(subscriptions, func(s object) {
		if percent, ok := s["discount_percent"].(string); ok {
			s["discount_percent"] = json.Number(percent)
		}
	})},
	{name: "percentages without trailing zeros", breaks: []int{244}, spoil: onData(subscriptions, func(s object) {
		if percent, ok := s["discount_percent"].(string); ok {
			s["discount_percent"] = strings.TrimSuffix(percent, ".00")
		}
	})},
	{name: "subscriptions always merge", breaks: []int{241, 246}, rewrite: updating(func(in *inFlight) {
		if in.sent["custom_metadata"] != nil {
			in.sent["custom_metadata_mode"] = "merge"
		}
	})},
	{name: "billing_account_id is ignored", breaks: []int{311, 323}, rewrite: func(in *inFlight) {
		in.query.Del("billing_account_id")
	}},
	{name: "plan_id is ignored", only: 311, rewrite: func(in *inFlight) { in.query.Del("plan_id") }},
	{name: "times with an offset are wrong", only: 313, rewrite: when(http.MethodGet, subscriptions, func(in *inFlight) {
		if since := in.query.Get("updated_at_gte"); since != "" {
			in.query.Set("updated_at_gte", strings.Replace(since, "-03:00", "Z", 1))
		}
	})},
	{name: "plans without an envelope", only: 351, spoil: func(in *inFlight) {
		if in.path == "/v1/plans" {
			in.got = at(in.got, "data")
		}
	}},
	{name: "every collection exists", only: 352, spoil: func(in *inFlight) {
		if at(in.got, "error.code") == "route_not_found" {
			in.status, in.got = http.StatusOK,
				object{"data": []any{}, "meta": object{"total": 0, "page": 1, "per_page": 20, "total_pages": 0}}
		}
	}},
	{name: "listed subscriptions are incomplete", breaks: []int{314}, spoil: func(in *inFlight) {
		if in.path != subscriptions {
			return
		}
		for _, one := range items(at(in.got, "data")) {
			delete(one, "metadata")
		}
	}},
}

var subscriptionRefusalFaults = []fault{
	{name: "an unknown cycle is the default", only: 228, rewrite: noWeeks},
	{name: "a rejected subscription is created", breaks: []int{228}, rewrite: noWeeks,
		spoil: subscribing(func(in *inFlight) {
			if in.mark != "" && in.status == http.StatusCreated {
				in.status = http.StatusUnprocessableEntity
				in.got = object{"error": object{"code": "validation_error", "message": "no",
					"details": object{"fields": object{"billing_cycle": "no"}}}}
			}
		})},
}

var itemFaults = []fault{
	{name: "items have no ids", breaks: []int{261, 263}, spoil: onItems(func(item object) { delete(item, "id") })},
	{name: "items have the same id", only: 261,
		spoil: onItems(func(item object) { item["id"] = "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10" })},
	{name: "items without meta", breaks: []int{261}, spoil: func(in *inFlight) {
		if strings.HasSuffix(in.path, "/items") {
			deleteAt(in.got, "meta")
		}
	}},
	{name: "no quantity unless sent", breaks: []int{262}, spoil: onItems(func(item object) {
		if item["quantity"] == json.Number("1") {
			item["quantity"] = nil
		}
	})},
	{name: "an amount that was not sent is 0", breaks: []int{262, 263}, spoil: onItems(func(item object) {
		if item["unit_amount_subcents"] == nil {
			item["unit_amount_subcents"] = 0
		}
	})},
	{name: "a sync never removes items", breaks: []int{263, 264}, rewrite: func(in *inFlight) {
		if id, ok := strings.CutSuffix(strings.TrimPrefix(in.path, subscriptions+"/"), "/items"); ok &&
			in.method == http.MethodPut {
			list, _ := in.sent["items"].([]any)
			for _, item := range in.proxy.all(subscriptions + "/" + id + "/items") {
				kept := object{"product_id": at(item, "product_id"), "price_id": at(item, "price_id")}
				list = append(list, kept)
			}
			in.sent["items"] = list
		}
	}},
	{name: "an empty set changes nothing", only: 264, rewrite: func(in *inFlight) {
		if list, ok := in.sent["items"].([]any); ok && len(list) == 0 && in.method == http.MethodPut {
			in.method = http.MethodGet
		}
	}},
}

// subscribing changes creations of subscriptions, and updating their updates.
func subscribing(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPost && in.path == subscriptions {
			act(in)
		}
	}
}

func updating(act func(*inFlight)) func(*inFlight) { return on(http.MethodPatch, subscriptions, act) }

func noWeeks(in *inFlight) {
	if in.sent["billing_cycle"] == "weekly" {
		in.mark = "weekly"
		delete(in.sent, "billing_cycle")
	}
}

func onItems(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if strings.HasSuffix(in.path, "/items") {
			onData(subscriptions, act)(in)
		}
	}
}

// move shifts a date-time, if there is one.
func move(o object, member string, by time.Duration) {
	if t := parse(o[member]); !t.IsZero() {
		o[member] = moment(t.Add(by))
	}
}

var transitionFaults = []fault{
	{name: "resumes_at is only in pause_collection", breaks: []int{271, 275},
		spoil: onData(subscriptions, func(s object) { s["resumes_at"] = nil })},
	{name: "pause_collection is empty", breaks: []int{271, 272, 273},
		spoil: onData(subscriptions, func(s object) { s["pause_collection"] = object{} })},
	{name: "a pause is only visible in pause_collection", breaks: []int{271, 279, 339},
		spoil: onData(subscriptions, func(s object) {
			if s["status"] == "paused" {
				s["status"] = "active"
			}
		})},
	{name: "the default behavior is void", only: 272, rewrite: onStep("/pause", func(in *inFlight) {
		if in.sent["behavior"] == nil {
			in.sent["behavior"] = "void"
		}
	})},
	{name: "keep_as_draft is ignored", breaks: []int{273, 275}, rewrite: onStep("/pause", func(in *inFlight) {
		if in.sent["behavior"] == "keep_as_draft" {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a paused subscription cannot be paused", only: 275, rewrite: onStep("/pause", func(in *inFlight) {
		if in.stored()["status"] == "paused" {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "resumed_at is not set", breaks: []int{278, 339},
		spoil: onData(subscriptions, func(s object) { s["resumed_at"] = nil })},
	{name: "pause_collection stays", breaks: []int{278, 339},
		spoil: onData(subscriptions, func(s object) {
			if s["resumed_at"] != nil {
				s["pause_collection"] = object{"behavior": "void"}
			}
		})},
	{name: "resuming ends the trial", only: 279,
		spoil: onStep("/resume", func(in *inFlight) { setAt(in.got, "data.status", "active") })},
	{name: "changes of plan are scheduled by default", only: 281, rewrite: onStep("/change-plan", func(in *inFlight) {
		if in.sent["timing"] == nil {
			in.sent["timing"] = "end_of_period"
		}
	})},
	{name: "every change of plan is immediate", only: 282,
		rewrite: onStep("/change-plan", func(in *inFlight) { delete(in.sent, "timing") })},
	{name: "the pending plan is missing", breaks: []int{282},
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
	{name: "cancellations are scheduled by default", breaks: []int{291, 297},
		rewrite: onStep("/cancel", func(in *inFlight) { in.sent["cancel_at_period_end"] = true })},
	{name: "every cancellation is immediate", breaks: []int{292, 293, 336, 337},
		rewrite: onStep("/cancel", func(in *inFlight) { delete(in.sent, "cancel_at_period_end") })},
	{name: "an update does not remove the schedule", breaks: []int{293, 337},
		rewrite: updating(func(in *inFlight) { delete(in.sent, "cancel_at_period_end") })},
	{name: "only active subscriptions can be canceled", breaks: []int{233, 297}, rewrite: onStep("/cancel", func(in *inFlight) {
		if in.stored()["status"] != "active" {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a live subscription is deleted", only: 301, spoil: func(in *inFlight) {
		if in.method == http.MethodDelete && in.status == http.StatusUnprocessableEntity {
			in.status = http.StatusOK
		}
	}},
	{name: "customers with subscriptions have another code", only: 301,
		spoil: whenStatus(422, 422, func(in *inFlight) {
			if in.method == http.MethodDelete {
				setAt(in.got, "error.code", "conflict")
			}
		})},
	{name: "a customer with a paused subscription can be deleted", breaks: []int{301}, rewrite: func(in *inFlight) {
		if paused := in.proxy.all(subscriptions, "status", "paused"); in.method == http.MethodDelete && len(paused) > 0 {
			in.proxy.ask(http.MethodPost, subscriptions+"/"+paused[0]["id"].(string)+"/cancel", object{})
		}
	}},
}

var invoiceFaults = []fault{
	{name: "an invoice is 200", breaks: []int{233, 321},
		spoil: onStep("/invoices", func(in *inFlight) { in.status = http.StatusOK })},
	{name: "the same id for all invoices", breaks: []int{321, 322, 323},
		spoil: onStep("/invoices", func(in *inFlight) { setAt(in.got, "data.id", "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10") })},
	{name: "subscription_id is ignored", breaks: []int{322}, rewrite: func(in *inFlight) {
		in.query.Del("subscription_id")
	}},
	{name: "listed invoices have no id", breaks: []int{322, 323},
		spoil: onData("/v1/invoices", func(i object) { delete(i, "id") })},

	{name: "the clock is stopped", breaks: []int{334, 336, 338, 339, 548, 566}, advance: still},
	{name: "an active plan is still pending", breaks: []int{281, 282, 283, 334, 335}, spoil: onData(subscriptions, func(s object) {
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

// stored returns the account or subscription that a step applies to.
func (in *inFlight) stored() object { return in.proxy.one(in.parentPath()) }
