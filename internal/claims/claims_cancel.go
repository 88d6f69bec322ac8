package claims

import "net/http"

func cancelClaims() []Claim {
	const source = "Recurring billing §3 Subscription status, §4 Subscription cancel; wire contract: subscriptions.cancel"
	return []Claim{
		claim(291, source, "A cancellation is immediate unless the request says otherwise: it sets status, time and reason.",
			checkCancel),
		claim(292, source+" (cancel_at_period_end)",
			"With cancel_at_period_end the status does not change and the field is true.", checkCancelLater),
		claim(293, source+" (cancel_at_period_end by an update)",
			"An update sets cancel_at_period_end, and reverts the schedule, also one that a cancellation has set.",
			checkCancelSchedule),
		claim(294, source+" (second cancel)", "Canceling a canceled subscription is rejected.", checkCancelTwice),
		claim(295, source+" (allow_cancel is false)",
			"A subscription that does not allow a cancellation rejects it, immediate and at period end, and continues.",
			checkCancelNotAllowed),
		claim(296, source+" (validation failure)",
			"A wrong type and an unknown field are rejected with the name of the field.", checkCancelInvalid),
		claim(297, source+" (any state that is not final)", "Trialing and paused subscriptions can be canceled.",
			checkCancelFromOtherStates),
		claim(298, "Wire contract: subscriptions.cancel (external_id of a canceled object)",
			"The external_id of a canceled subscription can be used again.", checkCanceledExternalID),
		claim(299, "Wire contract: subscriptions.delete", "A subscription that is not canceled cannot be deleted.",
			checkDeleteLive),
		claim(300, "Recurring billing §2 Envelopes; wire contract: subscriptions.delete",
			"Deleting a canceled subscription returns {data: {deleted: true}}; afterwards it returns 404 and does not appear "+
				"in any list.",
			checkDeleteCanceled),
		claim(301, "Wire contract: customers.delete",
			"A customer with a subscription that is not canceled cannot be deleted, and can be deleted after the cancellation.",
			checkDeleteSubscriber),
	}
}

func checkCancel(p *probe) {
	path, created := p.subscription(nil)
	a := p.post(path+"/cancel", object{"reason": "Cliente pediu"}).wantStatus(http.StatusOK)
	for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
		b.want("data.status", "canceled").want("data.cancellation_reason", "Cliente pediu").wantMatch("data.canceled_at",
			timeForm)
		b.wantMoment("data.canceled_at", created.time("data.created_at"), prompt)
	}
}

func checkCancelLater(p *probe) {
	path, created := p.subscription(nil)
	a := p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
	for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
		b.want("data.status", "active").want("data.cancel_at_period_end", true)
		b.wantKept([]string{"current_period_start", "current_period_end", "plan_id"}, created.at("data"))
	}
}

func checkCancelSchedule(p *probe) {
	path, _ := p.subscription(nil)
	p.patch(path, object{"cancel_at_period_end": true}).wantStatus(http.StatusOK).want("data.cancel_at_period_end",
		true).want("data.status", "active")
	p.patch(path, object{"cancel_at_period_end": false}).wantStatus(http.StatusOK).want("data.cancel_at_period_end", false)
	p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
	p.patch(path, object{"cancel_at_period_end": false}).wantStatus(http.StatusOK).want("data.cancel_at_period_end", false)
	p.get(path).wantStatus(http.StatusOK).want("data.cancel_at_period_end", false).want("data.status", "active")
}

func checkCancelTwice(p *probe) {
	path, _ := p.subscription(nil)
	p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
	p.post(path+"/cancel", object{}).wantRefused()
	p.get(path).wantStatus(http.StatusOK).want("data.status", "canceled")
}

func checkCancelNotAllowed(p *probe) {
	path, _ := p.subscription(nil)
	p.patch(path, object{"allow_cancel": false}).wantStatus(http.StatusOK).want("data.allow_cancel", false)
	p.post(path+"/cancel", object{}).wantRefused()
	p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantRefused()
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active").want("data.cancel_at_period_end", false)
}

func checkCancelInvalid(p *probe) {
	path, _ := p.subscription(nil)
	for field, value := range map[string]any{"cancel_at_period_end": "yes", "reason": 7, "favourite_colour": "azul"} {
		p.post(path+"/cancel", object{field: value}).wantInvalid(field)
	}
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
}

func checkCancelFromOtherStates(p *probe) {
	trialing, _ := p.subscription(object{"trial_period_days": 14})
	p.post(trialing+"/cancel", object{}).wantStatus(http.StatusOK).want("data.status", "canceled")
	paused, _ := p.subscription(nil)
	p.post(paused+"/pause", object{}).wantStatus(http.StatusOK)
	p.post(paused+"/cancel", object{}).wantStatus(http.StatusOK).want("data.status", "canceled")
}

func checkCanceledExternalID(p *probe) {
	word := unique()
	account, _ := p.payer()
	path, _ := p.subscription(object{"billing_account_id": account, "external_id": word})
	p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
	_, again := p.subscription(object{"billing_account_id": account, "external_id": word})
	again.want("data.external_id", word).want("data.status", "active")
	p.get(path).wantStatus(http.StatusOK).want("data.status", "canceled")
}

func checkDeleteLive(p *probe) {
	path, _ := p.subscription(nil)
	p.delete(path).wantRefused()
	p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
	p.delete(path).wantRefused()
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
}

func checkDeleteCanceled(p *probe) {
	account, _ := p.payer()
	path, _ := p.subscription(object{"billing_account_id": account})
	p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
	p.delete(path).wantStatus(http.StatusOK).want("", object{"data": object{"deleted": true}})
	p.get(path).wantStatus(http.StatusNotFound).wantError("")
	p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkDeleteSubscriber(p *probe) {
	customer, made := p.customer(object{"create_billing_account": true})
	path, _ := p.subscription(object{"billing_account_id": made.text("data.billing_account.id")})
	p.delete(customer).wantStatus(http.StatusUnprocessableEntity).wantError("customer_has_active_subscriptions")
	p.get(customer).wantStatus(http.StatusOK)
	p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
	p.delete(customer).wantStatus(http.StatusUnprocessableEntity).wantError("customer_has_active_subscriptions")
	p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
	p.delete(customer).wantStatus(http.StatusOK).want("data.deleted", true)
}
