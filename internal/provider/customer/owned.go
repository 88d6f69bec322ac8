package customer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Keys of the private state.
const (
	// keyOwned holds the ownership of the last apply.
	keyOwned = "owned"
	// keyImporting is true between an import and the first refresh after it.
	keyImporting = "importing"
)

// ownership is what the configuration owned of the customer when it was last applied. It lives in the private state, because the
// state itself shows what the service has. The zero value is that of an object no configuration was applied to yet: nothing is owned,
// so nothing is removed.
type ownership struct {
	Metadata metadata.Object `json:"custom_metadata,omitzero"`
	Email    ownedPair       `json:"email,omitzero"`
	Phone    ownedPair       `json:"phone,omitzero"`
}

// of is the ownership of custom_metadata under a mode and the provider's defaults.
func (o ownership) of(mode interface{ ValueString() string }, defaults metadata.Object) metadata.Ownership {
	return metadata.Ownership{Mode: mode.ValueString(), Defaults: defaults, Owned: o.Metadata}
}

// ownedBy is the ownership that applying config establishes. desired is its custom_metadata, defaults included.
func ownedBy(config model, desired metadata.Object) ownership {
	if desired == nil {
		desired = metadata.Object{}
	}
	return ownership{
		Metadata: desired,
		Email:    ownedPair{Main: !config.Email.IsNull(), List: !config.Emails.IsNull()},
		Phone:    ownedPair{Main: !config.Phone.IsNull(), List: !config.Phones.IsNull()},
	}
}

// private is the part of a request's or response's private state that is used here.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func readOwnership(ctx context.Context, p private, diags *diag.Diagnostics) ownership {
	raw, found := p.GetKey(ctx, keyOwned)
	diags.Append(found...)
	if len(raw) == 0 {
		return ownership{}
	}
	var stored struct {
		Metadata json.RawMessage `json:"custom_metadata"`
		Email    ownedPair       `json:"email"`
		Phone    ownedPair       `json:"phone"`
	}
	err := json.Unmarshal(raw, &stored)
	if err == nil {
		// Read apart, because numbers must stay exact.
		var object metadata.Object
		if object, err = metadata.Parse(stored.Metadata); err == nil {
			return ownership{Metadata: object, Email: stored.Email, Phone: stored.Phone}
		}
	}
	diags.AddError("Unreadable private state", fmt.Sprintf("What this provider noted on the customer in the state cannot be read: %s. "+
		"Remove the customer from the state and import it again.", err))
	return ownership{}
}

func (o ownership) write(ctx context.Context, p private, diags *diag.Diagnostics) {
	raw, err := json.Marshal(o)
	if err != nil {
		diags.AddError("Could not note what is owned", err.Error())
		return
	}
	diags.Append(p.SetKey(ctx, keyOwned, raw)...)
}

func markImporting(ctx context.Context, p private, importing bool, diags *diag.Diagnostics) {
	raw := []byte("false")
	if importing {
		raw = []byte("true")
	}
	diags.Append(p.SetKey(ctx, keyImporting, raw)...)
}

func isImporting(ctx context.Context, p private, diags *diag.Diagnostics) bool {
	raw, found := p.GetKey(ctx, keyImporting)
	diags.Append(found...)
	return string(raw) == "true"
}

// defaultsOf are the provider's defaults; nil while the provider is not configured (validation).
func defaultsOf(c *conn.Conn) conn.Defaults {
	if c == nil {
		return conn.Defaults{}
	}
	return c.Defaults
}
