package claims_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestClaimsTolerate checks that no claim fails if services differ only in ways that the provider accepts, and that
// each difference is reported.
func TestClaimsTolerate(t *testing.T) {
	t.Parallel()
	for name, differences := range map[string][]string{
		"delete-no-content,unknown-fields,bare-objects,omit-null-fields,price-amounts": {
			"deletions that respond 200 instead of 204, or 204 instead of 200",
			"objects with additional fields",
			"objects without the data envelope",
			"omitted fields without a value",
			"the price's amount in an item without unit_amount_subcents",
		},
		"null-lists,nulls-change-nothing": {"a merge of custom_metadata that ignores null", "null instead of an empty list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, target := startSandbox(t, open(t, sandbox.Options{Bend: bend.Must(name)}))
			named := map[string]bool{}
			for _, result := range claims.Run(t.Context(), target, claims.All()) {
				if result.Err != nil && result.Tolerated == nil {
					t.Errorf("%s\n%v", result.Claim, result.Err)
				}
				for _, difference := range result.Tolerated {
					named[difference] = true
				}
			}
			if found := slices.Sorted(maps.Keys(named)); !slices.Equal(found, differences) {
				t.Errorf("got the differences %q, want %q", found, differences)
			}
		})
	}
}
