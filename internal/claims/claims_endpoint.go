package claims

import (
	"net/http"
	"strings"
)

func endpointClaims() []Claim {
	const fields = "Collections §2 Webhook endpoint; "
	const toward = "Collections §5 Request authentication toward the consumer; "
	const create = "wire contract: webhook_endpoints.create"
	const update = "wire contract: webhook_endpoints.update"
	const rotate = "wire contract: webhook_endpoints.rotate_secret"
	return []Claim{
		collectionsClaim(501, fields+create, "Creating an endpoint returns 201 with every member and what was sent.",
			checkEndpointCreate),
		collectionsClaim(502, fields+create+" (defaults)",
			"An endpoint that is created with only a url is active, receives all events and has authentication none.",
			checkEndpointDefaults),
		collectionsClaim(503, fields+create,
			"The secret is in the response to the creation, starts with whsec_ and is different for every endpoint.",
			checkSecretOnce),
		collectionsClaim(504, fields+"wire contract: webhook_endpoints.get (without secret)",
			"The secret does not appear in any later response: not in a read, a list or an update.", checkSecretGone),
		collectionsClaim(505, "Wire contract: webhook_endpoints.get", "A read and a list return what the creation returned.",
			checkEndpointRead),
		collectionsClaim(506, toward+create,
			"A password, a token and a header's value are never returned; the user name and the header's name are.",
			checkCredentialsGone),
		collectionsClaim(507, fields+create+" (validation failure)", "A missing url, an unknown field, a wrong type and an "+
			"unknown kind of authentication return 422, with the field named.", checkEndpointInvalid),
		collectionsClaim(508, "Wire contract: webhook_endpoints.update",
			"An update changes each field that is sent and no other.", checkEndpointUpdate),
		collectionsClaim(509, fields+update,
			"null clears the description, and an empty list of events is returned as an empty list.", checkEndpointClear),
		collectionsClaim(510, toward+update, "An update of the authentication replaces it as a whole.",
			checkAuthenticationReplaced),
		collectionsClaim(511, fields+update+" (validation failure)",
			"An update that is not valid returns 422 and changes nothing.", checkEndpointUpdateInvalid),
		collectionsClaim(512, "Collections §2 Webhook endpoint, §4 Endpoints; "+rotate,
			"Rotating the secret returns 200 with the endpoint and a new secret of the same form, at every rotation.",
			checkSecretRotated),
		collectionsClaim(513, "Wire contract: webhook_endpoints.delete", "Deleting an endpoint returns 204 without a body.",
			checkEndpointDelete),
		collectionsClaim(514, "Wire contract: webhook_endpoints.delete",
			"A deleted endpoint no longer exists: every further call on it returns 404, and it does not appear in any list.",
			checkEndpointGone),
	}
}

func checkEndpointCreate(p *probe) {
	sent := object{"url": publicURL(), "description": "São João, 50% <b>", "active": false}
	_, a := p.endpoint(merged(sent, object{"events": []string{"charge.paid", "api_key.revoked"}}))
	a.wantPresent("data", endpointMembers...).wantFields("data", sent).wantTexts("data.events", "charge.paid",
		"api_key.revoked")
	a.wantMatch("data.createdAt", timeForm).wantMatch("data.updatedAt", timeForm).text("data.id")
}

func checkEndpointDefaults(p *probe) {
	a := p.post(endpointsPath, object{"url": publicURL()}).wantStatus(http.StatusCreated)
	a.want("data.active", true).want("data.events", []any{}).want("data.authentication", object{"type": "none"})
	a.wantUnset("data.description")
}

// wantSecret is the secret at path, of which the description says no more than
// its prefix.
func (a *response) wantSecret(path string) string {
	secret := a.text(path)
	if rest, ok := strings.CutPrefix(secret, "whsec_"); !ok || rest == "" {
		a.failf("%s does not start with whsec_", path)
	}
	return secret
}

func checkSecretOnce(p *probe) {
	_, first := p.endpoint(nil)
	_, second := p.endpoint(nil)
	if first.wantSecret("data.secret") == second.wantSecret("data.secret") {
		second.failf("the secret is that of another endpoint")
	}
}

// later are the responses about an endpoint that come after its creation.
func (p *probe) later(path string) []*response {
	return []*response{
		p.get(path).wantStatus(http.StatusOK),
		p.patch(path, object{"description": unique()}).wantStatus(http.StatusOK),
		p.listedOne(endpointsPath, strings.TrimPrefix(path, endpointsPath+"/")),
	}
}

func checkSecretGone(p *probe) {
	path, created := p.endpoint(nil)
	secret := created.wantSecret("data.secret")
	for _, a := range p.later(path) {
		a.wantMissing("data.secret").wantNowhere("the secret", secret)
	}
}

func checkEndpointRead(p *probe) {
	path, created := p.endpoint(object{"description": "Cobranças", "authentication": object{"type": "header",
		"name": "X-Gateway-Key", "value": unique()}})
	for _, a := range []*response{p.get(path).wantStatus(http.StatusOK),
		p.listedOne(endpointsPath, created.text("data.id"))} {
		for _, member := range endpointMembers {
			a.want("data."+member, created.at("data."+member))
		}
	}
}

func checkCredentialsGone(p *probe) {
	for kind, shown := range map[string]object{
		"basic":  {"username": "integracao"},
		"bearer": {},
		"header": {"name": "X-Gateway-Key"},
	} {
		hidden := unique()
		member := map[string]string{"basic": "password", "bearer": "token", "header": "value"}[kind]
		shown["type"] = kind
		path, created := p.endpoint(object{"authentication": merged(shown, object{member: hidden})})
		for _, a := range append(p.later(path), created) {
			a.want("data.authentication", shown).wantNowhere("the "+member, hidden)
		}
	}
}

func checkEndpointInvalid(p *probe) {
	for field, sent := range map[string]object{
		"url":          {"description": "no url"},
		"colour":       {"url": publicURL(), "colour": "blue"},
		"description":  {"url": publicURL(), "description": 7},
		"active":       {"url": publicURL(), "active": "yes"},
		"events":       {"url": publicURL(), "events": "charge.paid"},
		authentication: {"url": publicURL(), "authentication": object{"type": "digest"}},
	} {
		p.post(endpointsPath, sent).wantBlamed(field)
	}
}

// authentication is the field that a rejection blames, as a whole or in a part.
const authentication = "authentication"

// wantBlamed fails unless the response rejects that field.
func (a *response) wantBlamed(field string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("validation_error")
	fields, _ := a.at("error.details.fields").(map[string]any)
	for name := range fields {
		if name == field || strings.HasPrefix(name, field+".") {
			return
		}
	}
	a.failf("error.details.fields is %s, want %s in it", show(a.at("error.details.fields")), field)
}

func checkEndpointUpdate(p *probe) {
	path, created := p.endpoint(object{"description": "one"})
	now := object{}
	for _, member := range endpointMembers {
		if member != "updatedAt" {
			now[member] = created.at("data." + member)
		}
	}
	for _, change := range []object{
		{"url": publicURL()}, {"description": "two"}, {"active": false}, {"events": []any{"api_key.revoked"}},
		{"active": true},
	} {
		now = merged(now, change)
		p.patch(path, change).wantStatus(http.StatusOK).wantFields("data", now)
		a := p.get(path).wantStatus(http.StatusOK).wantFields("data", now)
		if a.time("data.updatedAt").Before(a.time("data.createdAt")) {
			a.failf("updatedAt is before createdAt")
		}
	}
}

func checkEndpointClear(p *probe) {
	path, _ := p.endpoint(object{"description": "one"})
	p.patch(path, object{"description": nil}).wantStatus(http.StatusOK)
	p.get(path).wantStatus(http.StatusOK).wantUnset("data.description").wantTexts("data.events", "charge.paid")
	// All events from here on; inactive, so that none is sent.
	p.patch(path, object{"active": false, "events": []any{}}).wantStatus(http.StatusOK)
	p.get(path).wantStatus(http.StatusOK).want("data.events", []any{})
}

func checkAuthenticationReplaced(p *probe) {
	path, _ := p.endpoint(object{"authentication": object{"type": "basic", "username": "integracao",
		"password": unique()}})
	for _, change := range []struct{ sent, shown object }{
		{object{"type": "header", "name": "X-Gateway-Key", "value": unique()},
			object{"type": "header", "name": "X-Gateway-Key"}},
		{object{"type": "bearer", "token": unique()}, object{"type": "bearer"}},
		{object{"type": "none"}, object{"type": "none"}},
	} {
		p.patch(path, object{"authentication": change.sent}).wantStatus(http.StatusOK)
		p.get(path).wantStatus(http.StatusOK).want("data.authentication", change.shown)
	}
}

func checkEndpointUpdateInvalid(p *probe) {
	path, created := p.endpoint(object{"description": "one"})
	for field, value := range map[string]any{"colour": "blue", "description": 7, "active": "yes"} {
		p.patch(path, merged(object{"url": publicURL()}, object{field: value})).wantBlamed(field)
	}
	p.get(path).wantStatus(http.StatusOK).want("data.description", "one").want("data.active", true).want("data.url",
		created.at("data.url"))
}

func checkSecretRotated(p *probe) {
	path, created := p.endpoint(object{"description": "one"})
	seen := map[string]bool{created.wantSecret("data.secret"): true}
	for range 2 {
		a := p.do(path + "/rotate-secret").wantStatus(http.StatusOK)
		a.wantPresent("data", endpointMembers...).want("data.id", created.at("data.id")).want("data.description", "one")
		if secret := a.wantSecret("data.secret"); seen[secret] {
			a.failf("the secret is an old one")
		} else {
			seen[secret] = true
		}
	}
}

func checkEndpointDelete(p *probe) {
	path, _ := p.endpoint(nil)
	if a := p.delete(path).wantStatus(http.StatusNoContent); len(a.raw) > 0 {
		a.failf("the body of a 204 is not empty: %s", clip(a.raw))
	}
}

func checkEndpointGone(p *probe) {
	path, created := p.endpoint(nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	for _, a := range []*response{
		p.get(path), p.patch(path, object{"active": false}), p.delete(path),
		p.do(path + "/rotate-secret"), p.do(path + "/test"), p.get(path + "/deliveries"),
	} {
		a.wantStatus(http.StatusNotFound).wantError("")
	}
	for _, item := range p.listed(endpointsPath) {
		if text(item, "id") == created.text("data.id") {
			p.failf("the deleted endpoint is in the list")
		}
	}
}
