package run

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestRecord_ClaimExternalID: one external_id for two objects of a plan is an error that names both; a replacement and
// a swap are none.
func TestRecord_ClaimExternalID(t *testing.T) {
	t.Parallel()
	const second = "0b3c6f0e-0000-4000-8000-00000000000b"
	type plan struct {
		id, externalID string
		replaces       string
	}
	for name, c := range map[string]struct {
		plans    []plan
		conflict bool
	}{
		"two new ones":               {[]plan{{"", "x", ""}, {"", "x", ""}}, true},
		"a new and an existing one":  {[]plan{{first, "x", ""}, {"", "x", ""}}, true},
		"an existing and a new one":  {[]plan{{"", "x", ""}, {first, "x", ""}}, true},
		"two existing ones":          {[]plan{{first, "x", ""}, {second, "x", ""}}, true},
		"a replacement":              {[]plan{{first, "x", ""}, {"", "x", first}}, false},
		"a replacement, and another": {[]plan{{second, "x", ""}, {"", "x", first}}, true},
		"planned twice":              {[]plan{{first, "x", ""}, {first, "x", ""}}, false},
		"a swap":                     {[]plan{{first, "x", ""}, {second, "y", ""}}, false},
		"none":                       {[]plan{{"", "", ""}, {"", "", ""}}, false},
	} {
		var r Record
		var diags diag.Diagnostics
		for _, p := range c.plans {
			store := memory{}
			if p.replaces != "" {
				r.PlanUpdate(t.Context(), account, p.replaces, true, false, store, &diags)
			}
			r.ClaimExternalID(t.Context(), account, types.StringValue(p.externalID), p.id, "account "+p.id, store, &diags)
		}
		if diags.HasError() != c.conflict {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestRecord_ClaimExternalID_applied: what is planned after the apply has begun is planned a second time.
func TestRecord_ClaimExternalID_applied(t *testing.T) {
	t.Parallel()
	var r Record
	var diags diag.Diagnostics
	r.ClaimExternalID(t.Context(), account, types.StringValue("x"), "", "account", memory{}, &diags)
	r.Applies()
	r.ClaimExternalID(t.Context(), account, types.StringValue("x"), first, "account", memory{}, &diags)
	if len(diags) > 0 {
		t.Error(diags)
	}
}
