package server

import "testing"

// Collections §5: scopes are wildcard patterns.
func TestCovers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scope, permission string
		want              bool
	}{
		{"customers:read", "customers:read", true},
		{"customers:read", "customers:write", false},
		{"customers:read", "customers:reader", false},
		{"customers", "customers:read", false},
		{"*", "customers:read", true},
		{"customers:*", "customers:read", true},
		{"customers:*", "customers_2:read", false},
		{"*:read", "customers:read", true},
		{"*:read", "customers:write", false},
		{"c*s:r*d", "customers:read", true},
		{"c*x*d", "customers:read", false},
		{"customers:read*read", "customers:read", false},
		{"**", "customers:read", true},
		{"", "customers:read", false},
		{"api_keys:*", Administration, true},
		{"*", Administration, true},
		{"api_keys:read", Administration, false},
	} {
		if got := Covers(test.scope, test.permission); got != test.want {
			t.Errorf("%q covers %q: %v", test.scope, test.permission, got)
		}
	}
}
