package claims

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

func subscriptionRefusalClaims() []Claim {
	const create = "Recurring billing §4 Subscription create, §7 Errors; wire contract: subscriptions.create " +
		"(validation failure)"
	const update = "Recurring billing §4 Subscription update, §7 Errors; wire contract: subscriptions.update " +
		"(validation failure)"
	return []Claim{
		claim(221, create, "A subscription without a billing account, or with one that does not exist, is rejected.",
			checkAccountRequired),
		claim(222, create, "plan_id is required when there are no items.", checkPlanRequired),
		claim(223, "Wire contract: subscriptions.create (trial_end and trial_period_days together)",
			"trial_end and trial_period_days exclude each other.", checkTwoTrials),
		claim(224, create, "A value outside of an enumeration is rejected with the name of the field.",
			checkEnumsRefusedOnCreate),
		claim(225, create,
			"A field that does not exist, a wrong type and a negative trial are rejected with the name of the field.",
			checkSubscribeInvalid),
		claim(226, create, "An item without product or price, with a quantity below 1 or a negative amount is rejected.",
			checkItemsRefused),
		claim(227, create, "Fields for updates only are rejected with their name in a create.", checkUpdateOnly),
		claim(228, create, "A rejected create creates nothing.", checkSubscribeRefusedMakesNothing),
		claim(229, "Wire contract: subscriptions.create (same external_id twice)",
			"An external_id that another subscription has is rejected with the id of that subscription, in a create and in an "+
				"update.", checkSubscriptionExternalIDTaken),
		claim(230, update, "A value outside of an enumeration is rejected with the name of the field.",
			checkEnumsRefusedOnUpdate),
		claim(231, update, "Fields for creation only are rejected with their name in an update.", checkSubscribeOnly),
		claim(232, update, "A wrong type is rejected with the name of the field, and nothing of that update is applied.",
			checkUpdateWrongType),
		claim(233, "Recurring billing §7 Errors; wire contract: subscriptions.get",
			"Every operation on a subscription that does not exist returns 404.", checkSubscriptionUnknown),
	}
}

// checkSubscribeEach sends each field alone next to a valid create.
func checkSubscribeEach(p *probe, fields object) {
	account, _ := p.payer()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		body := object{"billing_account_id": account, "plan_id": p.plan(0), "collection_method": "manual_charge"}
		p.post(subscriptionsPath, merged(body, object{field: fields[field]})).wantInvalid(field)
	}
}

// checkUpdateEach sends each field alone in an update of a new subscription.
func checkUpdateEach(p *probe, fields object) {
	path, _ := p.subscription(nil)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		p.patch(path, object{field: fields[field]}).wantInvalid(field)
	}
}

func checkAccountRequired(p *probe) {
	p.post(subscriptionsPath, object{"plan_id": p.plan(0)}).wantInvalid("billing_account_id")
	wantRefusal(p.post(subscriptionsPath, object{"billing_account_id": nobody, "plan_id": p.plan(0)}))
}

func checkPlanRequired(p *probe) {
	account, _ := p.payer()
	p.post(subscriptionsPath, object{"billing_account_id": account}).wantInvalid("plan_id")
}

func checkTwoTrials(p *probe) {
	account, now := p.payer()
	p.post(subscriptionsPath, object{
		"billing_account_id": account, "plan_id": p.plan(0), "trial_period_days": 7,
		"trial_end": now.Add(7 * 24 * time.Hour).Format(time.RFC3339),
	}).wantRefused()
}

var badEnums = object{
	"billing_cycle": "weekly", "collection_method": "boleto", "proration_behavior": "always",
	"nfe_issuance_policy": "never",
}

func checkEnumsRefusedOnCreate(p *probe) { checkSubscribeEach(p, badEnums) }

func checkEnumsRefusedOnUpdate(p *probe) { checkUpdateEach(p, badEnums) }

func checkSubscribeInvalid(p *probe) {
	checkSubscribeEach(p, object{
		"favourite_colour": "azul", "external_id": 7, "notes": 7, "trial_period_days": -1, "trial_end": "amanhã",
		"custom_metadata": "text", "items": "text", "discount_code_id": 7,
	})
}

func (p *probe) badItems() map[string]object {
	return map[string]object{
		"no product":     {"price_id": p.item(0, nil)["price_id"]},
		"no price":       {"product_id": p.item(0, nil)["product_id"]},
		"quantity 0":     p.item(0, object{"quantity": 0}),
		"half of one":    p.item(0, object{"quantity": 0.5}),
		"negative price": p.item(0, object{"unit_amount_subcents": -1}),
		"unknown field":  p.item(0, object{"favourite_colour": "azul"}),
	}
}

func checkItemsRefused(p *probe) {
	account, _ := p.payer()
	for _, item := range p.badItems() {
		p.post(subscriptionsPath, object{"billing_account_id": account, "items": []object{p.item(1, nil), item}}).
			wantInvalidPart()
	}
}

func checkUpdateOnly(p *probe) {
	checkSubscribeEach(p, object{
		"discount_percent": 10, "allow_pause": true, "allow_cancel": true, "cancel_at_period_end": false,
		"custom_metadata_mode": "merge",
	})
}

func checkSubscribeRefusedMakesNothing(p *probe) {
	account, _ := p.payer()
	p.post(subscriptionsPath, object{"billing_account_id": account, "plan_id": p.plan(0), "billing_cycle": "weekly"}).
		wantInvalid("billing_cycle")
	p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkSubscriptionExternalIDTaken(p *probe) {
	word := unique()
	account, _ := p.payer()
	path, first := p.subscription(object{"billing_account_id": account, "external_id": word})
	second, _ := p.subscription(object{"billing_account_id": account})
	p.post(subscriptionsPath, object{"billing_account_id": account, "plan_id": p.plan(0), "external_id": word}).
		wantTaken(first.text("data.id"))
	p.patch(second, object{"external_id": word}).wantTaken(first.text("data.id"))
	p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
}

func checkSubscribeOnly(p *probe) {
	checkUpdateEach(p, object{
		"billing_account_id": newUUID(), "company_id": newUUID(), "product_group_id": newUUID(),
		"trial_end": "2030-01-01T00:00:00Z", "trial_period_days": 7, "items": []object{p.item(0, nil)},
	})
}

func checkUpdateWrongType(p *probe) {
	path, created := p.subscription(nil)
	for field, value := range map[string]any{
		"favourite_colour": "azul", "external_id": 7, "allow_pause": "no", "allow_cancel": nil,
		"cancel_at_period_end": "yes", "discount_code_id": 7, "custom_metadata": "text", "custom_metadata_mode": "append",
	} {
		p.patch(path, object{"notes": "depois", field: value}).wantInvalid(field)
	}
	p.get(path).wantStatus(http.StatusOK).want("data", created.at("data"))
}

func checkSubscriptionUnknown(p *probe) {
	path := subscriptionPath(nobody)
	for _, a := range []*response{
		p.get(path), p.patch(path, object{"notes": "depois"}), p.delete(path),
		p.post(path+"/pause", object{}), p.post(path+"/resume", object{}), p.post(path+"/cancel", object{}),
		p.post(path+"/change-plan", object{"plan_id": p.plan(0)}), p.post(path+"/invoices", object{}),
		p.get(path + "/items"), p.put(path+"/items", object{"items": []object{p.item(0, nil)}}),
	} {
		a.wantStatus(http.StatusNotFound).wantError("")
	}
}
