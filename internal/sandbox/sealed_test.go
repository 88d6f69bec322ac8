package sandbox_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// sealedAtRest fails the test when one of the texts lies readable in the state
// file, or the key beside it is readable by others.
func sealedAtRest(t *testing.T, stateFile string, secrets ...string) {
	t.Helper()
	state, err := os.ReadFile(stateFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(state, []byte("webhook_endpoints")) {
		t.Error("this is not the file that holds the endpoints")
	}
	for _, secret := range secrets {
		if bytes.Contains(state, []byte(secret)) {
			t.Errorf("%q lies readable in the state file", secret)
		}
	}
	if info, err := os.Stat(stateFile + ".key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file %v, %v", info, err)
	}
}

// withoutItsKey ends the server and shows that its state is refused when the key
// is another one, instead of failing at every delivery.
func withoutItsKey(t *testing.T, server *sandbox.Server, o sandbox.Options) {
	t.Helper()
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"without its key":  func() error { return os.Remove(o.StateFile + ".key") },
		"with another key": func() error { return os.WriteFile(o.StateFile+".key", make([]byte, 32), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(o.StateFile + ".key")
		if other, err := sandbox.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), ".key") {
			t.Errorf("started %s: %v", name, err)
			if other != nil {
				other.Close()
			}
		}
		if after, _ := os.ReadFile(o.StateFile + ".key"); !bytes.Equal(before, after) {
			t.Errorf("a start %s wrote a key over what may come back", name)
		}
	}
}
