package billingaccount

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// customer is the argument customer: a reference to an existing one, or the data of a new one.
type customer struct {
	ID             types.String    `tfsdk:"id"`
	ExternalID     types.String    `tfsdk:"external_id"`
	DocumentNumber fwtype.Document `tfsdk:"document_number"`
	Name           types.String    `tfsdk:"name"`
	Nickname       types.String    `tfsdk:"nickname"`
	LegalName      types.String    `tfsdk:"legal_name"`
	Kind           types.String    `tfsdk:"kind"`
	Birthday       types.String    `tfsdk:"birthday"`
	Email          types.String    `tfsdk:"email"`
	Phone          types.String    `tfsdk:"phone"`
	Notes          types.String    `tfsdk:"notes"`
	Addresses      types.List      `tfsdk:"addresses"`
	Phones         types.List      `tfsdk:"phones"`
	Emails         types.List      `tfsdk:"emails"`
	Websites       types.List      `tfsdk:"websites"`
	Tags           types.Set       `tfsdk:"tags"`
	CustomMetadata metadata.Value  `tfsdk:"custom_metadata"`
}

var customerType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id": types.StringType, "external_id": types.StringType, "document_number": fwtype.DocumentType{},
	"name": types.StringType, "nickname": types.StringType, "legal_name": types.StringType, "kind": types.StringType,
	"birthday": types.StringType, "email": types.StringType, "phone": types.StringType, "notes": types.StringType,
	"addresses": types.ListType{ElemType: contact.AddressType},
	"phones":    types.ListType{ElemType: contact.ItemType},
	"emails":    types.ListType{ElemType: contact.ItemType},
	"websites":  types.ListType{ElemType: contact.ItemType},
	"tags":      types.SetType{ElemType: types.StringType}, "custom_metadata": metadata.Type{},
}}

// customerOf reads a known object.
func customerOf(ctx context.Context, object types.Object) (customer, error) {
	var c customer
	if diags := object.As(ctx, &c, basetypes.ObjectAsOptions{}); diags.HasError() {
		return c, fmt.Errorf("read customer: %s", diags.Errors()[0].Detail())
	}
	return c, nil
}

// referenceTo is the argument that refers to a customer by its id and says nothing else.
func referenceTo(id string) types.Object {
	values := map[string]attr.Value{}
	for name, t := range customerType.AttrTypes {
		values[name] = null(t)
	}
	values["id"] = types.StringValue(id)
	return types.ObjectValueMust(customerType.AttrTypes, values)
}

func null(t attr.Type) attr.Value {
	switch t := t.(type) {
	case types.ListType:
		return types.ListNull(t.ElemType)
	case types.SetType:
		return types.SetNull(t.ElemType)
	case fwtype.DocumentType:
		return fwtype.DocumentPointer(nil)
	case metadata.Type:
		return metadata.Null()
	default:
		return types.StringNull()
	}
}

func (c customer) toWire() (billing.CustomerRef, error) {
	reference := billing.CustomerRef{
		ID: c.ID.ValueStringPointer(), ExternalID: c.ExternalID.ValueStringPointer(), DocumentNumber: c.DocumentNumber.ValueStringPointer(),
		Name: c.Name.ValueStringPointer(), Nickname: c.Nickname.ValueStringPointer(), LegalName: c.LegalName.ValueStringPointer(),
		Kind: c.Kind.ValueStringPointer(), Birthday: c.Birthday.ValueStringPointer(), Email: c.Email.ValueStringPointer(),
		Phone: c.Phone.ValueStringPointer(), Notes: c.Notes.ValueStringPointer(), Addresses: contact.ToAddresses(c.Addresses),
		Phones: contact.ToWire(contact.Items(c.Phones)), Emails: contact.ToWire(contact.Items(c.Emails)),
		Websites: contact.ToWire(contact.Items(c.Websites)), Tags: contact.ToTags(c.Tags),
	}
	object, err := c.CustomMetadata.Object()
	if err != nil {
		return reference, fmt.Errorf("customer.custom_metadata: %w", err)
	}
	if object != nil {
		reference.CustomMetadata = metadata.Payload(object)
	}
	return reference, nil
}

// refers reports whether any of the fields that locate an existing customer is given.
func (c customer) refers() bool {
	return !c.ID.IsNull() || !c.ExternalID.IsNull() || !c.DocumentNumber.IsNull()
}

// facts are what the service says of the account's customer, as far as a reference can name it. They live in the private state, as
// the state shows the customer in the configuration's words.
type facts struct {
	ID             string `json:"id"`
	ExternalID     string `json:"external_id,omitempty"`
	DocumentNumber string `json:"document_number,omitempty"`
	Name           string `json:"name,omitempty"`
}

func factsOf(c *billing.AccountCustomer) (facts, error) {
	if c == nil {
		return facts{}, errors.New("the answer has no customer")
	}
	f := facts{ID: c.ID, Name: c.Name}
	if c.ExternalID != nil {
		f.ExternalID = *c.ExternalID
	}
	if c.DocumentNumber != nil {
		f.DocumentNumber = *c.DocumentNumber
	}
	return f, nil
}

// means reports whether the argument stands for the customer of the facts. A reference decides, and one that reads as before means the
// same customer, even where the customer has another code or document number by now. Without one, wording means a new customer, which
// is this one when it was worded without a reference before, or has its name.
func (c customer) means(f facts, before customer) bool {
	switch {
	case c.referenceUnknown():
		return false
	case c.refers() && c.sameReference(before):
		return true
	case !c.ID.IsNull():
		return c.ID.ValueString() == f.ID || c.ID.ValueString() == f.ExternalID
	case !c.ExternalID.IsNull() && c.ExternalID.ValueString() == f.ExternalID:
		return true
	case c.refers():
		return !c.DocumentNumber.IsNull() && same.Document(c.DocumentNumber.ValueString(), f.DocumentNumber)
	default:
		return !before.refers() || c.Name.ValueString() == f.Name
	}
}

func (c customer) sameReference(other customer) bool {
	return c.ID.Equal(other.ID) && c.ExternalID.Equal(other.ExternalID) && c.DocumentNumber.Means(other.DocumentNumber)
}

// referenceUnknown reports whether it is only known after apply which customer is meant.
func (c customer) referenceUnknown() bool {
	return c.ID.IsUnknown() || c.ExternalID.IsUnknown() || c.DocumentNumber.IsUnknown()
}

// withoutReference is the argument less the fields that locate the customer, for comparing the data alone.
func (c customer) withoutReference() customer {
	c.ID, c.ExternalID, c.DocumentNumber = types.StringNull(), types.StringNull(), fwtype.DocumentPointer(nil)
	return c
}

// blank is the argument that says nothing.
func blank(ctx context.Context) customer {
	c, _ := customerOf(ctx, referenceTo(""))
	return c.withoutReference()
}

// sameData reports whether two arguments carry the same data beside their references.
func sameData(ctx context.Context, a, b customer) bool {
	one, diagsOne := types.ObjectValueFrom(ctx, customerType.AttrTypes, a.withoutReference())
	two, diagsTwo := types.ObjectValueFrom(ctx, customerType.AttrTypes, b.withoutReference())
	return !diagsOne.HasError() && !diagsTwo.HasError() && one.Equal(two)
}
