package apikey_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	keys = "/api/v1/api-keys"
	day  = 24 * time.Hour
)

// subject is one API key, driven without Terraform.
type subject struct {
	*acctest.Subject
	t       *testing.T
	service *acctest.Service
}

// newSubject is one API key at a service. Its scope lets the key read endpoints, so that it can be tried.
func newSubject(t *testing.T, service *acctest.Service) *subject {
	t.Helper()
	base := acctest.JSON{"name": "ci", "scopes": []any{"webhook_endpoints:*"}}
	return &subject{Subject: service.Subject("billing_api_key", base), t: t, service: service}
}

var same, says = acctest.Same, acctest.Says

// prepare starts a sandbox that runs at the present time, as a lost creation is only settled with what is new by the
// clock of this machine.
func prepare(t *testing.T) *subject {
	t.Helper()
	return newSubject(t, acctest.Start(t, acctest.RunningClock))
}

func (s *subject) token() string  { return s.Value("token") }
func (s *subject) prefix() string { return s.Value("key_prefix") }

// status is the status that a request with a token gets.
func (s *subject) status(token string) int {
	s.t.Helper()
	status, _ := s.service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
	return status
}

// works fails the test unless the service accepts every one of the tokens.
func (s *subject) works(tokens ...string) {
	s.t.Helper()
	for i, token := range tokens {
		if status := s.status(token); status != 200 {
			s.t.Errorf("token %d gets status %d, want 200", i, status)
		}
	}
}

func (s *subject) refused(tokens ...string) {
	s.t.Helper()
	for i, token := range tokens {
		if status := s.status(token); status != 401 {
			s.t.Errorf("token %d gets status %d, want 401", i, status)
		}
	}
}

// previous lists the ids in previous_keys.
func (s *subject) previous() []string {
	s.t.Helper()
	var all []struct {
		ID         string `json:"id"`
		KeyPrefix  string `json:"key_prefix"`
		GraceUntil string `json:"grace_until"`
	}
	if err := json.Unmarshal([]byte(s.Text("previous_keys")), &all); err != nil {
		s.t.Fatal(err)
	}
	ids := make([]string, len(all))
	for i, p := range all {
		if ids[i] = p.ID; p.KeyPrefix == "" || p.GraceUntil == "" {
			s.t.Errorf("an incomplete predecessor: %+v", p)
		}
	}
	return ids
}

func (s *subject) remote(id string) acctest.JSON {
	s.t.Helper()
	return s.service.MustCollections("GET", keys+"/"+id, nil)
}

// at lets something happen at another time, and comes back to the present.
func (s *subject) at(distance time.Duration, happens func()) {
	s.t.Helper()
	s.service.Sandbox.Clock().Advance(distance)
	happens()
	s.service.Sandbox.Clock().Advance(-distance)
}

// TestDirect_minimal: a name is enough; the token is in the state immediately, and destroying revokes the key.
func TestDirect_minimal(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	p := s.Plan(acctest.JSON{"name": "ci"})
	same(t, "unknown in the plan", p.Unknown(t), "created_at", "id", "key_prefix", "rotation_due_at", "source", "token")
	s.Apply(p)
	token := s.token()
	if !strings.HasPrefix(token, s.prefix()) || s.prefix() == "" {
		t.Errorf("token %s, key_prefix %s", token, s.prefix())
	}
	for name, want := range map[string]string{"scopes": "[]", "description": "null", "expires_at": "null",
		"rotated_at": "null", "rotation_due_at": "null",
		"previous_keys": "[]", "source": `"api"`, "grace_period_days": "null"} {
		s.Is(name, want)
	}
	s.works(token)
	s.Reread()
	same(t, "changes", s.Plan(acctest.JSON{"name": "ci"}).Changes(t))
	same(t, "changes", s.Plan(acctest.JSON{"name": "ci", "scopes": []any{}}).Changes(t))
	id := s.ID()
	s.Set(nil)
	s.refused(token)
	if s.remote(id)["revokedAt"] == nil {
		t.Error("the key is not revoked")
	}
}

// TestDirect_full: every argument arrives, the due date is counted from the creation, and what changes with every use
// makes no noise.
func TestDirect_full(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	expiry := time.Now().Add(90 * day).UTC().Truncate(time.Second)
	lines := acctest.JSON{"description": "d", "scopes": []any{"webhook_endpoints:*", "webhook_deliveries:read"},
		"expires_at": expiry.Format(time.RFC3339), "grace_period_days": 3,
		"rotate_when_changed": acctest.JSON{"release": "1"}, "rotate_after_days": 30, "revoke_previous_keys": false,
		"allow_own_key": false}
	s.Configure(lines)
	remote := s.remote(s.ID())
	if remote["description"] != "d" || remote["expiresAt"] != expiry.Format("2006-01-02T15:04:05.000Z") ||
		len(remote["scopes"].([]any)) != 2 {
		t.Errorf("at the service: %v", remote)
	}
	created, err := time.Parse(time.RFC3339, remote["createdAt"].(string))
	if err != nil {
		t.Fatal(err)
	}
	s.Is("rotation_due_at", `"`+created.AddDate(0, 0, 30).Format(time.RFC3339)+`"`)
	s.Is("created_at", `"`+remote["createdAt"].(string)+`"`)
	s.works(s.token())
	if s.remote(s.ID())["lastUsedAt"] == nil {
		t.Error("the key has no last use")
	}
	s.Settled(lines)
	// The same time and the same scopes, written otherwise.
	lines["expires_at"] = expiry.In(time.FixedZone("", -3*60*60)).Format(time.RFC3339)
	lines["scopes"] = []any{"webhook_deliveries:read", "webhook_endpoints:*"}
	if p := s.Replan(lines); len(p.Changes(t))+len(p.Replaces) > 0 {
		t.Errorf("changes %v, replaces %v", p.Changes(t), p.Replaces)
	}
}

// TestDirect_refusedArguments: what no service needs to see to be wrong, and what the service blames, is on its
// argument.
func TestDirect_refusedArguments(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	for name, values := range map[string][]any{
		"name":              {"", " "},
		"description":       {""},
		"scopes":            {[]any{""}, []any{nil}},
		"expires_at":        {"tomorrow", "2026-13-01", "2026-01-01T12:00:00"},
		"grace_period_days": {-1, 31},
		"rotate_after_days": {0, -1},
	} {
		for _, value := range values {
			text := acctest.Errors(s.Plan(s.With(acctest.JSON{name: value})).Diagnostics)
			says(t, text, `AttributeName("`+name+`")`)
		}
	}
	same(t, "calls", s.Calls())
	s.Fault(sandbox.Fault{Operation: "api_keys.create", Status: 422,
		Body: `{"error": {"code": "validation_error", "message": "Invalid", "details": {"fields": {"expiresAt": "must be sooner"}}}}`})
	late := s.Plan(s.With(acctest.JSON{"expires_at": "2098-01-01"}))
	says(t, acctest.Errors(s.Apply(late)), `AttributeName("expires_at")`, "Could not create API key",
		"code: validation_error")
	if s.Exists() {
		t.Error("a refused key is in the state")
	}
}

// TestDirect_endedOutside: a key that is revoked or does not exist any more is planned for re-creation, with a warning
// that says why.
func TestDirect_endedOutside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(s *subject)
		says string
	}{
		"revoked": {func(s *subject) { s.Configure(nil); s.service.MustCollections("DELETE", keys+"/"+s.ID(), nil) },
			"was revoked outside of Terraform"},
		"unknown": {func(s *subject) {
			s.Configure(nil)
			s.service.Sandbox.Clock().Advance(time.Minute) // reads do not lag any more
			s.Fault(sandbox.Fault{Operation: "api_keys.get", Times: 1, Status: 404})
		}, "was deleted outside of Terraform"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			c.end(s)
			says(t, s.Reread(), c.says, "creates a new key, with a new token")
			if s.Exists() {
				t.Error("it is still in the state")
			}
			s.Configure(nil)
			s.works(s.token())
		})
	}
}

// TestDirect_wrongAddress: a 404 that is not the service's own never drops a key.
func TestDirect_wrongAddress(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	s.Fault(sandbox.Fault{Operation: "api_keys.get", Status: 404, Foreign: "html"})
	says(t, acctest.Errors(s.Refresh()), "Nothing was removed", "collections_base_url")
	if !s.Exists() {
		t.Error("the key was dropped")
	}
}
