package claims

import (
	"bytes"
	"net/http"
	"time"
)

func attemptClaims() []Claim {
	const status = "Collections §3 Delivery status; wire contract: webhook_deliveries.list"
	const schedule = "Collections §8 Limits; wire contract: webhook_deliveries.list"
	return []Claim{
		collectionsClaim(601, status,
			"A response of 2xx is a success: deliveredAt is set, one attempt, and no further attempt.", receiving(checkSuccess)),
		collectionsClaim(602, status,
			"Any other response is a failure: status failed with the code, an error and nextRetryAt.", receiving(checkFailure)),
		collectionsClaim(603,
			"Collections §5 Protection on the sender side, §8 Limits; wire contract: webhook_deliveries.list",
			"A redirect is a failure and is not followed.", receiving(checkRedirect)),
		collectionsClaim(604, status, "A connection that breaks is a failure without a code.",
			receiving(checkBrokenConnection)),
		collectionsClaim(605, schedule, "nextRetryAt of the first failure is 4 minutes later.", receiving(checkFirstWait)),
		collectionsClaim(606, status, "A retry with a 2xx response makes the delivery a success.",
			receiving(timedReceiving(checkRetrySucceeds))),
		collectionsClaim(607,
			"Collections §2 Delivery request headers, §5 HMAC signature; wire contract: webhook_deliveries.list",
			"A retry is the same body under the same ids, with the next number and a fresh t and signature.",
			receiving(timedReceiving(checkRetryRequest))),
		collectionsClaim(608, schedule,
			"There are 8 attempts, after waits of 4 minutes doubled each time; then the delivery is exhausted for good.",
			receiving(timedReceiving(checkSchedule))),
		collectionsClaim(609, status,
			"An endpoint that was made inactive receives no retry: its delivery is exhausted when the retry is due.",
			receiving(timedReceiving(checkInactiveAtRetry))),
	}
}

// timedReceiving is timed for a check with a receiver.
func timedReceiving(check func(*probe, *receiver)) func(*probe, *receiver) {
	return func(p *probe, r *receiver) {
		timed(func(p *probe) { check(p, r) })(p)
	}
}

// failing creates an endpoint whose receiver returns 503, fires a test at it and
// waits for the first failure.
func (p *probe) failing(r *receiver) (endpoint, id string, failure *response) {
	r.respondWith(status(http.StatusServiceUnavailable))
	endpoint, _ = p.hook(r, nil)
	id = p.fire(endpoint)
	return endpoint, id, p.record(endpoint, id, "failed")
}

func checkSuccess(p *probe, r *receiver) {
	for _, code := range []int{http.StatusOK, http.StatusCreated, http.StatusNoContent} {
		r.respondWith(status(code))
		path, _ := p.hook(r, nil)
		a := p.record(path, p.fire(path), "success")
		a.want("data.httpCode", code).want("data.attempts", 1).want("data.nextRetryAt", nil).wantUnset("data.lastError")
		a.wantMatch("data.deliveredAt", timeForm)
	}
}

func checkFailure(p *probe, r *receiver) {
	for _, code := range []int{http.StatusBadRequest, http.StatusGone, http.StatusInternalServerError} {
		r.respondWith(status(code))
		path, _ := p.hook(r, nil)
		p.record(path, p.fire(path), "failed").want("data.httpCode", code).wantFailure()
	}
}

// wantFailure fails unless a delivery is one that was attempted once, in vain.
func (a *response) wantFailure() {
	a.want("data.attempts", 1).want("data.deliveredAt", nil).wantMatch("data.nextRetryAt", timeForm)
	if a.text("data.lastError") == "" {
		a.failf("lastError says nothing")
	}
}

func checkRedirect(p *probe, r *receiver) {
	const elsewhere = "/elsewhere"
	for _, code := range []int{http.StatusMovedPermanently, http.StatusSeeOther, http.StatusTemporaryRedirect} {
		r.respondWith(func(w http.ResponseWriter, request *http.Request) {
			if request.URL.Path != elsewhere {
				http.Redirect(w, request, r.url+elsewhere, code)
			}
		})
		path, _ := p.hook(r, nil)
		p.record(path, p.fire(path), "failed").want("data.httpCode", code).wantFailure()
	}
	for _, one := range r.all() {
		if one.path == elsewhere {
			p.failf("a redirect was followed")
		}
	}
}

func checkBrokenConnection(p *probe, r *receiver) {
	r.respondWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	path, _ := p.hook(r, nil)
	p.record(path, p.fire(path), "failed").want("data.httpCode", nil).wantFailure()
}

// firstWait is the base of the backoff.
const firstWait = 4 * time.Minute

func checkFirstWait(p *probe, r *receiver) {
	_, _, failure := p.failing(r)
	wait := failure.time("data.nextRetryAt").Sub(failure.time("data.createdAt"))
	if off := (wait - firstWait).Abs(); off > slack {
		failure.failf("nextRetryAt is %s after createdAt, want %s", wait, firstWait)
	}
}

func checkRetrySucceeds(p *probe, r *receiver) {
	path, id, _ := p.failing(r)
	r.respondWith(status(http.StatusOK))
	p.advance(firstWait + slack)
	a := p.record(path, id, "success").want("data.attempts", 2).want("data.httpCode", 200).want("data.nextRetryAt", nil)
	a.wantMatch("data.deliveredAt", timeForm)
}

func checkRetryRequest(p *probe, r *receiver) {
	p.failing(r)
	first := p.awaitNth(r, 1)
	p.advance(firstWait + slack)
	second := p.awaitNth(r, 2)
	for _, name := range []string{"X-Webhook-Event", "X-Webhook-Event-Id", "X-Webhook-Delivery-Id"} {
		p.wantHeader(second, name, first.header.Get(name))
	}
	p.wantHeader(second, "X-Webhook-Attempt", "2")
	if !bytes.Equal(first.body, second.body) {
		p.failf("the retry's body is %s, the first one's %s", clip(second.body), clip(first.body))
	}
	if later := p.sentAt(second).Sub(p.sentAt(first)); p.err == nil && later < firstWait-slack {
		p.failf("t of the retry is %s after the first one's, want about %s", later, firstWait)
	}
	if first.header.Get("X-Webhook-Signature") == second.header.Get("X-Webhook-Signature") {
		p.failf("the retry carries the first signature")
	}
}

// checkSchedule moves the clock to a fifth before each attempt and then to a tenth
// beyond: the times are approximate, and an attempt that comes late puts the
// next one off.
func checkSchedule(p *probe, r *receiver) {
	const attempts = 8
	path, id, _ := p.failing(r)
	wait := firstWait
	for done := 1; done < attempts; done++ {
		p.advance(wait * 8 / 10)
		p.attempted(path, id, done).want("data.status", "failed").wantMatch("data.nextRetryAt", timeForm)
		p.advance(wait * 3 / 10)
		p.attempted(path, id, done+1)
		wait *= 2
	}
	a := p.record(path, id, "exhausted").want("data.attempts", attempts).want("data.nextRetryAt",
		nil).want("data.deliveredAt", nil)
	if a.text("data.lastError") == "" {
		a.failf("lastError says nothing")
	}
	p.advance(2 * day)
	p.attempted(path, id, attempts).want("data.status", "exhausted")
	if n := len(r.all()); n != attempts {
		p.failf("%d requests have come, want %d", n, attempts)
	}
}

func checkInactiveAtRetry(p *probe, r *receiver) {
	path, id, _ := p.failing(r)
	p.patch(path, object{"active": false}).wantStatus(http.StatusOK)
	p.advance(firstWait + slack)
	p.record(path, id, "exhausted").want("data.nextRetryAt", nil)
	p.advance(day)
	if n := len(r.all()); n != 1 {
		p.failf("%d requests have come, want the first one only", n)
	}
}
