package claims

import (
	"maps"
	"net/http"
	"slices"
)

func keyEventClaims() []Claim {
	const events = "Collections §6 Events; wire contract: "
	const list = "Collections §2 Webhook endpoint (events), §6 Events; wire contract: webhook_endpoints.create"
	return []Claim{
		collectionsClaim(641, events+"api_keys.rotate", "A rotation sends api_key.rotated with the old key's public shape, "+
			"its expiresAt changed to graceUntil, plus successorId and graceUntil.", receiving(checkRotatedEvent)),
		collectionsClaim(642, events+"api_keys.revoke",
			"A revocation sends api_key.status_changed with the public shape, previousStatus active and newStatus revoked.",
			receiving(checkStatusEvent)),
		collectionsClaim(643, events+"api_keys.revoke",
			"A revocation sends api_key.revoked with the public shape and revokedAt filled.", receiving(checkRevokedEvent)),
		collectionsClaim(644, "Collections §2 API key, §6 Events; wire contract: api_keys.rotate",
			"No token appears in an event, neither the old key's nor the successor's.", receiving(checkNoTokenInEvents)),
		collectionsClaim(645, list, "An endpoint receives the events that it names and no others.",
			receiving(checkNamedEvents)),
		collectionsClaim(646, list, "An endpoint that names no events receives all events.", receiving(checkAllEvents)),
		collectionsClaim(647, "Collections §3 Webhook endpoint status; wire contract: webhook_endpoints.update (active)",
			"An inactive endpoint receives no events; an active one receives events again from then on.",
			receiving(checkInactiveGetsNone)),
		collectionsClaim(648, "Collections §2 Delivery request headers; wire contract: api_keys.revoke",
			"Two endpoints receive one event under one event id and two delivery ids; two events have two event ids.",
			receiving(checkEventIDs)),
	}
}

// lifecycle are the events about keys.
var lifecycle = []string{"api_key.rotated", "api_key.status_changed", "api_key.revoked"}

// wantData fails unless data has the public shape and those members, and no more.
func (a *response) wantData(more ...string) *response {
	data, _ := a.at("data").(map[string]any)
	wanted := slices.Sorted(slices.Values(append(slices.Clone(keyMembers), more...)))
	if got := slices.Sorted(maps.Keys(data)); !slices.Equal(got, wanted) {
		a.failf("data has the members %v, want %v", got, wanted)
	}
	return a
}

// about waits for an event about one key; other keys may change next to it.
func (p *probe) about(r *receiver, event, id string) *response {
	return p.envelope(p.await(1, func() []received {
		return slices.DeleteFunc(r.of(event), func(one received) bool {
			a := &response{raw: one.body}
			a.decode()
			return a.at("data.id") != id
		})
	})).want("event", event)
}

func checkRotatedEvent(p *probe, r *receiver) {
	p.hook(r, object{"events": lifecycle})
	path, old := p.key(object{"description": "Lê cobranças", "scopes": []string{"charges:read"}})
	_, successor := p.rotate(path, object{"graceDays": 3})
	a := p.about(r, "api_key.rotated", old.text("data.id")).wantData("successorId", "graceUntil")
	for _, member := range []string{"name", "description", "keyPrefix", "source", "scopes", "createdAt", "revokedAt"} {
		a.want("data."+member, old.at("data."+member))
	}
	a.want("data.successorId", successor.at("data.id"))
	a.wantTime("data.graceUntil", successor.time("data.graceUntil")).wantTime("data.expiresAt",
		successor.time("data.graceUntil"))
}

func checkStatusEvent(p *probe, r *receiver) {
	old := p.revoked(r)
	a := p.about(r, "api_key.status_changed", old.text("data.id")).wantData("previousStatus", "newStatus")
	a.want("data.previousStatus", "active").want("data.newStatus", "revoked").wantOldKey(old)
}

func checkRevokedEvent(p *probe, r *receiver) {
	old := p.revoked(r)
	a := p.about(r, "api_key.revoked", old.text("data.id")).wantData().wantOldKey(old)
	a.wantMatch("data.revokedAt", timeForm)
}

// revoked makes and revokes a key while the receiver listens.
func (p *probe) revoked(r *receiver) *response {
	p.hook(r, object{"events": lifecycle})
	path, created := p.key(object{"description": "Lê cobranças", "scopes": []string{"charges:read"}})
	p.delete(path).wantStatus(http.StatusNoContent)
	return created
}

// wantOldKey fails unless data shows the key as it was created, whatever its
// revocation has changed.
func (a *response) wantOldKey(created *response) *response {
	for _, member := range keyMembers {
		if member != "revokedAt" {
			a.want("data."+member, created.at("data."+member))
		}
	}
	return a
}

func checkNoTokenInEvents(p *probe, r *receiver) {
	p.hook(r, object{"events": lifecycle})
	path, old := p.key(nil)
	_, successor := p.rotate(path, nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	for _, event := range lifecycle {
		a := p.about(r, event, old.text("data.id"))
		a.wantNowhere("the old token", old.text("data.token")).wantNowhere("the successor's token",
			successor.text("data.token"))
	}
}

func checkNamedEvents(p *probe, r *receiver) {
	p.hook(r, object{"events": []string{"api_key.revoked", "charge.paid"}})
	path, old := p.key(nil)
	p.rotate(path, nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	p.about(r, "api_key.revoked", old.text("data.id"))
	for _, event := range []string{"api_key.rotated", "api_key.status_changed"} {
		if len(r.of(event)) > 0 {
			p.failf("%s came to an endpoint that does not name it", event)
		}
	}
}

func checkAllEvents(p *probe, r *receiver) {
	p.hook(r, object{"events": []string{}})
	path, old := p.key(nil)
	p.rotate(path, nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	for _, event := range lifecycle {
		p.about(r, event, old.text("data.id"))
	}
}

func checkInactiveGetsNone(p *probe, r *receiver) {
	endpoint, _ := p.hook(r, object{"events": lifecycle})
	p.patch(endpoint, object{"active": false}).wantStatus(http.StatusOK)
	quiet, missed := p.key(nil)
	p.delete(quiet).wantStatus(http.StatusNoContent)
	p.patch(endpoint, object{"active": true}).wantStatus(http.StatusOK)
	path, heard := p.key(nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	p.about(r, "api_key.revoked", heard.text("data.id"))
	for _, one := range r.all() {
		if p.envelope(one).at("data.id") == missed.at("data.id") {
			p.failf("%s reached an inactive endpoint", one.header.Get("X-Webhook-Event"))
		}
	}
}

func checkEventIDs(p *probe, r *receiver) {
	p.hook(r, object{"events": []string{"api_key.revoked"}})
	p.hook(r, object{"events": []string{"api_key.revoked"}})
	var ids []string
	for range 2 {
		path, old := p.key(nil)
		p.delete(path).wantStatus(http.StatusNoContent)
		both := p.twice(r, old.text("data.id"))
		if both[0].header.Get("X-Webhook-Event-Id") != both[1].header.Get("X-Webhook-Event-Id") {
			p.failf("one event came under two event ids")
		}
		if both[0].header.Get("X-Webhook-Delivery-Id") == both[1].header.Get("X-Webhook-Delivery-Id") {
			p.failf("two deliveries came under one delivery id")
		}
		ids = append(ids, both[0].header.Get("X-Webhook-Event-Id"))
	}
	if p.err == nil && ids[0] == ids[1] {
		p.failf("two events came under one event id")
	}
}

// twice waits for the two deliveries of one key's revocation.
func (p *probe) twice(r *receiver, id string) [2]received {
	come := func() []received {
		return slices.DeleteFunc(r.of("api_key.revoked"), func(one received) bool {
			a := &response{raw: one.body}
			a.decode()
			return a.at("data.id") != id
		})
	}
	p.await(2, come)
	if p.err != nil {
		return [2]received{}
	}
	return [2]received(come())
}
