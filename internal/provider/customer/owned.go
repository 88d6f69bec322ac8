package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// keyOwned is the key of the private state that holds the ownership of the last apply.
const keyOwned = "owned"

// ownership is what the configuration owned of the customer when it was last applied. It lives in the private state, because the
// state itself shows what the service has. The zero value is that of an object no configuration was applied to yet: nothing is owned,
// so nothing is removed.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata,omitzero"`
	Email    ownedPair      `json:"email,omitzero"`
	Phone    ownedPair      `json:"phone,omitzero"`
	// Addresses says that the configuration named addresses.
	Addresses bool `json:"addresses,omitempty"`
}

// ownedBy is the ownership that applying config establishes, without its custom_metadata.
func ownedBy(config model) ownership {
	return ownership{
		Email: ownedPair{Main: !config.Email.IsNull(), List: !config.Emails.IsNull()},
		Phone: ownedPair{Main: !config.Phone.IsNull(), List: !config.Phones.IsNull()},

		Addresses: !config.Addresses.IsNull(),
	}
}

// owning is m without a main value that the configuration does not own beside its list, as it is sent.
func (m model) owning(o ownership) model {
	if o.Email.List && !o.Email.Main {
		m.Email = types.StringNull()
	}
	if o.Phone.List && !o.Phone.Main {
		m.Phone = types.StringNull()
	}
	return m
}

// within leaves of the planned ownership what the bare configuration names. Terraform gives an argument under ignore_changes the value of
// the state, also where the configuration does not have it; what was never configured is not owned.
func (o ownership) within(config ownership) ownership {
	o.Email, o.Phone = o.Email.and(config.Email), o.Phone.and(config.Phone)
	o.Addresses = o.Addresses && config.Addresses
	return o
}

func readOwnership(ctx context.Context, store private.Store, diags *diag.Diagnostics) ownership {
	return private.Get[ownership](ctx, store, keyOwned, diags)
}

func (o ownership) write(ctx context.Context, store private.Store, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyOwned, o, diags)
}

// defaultsOf are the provider's defaults; nil while the provider is not configured (validation).
func defaultsOf(c *conn.Conn) conn.Defaults {
	if c == nil {
		return conn.Defaults{}
	}
	return c.Defaults
}
