package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
)

// The tables of routes are the wire contract's operations of recurring billing
// and collections: the same names, methods and paths, none missing and none
// besides.
func TestRoutesAreTheOperations(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, o := range evidence.Operations() {
		if !strings.HasPrefix(o.Name, "finance.") {
			want[o.Name] = o.Method + " " + o.Path
		}
	}
	for _, r := range slices.Concat(new(billing.Service).Routes(), new(collections.Service).Routes()) {
		if got := r.Method + " " + r.Pattern; want[r.Name] != got {
			t.Errorf("%s is %s, want %s", r.Name, got, want[r.Name])
		}
		delete(want, r.Name)
	}
	if len(want) != 0 {
		t.Errorf("not served: %v", want)
	}
}

// Reads need the read scope of their objects, everything else the write scope
// (Recurring billing §5); managing keys is administration (wire contract: a key
// with empty scopes).
func TestScopesOfRoutes(t *testing.T) {
	t.Parallel()
	for _, r := range slices.Concat(new(billing.Service).Routes(), new(collections.Service).Routes()) {
		if r.Name == "me.get" {
			continue
		}
		object, _, _ := strings.Cut(r.Name, ".")
		want := object + ":write"
		if r.Method == "GET" {
			want = object + ":read"
		}
		switch object {
		case "api_keys":
			want = "api_keys:*"
		case "records":
			want = "{collection}:read"
		}
		if r.Scope != want {
			t.Errorf("%s needs %s, want %s", r.Name, r.Scope, want)
		}
	}
}
