package claims

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

func keyClaims() []Claim {
	const shape = "Collections §2 API key; "
	const create = "wire contract: api_keys.create"
	return []Claim{
		otherwise("The creation of a key fails, or arguments differ in every plan."),
		collectionsClaim(541, shape+create, "Creating a key returns 201 with its public members and the sent values.",
			func(p *probe) {
				sent := object{"name": "entrega " + unique(), "description": "vendas"}
				_, a := p.key(merged(sent, object{"scopes": []string{"charges:read", "api_keys:*"},
					"expiresAt": "2099-05-05T21:00:00-03:00"}))
				a.wantPresent("data", keyMembers...).wantFields("data", sent).wantTexts("data.scopes", "charges:read", "api_keys:*")
				a.wantMatch("data.id", anyUUIDForm).wantMatch("data.createdAt", timeForm).wantMatch("data.expiresAt", timeForm)
				a.wantTime("data.expiresAt", time.Date(2099, 5, 6, 0, 0, 0, 0, time.UTC)).text("data.source")
			}).createsKeys(),
		collectionsClaim(542, shape+create+" (defaults)",
			"A key that is created with only a name has empty scopes, and expiry, last use and revocation are null.",
			func(p *probe) {
				_, a := p.key(nil)
				a.want("data.scopes", []any{}).wantUnset("data.description")
				a.want("data.expiresAt", nil).want("data.lastUsedAt", nil).want("data.revokedAt", nil)
			}).createsKeys(),
		otherwise("token is not usable, or the provider does not recognize its own key (allow_own_key)."),
		collectionsClaim(543, shape+create,
			"The token is in the response to the creation, starts with the shorter keyPrefix and is different for every key.",
			func(p *probe) {
				_, first := p.key(nil)
				_, second := p.key(nil)
				for _, a := range []*response{first, second} {
					token, prefix := a.text("data.token"), a.text("data.keyPrefix")
					if prefix == "" || !strings.HasPrefix(token, prefix) || len(prefix) >= len(token) {
						a.failf("the token does not start with keyPrefix %q, or is not longer", prefix)
					}
				}
				if first.text("data.token") == second.text("data.token") {
					second.failf("the token is that of another key")
				}
			}).createsKeys(),
		otherwise("A key's arguments differ in every plan, or imports by name find no key."),
		collectionsClaim(544, shape+"wire contract: api_keys.get (without token)",
			"Reads and lists return the same as the creation, without the token.", func(p *probe) {
				path, created := p.key(object{"description": "vendas", "scopes": []string{"charges:read"},
					"expiresAt": "2099-01-01T00:00:00Z"})
				for _, a := range []*response{p.get(path).
					wantStatus(http.StatusOK), p.listedOne(keysPath, created.text("data.id"))} {
					for _, member := range keyMembers {
						a.want("data."+member, created.at("data."+member))
					}
					a.wantMissing("data.token").wantNowhere("the token", created.text("data.token"))
				}
			}).restsOn(538, 541, 542, 543).createsKeys(),
		otherwise("After a lost response a used key may be reported as unused. Check it before you revoke it."),
		collectionsClaim(546, shape+"wire contract: api_keys.get",
			"lastUsedAt is null until the key is used, and a timestamp afterwards.", func(p *probe) {
				path, created := p.key(nil)
				p.get(path).wantStatus(http.StatusOK).want("data.lastUsedAt", nil)
				p.using(created.text("data.token")).wantStatus(http.StatusOK)
				p.eventually(func() error {
					a := p.get(path)
					if moment, _ := a.at("data.lastUsedAt").(string); !timeForm.MatchString(moment) {
						return fmt.Errorf("lastUsedAt is %s after a use", show(a.at("data.lastUsedAt")))
					}
					return nil
				})
			}).restsOn(532, 536, 543).createsKeys(),
		otherwise("A key with expires_at or expires_after_days expires too early or too late. Revoke it manually."),
		collectionsClaim(548, "Collections §7 Errors; "+create+" (expiresAt)",
			"A key works until expiresAt; afterwards it returns 401 and can still be read.", timed(func(p *probe) {
				_, other := p.key(nil)
				expires := other.time("data.createdAt").Add(2 * time.Hour)
				path, created := p.key(object{"expiresAt": expires.Format(time.RFC3339Nano)})
				token := created.text("data.token")
				p.advance(time.Hour)
				p.using(token).wantStatus(http.StatusOK)
				p.advance(time.Hour + time.Minute)
				wantUnauthorized(p.using(token))
				p.get(path).wantStatus(http.StatusOK).wantTime("data.expiresAt", expires).want("data.revokedAt", nil)
			})).restsOn(532, 536, 543).createsKeys().movesClock(),
		otherwise("A destroyed or replaced key continues to work. Revoke it in the service's own interface."),
		collectionsClaim(549, "Collections §3 API key status; wire contract: api_keys.revoke",
			"Revoking returns 204 without a body, and the key returns 401 immediately.", func(p *probe) {
				path, created := p.key(nil)
				_, other := p.key(nil)
				p.using(created.text("data.token")).wantStatus(http.StatusOK)
				if a := p.delete(path).wantStatus(http.StatusNoContent); len(a.raw) > 0 {
					a.failf("the body of a 204 is not empty: %s", clip(a.raw))
				}
				wantUnauthorized(p.using(created.text("data.token")))
				p.using(other.text("data.token")).wantStatus(http.StatusOK)
			}).restsOn(532, 536, 543).createsKeys(),
		otherwise("A revoked key causes an error in the plan, or a destroy fails. Remove it from the state.").restsOn(549),
		collectionsClaim(550, "Wire contract: api_keys.revoke (a revoked key)",
			"A revoked key can still be read and is still listed, with revokedAt.", func(p *probe) {
				path, created := p.key(nil)
				p.get(path).wantStatus(http.StatusOK).want("data.revokedAt", nil)
				p.delete(path).wantStatus(http.StatusNoContent)
				read := p.get(path).wantStatus(http.StatusOK).wantMatch("data.revokedAt", timeForm)
				for _, a := range []*response{read, p.listedOne(keysPath, created.text("data.id"))} {
					a.want("data.revokedAt", read.at("data.revokedAt")).want("data.name", created.at("data.name"))
				}
			}).restsOn(536, 538).createsKeys(),
		collectionsClaim(551, "Wire contract: api_keys.revoke (a second revoke)",
			"Revoking a revoked key returns 204 and does not change its revokedAt.", func(p *probe) {
				path, _ := p.key(nil)
				p.delete(path).wantStatus(http.StatusNoContent)
				first := p.get(path).wantStatus(http.StatusOK).wantMatch("data.revokedAt", timeForm)
				p.delete(path).wantStatus(http.StatusNoContent)
				p.get(path).wantStatus(http.StatusOK).want("data.revokedAt", first.at("data.revokedAt"))
			}).createsKeys(),
	}
}

func keyScopeClaims() []Claim {
	const source = "Collections §2 API key (scopes), §5 Access to this API; wire contract: api_keys.create"
	return []Claim{
		otherwise("A key may have more or fewer permissions than its scopes. List the scopes that it needs, and "+
			"test them.").restsOn(543, 549),
		collectionsClaim(552, source,
			"A key with empty scopes works, and returns 403 insufficient_scope for managing keys.", func(p *probe) {
				_, created := p.key(object{"scopes": []string{}})
				token := created.text("data.token")
				p.using(token).wantStatus(http.StatusOK)
				wantScopeRefused(p.send(call{method: http.MethodPost, path: keysPath, body: object{"name": unique()},
					token: token}))
				path, other := p.key(nil)
				wantScopeRefused(p.send(call{method: http.MethodPost, path: path + "/rotate", body: object{}, token: token}))
				wantScopeRefused(p.send(call{method: http.MethodDelete, path: path, token: token}))
				p.using(other.text("data.token")).wantStatus(http.StatusOK)
			}).restsOn(532, 536).createsKeys(),
		collectionsClaim(553, source, "A key with the scope api_keys:* can create, rotate and revoke keys.",
			func(p *probe) {
				_, created := p.key(object{"scopes": []string{"api_keys:*"}})
				token := created.text("data.token")
				a := p.send(call{method: http.MethodPost, path: keysPath, body: object{"name": unique()}, token: token}).
					wantStatus(http.StatusCreated)
				path := keyPath(a.text("data.id"))
				p.send(call{method: http.MethodPost, path: path + "/rotate", body: object{}, token: token}).
					wantStatus(http.StatusOK)
				p.send(call{method: http.MethodDelete, path: path, token: token}).wantStatus(http.StatusNoContent)
			}).createsKeys(),
	}
}

// wantTime fails unless the date-time at path equals that time.
func (a *response) wantTime(path string, wanted time.Time) *response {
	if got := a.time(path); !got.Equal(wanted) {
		a.failf("%s is %s, want %s", path, got, wanted)
	}
	return a
}

// wantScopeRefused fails unless the response is the rejection that recurring billing documents.
func wantScopeRefused(a *response) {
	a.wantStatus(http.StatusForbidden).wantError("insufficient_scope").wantPresent("error.details", "required", "granted")
}

func rotationClaims() []Claim {
	const source = "Collections §3 API key status, §4 Endpoints, §8 Limits; wire contract: api_keys.rotate"
	return []Claim{
		otherwise("A rotation fails, or the new key differs from its configuration. Replace the resource " +
			"instead (-replace)."),
		collectionsClaim(561, source,
			"Rotating returns 200 with a successor that has its own id, token and prefix, predecessorId and graceUntil.",
			func(p *probe) {
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
			}).createsKeys(),
		collectionsClaim(562,
			"Collections §6 Events (api_key.rotated); wire contract: api_keys.rotate (expiry policy of a successor)",
			"The successor inherits name, description, scopes and the same expiresAt.", func(p *probe) {
				path, old := p.key(object{"description": "vendas", "scopes": []string{"charges:read", "api_keys:*"},
					"expiresAt": "2099-01-01T00:00:00Z"})
				successor, a := p.rotate(path, nil)
				for _, a := range []*response{a, p.get(successor).wantStatus(http.StatusOK)} {
					a.want("data.name", old.at("data.name")).want("data.description", old.at("data.description"))
					a.wantTexts("data.scopes", "charges:read", "api_keys:*").wantTime("data.expiresAt", old.time("data.expiresAt"))
				}
				forever, _ := p.key(nil)
				_, a = p.rotate(forever, nil)
				a.want("data.expiresAt", nil).want("data.scopes", []any{})
			}).restsOn(541, 542, 561).createsKeys(),
		otherwise("grace_period_days is ignored: an old key expires too early, or continues to work. Set it, " +
			"or revoke old keys."),
		collectionsClaim(563, source, "Without graceDays the grace period is 7 days.", func(p *probe) {
			path, _ := p.key(nil)
			_, a := p.rotate(path, nil)
			a.wantGrace(7)
		}).createsKeys(),
		collectionsClaim(564, source, "graceDays from 0 to 30 sets the grace period, in days.", func(p *probe) {
			path, _ := p.key(nil)
			for _, days := range []int{0, 1, 30} {
				var a *response
				path, a = p.rotate(path, object{"graceDays": days})
				a.wantGrace(days)
			}
		}).restsOn(561).createsKeys(),
		collectionsClaim(566, source,
			"Both keys work during the grace period; afterwards the old one returns 401 and the successor continues to work.",
			timed(func(p *probe) {
				path, old := p.key(nil)
				_, successor := p.rotate(path, object{"graceDays": 1})
				p.advance(day - time.Hour)
				p.using(old.text("data.token")).wantStatus(http.StatusOK)
				p.using(successor.text("data.token")).wantStatus(http.StatusOK)
				p.advance(2 * time.Hour)
				wantUnauthorized(p.using(old.text("data.token")))
				p.using(successor.text("data.token")).wantStatus(http.StatusOK)
			})).restsOn(532, 536, 543).createsKeys().movesClock(),
		collectionsClaim(567, source, "With graceDays 0 the old key returns 401 immediately.", func(p *probe) {
			path, old := p.key(nil)
			_, successor := p.rotate(path, object{"graceDays": 0})
			wantUnauthorized(p.using(old.text("data.token")))
			p.using(successor.text("data.token")).wantStatus(http.StatusOK)
		}).restsOn(532, 536).createsKeys(),
		collectionsClaim(568, "Collections §6 Events (api_key.rotated); wire contract: api_keys.rotate",
			"The old key's expiresAt changes to graceUntil; the other members of the old key do not change.", func(p *probe) {
				for _, expires := range []any{nil, "2099-01-01T00:00:00Z"} {
					path, old := p.key(object{"expiresAt": expires})
					_, successor := p.rotate(path, nil)
					a := p.get(path).wantStatus(http.StatusOK).wantTime("data.expiresAt", successor.time("data.graceUntil"))
					a.want("data.id", old.at("data.id")).want("data.keyPrefix", old.at("data.keyPrefix")).want("data.revokedAt", nil)
				}
			}).restsOn(543).createsKeys(),
		collectionsClaim(569, "Collections §6 Events (api_key.rotated); wire contract: api_keys.rotate",
			"An expiresAt before the end of the grace period is never moved to a later time.", func(p *probe) {
				_, other := p.key(nil)
				expires := other.time("data.createdAt").Add(3 * day)
				path, _ := p.key(object{"expiresAt": expires.Format(time.RFC3339Nano)})
				_, successor := p.rotate(path, object{"graceDays": 30})
				p.get(path).wantStatus(http.StatusOK).wantTime("data.expiresAt", expires)
				successor.wantTime("data.expiresAt", expires)
			}).restsOn(563, 567).createsKeys(),
		otherwise("A rotation fails without a hint if another system has rotated or revoked the key. Plan again."),
		collectionsClaim(570, "Wire contract: api_keys.rotate (key_not_active)",
			"Rotating a key that is already rotated returns 409 key_not_active.", func(p *probe) {
				path, _ := p.key(nil)
				p.rotate(path, nil)
				p.post(path+"/rotate", object{}).wantStatus(http.StatusConflict).wantError("key_not_active")
			}).createsKeys(),
		collectionsClaim(571, "Wire contract: api_keys.rotate (key_not_active)",
			"Rotating a revoked key returns 409 key_not_active.", func(p *probe) {
				path, _ := p.key(nil)
				p.delete(path).wantStatus(http.StatusNoContent)
				p.post(path+"/rotate", object{}).wantStatus(http.StatusConflict).wantError("key_not_active")
			}).restsOn(532, 549).createsKeys(),
		otherwise("A second rotation within the grace period makes a key expire too early, or fails. Wait for " +
			"grace_until."),
		collectionsClaim(572, source, "A successor can be rotated within the grace period; all three keys work then.",
			func(p *probe) {
				path, first := p.key(nil)
				path, second := p.rotate(path, nil)
				_, third := p.rotate(path, nil)
				third.want("data.predecessorId", second.at("data.id"))
				for _, a := range []*response{first, second, third} {
					p.using(a.text("data.token")).wantStatus(http.StatusOK)
				}
			}).restsOn(532, 536, 543, 561).createsKeys(),
		otherwise("revoke_previous_keys does not revoke an old key, or revokes the new one. Revoke it in the " +
			"service's own interface."),
		collectionsClaim(573, "Collections §3 API key status; wire contract: api_keys.revoke",
			"Revoking the old key ends its grace period immediately; the successor continues to work.", func(p *probe) {
				path, old := p.key(nil)
				_, successor := p.rotate(path, nil)
				p.delete(path).wantStatus(http.StatusNoContent)
				wantUnauthorized(p.using(old.text("data.token")))
				p.using(successor.text("data.token")).wantStatus(http.StatusOK)
			}).restsOn(532, 536, 549, 567).createsKeys(),
	}
}

// slack is the permitted difference between two timestamps of one call at a service.
const slack = time.Minute

// wantGrace fails unless the grace period of a rotation has that many days.
func (a *response) wantGrace(days int) *response {
	wanted := a.time("data.createdAt").Add(time.Duration(days) * day)
	if off := a.time("data.graceUntil").Sub(wanted).Abs(); off > slack {
		a.failf("graceUntil is %s, want %d days after the rotation at %s", a.time("data.graceUntil"), days,
			a.time("data.createdAt"))
	}
	return a
}

func keyEventClaims() []Claim {
	const list = "Collections §2 Webhook endpoint (events), §6 Events; wire contract: webhook_endpoints.create"
	return []Claim{
		otherwise("Endpoints receive other events than configured in events and active. Filter them in the "+
			"consumer.").restsOn(501, 549, 581),
		collectionsClaim(645, list, "An endpoint receives only the events that it lists.",
			receiving(func(p *probe, r *receiver) {
				p.hook(r, object{"events": []string{"api_key.revoked", "charge.paid"}})
				path, old := p.key(nil)
				p.rotate(path, nil)
				p.delete(path).wantStatus(http.StatusNoContent)
				p.about(r, "api_key.revoked", old.text("data.id"))
				for _, event := range []string{"api_key.rotated", "api_key.status_changed"} {
					if len(r.of(event)) > 0 {
						p.failf("%s reached an endpoint that does not list it", event)
					}
				}
			})).restsOn(573).createsKeys(),
		collectionsClaim(646, list, "An endpoint without listed events receives all events.",
			receiving(func(p *probe, r *receiver) {
				p.hook(r, object{"events": []string{}})
				path, old := p.key(nil)
				p.rotate(path, nil)
				p.delete(path).wantStatus(http.StatusNoContent)
				for _, event := range lifecycle {
					p.about(r, event, old.text("data.id"))
				}
			})).restsOn(573).createsKeys(),
		collectionsClaim(647, "Collections §3 Webhook endpoint status; wire contract: webhook_endpoints.update (active)",
			"An inactive endpoint receives no events; an active one receives events again from then on.",
			receiving(func(p *probe, r *receiver) {
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
			})).createsKeys(),
	}
}

// lifecycle lists the events about keys.
var lifecycle = []string{"api_key.rotated", "api_key.status_changed", "api_key.revoked"}

// about waits for an event about one key; other keys may change in the meantime.
func (p *probe) about(r *receiver, event, id string) *response {
	return p.envelope(p.await(1, func() []received {
		return slices.DeleteFunc(r.of(event), func(one received) bool {
			a := &response{raw: one.body}
			a.decode()
			return a.at("data.id") != id
		})
	})).want("event", event)
}
