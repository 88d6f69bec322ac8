package claims

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
)

const (
	endpointsPath = "/api/v1/webhook-endpoints"
	keysPath      = "/api/v1/api-keys"
)

func endpointPath(id string) string { return endpointsPath + "/" + url.PathEscape(id) }
func keyPath(id string) string      { return keysPath + "/" + url.PathEscape(id) }

// anyUUIDForm matches a UUID of any version, because the description of the collections service does not specify one.
var anyUUIDForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

var (
	// endpointMembers lists the members of an endpoint in every response.
	endpointMembers = []string{"id", "url", "description", "events", "active", "authentication", "createdAt", "updatedAt"}
	// keyMembers lists the public members of an API key, Collections §2.
	keyMembers = []string{"id", "name", "description", "keyPrefix", "source", "scopes", "lastUsedAt", "expiresAt",
		"revokedAt", "createdAt"}
)

// collectionsClaim is claim for the collections service.
func collectionsClaim(number int, source, text string, check func(*probe)) Claim {
	return claimOf(Collections, number, source, text, check)
}

// publicURL returns an address that is unique in the target. The host exists and is public, for services that resolve
// it at registration.
func publicURL() string { return "https://example.com/" + unique() }

// endpoint creates an endpoint and returns its path and the response. Its default event never occurs in a claim, so
// that no delivery is sent.
func (p *probe) endpoint(fields object) (string, *response) {
	body := merged(object{"url": publicURL(), "events": []string{"charge.paid"}}, fields)
	a := p.post(endpointsPath, body).wantStatus(http.StatusCreated)
	return endpointPath(a.text("data.id")), a
}

// key creates an API key, with a unique name unless the fields have one, and returns its path and the response.
func (p *probe) key(fields object) (string, *response) {
	a := p.post(keysPath, merged(object{"name": unique()}, fields)).wantStatus(http.StatusCreated)
	return keyPath(a.text("data.id")), a
}

// rotate rotates the key at path and returns the successor's path and the response.
func (p *probe) rotate(path string, fields object) (string, *response) {
	if fields == nil {
		fields = object{}
	}
	a := p.post(path+"/rotate", fields).wantStatus(http.StatusOK)
	return keyPath(a.text("data.id")), a
}

// using sends a request with a key that is permitted for empty scopes.
func (p *probe) using(token string) *response {
	return p.send(call{method: http.MethodGet, path: endpointsPath, token: token})
}

// wantTexts fails unless the array at path contains exactly those texts, in any order.
func (a *response) wantTexts(path string, wanted ...string) *response {
	got := map[string]bool{}
	list := a.list(path)
	for _, item := range list {
		text, _ := item.(string)
		got[text] = true
	}
	same := len(list) == len(wanted)
	for _, text := range wanted {
		same = same && got[text]
	}
	if !same {
		a.failf("%s is %s, want %s in any order", path, show(list), show(wanted))
	}
	return a
}

// wantUnset fails unless the text at path is null or empty: the descriptions do not specify which one represents a
// missing text.
func (a *response) wantUnset(path string) *response {
	if value := a.at(path); value != "" && !a.unset(path) {
		a.failf("%s is %s, want null or empty", path, show(value))
	}
	return a
}

// wantNowhere fails if the response contains one of the texts.
func (a *response) wantNowhere(what string, texts ...string) *response {
	for _, text := range texts {
		if text != "" && bytes.Contains(a.raw, []byte(text)) {
			a.failf("%s is in the response", what)
		}
	}
	return a
}

// listed reads all pages of a list and returns its items.
func (p *probe) listed(path string, query ...string) []any {
	var items []any
	for page := 1; p.err == nil; page++ {
		paging := []string{"page", strconv.Itoa(page), "per_page", strconv.Itoa(p.maxPerPage())}
		a := p.get(path, slices.Concat(paging, query)...).wantStatus(http.StatusOK)
		total := a.integer("meta.total")
		found := a.list("data")
		items = append(items, found...)
		if len(found) == 0 || len(items) >= total {
			break
		}
	}
	return items
}

// listedResponse returns one item of a list as if it were a single response.
func (p *probe) listedResponse(path string, item any) *response {
	raw, err := json.Marshal(item)
	if err != nil {
		p.failf("an item of %s: %w", path, err)
	}
	return &response{p: p, what: "an item of GET " + path, status: http.StatusOK, header: http.Header{}, raw: raw,
		body: object{"data": item}}
}

// listedOne returns the item with that id, which must be in the list exactly once.
func (p *probe) listedOne(path, id string) *response {
	var found *response
	for _, item := range p.listed(path) {
		if text(item, "id") != id {
			continue
		}
		if found != nil {
			p.failf("GET %s contains %s twice", path, id)
		}
		found = p.listedResponse(path, item)
	}
	if found == nil {
		p.failf("GET %s does not contain %s", path, id)
		found = p.listedResponse(path, nil)
	}
	return found
}

// text returns a text member of a listed item, or "".
func text(item any, member string) string {
	text, _ := (&response{body: item}).at(member).(string)
	return text
}

// wantMissing fails if there is a member at path, even if it is null.
func (a *response) wantMissing(path string) *response {
	if value := a.at(path); value != (any)(missing{}) {
		a.failf("unexpected member %s", path)
	}
	return a
}
