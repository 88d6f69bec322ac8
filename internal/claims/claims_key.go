package claims

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

func keyClaims() []Claim {
	const shape = "Collections §2 API key; "
	const create = "wire contract: api_keys.create"
	return []Claim{
		collectionsClaim(541, shape+create, "Creating a key returns 201 with its public shape and what was sent.",
			checkKeyCreate),
		collectionsClaim(542, shape+create+" (defaults)",
			"A key that is created with only a name has empty scopes, and expiry, last use and revocation are null.",
			checkKeyDefaults),
		collectionsClaim(543, shape+create,
			"The token is in the response to the creation, starts with the shorter keyPrefix and is different for every key.",
			checkToken),
		collectionsClaim(544, shape+"wire contract: api_keys.get (without token)",
			"A read and a list return what the creation returned, without the token.", checkKeyRead),
		collectionsClaim(545, shape+create+" (validation failure)",
			"A missing name, an unknown field and wrong types return 422, with the field named.", checkKeyInvalid),
		collectionsClaim(546, shape+"wire contract: api_keys.get",
			"lastUsedAt is null until the key is used, and a timestamp afterwards.", checkLastUsed),
		collectionsClaim(547, "Wire contract: api_keys.get (no update of a key)",
			"A key cannot be changed: the attempt returns 404 or 405 and changes nothing.", checkKeyUpdate),
		collectionsClaim(548, "Collections §7 Errors; "+create+" (expiresAt)",
			"A key works until expiresAt; afterwards it returns 401 and can still be read.", timed(checkKeyExpires)),
		collectionsClaim(549, "Collections §3 API key status; wire contract: api_keys.revoke",
			"Revoking returns 204 without a body, and the key returns 401 immediately.", checkRevoke),
		collectionsClaim(550, "Wire contract: api_keys.revoke (a revoked key)",
			"A revoked key can still be read and is still listed, with revokedAt.", checkRevokedReads),
		collectionsClaim(551, "Wire contract: api_keys.revoke (a second revoke)",
			"Revoking a revoked key returns 204 and does not change its revokedAt.", checkRevokedAgain),
	}
}

func keyScopeClaims() []Claim {
	const source = "Collections §2 API key (scopes), §5 Access to this API; wire contract: api_keys.create"
	return []Claim{
		collectionsClaim(552, source,
			"A key with empty scopes works, and returns 403 insufficient_scope where keys are managed.", checkEmptyScopes),
		collectionsClaim(553, source, "A key with the scope api_keys:* may create, rotate and revoke keys.",
			checkManagingScope),
		collectionsClaim(554, source, "Scopes that are not empty grant only what they match.", checkNarrowScopes),
	}
}

func checkKeyCreate(p *probe) {
	sent := object{"name": "integração " + unique(), "description": "Lê cobranças"}
	_, a := p.key(merged(sent, object{"scopes": []string{"charges:read", "api_keys:*"},
		"expiresAt": "2099-05-05T21:00:00-03:00"}))
	a.wantPresent("data", keyMembers...).wantFields("data", sent).wantTexts("data.scopes", "charges:read", "api_keys:*")
	a.wantMatch("data.id", anyUUIDForm).wantMatch("data.createdAt", timeForm).wantMatch("data.expiresAt", timeForm)
	a.wantTime("data.expiresAt", time.Date(2099, 5, 6, 0, 0, 0, 0, time.UTC)).text("data.source")
}

// wantTime fails unless the date-time at path is that very time.
func (a *response) wantTime(path string, wanted time.Time) *response {
	if got := a.time(path); !got.Equal(wanted) {
		a.failf("%s is %s, want %s", path, got, wanted)
	}
	return a
}

func checkKeyDefaults(p *probe) {
	_, a := p.key(nil)
	a.want("data.scopes", []any{}).wantUnset("data.description")
	a.want("data.expiresAt", nil).want("data.lastUsedAt", nil).want("data.revokedAt", nil)
}

func checkToken(p *probe) {
	_, first := p.key(nil)
	_, second := p.key(nil)
	for _, a := range []*response{first, second} {
		token, prefix := a.text("data.token"), a.text("data.keyPrefix")
		if prefix == "" || !strings.HasPrefix(token, prefix) || len(prefix) >= len(token) {
			a.failf("the token does not begin with keyPrefix %q, or goes no further", prefix)
		}
	}
	if first.text("data.token") == second.text("data.token") {
		second.failf("the token is that of another key")
	}
}

func checkKeyRead(p *probe) {
	path, created := p.key(object{"description": "Lê cobranças", "scopes": []string{"charges:read"},
		"expiresAt": "2099-01-01T00:00:00Z"})
	for _, a := range []*response{p.get(path).wantStatus(http.StatusOK), p.listedOne(keysPath, created.text("data.id"))} {
		for _, member := range keyMembers {
			a.want("data."+member, created.at("data."+member))
		}
		a.wantMissing("data.token").wantNowhere("the token", created.text("data.token"))
	}
}

func checkKeyInvalid(p *probe) {
	for field, sent := range map[string]object{
		"name":        {"description": "no name"},
		"colour":      {"name": unique(), "colour": "blue"},
		"description": {"name": unique(), "description": 7},
		"scopes":      {"name": unique(), "scopes": "all"},
		"expiresAt":   {"name": unique(), "expiresAt": "soon"},
	} {
		p.post(keysPath, sent).wantBlamed(field)
	}
}

func checkLastUsed(p *probe) {
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
}

func checkKeyUpdate(p *probe) {
	path, created := p.key(nil)
	for _, method := range []string{http.MethodPatch, http.MethodPut} {
		a := p.send(call{method: method, path: path, body: object{"name": unique()}})
		a.wantStatus(http.StatusNotFound, http.StatusMethodNotAllowed)
	}
	p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name"))
}

func checkKeyExpires(p *probe) {
	_, other := p.key(nil)
	expires := other.time("data.createdAt").Add(2 * time.Hour)
	path, created := p.key(object{"expiresAt": expires.Format(time.RFC3339Nano)})
	token := created.text("data.token")
	p.advance(time.Hour)
	p.using(token).wantStatus(http.StatusOK)
	p.advance(time.Hour + time.Minute)
	wantUnauthorized(p.using(token))
	p.get(path).wantStatus(http.StatusOK).wantTime("data.expiresAt", expires).want("data.revokedAt", nil)
}

func checkRevoke(p *probe) {
	path, created := p.key(nil)
	_, other := p.key(nil)
	p.using(created.text("data.token")).wantStatus(http.StatusOK)
	if a := p.delete(path).wantStatus(http.StatusNoContent); len(a.raw) > 0 {
		a.failf("the body of a 204 is not empty: %s", clip(a.raw))
	}
	wantUnauthorized(p.using(created.text("data.token")))
	p.using(other.text("data.token")).wantStatus(http.StatusOK)
}

func checkRevokedReads(p *probe) {
	path, created := p.key(nil)
	p.get(path).wantStatus(http.StatusOK).want("data.revokedAt", nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	for _, a := range []*response{p.get(path).wantStatus(http.StatusOK), p.listedOne(keysPath, created.text("data.id"))} {
		a.wantMatch("data.revokedAt", timeForm).want("data.name", created.at("data.name"))
	}
}

func checkRevokedAgain(p *probe) {
	path, _ := p.key(nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	first := p.get(path).wantStatus(http.StatusOK).wantMatch("data.revokedAt", timeForm)
	p.delete(path).wantStatus(http.StatusNoContent)
	p.get(path).wantStatus(http.StatusOK).want("data.revokedAt", first.at("data.revokedAt"))
}

// wantScopeRefused accepts the rejection that recurring billing documents.
func wantScopeRefused(a *response) {
	a.wantStatus(http.StatusForbidden).wantError("insufficient_scope").wantPresent("error.details", "required", "granted")
}

func checkEmptyScopes(p *probe) {
	_, created := p.key(object{"scopes": []string{}})
	token := created.text("data.token")
	p.using(token).wantStatus(http.StatusOK)
	wantScopeRefused(p.send(call{method: http.MethodPost, path: keysPath, body: object{"name": unique()}, token: token}))
	path, other := p.key(nil)
	wantScopeRefused(p.send(call{method: http.MethodPost, path: path + "/rotate", body: object{}, token: token}))
	wantScopeRefused(p.send(call{method: http.MethodDelete, path: path, token: token}))
	p.using(other.text("data.token")).wantStatus(http.StatusOK)
}

func checkManagingScope(p *probe) {
	_, created := p.key(object{"scopes": []string{"api_keys:*"}})
	token := created.text("data.token")
	a := p.send(call{method: http.MethodPost, path: keysPath, body: object{"name": unique()}, token: token}).
		wantStatus(http.StatusCreated)
	path := keyPath(a.text("data.id"))
	p.send(call{method: http.MethodPost, path: path + "/rotate", body: object{}, token: token}).wantStatus(http.StatusOK)
	p.send(call{method: http.MethodDelete, path: path, token: token}).wantStatus(http.StatusNoContent)
}

func checkNarrowScopes(p *probe) {
	for _, scope := range []string{"api_keys:*", "nothing_there:*"} {
		_, created := p.key(object{"scopes": []string{scope}})
		wantScopeRefused(p.using(created.text("data.token")))
	}
	_, created := p.key(object{"scopes": []string{"nothing_there:*"}})
	wantScopeRefused(p.send(call{method: http.MethodPost, path: keysPath, body: object{"name": unique()},
		token: created.text("data.token")}))
}
