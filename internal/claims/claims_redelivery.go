package claims

import (
	"bytes"
	"net/http"
)

func redeliveryClaims() []Claim {
	const source = "Collections §3 Delivery status, §4 Endpoints; wire contract: webhook_deliveries.retry"
	return []Claim{
		collectionsClaim(611, source,
			"A failed delivery is sent again immediately: 202 with the delivery, under the same ids, and a success then.",
			receiving(checkRedelivery)),
		collectionsClaim(612, source, "A redelivery starts the cycle again: its attempts count from 1.",
			receiving(checkRedeliveryRestarts)),
		collectionsClaim(613, source, "An exhausted delivery can be sent again.", receiving(checkRedeliveryOfExhausted)),
		collectionsClaim(614, "Collections §3 Delivery status, §7 Errors; wire contract: webhook_deliveries.retry",
			"On an inactive endpoint a redelivery returns 409 ENDPOINT_INACTIVE and does not change the delivery.",
			receiving(checkRedeliveryInactive)),
	}
}

func checkRedelivery(p *probe, r *receiver) {
	path, id, failure := p.failing(r)
	first := p.awaitNth(r, 1)
	r.respondWith(status(http.StatusOK))
	a := p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusAccepted)
	a.wantPresent("data", deliveryMembers...).want("data.id", id).want("data.eventId", failure.at("data.eventId"))
	second := p.awaitNth(r, 2)
	p.wantHeader(second, "X-Webhook-Event-Id", first.header.Get("X-Webhook-Event-Id"))
	p.wantHeader(second, "X-Webhook-Delivery-Id", first.header.Get("X-Webhook-Delivery-Id"))
	if !bytes.Equal(first.body, second.body) {
		p.failf("the redelivery's body is %s, the first one's %s", clip(second.body), clip(first.body))
	}
	p.record(path, id, "success").wantMatch("data.deliveredAt", timeForm).want("data.nextRetryAt", nil)
}

func checkRedeliveryRestarts(p *probe, r *receiver) {
	path, id, _ := p.failing(r)
	p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusAccepted)
	p.wantHeader(p.awaitNth(r, 2), "X-Webhook-Attempt", "1")
	p.record(path, id, "failed").wantFailure()
}

func checkRedeliveryOfExhausted(p *probe, r *receiver) {
	path, _ := p.hook(r, object{"active": false})
	id := p.fire(path)
	p.record(path, id, "exhausted")
	p.patch(path, object{"active": true}).wantStatus(http.StatusOK)
	p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusAccepted)
	p.awaitNth(r, 1)
	p.record(path, id, "success")
}

func checkRedeliveryInactive(p *probe, r *receiver) {
	path, id, before := p.failing(r)
	p.patch(path, object{"active": false}).wantStatus(http.StatusOK)
	p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusConflict).wantError("ENDPOINT_INACTIVE")
	a := p.record(path, id, "failed")
	for _, member := range []string{"attempts", "httpCode", "lastError", "nextRetryAt"} {
		a.want("data."+member, before.at("data."+member))
	}
	if n := len(r.all()); n != 1 {
		p.failf("%d requests have come, want the first one only", n)
	}
}
