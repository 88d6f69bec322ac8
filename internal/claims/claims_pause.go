package claims

import (
	"net/http"
	"time"
)

func pauseClaims() []Claim {
	const pause = "Recurring billing §2 Subscription, §4 Subscription pause; wire contract: subscriptions.pause"
	const resume = "Recurring billing §2 Subscription; wire contract: subscriptions.resume"
	return []Claim{
		claim(271, pause,
			"A paused subscription has the status, the time, and pause_collection and resumes_at as they were requested.",
			checkPause),
		claim(272, pause,
			"The behavior is mark_uncollectible when it is not sent, and resumes_at is null when it is not sent.",
			checkPauseDefaults),
		claim(273, pause, "Every documented behavior is accepted.", checkPauseBehaviors),
		claim(274, pause+" (validation failure)",
			"An undocumented behavior, a wrong type and an unknown field are rejected with the name of the field.",
			checkPauseInvalid),
		claim(275, "Recurring billing §3 Subscription status (any state); wire contract: subscriptions.pause",
			"A paused subscription can be paused again with other values.", checkPauseAgain),
		claim(276, "Wire contract: subscriptions.pause (allow_pause is false)",
			"A subscription that does not allow a pause rejects it and continues.", checkPauseNotAllowed),
		claim(277, "Wire contract: subscriptions.pause (canceled)", "A canceled subscription rejects a pause.",
			checkPauseCanceled),
		claim(278, resume, "A resumed subscription is active again, with resumed_at set and pause_collection null.",
			checkResume),
		claim(279, resume+" (while the trial runs)",
			"A subscription that is resumed within its trial has the status trialing again.", checkResumeTrialing),
		claim(280, resume+" (resume of one not paused)", "Resuming a subscription that is not paused is rejected.",
			checkResumeNotPaused),
	}
}

func checkPause(p *probe) {
	path, created := p.subscription(nil)
	until := created.time("data.created_at").Add(10 * 24 * time.Hour).Truncate(time.Second)
	sent := until.In(time.FixedZone("", -3*60*60)).Format(time.RFC3339)
	a := p.post(path+"/pause", object{"behavior": "void", "resumes_at": sent}).wantStatus(http.StatusOK)
	for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
		b.want("data.status", "paused").want("data.pause_collection.behavior", "void").wantMatch("data.paused_at", timeForm)
		b.wantMoment("data.resumes_at", until, 0).wantMoment("data.pause_collection.resumes_at", until, 0)
	}
	a.wantKept(subscriptionMembers, created.at("data"), "status")
}

func checkPauseDefaults(p *probe) {
	path, _ := p.subscription(nil)
	a := p.post(path+"/pause", object{}).wantStatus(http.StatusOK).want("data.status", "paused")
	a.want("data.pause_collection.behavior", "mark_uncollectible").wantAbsent("data.resumes_at").
		wantAbsent("data.pause_collection.resumes_at")
}

// wantAbsent fails unless the member at path is null or not there.
func (a *response) wantAbsent(path string) *response {
	if got := a.at(path); got != nil && got != (any)(missing{}) {
		a.failf("%s is %s, want null", path, show(got))
	}
	return a
}

func checkPauseBehaviors(p *probe) {
	for _, behavior := range []string{"mark_uncollectible", "keep_as_draft", "void"} {
		path, _ := p.subscription(nil)
		p.post(path+"/pause", object{"behavior": behavior}).wantStatus(http.StatusOK).want("data.pause_collection.behavior",
			behavior)
	}
}

func checkPauseInvalid(p *probe) {
	path, _ := p.subscription(nil)
	for field, value := range map[string]any{"behavior": "skip", "resumes_at": "amanhã", "favourite_colour": "azul"} {
		p.post(path+"/pause", object{field: value}).wantInvalid(field)
	}
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active").wantAbsent("data.pause_collection")
}

func checkPauseAgain(p *probe) {
	path, created := p.subscription(nil)
	until := created.time("data.created_at").Add(10 * 24 * time.Hour).Truncate(time.Second)
	p.post(path+"/pause", object{"behavior": "void"}).wantStatus(http.StatusOK)
	a := p.post(path+"/pause", object{"behavior": "keep_as_draft", "resumes_at": until.Format(time.RFC3339)}).
		wantStatus(http.StatusOK)
	a.want("data.status", "paused").want("data.pause_collection.behavior", "keep_as_draft").wantMoment("data.resumes_at",
		until, 0)
}

func checkPauseNotAllowed(p *probe) {
	path, _ := p.subscription(nil)
	p.patch(path, object{"allow_pause": false}).wantStatus(http.StatusOK).want("data.allow_pause", false)
	p.post(path+"/pause", object{}).wantRefused()
	p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
}

func checkPauseCanceled(p *probe) {
	path, _ := p.subscription(nil)
	p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
	p.post(path+"/pause", object{}).wantRefused()
	p.get(path).wantStatus(http.StatusOK).want("data.status", "canceled")
}

func checkResume(p *probe) {
	path, _ := p.subscription(nil)
	p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
	a := p.resume(path).wantStatus(http.StatusOK)
	for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
		b.want("data.status", "active").wantAbsent("data.pause_collection").wantMatch("data.resumed_at", timeForm)
	}
}

// resume posts without a body, as the operation has none.
func (p *probe) resume(path string) *response {
	return p.send(call{method: http.MethodPost, path: path + "/resume"})
}

func checkResumeTrialing(p *probe) {
	path, _ := p.subscription(object{"trial_period_days": 14})
	p.post(path+"/pause", object{}).wantStatus(http.StatusOK).want("data.status", "paused")
	p.resume(path).wantStatus(http.StatusOK).want("data.status", "trialing")
}

func checkResumeNotPaused(p *probe) {
	path, _ := p.subscription(nil)
	p.resume(path).wantRefused()
	p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
	p.resume(path).wantStatus(http.StatusOK)
	p.resume(path).wantRefused()
}
