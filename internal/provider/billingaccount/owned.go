package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Keys of the private state.
const (
	keyOwned = "owned"
	keyFacts = "customer"
)

// owned is what the configuration owned of the account when it was last applied; the zero value is that of an account that no
// configuration was applied to yet.
type owned struct {
	Metadata metadata.Owned `json:"custom_metadata"`
}

func (o owned) of(mode interface{ ValueString() string }, defaults metadata.Object) metadata.Ownership {
	return metadata.Ownership{Mode: mode.ValueString(), Defaults: defaults, Owned: o.Metadata.Object}
}

// applied reports whether a configuration was applied to the account since it was imported.
func (o owned) applied() bool { return o.Metadata.Object != nil }

func readOwned(ctx context.Context, store private.Store, diags *diag.Diagnostics) owned {
	return private.Get[owned](ctx, store, keyOwned, diags)
}

// forApply is what a plan leaves for its apply.
type forApply struct {
	// Owned is what the configuration owns once the plan is applied.
	Owned owned `json:"owned"`
	// Shown are the arguments that the configuration does not name: they only show what the service has.
	Shown []string `json:"shown,omitempty"`
	// Reads says that the customer changes in the same run, so that the account has to be read before it is changed.
	Reads bool `json:"reads,omitempty"`
}
