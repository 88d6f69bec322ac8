package claims

import (
	"net/http"
	"slices"
	"time"
)

func collectionsAccessClaims() []Claim {
	const source = "Collections §5 Access to this API, §7 Errors; "
	return []Claim{
		collectionsClaim(531, source+"wire contract: webhook_endpoints.list (header that carries the key)",
			"A call without a key returns 401, for endpoints and for keys.", checkNoKey),
		collectionsClaim(532, source+"wire contract: webhook_endpoints.list (header that carries the key)",
			"A call with an unknown key returns 401, for endpoints and for keys.", checkUnknownKey),
		collectionsClaim(533, source+"wire contract: webhook_endpoints.create",
			"A create without a valid key returns 401 and creates nothing.", checkNothingMade),
		collectionsClaim(534, "Wire contract: webhook_endpoints.get (error body as in recurring billing)",
			"An unknown id returns 404 in the error shape, for endpoints, deliveries and keys.", checkUnknownCollectionsIDs),
	}
}

// closed are calls that need a key, one of each kind.
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

func checkNoKey(p *probe) {
	for _, c := range closed {
		c.anonymous = true
		wantUnauthorized(p.send(c))
	}
}

func checkUnknownKey(p *probe) {
	for _, c := range closed {
		c.token = unique()
		wantUnauthorized(p.send(c))
	}
}

func checkNothingMade(p *probe) {
	url := publicURL()
	body := object{"url": url, "active": false}
	wantUnauthorized(p.send(call{method: http.MethodPost, path: endpointsPath, body: body, token: unique()}))
	wantUnauthorized(p.send(call{method: http.MethodPost, path: endpointsPath, body: body, anonymous: true}))
	for _, item := range p.listed(endpointsPath) {
		if text(item, "url") == url {
			p.failf("a create without a valid key has created an endpoint")
		}
	}
}

func checkUnknownCollectionsIDs(p *probe) {
	path, _ := p.endpoint(nil)
	for _, a := range []*response{
		p.get(endpointPath(nobody)), p.patch(endpointPath(nobody), object{"active": false}), p.delete(endpointPath(nobody)),
		p.do(endpointPath(nobody) + "/test"), p.do(endpointPath(nobody) + "/rotate-secret"),
		p.get(endpointPath(nobody) + "/deliveries"), p.do(path + "/deliveries/" + nobody + "/retry"),
		p.get(keyPath(nobody)), p.delete(keyPath(nobody)), p.post(keyPath(nobody)+"/rotate", object{}),
	} {
		a.wantStatus(http.StatusNotFound).wantError("")
	}
}

func collectionsListClaims() []Claim {
	const paging = " (paging as in recurring billing)"
	const order = " (order by createdAt)"
	return []Claim{
		collectionsClaim(536, "Wire contract: webhook_endpoints.list"+paging,
			"Pages of endpoints have the requested size, contain each item once and count them all in meta.total.",
			checkEndpointPages),
		collectionsClaim(537, "Wire contract: webhook_endpoints.list"+order,
			"Endpoints are listed by createdAt, the oldest first, and in the same order every time.", checkEndpointOrder),
		collectionsClaim(538, "Wire contract: api_keys.list"+paging,
			"Pages of keys have the requested size, contain each item once and count them all in meta.total.",
			checkKeyPages),
		collectionsClaim(539, "Wire contract: api_keys.list"+order,
			"Keys are listed by createdAt, the oldest first, and in the same order every time.", checkKeyOrder),
	}
}

// ids makes three things and returns their ids in that order.
func ids(add func(object) (string, *response)) []string {
	var ids []string
	for range 3 {
		_, a := add(nil)
		ids = append(ids, a.text("data.id"))
	}
	return ids
}

func checkEndpointPages(p *probe) { checkPages(p, endpointsPath, ids(p.endpoint)) }
func checkKeyPages(p *probe)      { checkPages(p, keysPath, ids(p.key)) }

func checkEndpointOrder(p *probe) {
	ids(p.endpoint)
	checkOrder(p, endpointsPath)
}

func checkKeyOrder(p *probe) {
	ids(p.key)
	checkOrder(p, keysPath)
}

// checkPages walks a list in pages of two at most.
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

// checkOrder checks the order of all timestamps in a list, and whether items with the same
// timestamp keep their positions.
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
