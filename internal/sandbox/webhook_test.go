package sandbox_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	endpointsPath = "/api/v1/webhook-endpoints"
	keysPath      = "/api/v1/api-keys"
)

// morning is where the fixed clocks of these tests start.
var morning = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

// collect speaks to the collections service of a sandbox.
func collect(t *testing.T, server *sandbox.Server) caller {
	t.Helper()
	c := call(t, server)
	c.base, c.token = server.CollectionsURL(), server.CollectionsKey()
	return c
}

// endpoint creates a webhook endpoint and returns its path.
func (c caller) endpoint(body string) (path string, created result) {
	c.t.Helper()
	created = c.do("POST", endpointsPath, body).want(201)
	return endpointsPath + "/" + created.text("data", "id"), created
}

// wire contract: webhook_endpoints. Defaults, what comes back, and what an
// update changes.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := collect(t, server)
	path, created := c.endpoint(`{"url":"https://hooks.example.com/a"}`)
	secret := created.text("data", "secret")
	if !strings.HasPrefix(secret, "whsec_") || len(secret) < 40 {
		t.Errorf("secret %q", secret)
	}
	id := created.text("data", "id")
	plain :=
		`{"active":true,"authentication":{"type":"none"},"createdAt":"2026-05-04T09:00:00.000Z","description":null,"events":[],"id":"` + id + `","updatedAt":"2026-05-04T09:00:00.000Z","url":"https://hooks.example.com/a"}`
	for name, r := range map[string]string{
		"get":  c.do("GET", path, "").want(200).json("data"),
		"list": c.do("GET", endpointsPath, "").want(200).json("data", 0),
	} {
		if r != plain {
			t.Errorf("%s: %s, want %s", name, r, plain)
		}
	}
	server.Clock().Advance(time.Hour)
	changed := c.do("PATCH", path,
		`{"description":"d","events":["charge.paid","charge.paid","new.event"],"active":false,"authentication":{"type":"basic","username":"ana","password":"p4ss"}}`).want(200)
	want := `{"active":false,"authentication":{"type":"basic","username":"ana"},"createdAt":"2026-05-04T09:00:00.000Z","description":"d","events":["charge.paid","new.event"],"id":"` + id + `","updatedAt":"2026-05-04T10:00:00.000Z","url":"https://hooks.example.com/a"}`
	if got := changed.json("data"); got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
	if same := c.do("PATCH", path, `{"active":false}`).want(200).json("data"); same != want {
		t.Errorf("an update that changes nothing returns %s", same)
	}
	cleared := c.do("PATCH", path,
		`{"description":null,"events":[],"authentication":{"type":"header","name":"X-Key","value":"v4lue"}}`).want(200)
	if cleared.json("data", "description") != "null" || cleared.json("data", "events") != "[]" ||
		cleared.json("data", "authentication") != `{"name":"X-Key","type":"header"}` {
		t.Errorf("cleared: %s", cleared.body)
	}
	rotated := c.do("POST", path+"/rotate-secret", "").want(200)
	if next := rotated.text("data", "secret"); next == secret || !strings.HasPrefix(next, "whsec_") {
		t.Errorf("rotated to %q", next)
	}
	if r := c.do("DELETE", path, "").want(204); len(r.body) != 0 {
		t.Errorf("deletion returns %s", r.body)
	}
	for _, gone := range []result{
		c.do("GET", path, ""), c.do("PATCH", path, `{}`), c.do("DELETE", path, ""), c.do("POST", path+"/test", ""),
		c.do("POST", path+"/rotate-secret", ""), c.do("GET", path+"/deliveries", ""),
		c.do("POST", path+"/deliveries/"+id+"/retry", ""),
	} {
		if gone.want(404).text("error", "code") != "not_found" {
			t.Errorf("gone: %s", gone.body)
		}
	}
}

// wire contract: validation failure, and Collections §7 INVALID_WEBHOOK_URL.
func TestEndpointRefusals(t *testing.T) {
	t.Parallel()
	c := collect(t, start(t, sandbox.Options{}))
	path, _ := c.endpoint(`{"url":"https://hooks.example.com/a","description":"stays"}`)
	for body, field := range map[string]string{
		`{"url":7}`:                                            "url",
		`{"url":null}`:                                         "url",
		`{"description":7}`:                                    "description",
		`{"events":"charge.paid"}`:                             "events",
		`{"events":[""]}`:                                      "events[0]",
		`{"events":null}`:                                      "events",
		`{"active":"yes"}`:                                     "active",
		`{"secret":"whsec_mine"}`:                              "secret",
		`{"authentication":"none"}`:                            "authentication",
		`{"authentication":{}}`:                                "authentication.type",
		`{"authentication":{"type":7}}`:                        "authentication.type",
		`{"authentication":{"type":"digest"}}`:                 "authentication.type",
		`{"authentication":{"type":"none","token":"x"}}`:       "authentication.token",
		`{"authentication":{"type":"basic","username":"ana"}}`: "authentication.password",
		`{"authentication":{"type":"basic","username":"a:b","password":"x"}}`:           "authentication.username",
		`{"authentication":{"type":"bearer"}}`:                                          "authentication.token",
		`{"authentication":{"type":"bearer","token":"a\nb"}}`:                           "authentication.token",
		`{"authentication":{"type":"header","name":"X Key","value":"v"}}`:               "authentication.name",
		`{"authentication":{"type":"header","name":"x-webhook-signature","value":"v"}}`: "authentication.name",
		`{"authentication":{"type":"header","name":"content-type","value":"v"}}`:        "authentication.name",
		`{"authentication":{"type":"header","name":"X-Key","value":""}}`:                "authentication.value",
	} {
		r := c.do("PATCH", path, body).want(422)
		if fields, _ := r.at("error", "details", "fields").(map[string]any); r.text("error", "code") != "validation_error" ||
			fields[field] == nil {
			t.Errorf("%s: %s", body, r.body)
		}
	}
	if r := c.do("POST", endpointsPath, `{}`).want(422); r.text("error", "details", "fields", "url") != "is required" {
		t.Errorf("without url: %s", r.body)
	}
	c.do("POST", endpointsPath, `[]`).want(400)
	for _, url := range []string{"http://hooks.example.com/", "https://127.0.0.1/", "https://10.0.0.1/",
		"https://erp.internal/", "https://[::ffff:10.0.0.1]/", "https://2130706433/", ""} {
		for method, target := range map[string]string{"POST": endpointsPath, "PATCH": path} {
			r := c.do(method, target, `{"url":"`+url+`","description":"changed"}`).want(422)
			if r.text("error", "code") != "INVALID_WEBHOOK_URL" || r.text("error", "details", "fields", "url") == "" ||
				url != "" && strings.Contains(string(r.body), url) {
				t.Errorf("%s %s: %s", method, url, r.body)
			}
		}
	}
	if r := c.do("GET", path, "").want(200); r.text("data", "description") != "stays" {
		t.Errorf("a refused update changed %s", r.body)
	}
}

// names resolves by a table, which a test may change.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	addr, err := netip.ParseAddr(n[host])
	return []netip.Addr{addr}, err
}

// Collections §5: a name that leads into an internal network is rejected at
// registration; one that cannot be looked up is left to the delivery.
func TestRegistrationResolvesNames(t *testing.T) {
	t.Parallel()
	c := collect(t, start(t, sandbox.Options{Resolver: names{"in.example.com": "10.0.0.1", "out.example.com": "8.8.8.8"}}))
	path, _ := c.endpoint(`{"url":"https://out.example.com/"}`)
	c.endpoint(`{"url":"https://unknown.example.com/"}`)
	for method, target := range map[string]string{"POST": endpointsPath, "PATCH": path} {
		if r := c.do(method, target, `{"url":"https://in.example.com/"}`).want(422); r.text("error",
			"code") != "INVALID_WEBHOOK_URL" {
			t.Errorf("%s: %s", method, r.body)
		}
	}
}

// wire contract: paging and order of collections lists, and whose they are.
func TestCollectionsLists(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning, MaxPerPage: 2, Tolerance: sandbox.Tolerance{}})
	c := collect(t, server)
	var made []string
	for range 5 {
		_, created := c.endpoint(`{"url":"https://hooks.example.com/a","active":false}`)
		made = append(made, created.text("data", "id"))
	}
	var listed []string
	for _, page := range []string{"1", "2", "3"} {
		r := c.do("GET", endpointsPath+"?per_page=100&page="+page, "").want(200)
		if got := r.json("meta"); got != `{"page":`+page+`,"per_page":2,"total":5,"total_pages":3}` {
			t.Errorf("meta %s", got)
		}
		listed = append(listed, r.names("id")...)
	}
	if !slices.Equal(listed, made) {
		t.Errorf("listed %v, made %v", listed, made)
	}
	if r := c.do("GET", endpointsPath+"?page=9", "").want(200); r.json("data") != "[]" {
		t.Errorf("beyond the end %s", r.body)
	}
	c.do("GET", endpointsPath+"?sort_by=url", "").want(422)
	c.do("GET", endpointsPath+"?page=x", "").want(422)

	organization, err := server.NewOrganization(sandbox.Organization{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := server.NewToken(sandbox.Token{Service: sandbox.Collections, Organization: organization.ID})
	if err != nil {
		t.Fatal(err)
	}
	if r := c.with(other).do("GET", endpointsPath, "").want(200); r.json("meta", "total") != "0" {
		t.Errorf("another organization sees %s", r.body)
	}
	c.with(other).do("GET", endpointsPath+"/"+made[0], "").want(404)
	if r := c.with(other).do("GET", keysPath, "").want(200); r.json("meta", "total") != "1" {
		t.Errorf("another organization sees keys %s", r.body)
	}
}

// Collections §5: credentials are in no log.
func TestRequestLogHoldsNoCredentials(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := collect(t, server)
	path, _ :=
		c.endpoint(
			`{"url":"https://hooks.example.com/","authentication":{"type":"basic","username":"ana","password":"s3cret"}}`)
	for _, body := range []string{
		`{"authentication":{"type":"bearer","token":"s3cret"}}`,
		`{"authentication":{"type":"header","name":"X-Key","value":"s3cret"}}`,
		`{"authentication":{"type":"bearer","tokne":"s3cret"}}`,
		`{"authentication":"s3cret"}`,
		`{"authentication":{"type":"bearer","token":"s3cret"}`,
		`["s3cret"]`,
	} {
		c.do("PATCH", path, body)
	}
	log := server.Requests()
	if len(log) != 7 {
		t.Fatalf("%d lines", len(log))
	}
	for _, r := range log {
		if strings.Contains(string(r.Body), "s3cret") {
			t.Errorf("logged %s", r.Body)
		}
	}
	var first map[string]any
	if err := json.Unmarshal(log[0].Body, &first); err != nil || first["url"] != "https://hooks.example.com/" ||
		!strings.Contains(string(log[0].Body), `"username":"ana"`) {
		t.Errorf("the log has lost what is no secret: %s", log[0].Body)
	}
}
