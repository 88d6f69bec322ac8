package claims_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

var subscriptionFaults = []fault{
	{name: "a subscription without proposal_id", breaks: []int{201},
		spoil: onData(subscriptions, func(s object) { delete(s, "proposal_id") })},
	{name: "amounts with a point", breaks: []int{201},
		spoil: onData(subscriptions, func(s object) { s["recurring_amount_cents"] = json.Number("149.90") })},
	{name: "subscriptions start as drafts", breaks: []int{202},
		spoil: onData(subscriptions, func(s object) { s["status"] = "draft" })},
	{name: "a subscription's notes are dropped", breaks: []int{203, 241}, rewrite: forget(subscriptions, "notes")},
	{name: "the company is dropped", breaks: []int{204}, rewrite: forget(subscriptions, "company_id")},
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
	{name: "no prorations", breaks: []int{210}, spoil: onData(subscriptions, func(s object) {
		if s["proration_behavior"] == "create_prorations" {
			s["proration_behavior"] = "none"
		}
	})},
	{name: "collection_method is never null", breaks: []int{210, 243}, spoil: onData(subscriptions, func(s object) {
		if s["collection_method"] == nil {
			s["collection_method"] = "charge_automatically"
		}
	})},
	{name: "a read leaves out the trial", breaks: []int{211}, spoil: func(in *inFlight) {
		if in.method == http.MethodGet {
			onData(subscriptions, func(s object) { s["trial_start"] = nil })(in)
		}
	}},
	{name: "an update of a subscription is a replacement", breaks: []int{241}, rewrite: updating(func(in *inFlight) {
		if _, named := in.sent["notes"]; !named {
			in.sent["notes"] = nil
		}
	})},
	{name: "allow_pause cannot be changed", breaks: []int{241},
		rewrite: updating(func(in *inFlight) { delete(in.sent, "allow_pause") })},
	{name: "billing_cycle cannot be changed", breaks: []int{242},
		rewrite: updating(func(in *inFlight) { delete(in.sent, "billing_cycle") })},
	{name: "percents are numbers", breaks: []int{244}, spoil: onData(subscriptions, func(s object) {
		if percent, ok := s["discount_percent"].(string); ok {
			s["discount_percent"] = json.Number(percent)
		}
	})},
	{name: "percents without their zeros", breaks: []int{244}, spoil: onData(subscriptions, func(s object) {
		if percent, ok := s["discount_percent"].(string); ok {
			s["discount_percent"] = strings.TrimSuffix(percent, ".00")
		}
	})},
	{name: "subscriptions merge always", breaks: []int{246}, rewrite: updating(func(in *inFlight) {
		if in.sent["custom_metadata"] != nil {
			in.sent["custom_metadata_mode"] = "merge"
		}
	})},
	{name: "billing_account_id is ignored", breaks: []int{311, 323}, rewrite: func(in *inFlight) {
		in.query.Del("billing_account_id")
	}},
	{name: "plan_id is ignored", breaks: []int{311}, rewrite: func(in *inFlight) { in.query.Del("plan_id") }},
	{name: "the moment of an offset is misread", breaks: []int{313}, rewrite: func(in *inFlight) {
		if since := in.query.Get("updated_at_gte"); since != "" {
			in.query.Set("updated_at_gte", strings.Replace(since, "-03:00", "Z", 1))
		}
	}},
	{name: "plans in a bare array", breaks: []int{351}, spoil: func(in *inFlight) {
		if in.path == "/v1/plans" {
			in.got = at(in.got, "data")
		}
	}},
	{name: "every collection exists", breaks: []int{352}, spoil: func(in *inFlight) {
		if at(in.got, "error.code") == "route_not_found" {
			in.status, in.got = http.StatusOK,
				object{"data": []any{}, "meta": object{"total": 0, "page": 1, "per_page": 20, "total_pages": 0}}
		}
	}},
	{name: "listed subscriptions are shorter", breaks: []int{314}, spoil: func(in *inFlight) {
		for _, one := range items(at(in.got, "data")) {
			delete(one, "metadata")
		}
	}},
}

var subscriptionRefusalFaults = []fault{
	{name: "an unknown cycle is the default", breaks: []int{228}, rewrite: noWeeks},
	{name: "a refused subscription is made all the same", breaks: []int{228}, rewrite: noWeeks,
		spoil: subscribing(func(in *inFlight) {
			if in.status == http.StatusCreated {
				in.status = http.StatusUnprocessableEntity
				in.got = object{"error": object{"code": "validation_error", "message": "no",
					"details": object{"fields": object{"billing_cycle": "no"}}}}
			}
		})},
}

var itemFaults = []fault{
	{name: "items have no ids", breaks: []int{261, 263}, spoil: onItems(func(item object) { delete(item, "id") })},
	{name: "items have one id", breaks: []int{261},
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
	{name: "a sync never takes away", breaks: []int{263, 264}, rewrite: func(in *inFlight) {
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
	{name: "an empty set is no change", breaks: []int{264}, rewrite: func(in *inFlight) {
		if list, ok := in.sent["items"].([]any); ok && len(list) == 0 && in.method == http.MethodPut {
			in.method = http.MethodGet
		}
	}},
}

// subscribing acts on creates of subscriptions, updating on updates of them.
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

// move shifts a date-time that is there.
func move(o object, member string, by time.Duration) {
	if t := parse(o[member]); !t.IsZero() {
		o[member] = moment(t.Add(by))
	}
}
