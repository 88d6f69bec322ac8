package sandbox

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// A state file from before tokens were verified has no signing key. It gets one
// that nobody else has, and a first token that works and may do what the old
// one could; the other tokens of financial management go.
func TestStateWithoutSigningKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	o := Options{StateFile: file, Start: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		Tokens: []Token{{Service: Billing}, {Service: Finance, Scopes: []string{"accounts:read"}}}}
	before := opened(t, o)
	other, err := before.NewToken(Token{Service: Finance})
	if err != nil {
		t.Fatal(err)
	}
	forgetSigningKey(t, before, file)

	after := opened(t, o)
	if after.BillingToken() != before.BillingToken() || after.FinanceToken() == before.FinanceToken() {
		t.Errorf("tokens %q and %q, before %q and %q", after.BillingToken(), after.FinanceToken(), before.BillingToken(), before.FinanceToken())
	}
	token := tokenIn(t, after, after.FinanceToken())
	if err := authorize("accounts:read", token.Scopes); err != nil {
		t.Errorf("the first token may not do what it could: %v", err)
	}
	if err := authorize("payables:read", token.Scopes); err == nil {
		t.Error("the first token may do more than it could")
	}
	keyless := &Server{clock: after.clock}
	forged, err := keyless.mintJWT("1", Token{Organization: after.bootstrap.Organization, Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, dead := range map[string]string{"the first": before.FinanceToken(), "another": other, "one signed with no key": forged} {
		if token := tokenIn(t, after, dead); token.Service != "" {
			t.Errorf("%s token from before is taken", name)
		}
		if err := after.RevokeToken(dead); err == nil {
			t.Errorf("%s token from before is listed", name)
		}
	}
	if err := after.Close(); err != nil {
		t.Fatal(err)
	}
	if again := opened(t, o); again.FinanceToken() != after.FinanceToken() {
		t.Error("the key changes at every start")
	}
}

func opened(t *testing.T, o Options) *Server {
	t.Helper()
	server, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// tokenIn is who a server takes a token of financial management for; nobody,
// when it refuses it.
func tokenIn(t *testing.T, s *Server, value string) (token storedToken) {
	t.Helper()
	if err := s.db.View(func(tx *store.Tx) error {
		found, err := s.authenticate(tx, Finance, http.Header{"Authorization": {"Bearer " + value}})
		if err == nil {
			token = found
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return token
}

// forgetSigningKey closes the server, and takes its key out of the state file.
func forgetSigningKey(t *testing.T, s *Server, file string) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := store.NewTable[bootstrap](db, "settings")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *store.Tx) error {
		saved, _ := settings.Get(tx, bootstrapID)
		saved.SigningKey = ""
		settings.Put(tx, bootstrapID, saved)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
