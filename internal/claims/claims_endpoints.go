package claims

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	ofEndpoint     = "Collections §2 Webhook endpoint; "
	towardConsumer = "Collections §5 Request authentication toward the consumer; "
)

func endpointCreationClaims() []Claim {
	const create = "wire contract: webhook_endpoints.create"
	return []Claim{
		otherwise("The creation of a webhook endpoint fails, or arguments are different in every plan."),
		collectionsClaim(501, ofEndpoint+create, "Creating an endpoint returns 201 with every member and what was sent.",
			func(p *probe) {
				sent := object{"url": publicURL(), "description": "sul, 50%", "active": false}
				_, a := p.endpoint(merged(sent, object{"events": []string{"charge.paid", "api_key.revoked"}}))
				a.wantPresent("data", endpointMembers...).wantFields("data", sent).wantTexts("data.events", "charge.paid",
					"api_key.revoked")
				a.wantMatch("data.createdAt", timeForm).wantMatch("data.updatedAt", timeForm).text("data.id")
			}),
		collectionsClaim(502, ofEndpoint+create+" (defaults)",
			"An endpoint that is created with only a url is active, receives all events and has authentication none.",
			func(p *probe) {
				a := p.post(endpointsPath, object{"url": publicURL()}).wantStatus(http.StatusCreated)
				a.want("data.active", true).want("data.events", []any{}).want("data.authentication", object{"type": "none"})
				a.wantUnset("data.description")
			}).restsOn(501),
		otherwise("secret is null or not usable in the state. Read it in the service's own interface."),
		collectionsClaim(503, ofEndpoint+create,
			"The secret is in the response to the creation, starts with whsec_ and is different for every endpoint.",
			func(p *probe) {
				_, first := p.endpoint(nil)
				_, second := p.endpoint(nil)
				if first.wantSecret("data.secret") == second.wantSecret("data.secret") {
					second.failf("the secret is that of another endpoint")
				}
			}).restsOn(501),
		otherwise("An endpoint's arguments differ in every plan. Use ignore_changes.").restsOn(501, 536),
		collectionsClaim(505, "Wire contract: webhook_endpoints.get", "Reads and lists return the same as the creation.",
			func(p *probe) {
				path, created := p.endpoint(object{"description": "vendas", "authentication": object{"type": "header",
					"name": "X-Gateway-Key", "value": unique()}})
				for _, a := range []*response{p.get(path).wantStatus(http.StatusOK),
					p.listedOne(endpointsPath, created.text("data.id"))} {
					for _, member := range endpointMembers {
						a.want("data."+member, created.at("data."+member))
					}
				}
			}),
		collectionsClaim(506, towardConsumer+create,
			"A password, a token and a header's value are never returned; the user name and the header's name are.",
			func(p *probe) {
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
			}),
	}
}

func endpointChangeClaims() []Claim {
	const update = "wire contract: webhook_endpoints.update"
	const rotate = "wire contract: webhook_endpoints.rotate_secret"
	return []Claim{
		otherwise("A change of an endpoint changes other arguments, or does not take effect and stays in every " +
			"plan.").restsOn(501),
		collectionsClaim(508, "Wire contract: webhook_endpoints.update",
			"An update changes exactly the fields that are sent.", func(p *probe) {
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
			}),
		collectionsClaim(509, ofEndpoint+update,
			"null clears the description, and an empty list of events is returned as an empty list.", func(p *probe) {
				path, _ := p.endpoint(object{"description": "one"})
				p.patch(path, object{"description": nil}).wantStatus(http.StatusOK)
				p.get(path).wantStatus(http.StatusOK).wantUnset("data.description").wantTexts("data.events", "charge.paid")
				// All events from now on; inactive, so that none is sent.
				p.patch(path, object{"active": false, "events": []any{}}).wantStatus(http.StatusOK)
				p.get(path).wantStatus(http.StatusOK).want("data.events", []any{})
			}).restsOn(508),
		collectionsClaim(510, towardConsumer+update,
			"An update of the authentication replaces it as a whole.", func(p *probe) {
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
			}),
		otherwise("rotate_secret_when_changed fails, or leaves the old secret. Rotate it in the service's own interface."),
		collectionsClaim(512, "Collections §2 Webhook endpoint, §4 Endpoints; "+rotate,
			"Rotating the secret returns 200 with the endpoint and a new secret of the same form, at every rotation.",
			func(p *probe) {
				path, created := p.endpoint(object{"description": "one"})
				seen := map[string]bool{created.wantSecret("data.secret"): true}
				for range 2 {
					a := p.do(path + "/rotate-secret").wantStatus(http.StatusOK)
					a.wantPresent("data", endpointMembers...).want("data.id", created.at("data.id")).want("data.description", "one")
					if secret := a.wantSecret("data.secret"); seen[secret] {
						a.failf("the secret has not changed")
					} else {
						seen[secret] = true
					}
				}
			}).restsOn(501),
		otherwise("A destroy fails or has no effect. deletion_policy = \"abandon\" removes it from state " +
			"only.").restsOn(501),
		collectionsClaim(513, "Wire contract: webhook_endpoints.delete", "Deleting an endpoint returns 204 without a body.",
			func(p *probe) {
				path, _ := p.endpoint(nil)
				if a := p.delete(path).wantStatus(http.StatusNoContent); len(a.raw) > 0 {
					a.failf("the body of a 204 is not empty: %s", clip(a.raw))
				}
			}),
		collectionsClaim(514, "Wire contract: webhook_endpoints.delete",
			"A deleted endpoint no longer exists: every further request for it returns 404, and it does not appear in any list.",
			func(p *probe) {
				path, created := p.endpoint(nil)
				p.delete(path).wantStatus(http.StatusNoContent, http.StatusOK)
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
			}).restsOn(536),
	}
}

// wantSecret returns the secret at path. The description specifies only its prefix.
func (a *response) wantSecret(path string) string {
	secret := a.text(path)
	if rest, ok := strings.CutPrefix(secret, "whsec_"); !ok || rest == "" {
		a.failf("%s does not start with whsec_", path)
	}
	return secret
}

// later returns responses about an endpoint after its creation.
func (p *probe) later(path string) []*response {
	return []*response{
		p.get(path).wantStatus(http.StatusOK),
		p.patch(path, object{"description": unique()}).wantStatus(http.StatusOK),
		p.listedOne(endpointsPath, strings.TrimPrefix(path, endpointsPath+"/")),
	}
}

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

func addressClaims() []Claim {
	const source = "Collections §2 Webhook endpoint (url), §5 Protection on the sender side, §7 Errors; wire contract: " +
		"webhook_endpoints.create "
	return []Claim{
		otherwise("The error about a url that the service does not accept does not name the argument url."),
		collectionsClaim(521, source+"(https only)",
			"A url that does not start with https:// returns 422 INVALID_WEBHOOK_URL.", func(p *probe) {
				for _, url := range []string{"http://example.com/in", "ftp://example.com/in", "wss://example.com/in",
					"example.com/in",
					"//example.com/in"} {
					a := p.register(url)
					a.what += " of " + url
					a.wantInvalidURL()
				}
			}),
	}
}

// wantInvalidURL fails unless the response has the documented code, with the status of the wire contract.
func (a *response) wantInvalidURL() {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("INVALID_WEBHOOK_URL")
}

// register creates an endpoint that receives no deliveries.
func (p *probe) register(url string) *response {
	return p.post(endpointsPath, object{"url": url, "active": false, "events": []string{"charge.paid"}})
}

func collectionsAccessClaims() []Claim {
	const source = "Collections §5 Access to this API, §7 Errors; "
	return []Claim{
		otherwise("The error about an invalid key does not name the key. Is " +
			"collections_auth_header the right header?"),
		collectionsClaim(532, source+"wire contract: webhook_endpoints.list (header that carries the key)",
			"A call with an unknown key returns 401, for endpoints and for keys.", func(p *probe) {
				for _, c := range closed {
					c.token = unique()
					wantUnauthorized(p.send(c))
				}
			}),
		otherwise("An object that was deleted elsewhere causes an error in the plan, and is not recreated."),
		collectionsClaim(534, "Wire contract: webhook_endpoints.get (error body as in recurring billing)",
			"An unknown id returns 404 in the error shape, for endpoints, deliveries and keys.", func(p *probe) {
				path, _ := p.endpoint(nil)
				for _, a := range []*response{
					p.get(endpointPath(nobody)), p.patch(endpointPath(nobody), object{"active": false}),
					p.delete(endpointPath(nobody)),
					p.do(endpointPath(nobody) + "/test"), p.do(endpointPath(nobody) + "/rotate-secret"),
					p.get(endpointPath(nobody) + "/deliveries"), p.do(path + "/deliveries/" + nobody + "/retry"),
					p.get(keyPath(nobody)), p.delete(keyPath(nobody)), p.post(keyPath(nobody)+"/rotate", object{}),
				} {
					a.wantStatus(http.StatusNotFound).wantError("")
				}
			}).restsOn(501, 514),
	}
}

// closed lists calls that require a key, one of each kind.
var closed = []call{
	{method: http.MethodGet, path: endpointsPath},
	{method: http.MethodGet, path: endpointsPath + "/" + nobody},
	{method: http.MethodPost, path: endpointsPath + "/" + nobody + "/test"},
	{method: http.MethodGet, path: endpointsPath + "/" + nobody + "/deliveries"},
	{method: http.MethodGet, path: keysPath},
	{method: http.MethodPost, path: keysPath, body: object{"name": "nobody"}},
	{method: http.MethodPost, path: keysPath + "/" + nobody + "/rotate"},
	{method: http.MethodDelete, path: keysPath + "/" + nobody},
}

func collectionsListClaims() []Claim {
	const paging = " (paging as in recurring billing)"
	const order = " (order by createdAt)"
	return []Claim{
		otherwise("Refreshes, imports and data sources read only a part of a list, or fail. Set bulk_refresh = false."),
		collectionsClaim(536, "Wire contract: webhook_endpoints.list"+paging,
			"Pages of endpoints have the requested size, contain each item once and count them all in meta.total.",
			func(p *probe) {
				checkPages(p, endpointsPath, ids(p.endpoint))
			}).restsOn(501),
		collectionsClaim(537, "Wire contract: webhook_endpoints.list"+order,
			"Endpoints are listed by createdAt, the oldest first, and in the same order every time.", func(p *probe) {
				ids(p.endpoint)
				checkOrder(p, endpointsPath)
			}).restsOn(501),
		collectionsClaim(538, "Wire contract: api_keys.list"+paging,
			"Pages of keys have the requested size, contain each item once and count them all in meta.total.",
			checkKeyPages).createsKeys(),
		collectionsClaim(539, "Wire contract: api_keys.list"+order,
			"Keys are listed by createdAt, the oldest first, and in the same order every time.", func(p *probe) {
				ids(p.key)
				checkOrder(p, keysPath)
			}).createsKeys(),
	}
}

// ids creates three objects and returns their ids in that order.
func ids(add func(object) (string, *response)) []string {
	var ids []string
	for range 3 {
		_, a := add(nil)
		ids = append(ids, a.text("data.id"))
	}
	return ids
}

func checkKeyPages(p *probe) { checkPages(p, keysPath, ids(p.key)) }

// checkPages reads a list in pages of at most two.
func checkPages(p *probe, path string, made []string) {
	p.target.MaxPerPage = min(2, p.maxPerPage())
	first := p.get(path, "per_page", "1").wantStatus(http.StatusOK).want("meta.per_page", 1).want("meta.page", 1)
	if n := len(first.list("data")); n != 1 {
		first.failf("%d items on a page of 1", n)
	}
	items := p.listed(path)
	var seen []string
	for _, item := range items {
		id := text(item, "id")
		if slices.Contains(seen, id) {
			p.failf("GET %s: %s is on two pages", path, id)
		}
		seen = append(seen, id)
	}
	for _, id := range made {
		if !slices.Contains(seen, id) {
			p.failf("GET %s: %s is not on any page", path, id)
		}
	}
	first.want("meta.total", len(items))
}

// checkOrder checks that a list is sorted by its timestamps, and that items with equal timestamps keep their positions.
func checkOrder(p *probe, path string) {
	var last time.Time
	var order []string
	for _, item := range p.listed(path) {
		created := p.listedResponse(path, item).time("data.createdAt")
		if created.Before(last) {
			p.failf("GET %s: %s, created at %s, comes after one created at %s", path, text(item, "id"), created, last)
		}
		last = created
		order = append(order, text(item, "id"))
	}
	for i, item := range p.listed(path) {
		if i < len(order) && text(item, "id") != order[i] {
			p.failf("GET %s: position %d is %s, and was %s in the previous list", path, i, text(item, "id"), order[i])
		}
	}
}

func deliveryClaims() []Claim {
	const signature = "Collections §5 HMAC signature; wire contract: "
	const toward = "Collections §5 Request authentication toward the consumer; wire contract: "
	return []Claim{
		otherwise("The action billing_webhook_test fails, or cannot follow its delivery. Set wait = false."),
		collectionsClaim(581, "Collections §4 Endpoints; wire contract: webhook_endpoints.test",
			"A test returns 202 with eventId and deliveryId, and webhook.test is delivered under these ids.",
			receiving(func(p *probe, r *receiver) {
				path, _ := p.hook(r, nil)
				a := p.do(path + "/test").wantStatus(http.StatusAccepted)
				a.wantMatch("data.eventId", anyUUIDForm).wantMatch("data.deliveryId", anyUUIDForm)
				one := p.awaitNth(r, 1)
				p.wantHeader(one, "X-Webhook-Event", "webhook.test")
				p.wantHeader(one, "X-Webhook-Event-Id", a.text("data.eventId"))
				p.wantHeader(one, "X-Webhook-Delivery-Id", a.text("data.deliveryId"))
			})).restsOn(501, 502),
		otherwise("Consumers reject deliveries: neither the function verify_webhook_signature nor the secret "+
			"fits.").restsOn(501, 581),
		collectionsClaim(585, signature+"webhook_endpoints.test",
			"The signature is t=<seconds>,v1=<hex> and verifies with the endpoint's secret over the raw body.",
			receiving(func(p *probe, r *receiver) {
				created, one := p.tested(r, nil)
				p.wantSigned(one, created.wantSecret("data.secret"))
			})).restsOn(503),
		collectionsClaim(586, signature+"webhook_endpoints.test",
			"t is the time of sending, which X-Webhook-Timestamp also contains.", receiving(func(p *probe, r *receiver) {
				path, _ := p.hook(r, nil)
				id := p.fire(path)
				one := p.awaitNth(r, 1)
				stamp, err := time.Parse(time.RFC3339Nano, one.header.Get("X-Webhook-Timestamp"))
				if err != nil {
					p.failf("the delivery's X-Webhook-Timestamp: %w", err)
				}
				sent := p.sentAt(one)
				if off := stamp.Sub(sent).Abs(); off > 2*time.Second {
					p.failf("t is %s, X-Webhook-Timestamp %s", sent.UTC(), stamp)
				}
				if since := sent.Sub(p.record(path, id, "").time("data.createdAt")).Abs(); since > slack {
					p.failf("t is %s away from the delivery's createdAt", since)
				}
			})).restsOn(585, 624),
		collectionsClaim(587, signature+"webhook_endpoints.rotate_secret",
			"After a rotation the next delivery verifies with the new secret and not with the old one.",
			receiving(func(p *probe, r *receiver) {
				path, created := p.hook(r, nil)
				rotated := p.do(path + "/rotate-secret").wantStatus(http.StatusOK)
				p.fire(path)
				one := p.awaitNth(r, 1)
				p.wantSigned(one, rotated.wantSecret("data.secret"))
				if signedWith(one, created.wantSecret("data.secret")) {
					p.failf("the delivery verifies with the old secret")
				}
			})).restsOn(503, 512, 585),
		otherwise("Consumers that require authentication reject deliveries. Verify the signature instead."),
		collectionsClaim(589, toward+"webhook_endpoints.create",
			"With authentication basic, bearer or header a delivery contains the configured credentials.",
			receiving(func(p *probe, r *receiver) {
				for i, kind := range kinds() {
					path, _ := p.hook(r, object{"authentication": kind.authentication})
					p.fire(path)
					p.wantHeader(p.awaitNth(r, i+1), kind.name, kind.value)
				}
			})).restsOn(501, 581, 591),
		otherwise("The action billing_webhook_test reports the outcome of another delivery, or no "+
			"outcome.").restsOn(501, 581),
		collectionsClaim(591, "Collections §4 Endpoints; wire contract: webhook_endpoints.test",
			"A test is sent to its endpoint with any list of events, and to no other endpoint.",
			receiving(func(p *probe, r *receiver) {
				place := "/" + unique()
				path, _ := p.hook(r, object{"url": r.url + place, "events": []string{"charge.paid"}})
				p.hook(r, object{"events": []string{"webhook.test"}})
				p.hook(r, object{"events": []string{}})
				p.record(path, p.fire(path), "success")
				for _, one := range r.of("webhook.test") {
					if one.path != place {
						p.failf("the test of %s went to %s", place, one.path)
					}
				}
			})).restsOn(536),
		collectionsClaim(592, "Wire contract: webhook_endpoints.test (an inactive endpoint)",
			"A test of an inactive endpoint sends nothing and creates an exhausted delivery.",
			receiving(func(p *probe, r *receiver) {
				path, _ := p.hook(r, object{"active": false})
				p.record(path, p.fire(path), "exhausted").want("data.deliveredAt", nil).want("data.nextRetryAt", nil)
				if n := len(r.all()); n > 0 {
					p.failf("%d deliveries reached an inactive endpoint", n)
				}
			})).restsOn(624),
	}
}

// tested creates an endpoint at the receiver, sends a test event and waits for its delivery.
func (p *probe) tested(r *receiver, fields object) (created *response, one received) {
	path, created := p.hook(r, fields)
	p.fire(path)
	return created, p.awaitNth(r, 1)
}

// credentials is an authentication, with the header that it adds to a delivery.
type credentials struct {
	authentication object
	name, value    string
}

// kinds returns the authentications that add a header, with new credentials.
func kinds() []credentials {
	password, token, value := unique(), unique(), unique()
	pair := base64.StdEncoding.EncodeToString([]byte("integração:" + password))
	return []credentials{
		{object{"type": "basic", "username": "integração", "password": password}, "Authorization", "Basic " + pair},
		{object{"type": "bearer", "token": token}, "Authorization", "Bearer " + token},
		{object{"type": "header", "name": "X-Gateway-Key", "value": value}, "X-Gateway-Key", value},
	}
}

func attemptClaims() []Claim {
	const statuses = "Collections §3 Delivery status; wire contract: webhook_deliveries.list"
	return []Claim{
		otherwise("billing_webhook_deliveries, and check blocks on it, report a wrong outcome of "+
			"deliveries.").restsOn(501, 581, 624),
		collectionsClaim(601, statuses,
			"A response of 2xx is a success: deliveredAt is set, one attempt, and no further attempt.",
			receiving(func(p *probe, r *receiver) {
				for _, code := range []int{http.StatusOK, http.StatusCreated, http.StatusNoContent} {
					r.respondWith(status(code))
					path, _ := p.hook(r, nil)
					a := p.record(path, p.fire(path), "success")
					a.want("data.httpCode", code).want("data.attempts", 1).want("data.nextRetryAt", nil).wantUnset("data.lastError")
					a.wantMatch("data.deliveredAt", timeForm)
				}
			})),
		collectionsClaim(602, statuses,
			"Any other response is a failure: status failed with the code, an error and nextRetryAt.",
			receiving(func(p *probe, r *receiver) {
				for _, code := range []int{http.StatusBadRequest, http.StatusGone, http.StatusInternalServerError} {
					r.respondWith(status(code))
					path, _ := p.hook(r, nil)
					p.record(path, p.fire(path), "failed").want("data.httpCode", code).wantFailure()
				}
			})),
		collectionsClaim(604, statuses, "A broken connection is a failure without a code.",
			receiving(func(p *probe, r *receiver) {
				r.respondWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
				path, _ := p.hook(r, nil)
				p.record(path, p.fire(path), "failed").want("data.httpCode", nil).wantFailure()
			})),
	}
}

// failing creates an endpoint whose receiver returns 503, sends it a test event and waits for the first failure.
func (p *probe) failing(r *receiver) (endpoint, id string, failure *response) {
	r.respondWith(status(http.StatusServiceUnavailable))
	endpoint, _ = p.hook(r, nil)
	id = p.fire(endpoint)
	return endpoint, id, p.record(endpoint, id, "failed")
}

// wantFailure fails unless a delivery has one failed attempt.
func (a *response) wantFailure() {
	a.want("data.attempts", 1).want("data.deliveredAt", nil).wantMatch("data.nextRetryAt", timeForm)
	if a.text("data.lastError") == "" {
		a.failf("lastError is empty")
	}
}

func redeliveryClaims() []Claim {
	const source = "Collections §3 Delivery status, §4 Endpoints; wire contract: webhook_deliveries.retry"
	return []Claim{
		otherwise("The action billing_webhook_redelivery fails, or sends something else again.").restsOn(501, 581, 624),
		collectionsClaim(611, source,
			"A failed delivery is sent again immediately: 202 with the delivery, under the same ids, and can then succeed.",
			receiving(func(p *probe, r *receiver) {
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
			})),
		collectionsClaim(612, source, "A redelivery starts the cycle again: its attempts count from 1.",
			receiving(func(p *probe, r *receiver) {
				path, id, _ := p.failing(r)
				p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusAccepted)
				p.wantHeader(p.awaitNth(r, 2), "X-Webhook-Attempt", "1")
				p.record(path, id, "failed").wantFailure()
			})),
		collectionsClaim(613, source, "An exhausted delivery can be sent again.", receiving(func(p *probe, r *receiver) {
			path, _ := p.hook(r, object{"active": false})
			id := p.fire(path)
			p.record(path, id, "exhausted")
			p.patch(path, object{"active": true}).wantStatus(http.StatusOK)
			p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusAccepted)
			p.awaitNth(r, 1)
			p.record(path, id, "success")
		})).restsOn(508, 592),
		collectionsClaim(614, "Collections §3 Delivery status, §7 Errors; wire contract: webhook_deliveries.retry",
			"On an inactive endpoint a redelivery returns 409 ENDPOINT_INACTIVE and does not change the delivery.",
			receiving(func(p *probe, r *receiver) {
				path, id, before := p.failing(r)
				p.patch(path, object{"active": false}).wantStatus(http.StatusOK)
				p.do(path + "/deliveries/" + id + "/retry").wantStatus(http.StatusConflict).wantError("ENDPOINT_INACTIVE")
				a := p.record(path, id, "failed")
				for _, member := range []string{"attempts", "httpCode", "lastError", "nextRetryAt"} {
					a.want("data."+member, before.at("data."+member))
				}
				if n := len(r.all()); n != 1 {
					p.failf("received %d requests, want only the first", n)
				}
			})),
	}
}

func recordClaims() []Claim {
	const source = "Collections §2 Delivery record; wire contract: webhook_deliveries.list"
	return []Claim{
		otherwise("billing_webhook_deliveries lacks the sent bodies, or misses deliveries."),
		collectionsClaim(621, source,
			"A delivery is listed with every member, and with the bodies that were sent and returned.",
			receiving(func(p *probe, r *receiver) {
				r.respondWith(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `recebido: "sim"`) })
				path, _ := p.hook(r, nil)
				id := p.fire(path)
				one := p.awaitNth(r, 1)
				a := p.record(path, id, "success").wantPresent("data", deliveryMembers...)
				a.want("data.event", "webhook.test").want("data.eventId", one.header.Get("X-Webhook-Event-Id")).
					wantMatch("data.createdAt", timeForm)
				if !sameText(a.at("data.requestBody"), one.body) {
					a.failf("requestBody is %s, what came is %s", show(a.at("data.requestBody")), clip(one.body))
				}
				if !sameText(a.at("data.responseBody"), []byte(`recebido: "sim"`)) {
					a.failf("responseBody is %s", show(a.at("data.responseBody")))
				}
			})).restsOn(501, 581, 585, 624),
		otherwise("The state contains secrets from deliveries: do not use billing_webhook_deliveries."),
		collectionsClaim(622,
			"Collections §2 Delivery record, §5 Protection on the sender side; wire contract: webhook_deliveries.list",
			"No secret, credential, signature or Set-Cookie appears in a delivery: such a header contains [REDACTED].",
			receiving(func(p *probe, r *receiver) {
				cookie := unique()
				r.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Set-Cookie", "session="+cookie) })
				for i, kind := range kinds() {
					path, created := p.hook(r, object{"authentication": kind.authentication})
					id := p.fire(path)
					one := p.awaitNth(r, i+1)
					a := p.record(path, id, "success")
					_, credential, found := strings.Cut(kind.value, " ")
					if !found {
						credential = kind.value
					}
					a.wantNowhere("the credential", credential).wantNowhere("the secret",
						created.text("data.secret")).wantNowhere("the cookie", cookie)
					_, v1, _ := strings.Cut(one.header.Get("X-Webhook-Signature"), "v1=")
					a.wantNowhere("the signature", v1)
					p.wantRedacted(a.at("data"), append(slices.Clone(hidden), strings.ToLower(kind.name)))
				}
			})).restsOn(501, 581, 624),
		otherwise("billing_webhook_deliveries reads every delivery and compares them itself, or misses some. Set "+
			"a limit.").restsOn(501, 581),
		collectionsClaim(623, "Wire contract: webhook_deliveries.list (filters)",
			"The filters status and event exclude other deliveries, alone and combined.", receiving(func(p *probe, r *receiver) {
				path, failed, _ := p.failing(r)
				r.respondWith(nil)
				passed := p.fire(path)
				p.record(path, passed, "success")
				for _, one := range []struct {
					query []string
					ids   []string
				}{
					{[]string{"status", "failed"}, []string{failed}},
					{[]string{"status", "success"}, []string{passed}},
					{[]string{"status", "exhausted"}, nil},
					{[]string{"event", "webhook.test"}, []string{failed, passed}},
					{[]string{"event", "charge.paid"}, nil},
					{[]string{"event", "webhook.test", "status", "success"}, []string{passed}},
					{[]string{"event", "charge.paid", "status", "success"}, nil},
				} {
					var got []string
					for _, item := range p.listed(path+"/deliveries", one.query...) {
						got = append(got, text(item, "id"))
					}
					slices.Sort(got)
					slices.Sort(one.ids)
					if !slices.Equal(got, one.ids) {
						p.failf("GET %s/deliveries with %v lists %v, want %v", path, one.query, got, one.ids)
					}
				}
			})).restsOn(624),
		collectionsClaim(624, "Wire contract: webhook_deliveries.list (paging as in recurring billing, order by createdAt)",
			"Deliveries are paged, each appears once, by createdAt with the oldest first, and only those of one endpoint.",
			receiving(func(p *probe, r *receiver) {
				path, _ := p.hook(r, nil)
				other, _ := p.hook(r, nil)
				var made []string
				for range 3 {
					made = append(made, p.fire(path))
					p.fire(other)
				}
				checkPages(p, path+"/deliveries", made)
				checkOrder(p, path+"/deliveries")
				if n := len(p.listed(path + "/deliveries")); p.err == nil && n != len(made) {
					p.failf("%d deliveries of the endpoint, want %d", n, len(made))
				}
			})).restsOn(591),
	}
}

// hidden lists the headers whose values must not appear in deliveries, in lower case.
var hidden = []string{"x-webhook-signature", "authorization", "set-cookie"}

// wantRedacted finds headers by name anywhere in a delivery, because the description does not name the members that
// contain them.
func (p *probe) wantRedacted(value any, names []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, shown := range value {
			if slices.Contains(names, strings.ToLower(name)) {
				if list, ok := shown.([]any); ok && len(list) == 1 {
					shown = list[0]
				}
				if shown != "[REDACTED]" {
					p.failf("the header %s is %s, want [REDACTED]", name, show(shown))
				}
			}
			p.wantRedacted(shown, names)
		}
	case []any:
		for _, item := range value {
			p.wantRedacted(item, names)
		}
	}
}
