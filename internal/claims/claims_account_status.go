package claims

import (
	"net/http"
	"time"
)

func accountStatusClaims() []Claim {
	const reason = "Recurring billing §2 Billing account, §4 Billing account reason; wire contract: billing_accounts."
	return []Claim{
		claim(171, reason+"suspend", "A suspended account has the status, the time and the reason.", checkSuspend),
		claim(172, reason+"reactivate", "A reactivated account is active again.", checkReactivate),
		claim(173, "Wire contract: billing_accounts.suspend (second suspend)", "Suspending a suspended account is rejected.",
			checkSuspendTwice),
		claim(174, "Wire contract: billing_accounts.reactivate (reactivate of an active one)",
			"Reactivating an active account is rejected.", checkReactivateActive),
		claim(175, reason+"close", "A closed account has the status, can still be read, and is listed with it.", checkClose),
		claim(176, "Wire contract: billing_accounts.close (closed billing account)",
			"A closed account is final: an update, a suspension and a reactivation are rejected, and it stays closed.",
			checkClosedIsFinal),
		claim(177, "Wire contract: billing_accounts.close (external_id of a closed object)",
			"The external_id of a closed account can be used again.", checkClosedExternalID),
		claim(178, "Wire contract: subscriptions.create (suspended billing account)",
			"A subscription on a suspended account is rejected, and accepted after the account is reactivated.",
			checkSubscribeSuspended),
		claim(179, "Wire contract: subscriptions.create (closed billing account)",
			"A subscription on a closed account is rejected.", checkSubscribeClosed),
		claim(180, "Wire contract: billing_accounts.close (with live subscriptions)",
			"An account with a subscription that is not canceled can be closed; the subscription does not change.",
			checkCloseWithSubscription),
		claim(181, "Recurring billing §2 Envelopes; wire contract: billing_accounts.delete",
			"Deleting an account returns {data: {deleted: true}}; afterwards it returns 404 and does not appear in any list.",
			checkAccountDelete),
		claim(182, "Wire contract: billing_accounts.delete (external_id of a deleted object)",
			"The external_id of a deleted account can be used again.", checkAccountDeleteExternalID),
		claim(183, "Wire contract: billing_accounts.list",
			"The filter external_id matches the whole value only, and updated_at_gte excludes older items.",
			checkAccountFilters),
		claim(184, "Wire contract: billing_accounts.list (customer loaded in every response)",
			"The customer is included in an account that is created with it, listed, updated, suspended, reactivated or closed.",
			checkCustomerLoaded),
	}
}

// step posts to a transition of an account, with a reason.
func (p *probe) step(path, name string) *response {
	return p.post(path+"/"+name, object{"reason": "Motivo de " + name})
}

func checkSuspend(p *probe) {
	path, created := p.openAccount(nil)
	a := p.step(path, "suspend").wantStatus(http.StatusOK)
	a.want("data.status", "suspended").want("data.suspension_reason", "Motivo de suspend")
	a.wantMatch("data.suspended_at", timeForm)
	a.wantKept(accountMembers, created.at("data"), "status", "suspended_at", "suspension_reason", "metadata")
	p.get(path).wantStatus(http.StatusOK).want("data.status", "suspended").want("data.suspended_at",
		a.at("data.suspended_at"))
}

func checkReactivate(p *probe) {
	path, _ := p.openAccount(nil)
	p.step(path, "suspend").wantStatus(http.StatusOK)
	p.step(path, "reactivate").wantStatus(http.StatusOK).want("data.status", "active")
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
}

func checkSuspendTwice(p *probe) {
	path, _ := p.openAccount(nil)
	p.step(path, "suspend").wantStatus(http.StatusOK)
	p.step(path, "suspend").wantRefused()
}

func checkReactivateActive(p *probe) {
	path, _ := p.openAccount(nil)
	p.step(path, "reactivate").wantRefused()
}

func checkClose(p *probe) {
	path, created := p.openAccount(nil)
	p.step(path, "close").wantStatus(http.StatusOK).want("data.status", "closed")
	p.get(path).wantStatus(http.StatusOK).want("data.status", "closed")
	a := p.get(accountsPath, "customer_id", created.text("data.customer.id"), "status", "closed").wantStatus(http.StatusOK)
	a.want("meta.total", 1).want("data.0.id", created.text("data.id"))
}

func checkClosedIsFinal(p *probe) {
	path, _ := p.openAccount(nil)
	p.step(path, "close").wantStatus(http.StatusOK)
	p.patch(path, object{"payment_terms_days": 20}).wantRefused()
	p.step(path, "suspend").wantRefused()
	p.step(path, "reactivate").wantRefused()
	p.get(path).wantStatus(http.StatusOK).want("data.status", "closed").want("data.payment_terms_days", 10)
}

func checkClosedExternalID(p *probe) {
	word := unique()
	path, _ := p.openAccount(object{"external_id": word})
	p.step(path, "close").wantStatus(http.StatusOK)
	again, _ := p.openAccount(object{"external_id": word})
	if p.err == nil && again == path {
		p.failf("the new account has the path of the closed one, %s", path)
	}
}

func checkSubscribeSuspended(p *probe) {
	path, created := p.openAccount(nil)
	body := object{"billing_account_id": created.text("data.id"), "plan_id": p.plan(0),
		"collection_method": "manual_charge"}
	p.step(path, "suspend").wantStatus(http.StatusOK)
	p.post(subscriptionsPath, body).wantRefused()
	p.step(path, "reactivate").wantStatus(http.StatusOK)
	p.post(subscriptionsPath, body).wantStatus(http.StatusCreated)
}

func checkSubscribeClosed(p *probe) {
	path, created := p.openAccount(nil)
	p.step(path, "close").wantStatus(http.StatusOK)
	p.post(subscriptionsPath, object{"billing_account_id": created.text("data.id"), "plan_id": p.plan(0)}).wantRefused()
}

func checkCloseWithSubscription(p *probe) {
	account, _ := p.payer()
	path, created := p.subscription(object{"billing_account_id": account})
	p.step(accountPath(account), "close").wantStatus(http.StatusOK).want("data.status", "closed")
	p.get(path).wantStatus(http.StatusOK).wantKept(subscriptionMembers, created.at("data"))
}

func checkAccountDelete(p *probe) {
	path, created := p.openAccount(nil)
	p.delete(path).wantStatus(http.StatusOK).want("", object{"data": object{"deleted": true}})
	p.get(path).wantStatus(http.StatusNotFound).wantError("")
	p.get(accountsPath, "customer_id", created.text("data.customer.id")).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkAccountDeleteExternalID(p *probe) {
	word := unique()
	path, _ := p.openAccount(object{"external_id": word})
	p.delete(path).wantStatus(http.StatusOK)
	p.openAccount(object{"external_id": word})
}

func checkAccountFilters(p *probe) {
	word := unique()
	p.openAccount(object{"external_id": word + "-a"})
	path, first := p.openAccount(object{"external_id": word})
	id := first.text("data.id")
	p.get(accountsPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 1).want("data.0.id", id)
	updated := p.patch(path, object{"payment_terms_days": 20}).wantStatus(http.StatusOK).time("data.updated_at")
	for since, total := range map[time.Time]int{updated: 1, updated.Add(time.Millisecond): 0} {
		p.get(accountsPath, "external_id", word, "updated_at_gte", since.Format(time.RFC3339Nano)).
			wantStatus(http.StatusOK).want("meta.total", total)
	}
}

func checkCustomerLoaded(p *probe) {
	_, made := p.customer(object{"create_billing_account": true})
	customer, account := made.text("data.customer.id"), accountPath(made.text("data.billing_account.id"))
	made.want("data.billing_account.customer.id", customer)
	p.get(accountsPath, "customer_id", customer).wantStatus(http.StatusOK).want("data.0.customer.id", customer)
	p.patch(account, object{"payment_terms_days": 21}).wantStatus(http.StatusOK).want("data.customer.id", customer)
	for _, step := range []string{"/suspend", "/reactivate", "/close"} {
		p.post(account+step, object{"reason": "Conferência"}).wantStatus(http.StatusOK).want("data.customer.id", customer)
	}
}
