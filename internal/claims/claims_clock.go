package claims

import (
	"encoding/json"
	"net/http"
	"time"
)

func clockClaims() []Claim {
	const renewal = "Recurring billing §2 Subscription; wire contract: subscriptions.get"
	const invoicing = "Recurring billing §2 Subscription (collection_method); wire contract: invoices.list"
	const plan = "Recurring billing §4 Subscription change plan; wire contract: subscriptions.change_plan (end_of_period)"
	const cancel = "Recurring billing §3 Subscription status; wire contract: subscriptions.cancel (cancel_at_period_end)"
	return []Claim{
		claim(331, renewal+" (current period)",
			"When the period ends, the next one begins at that time and is one billing cycle long.", timed(checkRenewal)),
		claim(332, invoicing, "A renewal creates an invoice.", timed(checkRenewalInvoice)),
		claim(333, invoicing, "With manual_invoice a renewal creates no invoice.", timed(checkRenewalWithoutInvoice)),
		claim(334, plan, "A pending change of plan takes effect at the end of the period, and nothing is pending then.",
			timed(checkPendingPlanArrives)),
		claim(335, plan+" (reverted)", "A change of plan that was reverted does not take effect.",
			timed(checkPendingPlanTakenBack)),
		claim(336, cancel, "A scheduled cancellation takes effect at the end of the period, and not before.",
			timed(checkScheduledCancel)),
		claim(337, cancel+" (reverted)", "A scheduled cancellation that was reverted does not take effect.",
			timed(checkScheduledCancelTakenBack)),
		claim(338,
			"Recurring billing §3 Subscription status, §4 Subscription create; wire contract: subscriptions.create (trial)",
			"When the trial ends, the subscription is active.", timed(checkTrialEnds)),
		claim(339,
			"Recurring billing §3 Subscription status, §4 Subscription pause; wire contract: subscriptions.pause (resumes_at)",
			"A pause with resumes_at ends at that time, and not before.", timed(checkPauseEnds)),
		claim(340, "Recurring billing §3 Subscription status; wire contract: subscriptions.pause (manual resumption)",
			"A pause without resumes_at continues until the subscription is resumed.", timed(checkPauseGoesOn)),
	}
}

const day = 24 * time.Hour

// timed keeps a check that needs time to pass from making anything where the
// clock cannot be moved.
func timed(check func(*probe)) func(*probe) {
	return func(p *probe) {
		if p.target.Advance == nil {
			p.failf("%w: a clock that can be moved", ErrNotGiven)
			return
		}
		check(p)
	}
}

// advance moves the service's clock.
func (p *probe) advance(by time.Duration) {
	if p.err != nil {
		return
	}
	if err := p.target.Advance(p.ctx, by); err != nil {
		p.failf("moving the clock by %s: %w", by, err)
	}
}

// passPeriod moves the clock beyond the end of the period of a subscription that
// was just made, by less than any cycle is long.
func (p *probe) passPeriod(created *response) {
	p.advance(created.time("data.current_period_end").Sub(created.time("data.created_at")) + time.Hour)
}

func checkRenewal(p *probe) {
	path, created := p.subscription(nil)
	p.passPeriod(created)
	a := p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
	a.wantPeriod(created.time("data.current_period_end"), cycleMonths["monthly"])
	if was, is := created.time("data.cycle_billing_date"), a.time("data.cycle_billing_date"); !is.After(was) {
		a.failf("cycle_billing_date is %s, it was %s before the renewal", is, was)
	}
}

// renewals are the numbers of invoices before and after a period has ended.
func (p *probe) renewals(method string) (before, after json.Number) {
	_, created := p.subscription(object{"collection_method": method})
	count := func() json.Number {
		a := p.invoices("subscription_id", created.text("data.id"))
		a.integer("meta.total")
		number, _ := a.at("meta.total").(json.Number)
		return number
	}
	before = count()
	p.passPeriod(created)
	return before, count()
}

func checkRenewalInvoice(p *probe) {
	before, after := p.renewals("manual_charge")
	if p.err == nil && sameNumber(before, after) {
		p.failf("the subscription has %s invoices after its period, as before", after)
	}
}

func checkRenewalWithoutInvoice(p *probe) {
	before, after := p.renewals("manual_invoice")
	if p.err == nil && !sameNumber(before, after) {
		p.failf("the subscription has %s invoices after its period, want the %s of before", after, before)
	}
}

func checkPendingPlanArrives(p *probe) {
	path, created := p.subscription(nil)
	p.changeLater(path)
	p.passPeriod(created)
	p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(1)).wantAbsent("data.metadata.pending_plan_id")
}

func checkPendingPlanTakenBack(p *probe) {
	path, created := p.subscription(nil)
	p.changeLater(path)
	p.post(path+"/change-plan", object{"plan_id": p.plan(0)}).wantStatus(http.StatusOK)
	p.passPeriod(created)
	p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(0)).wantAbsent("data.metadata.pending_plan_id")
}

func checkScheduledCancel(p *probe) {
	path, created := p.subscription(nil)
	p.post(path+"/cancel", object{"cancel_at_period_end": true, "reason": "Cliente pediu"}).wantStatus(http.StatusOK)
	p.advance(20 * day)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active").want("data.cancel_at_period_end", true)
	p.passPeriod(created)
	a := p.get(path).wantStatus(http.StatusOK).want("data.status", "canceled").wantMatch("data.canceled_at", timeForm)
	a.want("data.cancellation_reason", "Cliente pediu")
}

func checkScheduledCancelTakenBack(p *probe) {
	path, created := p.subscription(nil)
	p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
	p.patch(path, object{"cancel_at_period_end": false}).wantStatus(http.StatusOK)
	p.passPeriod(created)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active").want("data.canceled_at", nil)
}

func checkTrialEnds(p *probe) {
	path, _ := p.subscription(object{"trial_period_days": 3})
	p.advance(2 * day)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "trialing")
	p.advance(1*day + time.Hour)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
}

func checkPauseEnds(p *probe) {
	path, created := p.subscription(nil)
	until := created.time("data.created_at").Add(3 * day)
	p.post(path+"/pause", object{"resumes_at": until.Format(time.RFC3339Nano)}).wantStatus(http.StatusOK)
	p.advance(2 * day)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "paused")
	p.advance(1*day + time.Hour)
	a := p.get(path).wantStatus(http.StatusOK).want("data.status", "active").wantAbsent("data.pause_collection")
	a.wantMatch("data.resumed_at", timeForm)
}

func checkPauseGoesOn(p *probe) {
	path, created := p.subscription(nil)
	p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
	p.passPeriod(created)
	p.get(path).wantStatus(http.StatusOK).want("data.status", "paused")
}
