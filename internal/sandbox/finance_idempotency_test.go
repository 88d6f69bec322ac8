package sandbox_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Keys of creations.
const creationKey, otherCreationKey = "5f0c3a52-9b1e-4d7a-8c46-2e9d1b7f0a83", "e1d2c3b4-a596-4877-9fa0-1b2c3d4e5f60"

// keyed creates a record with an idempotency key.
func (c caller) keyed(collection, body, key string) result {
	c.t.Helper()
	return c.do("POST", "/v1/"+collection, body, "X-Idempotency-Key", key)
}

// Financial management §1: a retry with the same key returns the original result
// and creates no duplicate.
func TestIdempotentCreation(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(c caller, path string){
		"at once":              func(caller, string) {},
		"after a change":       func(c caller, path string) { c.do("PATCH", path, `{"name":"changed","n":null}`).want(200) },
		"after its deletion":   func(c caller, path string) { c.do("DELETE", path, "").want(204) },
		"after another record": func(c caller, _ string) { c.keyed("notes", `{"name":"other"}`, otherCreationKey).want(201) },
		"after a year":         nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{NoExampleData: true, Start: morning})
			c := book(t, server)
			original := c.keyed("notes", `{"name":"first","n":1.10}`, creationKey).want(201)
			path := "/v1/notes/" + original.text("data", "id")
			if between == nil {
				between = func(caller, string) { server.Clock().Set(morning.AddDate(1, 0, 0)) }
			}
			between(c, path)
			before := c.walk("/v1/notes", "")
			for _, body := range []string{`{"name":"first","n":1.10}`, `{"name":"second"}`, `{"amount":"-1"}`, `[]`,
				`{"name":`, ``} {
				for _, key := range []string{creationKey, strings.ToUpper(creationKey)} {
					if r := c.keyed("notes", body, key).want(201); string(r.body) != string(original.body) {
						t.Errorf("%s with %s: %s, want %s", body, key, r.body, original.body)
					}
				}
			}
			if after := c.walk("/v1/notes", ""); after != before {
				t.Errorf("records %s, before %s", after, before)
			}
		})
	}
}

// What distinguishes two creations: the key, the collection, the organization;
// and without a key, everything.
func TestCreationsApart(t *testing.T) {
	t.Parallel()
	server, c := empties(t)
	other, err := server.NewOrganization(sandbox.Organization{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	stranger := c.with(financeToken(t, server, sandbox.Token{Organization: other.ID}))
	const body = `{"name":"a"}`
	ids := map[string]bool{}
	for _, made := range []result{
		c.keyed("notes", body, creationKey), c.keyed("notes", body, otherCreationKey), c.keyed("others", body, creationKey),
		stranger.keyed("notes", body, creationKey), c.do("POST", "/v1/notes", body), c.do("POST", "/v1/notes", body),
		c.keyed("notes", body, ""),
	} {
		ids[made.want(201).text("data", "id")] = true
	}
	if len(ids) != 7 {
		t.Errorf("%d records of 7", len(ids))
	}
	// Another token of the same organization is the same client.
	colleague := c.with(financeToken(t, server, sandbox.Token{Scopes: []string{"notes:write"}}))
	if id := colleague.keyed("notes", body, creationKey).want(201).text("data", "id"); !ids[id] {
		t.Errorf("another token made %s", id)
	}
}

// Financial management §1: the key is a version 4 UUID.
func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	for _, key := range []string{
		"1", "no-uuid", "5f0c3a52-9b1e-1d7a-8c46-2e9d1b7f0a83", "5f0c3a52-9b1e-7d7a-8c46-2e9d1b7f0a83",
		"5f0c3a52-9b1e-4d7a-cc46-2e9d1b7f0a83", "00000000-0000-0000-0000-000000000000",
		strings.ReplaceAll(creationKey, "-", ""), "{" + creationKey + "}", "urn:uuid:" + creationKey, creationKey + "0",
		creationKey[1:], creationKey + ", " + otherCreationKey, `"` + creationKey + `"`,
	} {
		if r := c.keyed("notes", `{"name":"a"}`, key); r.status != 400 ||
			r.text("error", "code") != "invalid_idempotency_key" {
			t.Errorf("%q: %d %s", key, r.status, r.body)
		}
	}
	if got := c.walk("/v1/notes", ""); got != "" {
		t.Errorf("refused keys made %s", got)
	}
}

// A creation that is rejected leaves its key to the next one.
func TestRefusedCreationKeepsNoKey(t *testing.T) {
	t.Parallel()
	server, c := empties(t)
	reader := c.with(financeToken(t, server, sandbox.Token{Scopes: []string{"notes:read"}}))
	untyped := c
	untyped.contentType = "text/plain"
	for _, refused := range []struct {
		caller
		body   string
		status int
	}{
		{c, `{"amount":"-1.00"}`, 422}, {c, `{"id":"` + plan + `"}`, 422}, {c, `{"name":`, 400}, {c, `[]`, 400},
		{reader, `{}`, 403}, {untyped, `{}`, 400}, {c.with("x"), `{}`, 401},
	} {
		refused.keyed("notes", refused.body, creationKey).want(refused.status)
	}
	if got := c.keyed("notes", `{"name":"made"}`, creationKey).want(201).text("data", "name"); got != "made" {
		t.Errorf("made %s", got)
	}
	if got := c.walk("/v1/notes", ""); got != "made" {
		t.Errorf("records %s", got)
	}
}

// A lost response: the record is there, and the retry learns which.
func TestCreationWithALostResponse(t *testing.T) {
	t.Parallel()
	server, c := empties(t)
	server.AddFault(sandbox.Fault{Operation: "finance.records.create", DropAfter: true, Times: 1})
	if r, err := c.try("POST", "/v1/notes", `{"name":"a"}`, "X-Idempotency-Key", creationKey); err == nil {
		t.Fatalf("responded with %s", r.body)
	}
	id := c.keyed("notes", `{"name":"a"}`, creationKey).want(201).text("data", "id")
	if got := c.do("GET", "/v1/notes", "").names("id"); len(got) != 1 || got[0] != id {
		t.Errorf("records %v, want %s", got, id)
	}
}

// Creations with one key at the same time create one record.
func TestConcurrentCreations(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	const callers = 16
	responses := make([]string, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			r, err := c.try("POST", "/v1/notes", fmt.Sprintf(`{"name":"n%d"}`, i), "X-Idempotency-Key", creationKey)
			if responses[i] = string(r.body); err != nil || r.status != 201 {
				t.Errorf("%d %s, %v", r.status, r.body, err)
			}
		})
	}
	all.Wait()
	for _, response := range responses {
		if response != responses[0] {
			t.Errorf("returns %s and %s", response, responses[0])
		}
	}
	if n := len(c.do("GET", "/v1/notes", "").names("id")); n != 1 {
		t.Errorf("%d records", n)
	}
}

// Keys are remembered for as long as the state is.
func TestKeysOverARestart(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db"), NoExampleData: true}
	server := start(t, o)
	c := book(t, server)
	kept, gone := c.keyed("notes", `{"name":"kept"}`, creationKey).want(201),
		c.keyed("notes", `{"name":"gone"}`, otherCreationKey).want(201)
	c.do("DELETE", "/v1/notes/"+gone.text("data", "id"), "").want(204)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	c = book(t, start(t, o))
	for key, original := range map[string]result{creationKey: kept, otherCreationKey: gone} {
		if r := c.keyed("notes", `{}`, key).want(201); string(r.body) != string(original.body) {
			t.Errorf("after the restart %s, before %s", r.body, original.body)
		}
	}
	if got := c.walk("/v1/notes", ""); got != "kept" {
		t.Errorf("records %s", got)
	}
}
