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

// anyUUIDForm is a UUID of any version: the description of the collections
// service does not name one.
var anyUUIDForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

var (
	// endpointMembers are the members of an endpoint in every response.
	endpointMembers = []string{"id", "url", "description", "events", "active", "authentication", "createdAt", "updatedAt"}
	// keyMembers are the public shape of an API key, Collections §2.
	keyMembers = []string{"id", "name", "description", "keyPrefix", "source", "scopes", "lastUsedAt", "expiresAt",
		"revokedAt", "createdAt"}
)

// collectionsClaim is claim for the collections service: the probe speaks to
// that one, with its key.
func collectionsClaim(number int, source, text string, check func(*probe)) Claim {
	c := claim(number, source, text, func(p *probe) {
		if p.target.CollectionsBaseURL == "" {
			p.failf("%w: a collections service", ErrNotGiven)
			return
		}
		p.target.BaseURL, p.target.Token = p.target.CollectionsBaseURL, p.target.CollectionsAPIKey
		p.keyHeader = p.target.CollectionsAuthHeader
		check(p)
	})
	c.Service = Collections
	return c
}

// publicURL is an address that nothing else in the target has. The host exists
// and is public, as a service that resolves it at registration demands.
func publicURL() string { return "https://example.com/" + unique() }

// endpoint creates an endpoint and returns its path and the response. Unless the
// fields say otherwise it wants an event that no claim brings about, so that
// nothing is sent to its address.
func (p *probe) endpoint(fields object) (string, *response) {
	body := merged(object{"url": publicURL(), "events": []string{"charge.paid"}}, fields)
	a := p.post(endpointsPath, body).wantStatus(http.StatusCreated)
	return endpointPath(a.text("data.id")), a
}

// key creates an API key under a unique name, unless the fields say another, and
// returns its path and the response.
func (p *probe) key(fields object) (string, *response) {
	a := p.post(keysPath, merged(object{"name": unique()}, fields)).wantStatus(http.StatusCreated)
	return keyPath(a.text("data.id")), a
}

// rotate replaces the key at path and returns the successor's path and the response.
func (p *probe) rotate(path string, fields object) (string, *response) {
	if fields == nil {
		fields = object{}
	}
	a := p.post(path+"/rotate", fields).wantStatus(http.StatusOK)
	return keyPath(a.text("data.id")), a
}

// using does a call with a key that a key with empty scopes may do.
func (p *probe) using(token string) *response {
	return p.send(call{method: http.MethodGet, path: endpointsPath, token: token})
}

// wantTexts fails unless the array at path holds those texts, each once, in any order.
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

// wantUnset fails unless the text at path is null or empty: the descriptions do
// not say which one represents a text that was not sent.
func (a *response) wantUnset(path string) *response {
	if value := a.at(path); value != "" && !a.unset(path) {
		a.failf("%s is %s, want it null or empty", path, show(value))
	}
	return a
}

// wantNowhere fails when one of the texts is anywhere in the response.
func (a *response) wantNowhere(what string, texts ...string) *response {
	for _, text := range texts {
		if text != "" && bytes.Contains(a.raw, []byte(text)) {
			a.failf("%s is in the response", what)
		}
	}
	return a
}

// listed walks the pages of a list and returns its items.
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

// listedResponse is one item of a list in the form of a single response.
func (p *probe) listedResponse(path string, item any) *response {
	raw, err := json.Marshal(item)
	if err != nil {
		p.failf("an item of %s: %w", path, err)
	}
	return &response{p: p, what: "an item of GET " + path, status: http.StatusOK, header: http.Header{}, raw: raw,
		body: object{"data": item}}
}

// listedOne is the item with that id, which the list has to hold once.
func (p *probe) listedOne(path, id string) *response {
	var found *response
	for _, item := range p.listed(path) {
		if text(item, "id") != id {
			continue
		}
		if found != nil {
			p.failf("GET %s holds %s twice", path, id)
		}
		found = p.listedResponse(path, item)
	}
	if found == nil {
		p.failf("GET %s does not hold %s", path, id)
		found = p.listedResponse(path, nil)
	}
	return found
}

// text is the text of that member of a listed item, empty when it has none.
func text(item any, member string) string {
	text, _ := (&response{body: item}).at(member).(string)
	return text
}

// wantMissing fails when there is a member at path, be it null.
func (a *response) wantMissing(path string) *response {
	if value := a.at(path); value != (any)(missing{}) {
		a.failf("there is a member %s", path)
	}
	return a
}
