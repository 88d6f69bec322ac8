package claims

import (
	"encoding/base64"
	"mime"
	"net/http"
	"regexp"
	"time"
)

func deliveryClaims() []Claim {
	const headers = "Collections §2 Delivery request headers; wire contract: webhook_endpoints.test"
	const signature = "Collections §5 HMAC signature; wire contract: "
	const toward = "Collections §5 Request authentication toward the consumer; wire contract: "
	return []Claim{
		collectionsClaim(581, "Collections §4 Endpoints; wire contract: webhook_endpoints.test",
			"A test returns 202 with eventId and deliveryId, and webhook.test is delivered under these ids.",
			receiving(checkTestArrives)),
		collectionsClaim(582, headers,
			"A delivery is a POST of JSON with every documented header; the first attempt is number 1.",
			receiving(checkDeliveryHeaders)),
		collectionsClaim(583, headers, "The sender identifies itself as product/version, with version 1.0.",
			receiving(checkUserAgent)),
		collectionsClaim(584, "Collections §2 Event envelope; wire contract: webhook_endpoints.test",
			"The body is the event's envelope: event, timestamp, organizationId and data.", receiving(checkDeliveredEnvelope)),
		collectionsClaim(585, signature+"webhook_endpoints.test",
			"The signature is t=<seconds>,v1=<hex> and verifies with the endpoint's secret over the raw body.",
			receiving(checkSignature)),
		collectionsClaim(586, signature+"webhook_endpoints.test",
			"t is the time of sending, which X-Webhook-Timestamp contains too.", receiving(checkSignatureTime)),
		collectionsClaim(587, signature+"webhook_endpoints.rotate_secret",
			"After a rotation the next delivery verifies with the new secret and not with the old one.",
			receiving(checkSignedWithNewSecret)),
		collectionsClaim(588, toward+"webhook_endpoints.create",
			"With authentication none a delivery contains no Authorization.", receiving(checkSentNone)),
		collectionsClaim(589, toward+"webhook_endpoints.create",
			"With authentication basic, bearer or header a delivery contains what was configured.",
			receiving(checkSentCredentials)),
		collectionsClaim(590, toward+"webhook_endpoints.update",
			"After an update a delivery contains the new authentication and is sent to the new url.",
			receiving(checkSentAfterUpdate)),
		collectionsClaim(591, "Collections §4 Endpoints; wire contract: webhook_endpoints.test",
			"A test is sent to its endpoint with any list of events, and to no other endpoint.",
			receiving(checkTestGoesToItsEndpoint)),
		collectionsClaim(592, "Wire contract: webhook_endpoints.test (an inactive endpoint)",
			"A test of an inactive endpoint sends nothing and creates an exhausted delivery.", receiving(checkTestOfInactive)),
	}
}

// tested creates an endpoint at the receiver, fires a test and waits for it.
func (p *probe) tested(r *receiver, fields object) (created *response, one received) {
	path, created := p.hook(r, fields)
	p.fire(path)
	return created, p.awaitNth(r, 1)
}

func checkTestArrives(p *probe, r *receiver) {
	path, _ := p.hook(r, nil)
	a := p.do(path + "/test").wantStatus(http.StatusAccepted)
	a.wantMatch("data.eventId", anyUUIDForm).wantMatch("data.deliveryId", anyUUIDForm)
	one := p.awaitNth(r, 1)
	p.wantHeader(one, "X-Webhook-Event", "webhook.test")
	p.wantHeader(one, "X-Webhook-Event-Id", a.text("data.eventId"))
	p.wantHeader(one, "X-Webhook-Delivery-Id", a.text("data.deliveryId"))
}

func checkDeliveryHeaders(p *probe, r *receiver) {
	_, one := p.tested(r, nil)
	if one.method != http.MethodPost {
		p.failf("the delivery is a %s", one.method)
	}
	kind, _, err := mime.ParseMediaType(one.header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		p.failf("the delivery's Content-Type is %q", one.header.Get("Content-Type"))
	}
	p.wantHeader(one, "X-Webhook-Event", "webhook.test")
	p.wantHeader(one, "X-Webhook-Attempt", "1")
	for _, name := range []string{"X-Webhook-Event-Id", "X-Webhook-Delivery-Id"} {
		if id := one.header.Get(name); !anyUUIDForm.MatchString(id) {
			p.failf("the delivery's %s is %q, no UUID", name, id)
		}
	}
	if _, err := time.Parse(time.RFC3339Nano, one.header.Get("X-Webhook-Timestamp")); err != nil {
		p.failf("the delivery's X-Webhook-Timestamp: %w", err)
	}
}

var productForm = regexp.MustCompile(`^[^\s/]+/1\.0(\s.*)?$`)

func checkUserAgent(p *probe, r *receiver) {
	_, one := p.tested(r, nil)
	if agent := one.header.Get("User-Agent"); !productForm.MatchString(agent) {
		p.failf("the delivery's User-Agent is %q, want a product/1.0", agent)
	}
}

func checkDeliveredEnvelope(p *probe, r *receiver) {
	_, one := p.tested(r, nil)
	a := p.envelope(one).want("event", "webhook.test").wantMatch("timestamp", timeForm).wantMatch("organizationId",
		anyUUIDForm)
	if _, ok := a.at("data").(map[string]any); !ok {
		a.failf("data is %s, want an object", show(a.at("data")))
	}
}

func checkSignature(p *probe, r *receiver) {
	created, one := p.tested(r, nil)
	p.wantSigned(one, created.wantSecret("data.secret"))
}

func checkSignatureTime(p *probe, r *receiver) {
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
}

func checkSignedWithNewSecret(p *probe, r *receiver) {
	path, created := p.hook(r, nil)
	rotated := p.do(path + "/rotate-secret").wantStatus(http.StatusOK)
	p.fire(path)
	one := p.awaitNth(r, 1)
	p.wantSigned(one, rotated.wantSecret("data.secret"))
	if signedWith(one, created.wantSecret("data.secret")) {
		p.failf("the delivery verifies with the old secret")
	}
}

func checkSentNone(p *probe, r *receiver) {
	_, one := p.tested(r, nil)
	if got := one.header.Values("Authorization"); len(got) > 0 {
		p.failf("the delivery carries an Authorization")
	}
}

// credentials is an authentication with the header that it makes a delivery carry.
type credentials struct {
	authentication object
	name, value    string
}

// kinds are the authentications that send something, with new credentials.
func kinds() []credentials {
	password, token, value := unique(), unique(), unique()
	pair := base64.StdEncoding.EncodeToString([]byte("integração:" + password))
	return []credentials{
		{object{"type": "basic", "username": "integração", "password": password}, "Authorization", "Basic " + pair},
		{object{"type": "bearer", "token": token}, "Authorization", "Bearer " + token},
		{object{"type": "header", "name": "X-Gateway-Key", "value": value}, "X-Gateway-Key", value},
	}
}

func checkSentCredentials(p *probe, r *receiver) {
	for i, kind := range kinds() {
		path, _ := p.hook(r, object{"authentication": kind.authentication})
		p.fire(path)
		p.wantHeader(p.awaitNth(r, i+1), kind.name, kind.value)
	}
}

func checkSentAfterUpdate(p *probe, r *receiver) {
	path, _ := p.hook(r, nil)
	for i, kind := range kinds() {
		place := "/" + unique()
		p.patch(path, object{"authentication": kind.authentication, "url": r.url + place}).wantStatus(http.StatusOK)
		p.fire(path)
		one := p.awaitNth(r, i+1)
		p.wantHeader(one, kind.name, kind.value)
		if p.err == nil && one.path != place {
			p.failf("the delivery went to %s, want the new %s", one.path, place)
		}
	}
}

func checkTestGoesToItsEndpoint(p *probe, r *receiver) {
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
}

func checkTestOfInactive(p *probe, r *receiver) {
	path, _ := p.hook(r, object{"active": false})
	p.record(path, p.fire(path), "exhausted").want("data.deliveredAt", nil).want("data.nextRetryAt", nil)
	if n := len(r.all()); n > 0 {
		p.failf("%d deliveries reached an inactive endpoint", n)
	}
}
