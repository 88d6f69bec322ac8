package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
)

// The tables of routes are the wire contract's operations of recurring billing
// and collections: the same names, methods and paths, none missing and none
// besides.
func TestRoutesAreTheOperations(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, o := range contract.Operations() {
		if !strings.HasPrefix(o.Name, "finance.") {
			want[o.Name] = o.Method + " " + o.Path
		}
	}
	for _, r := range slices.Concat(billingRoutes, collectionsRoutes) {
		if got := r.method + " " + r.pattern; want[r.name] != got {
			t.Errorf("%s is %s, want %s", r.name, got, want[r.name])
		}
		delete(want, r.name)
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
	for _, r := range slices.Concat(billingRoutes, collectionsRoutes) {
		if r.name == "me.get" {
			continue
		}
		object, _, _ := strings.Cut(r.name, ".")
		want := object + ":write"
		if r.method == "GET" {
			want = object + ":read"
		}
		if object == "api_keys" {
			want = "api_keys:*"
		}
		if r.scope != want {
			t.Errorf("%s needs %s, want %s", r.name, r.scope, want)
		}
	}
}
