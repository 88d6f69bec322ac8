package claims

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

func subscriptionCreateClaims() []Claim {
	const source = "Recurring billing §4 Subscription create, §2 Subscription; wire contract: subscriptions.create"
	return []Claim{
		claim(201, source,
			"A subscription to a plan has every member that is always present, amounts as integers, times in UTC.",
			checkSubscribe),
		claim(202, source+" (first status)", "Without a trial, the status is active.", checkSubscribeActive),
		claim(203, source, "Every field that was sent is returned as it was sent and reads back the same.",
			checkSubscribeFull),
		claim(204, source, "The ids of a company, a product group and a discount code are returned as they were sent.",
			checkSubscribeIDs),
		claim(205, source+" (plan_id null or absent with items)",
			"Items are accepted without a plan, plan_id absent or null; plan_id is then null.", checkSubscribeItems),
		claim(206, source+" (first status)", "trial_period_days counts from creation; the status is trialing.",
			checkTrialDays),
		claim(207, source, "trial_end may have any offset and is returned in UTC; the status is trialing.", checkTrialEnd),
		claim(208, "Recurring billing §2 Subscription; wire contract: subscriptions.create",
			"The first period begins with the subscription and ends one billing cycle later, for every cycle.", checkPeriods),
		claim(209, "Recurring billing §2 Subscription; wire contract: subscriptions.create",
			"proration_behavior is create_prorations when it is not sent.", checkProrationDefault),
		claim(210, source, "Every documented value of the enumerations is accepted, null for collection_method too.",
			checkEnums),
		claim(211, "Recurring billing §2 Subscription; wire contract: subscriptions.get",
			"The subscription that the create returned equals the one that is read.", checkSubscriptionAsCreated),
	}
}

// prompt is what a service may take to do a thing, where a claim compares its
// clock at two timestamps.
const prompt = time.Minute

func checkSubscribe(p *probe) {
	account, _ := p.payer()
	_, a := p.subscription(object{"billing_account_id": account})
	a.wantPresent("data", subscriptionMembers...)
	a.want("data.billing_account_id", account).want("data.plan_id", p.plan(0)).want("data.cancel_at_period_end", false)
	a.wantMatch("data.id", uuidForm).wantMatch("data.public_id", uuidForm)
	for _, member := range []string{"current_period_start", "current_period_end", "cycle_billing_date",
		"created_at", "updated_at"} {
		a.wantMatch("data."+member, timeForm)
	}
	for _, member := range []string{"external_id", "trial_start", "trial_end", "canceled_at", "cancellation_reason",
		"discount_percent", "notes"} {
		a.want("data."+member, nil)
	}
	if a.at("data.recurring_amount_cents") != nil {
		a.integer("data.recurring_amount_cents")
	}
	for _, member := range []string{"allow_pause", "allow_cancel"} {
		if _, ok := a.at("data." + member).(bool); !ok {
			a.failf("data.%s is %s, want true or false", member, show(a.at("data."+member)))
		}
	}
}

func checkSubscribeActive(p *probe) {
	_, a := p.subscription(nil)
	a.want("data.status", "active")
}

// subscriptionFields is what may be sent in a create besides ids, trial and items.
func subscriptionFields(word string) object {
	return object{
		"external_id": word, "billing_cycle": "quarterly", "collection_method": "manual_invoice",
		"proration_behavior": "none", "nfe_issuance_policy": "on_full_payment", "notes": "Contrato nº 87\n\"segunda via\" 🛠",
		"custom_metadata": object{"contract": object{"number": 87, "signed": true}, "reviewed_by": nil},
	}
}

func checkSubscribeFull(p *probe) {
	fields := subscriptionFields(unique())
	path, a := p.subscription(fields)
	a.wantFields("data", fields)
	p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkSubscribeIDs(p *probe) {
	for _, field := range []string{"company_id", "product_group_id", "discount_code_id"} {
		id := newUUID()
		path, a := p.subscription(object{field: id})
		a.want("data."+field, id)
		p.get(path).wantStatus(http.StatusOK).want("data."+field, id)
	}
}

func checkSubscribeItems(p *probe) {
	account, _ := p.payer()
	body := object{"billing_account_id": account, "billing_cycle": "monthly", "collection_method": "manual_charge",
		"items": []object{p.item(0, nil)}}
	p.post(subscriptionsPath, body).wantStatus(http.StatusCreated).want("data.plan_id", nil)
	p.post(subscriptionsPath, merged(body, object{"plan_id": nil})).wantStatus(http.StatusCreated).want("data.plan_id",
		nil)
}

func checkTrialDays(p *probe) {
	path, a := p.subscription(object{"trial_period_days": 14})
	a.want("data.status", "trialing").wantMatch("data.trial_start", timeForm).wantMatch("data.trial_end", timeForm)
	created := a.time("data.created_at")
	a.wantMoment("data.trial_start", created, prompt).wantMoment("data.trial_end", created.AddDate(0, 0, 14), prompt)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "trialing").want("data.trial_end", a.at("data.trial_end"))
}

func checkTrialEnd(p *probe) {
	account, now := p.payer()
	end := now.Add(21 * 24 * time.Hour).Truncate(time.Second)
	_, a := p.subscription(object{
		"billing_account_id": account, "trial_end": end.In(time.FixedZone("", -3*60*60)).Format(time.RFC3339),
	})
	a.want("data.status", "trialing").wantMatch("data.trial_end", timeForm).wantMoment("data.trial_end", end, 0)
}

func checkPeriods(p *probe) {
	account, _ := p.payer()
	for _, cycle := range slices.Sorted(maps.Keys(cycleMonths)) {
		_, a := p.subscription(object{"billing_account_id": account, "billing_cycle": cycle})
		a.want("data.billing_cycle", cycle).wantMoment("data.current_period_start", a.time("data.created_at"), prompt)
		a.wantPeriod(a.time("data.current_period_start"), cycleMonths[cycle])
	}
}

func checkProrationDefault(p *probe) {
	_, a := p.subscription(nil)
	a.want("data.proration_behavior", "create_prorations")
}

// subscriptionEnums are the enumerations that a create and an update take.
var subscriptionEnums = map[string][]any{
	"billing_cycle":       {"monthly", "quarterly", "semiannual", "annual"},
	"collection_method":   {"charge_automatically", "manual_charge", "manual_invoice", nil},
	"proration_behavior":  {"create_prorations", "none", "always_invoice"},
	"nfe_issuance_policy": {"disabled", "on_finalization", "on_full_payment", "per_installment"},
}

func checkEnums(p *probe) {
	account, _ := p.payer()
	for _, field := range slices.Sorted(maps.Keys(subscriptionEnums)) {
		for _, value := range subscriptionEnums[field] {
			_, a := p.subscription(object{"billing_account_id": account, field: value})
			a.want("data."+field, value)
		}
	}
}

func checkSubscriptionAsCreated(p *probe) {
	for _, fields := range []object{nil, {"trial_period_days": 7}} {
		path, a := p.subscription(fields)
		p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
	}
}
