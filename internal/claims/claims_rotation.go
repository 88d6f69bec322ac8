package claims

import (
	"net/http"
	"time"
)

func rotationClaims() []Claim {
	const source = "Collections §3 API key status, §4 Endpoints, §8 Limits; wire contract: api_keys.rotate"
	return []Claim{
		collectionsClaim(561, source,
			"Rotating returns 200 with a successor that has its own id, token and prefix, predecessorId and graceUntil.",
			checkSuccessor),
		collectionsClaim(562,
			"Collections §6 Events (api_key.rotated); wire contract: api_keys.rotate (expiry policy of a successor)",
			"The successor inherits name, description, scopes and the same expiresAt.", checkInherits),
		collectionsClaim(563, source, "Without graceDays the grace period is 7 days.", checkGraceDefault),
		collectionsClaim(564, source, "graceDays from 0 to 30 sets the grace period, in days.", checkGraceDays),
		collectionsClaim(565, source+" (validation failure)",
			"graceDays below 0, above 30 or not an integer returns 422, and nothing is rotated.", checkGraceInvalid),
		collectionsClaim(566, source,
			"Both keys work during the grace period; afterwards the old one returns 401 and the successor continues to work.",
			timed(checkGraceEnds)),
		collectionsClaim(567, source, "With graceDays 0 the old key returns 401 immediately.", checkNoGrace),
		collectionsClaim(568, "Collections §6 Events (api_key.rotated); wire contract: api_keys.rotate",
			"The old key's expiresAt changes to graceUntil; nothing else of the old key changes.", checkExpiryMoved),
		collectionsClaim(569, "Collections §6 Events (api_key.rotated); wire contract: api_keys.rotate",
			"An expiresAt before the end of the grace period is never moved to a later time.", checkExpiryNeverLater),
		collectionsClaim(570, "Wire contract: api_keys.rotate (key_not_active)",
			"Rotating a key that is already rotated returns 409 key_not_active.", checkRotateRotated),
		collectionsClaim(571, "Wire contract: api_keys.rotate (key_not_active)",
			"Rotating a revoked key returns 409 key_not_active.", checkRotateRevoked),
		collectionsClaim(572, source, "A successor can be rotated within the grace period; all three keys work then.",
			checkRotateTwice),
		collectionsClaim(573, "Collections §3 API key status; wire contract: api_keys.revoke",
			"Revoking the old key ends its grace period immediately; the successor continues to work.", checkRevokeInGrace),
	}
}

func checkSuccessor(p *probe) {
	path, old := p.key(nil)
	successor, a := p.rotate(path, nil)
	a.wantPresent("data", keyMembers...).wantMatch("data.id", anyUUIDForm).wantMatch("data.graceUntil", timeForm)
	a.want("data.predecessorId", old.at("data.id")).want("data.revokedAt", nil)
	for _, member := range []string{"id", "token", "keyPrefix"} {
		if a.text("data."+member) == old.text("data."+member) {
			a.failf("%s is that of the old key", member)
		}
	}
	p.get(successor).wantStatus(http.StatusOK).wantMissing("data.token").want("data.id", a.at("data.id"))
}

func checkInherits(p *probe) {
	path, old := p.key(object{"description": "Lê cobranças", "scopes": []string{"charges:read", "api_keys:*"},
		"expiresAt": "2099-01-01T00:00:00Z"})
	successor, a := p.rotate(path, nil)
	for _, a := range []*response{a, p.get(successor).wantStatus(http.StatusOK)} {
		a.want("data.name", old.at("data.name")).want("data.description", old.at("data.description"))
		a.wantTexts("data.scopes", "charges:read", "api_keys:*").wantTime("data.expiresAt", old.time("data.expiresAt"))
	}
	forever, _ := p.key(nil)
	_, a = p.rotate(forever, nil)
	a.want("data.expiresAt", nil).want("data.scopes", []any{})
}

// slack is what may lie between two timestamps of one call at a service.
const slack = time.Minute

// wantGrace fails unless the grace period that a rotation returns is that many days long.
func (a *response) wantGrace(days int) *response {
	wanted := a.time("data.createdAt").Add(time.Duration(days) * day)
	if off := a.time("data.graceUntil").Sub(wanted).Abs(); off > slack {
		a.failf("graceUntil is %s, want %d days after the rotation at %s", a.time("data.graceUntil"), days,
			a.time("data.createdAt"))
	}
	return a
}

func checkGraceDefault(p *probe) {
	path, _ := p.key(nil)
	_, a := p.rotate(path, nil)
	a.wantGrace(7)
}

func checkGraceDays(p *probe) {
	path, _ := p.key(nil)
	for _, days := range []int{0, 1, 30} {
		var a *response
		path, a = p.rotate(path, object{"graceDays": days})
		a.wantGrace(days)
	}
}

func checkGraceInvalid(p *probe) {
	path, created := p.key(nil)
	for _, days := range []any{-1, 31, 1.5, "7"} {
		p.post(path+"/rotate", object{"graceDays": days}).wantBlamed("graceDays")
	}
	p.get(path).wantStatus(http.StatusOK).want("data.expiresAt", nil)
	p.using(created.text("data.token")).wantStatus(http.StatusOK)
	p.rotate(path, nil)
}

func checkGraceEnds(p *probe) {
	path, old := p.key(nil)
	_, successor := p.rotate(path, object{"graceDays": 1})
	p.advance(day - time.Hour)
	p.using(old.text("data.token")).wantStatus(http.StatusOK)
	p.using(successor.text("data.token")).wantStatus(http.StatusOK)
	p.advance(2 * time.Hour)
	wantUnauthorized(p.using(old.text("data.token")))
	p.using(successor.text("data.token")).wantStatus(http.StatusOK)
}

func checkNoGrace(p *probe) {
	path, old := p.key(nil)
	_, successor := p.rotate(path, object{"graceDays": 0})
	wantUnauthorized(p.using(old.text("data.token")))
	p.using(successor.text("data.token")).wantStatus(http.StatusOK)
}

func checkExpiryMoved(p *probe) {
	for _, expires := range []any{nil, "2099-01-01T00:00:00Z"} {
		path, old := p.key(object{"expiresAt": expires})
		_, successor := p.rotate(path, nil)
		a := p.get(path).wantStatus(http.StatusOK).wantTime("data.expiresAt", successor.time("data.graceUntil"))
		a.want("data.id", old.at("data.id")).want("data.keyPrefix", old.at("data.keyPrefix")).want("data.revokedAt", nil)
	}
}

func checkExpiryNeverLater(p *probe) {
	_, other := p.key(nil)
	expires := other.time("data.createdAt").Add(3 * day)
	path, _ := p.key(object{"expiresAt": expires.Format(time.RFC3339Nano)})
	_, successor := p.rotate(path, object{"graceDays": 30})
	p.get(path).wantStatus(http.StatusOK).wantTime("data.expiresAt", expires)
	successor.wantTime("data.expiresAt", expires)
}

func checkRotateRotated(p *probe) {
	path, _ := p.key(nil)
	p.rotate(path, nil)
	p.post(path+"/rotate", object{}).wantStatus(http.StatusConflict).wantError("key_not_active")
}

func checkRotateRevoked(p *probe) {
	path, _ := p.key(nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	p.post(path+"/rotate", object{}).wantStatus(http.StatusConflict).wantError("key_not_active")
}

func checkRotateTwice(p *probe) {
	path, first := p.key(nil)
	path, second := p.rotate(path, nil)
	_, third := p.rotate(path, nil)
	third.want("data.predecessorId", second.at("data.id"))
	for _, a := range []*response{first, second, third} {
		p.using(a.text("data.token")).wantStatus(http.StatusOK)
	}
}

func checkRevokeInGrace(p *probe) {
	path, old := p.key(nil)
	_, successor := p.rotate(path, nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	wantUnauthorized(p.using(old.text("data.token")))
	p.using(successor.text("data.token")).wantStatus(http.StatusOK)
}
