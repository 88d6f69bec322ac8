package claims

import "net/http"

func changePlanClaims() []Claim {
	const source = "Recurring billing §4 Subscription change plan; wire contract: subscriptions.change_plan"
	return []Claim{
		claim(281, source, "A change of plan is immediate unless the request says otherwise: plan_id is the new one.",
			checkChangePlan),
		claim(282, source+" (end_of_period)",
			"With end_of_period plan_id does not change and metadata.pending_plan_id contains the new one.",
			checkChangePlanLater),
		claim(283, source+" (taking a pending plan change back)",
			"Changing to the current plan reverts a pending change.", checkChangePlanBack),
		claim(284, source+" (validation failure)",
			"plan_id is required, and an undocumented timing and an unknown field are rejected with the name of the field.",
			checkChangePlanInvalid),
	}
}

func checkChangePlan(p *probe) {
	for _, timing := range []object{nil, {"timing": "immediate", "reason": "Mais usuários"}} {
		path, created := p.subscription(nil)
		a := p.post(path+"/change-plan", merged(timing, object{"plan_id": p.plan(1)})).wantStatus(http.StatusOK)
		a.want("data.plan_id", p.plan(1)).wantAbsent("data.metadata.pending_plan_id").want("data.id", created.at("data.id"))
		p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(1)).want("data.status", "active")
	}
}

// changeLater asks for the second plan from the end of the period on.
func (p *probe) changeLater(path string) *response {
	body := object{"plan_id": p.plan(1), "timing": "end_of_period", "reason": "Mais usuários"}
	return p.post(path+"/change-plan", body).wantStatus(http.StatusOK)
}

func checkChangePlanLater(p *probe) {
	path, created := p.subscription(nil)
	a := p.changeLater(path)
	for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
		b.want("data.plan_id", p.plan(0)).want("data.metadata.pending_plan_id", p.plan(1))
		b.wantKept(subscriptionMembers, created.at("data"), "metadata")
	}
}

func checkChangePlanBack(p *probe) {
	for _, timing := range []string{"immediate", "end_of_period"} {
		path, _ := p.subscription(nil)
		p.changeLater(path)
		a := p.post(path+"/change-plan", object{"plan_id": p.plan(0), "timing": timing}).wantStatus(http.StatusOK)
		for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
			b.want("data.plan_id", p.plan(0)).wantAbsent("data.metadata.pending_plan_id")
		}
	}
}

func checkChangePlanInvalid(p *probe) {
	path, _ := p.subscription(nil)
	p.post(path+"/change-plan", object{}).wantInvalid("plan_id")
	for field, value := range map[string]any{"plan_id": nil, "timing": "tomorrow", "favourite_colour": "azul"} {
		p.post(path+"/change-plan", merged(object{"plan_id": p.plan(1)}, object{field: value})).wantInvalid(field)
	}
	p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(0))
}
