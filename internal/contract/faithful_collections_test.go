package contract_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// adminKey may do everything at the collections service.
const adminKey = "key_faithful_admin"

// collections is the state of the faithful collections service.
type collections struct {
	endpoints  []object
	secrets    map[any]string // of an endpoint, by its id
	withheld   map[any]object // the authentication as it was sent
	keys       []object
	tokens     map[string]any // ids of keys
	rotated    map[any]bool   // ids of keys
	deliveries []*delivery

	receivers map[string]bool // hosts that are taken though they are on loopback
	client    *http.Client    // trusts them
	tries     int             // attempts of a delivery
	wait      func(attempts int) time.Duration
	tamper    func(*sending) // spoils what is sent
	async     bool           // deliveries are sent beside the answers
}

// trusting sends to every server of httptest: all have the same certificate.
var trusting = sync.OnceValue(func() *http.Client {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return server.Client()
})

func newCollections() collections {
	return collections{
		secrets: map[any]string{}, withheld: map[any]object{}, tokens: map[string]any{}, rotated: map[any]bool{},
		receivers: map[string]bool{}, client: trusting(), tries: 8, wait: backoff,
	}
}

// receive serves the handler at an address that the service takes.
func (f *faithful) receive(handler http.Handler) (string, func()) {
	server := httptest.NewTLSServer(handler)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.receivers[strings.TrimPrefix(server.URL, "https://")] = true
	return server.URL, server.Close
}

// collect answers what starts with /api/v1.
func (f *faithful) collect(r *http.Request, path string) reply {
	kind, rest, _ := strings.Cut(path, "/")
	id, step, _ := strings.Cut(rest, "/")
	if answer, refused := f.checkKey(r, kind); refused {
		return answer
	}
	sent, ok := receiveObject(r)
	if !ok {
		return reply{status: http.StatusBadRequest, err: "bad_request"}
	}
	if r.Method != http.MethodGet {
		f.now = f.now.Add(time.Millisecond)
		defer f.work()
	}
	switch kind {
	case "webhook-endpoints":
		return f.endpoint(r, id, step, sent)
	case "api-keys":
		return f.key(r, id, step, sent)
	}
	return notFound
}

// checkKey refuses a caller without a key that lives and may do this.
func (f *faithful) checkKey(r *http.Request, kind string) (reply, bool) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if bearer && token == adminKey {
		return reply{}, false
	}
	key, _ := find(f.keys, f.tokens[token])
	if !bearer || key == nil || key["revokedAt"] != nil || key["expiresAt"] != nil && !f.now.Before(parse(key["expiresAt"])) {
		return reply{status: http.StatusUnauthorized, err: "invalid_token"}, true
	}
	key["lastUsedAt"] = f.moment()
	wanted, scopes := strings.ReplaceAll(kind, "-", "_"), texts(key["scopes"])
	if len(scopes) == 0 && wanted != "api_keys" || slices.Contains(scopes, wanted+":*") {
		return reply{}, false
	}
	details := object{"required": []string{wanted + ":*"}, "granted": scopes}
	return reply{status: http.StatusForbidden, err: "insufficient_scope", details: details}, true
}

func texts(value any) []string {
	texts := []string{}
	list, _ := value.([]any)
	for _, item := range list {
		text, _ := item.(string)
		texts = append(texts, text)
	}
	return texts
}

func (f *faithful) endpoint(r *http.Request, id, step string, sent object) reply {
	endpoint, i := find(f.endpoints, id)
	switch {
	case id == "" && r.Method == http.MethodGet:
		return list(f.endpoints, r.URL.Query(), f.most)
	case id != "" && endpoint == nil:
		return notFound
	case strings.HasPrefix(step, "deliveries"):
		return f.records(r, endpoint, strings.TrimPrefix(step, "deliveries"))
	case step == "rotate-secret":
		return reply{status: http.StatusOK, body: object{"data": f.withSecret(endpoint)}}
	case step == "test":
		one := f.schedule(endpoint, newEvent(f, "webhook.test", object{}))
		return reply{status: http.StatusAccepted, body: object{"data": object{"eventId": one.record["eventId"], "deliveryId": one.record["id"]}}}
	case r.Method == http.MethodGet:
		return ok(endpoint)
	case r.Method == http.MethodDelete:
		f.endpoints = slices.Delete(f.endpoints, i, i+1)
		return reply{status: http.StatusNoContent}
	}
	return f.writeEndpoint(endpoint, sent)
}

// writeEndpoint makes an endpoint where there is none yet, or changes it.
func (f *faithful) writeEndpoint(endpoint, sent object) reply {
	if wrong := validateEndpoint(sent, endpoint == nil); len(wrong) > 0 {
		return invalid(wrong)
	}
	if address, is := sent["url"].(string); is && !f.public(address) {
		return reply{status: http.StatusUnprocessableEntity, err: "INVALID_WEBHOOK_URL"}
	}
	creating := endpoint == nil
	if creating {
		endpoint = object{
			"id": newUUID(), "description": nil, "events": []any{}, "active": true,
			"authentication": object{"type": "none"}, "createdAt": f.moment(),
		}
		f.endpoints = append(f.endpoints, endpoint)
	}
	for field, value := range sent {
		if field == "authentication" {
			f.withheld[endpoint["id"]] = value.(object)
			value = shown(value.(object))
		}
		endpoint[field] = value
	}
	endpoint["updatedAt"] = f.moment()
	if creating {
		return reply{status: http.StatusCreated, body: object{"data": f.withSecret(endpoint)}}
	}
	return ok(endpoint)
}

// withSecret gives the endpoint a new secret and shows it.
func (f *faithful) withSecret(endpoint object) object {
	secret := "whsec_" + newUUID()
	f.secrets[endpoint["id"]] = secret
	answer := object{"secret": secret}
	for name, value := range endpoint {
		answer[name] = value
	}
	return answer
}

func shown(authentication object) object {
	shown := object{}
	for name, value := range authentication {
		if name != "password" && name != "token" && name != "value" {
			shown[name] = value
		}
	}
	return shown
}

func validateEndpoint(sent object, creating bool) object {
	wrong := object{}
	if _, is := sent["url"]; creating && !is {
		wrong["url"] = "is required"
	}
	for field, value := range sent {
		valid := false
		switch field {
		case "url":
			valid = isText(value)
		case "description":
			valid = value == nil || isText(value)
		case "active":
			valid = isBool(value)
		case "events":
			_, valid = value.([]any)
		case "authentication":
			kind, _ := at(value, "type").(string)
			valid = slices.Contains([]string{"none", "basic", "bearer", "header"}, kind)
		}
		if !valid {
			wrong[field] = "is not valid here"
		}
	}
	return wrong
}

// internalNetworks are those that a service does not send to.
var internalNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("::/127"), netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"),
}

func (f *faithful) public(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" {
		return false
	}
	host := strings.ToLower(parsed.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		inside := slices.ContainsFunc(internalNetworks, func(network netip.Prefix) bool { return network.Contains(ip.Unmap()) })
		return !inside || f.receivers[parsed.Host]
	}
	return host != "localhost" && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".internal")
}
