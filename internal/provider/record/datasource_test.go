package record

import (
	"testing"
)

// TestReserved: what every collection takes has an argument of its own.
func TestReserved(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]bool{"page": true, "per_page": true, "search": true, "sort_by": true,
		"sort_order": true, "status": false, "limit": false} {
		if instead := reserved(name); (instead != "") != is {
			t.Errorf("%s: %q", name, instead)
		}
	}
}
