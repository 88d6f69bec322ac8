package billingaccount

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Keys of the private state.
const (
	keyOwned    = "owned"
	keyFacts    = "customer"
	keyImported = "imported"
	keyFollows  = "follows_customer"
)

// owned is what the configuration owned of the account when it was last applied; the zero value is that of an account that no
// configuration was applied to yet.
type owned struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Customer are those of name, email, phone and address that the configuration sets at the customer.
	Customer []string `json:"customer,omitempty"`
}

// sets reports whether the configuration set the argument at the customer when it was last applied.
func (o owned) sets(name string) bool { return slices.Contains(o.Customer, name) }

// applied reports whether a configuration was applied to the account since it was imported.
func (o owned) applied() bool { return o.Metadata.Object != nil }

func readOwned(ctx context.Context, store private.Store, diags *diag.Diagnostics) owned {
	return private.Get[owned](ctx, store, keyOwned, diags)
}

// imported is what the customer of an account had when the account was imported. Generated configuration repeats it. As long as an
// argument still says so, it does not set anything: otherwise it would revert the next change of the customer.
type imported struct {
	Name    *string          `json:"name,omitempty"`
	Email   *string          `json:"email,omitempty"`
	Phone   *string          `json:"phone,omitempty"`
	Address *billing.Address `json:"address,omitempty"`
}

func importedFrom(m model) imported {
	i := imported{Name: m.Name.ValueStringPointer(), Email: m.Email.ValueStringPointer(), Phone: m.Phone.ValueStringPointer()}
	if !m.Address.IsNull() {
		address := contact.ToAddress(m.Address)
		i.Address = &address
	}
	return i
}

// value is the imported value of the argument; null for none.
func (i imported) value(name string) attr.Value {
	switch name {
	case "name":
		return types.StringPointerValue(i.Name)
	case "email":
		return types.StringPointerValue(i.Email)
	case "phone":
		return types.StringPointerValue(i.Phone)
	}
	if i.Address == nil {
		return types.ObjectNull(contact.AddressType.AttrTypes)
	}
	return contact.Address(*i.Address)
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
