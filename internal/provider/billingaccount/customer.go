package billingaccount

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
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
	if diags := fields.As(ctx, object, &c); diags.HasError() {
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
		ID: c.ID.ValueStringPointer(), ExternalID: c.ExternalID.ValueStringPointer(),
		DocumentNumber: c.DocumentNumber.ValueStringPointer(),
		Name:           c.Name.ValueStringPointer(), Nickname: c.Nickname.ValueStringPointer(),
		LegalName: c.LegalName.ValueStringPointer(),
		Kind:      c.Kind.ValueStringPointer(), Birthday: c.Birthday.ValueStringPointer(),
		Email: c.Email.ValueStringPointer(),
		Phone: c.Phone.ValueStringPointer(), Notes: c.Notes.ValueStringPointer(),
		Addresses: contact.ToAddresses(c.Addresses),
		Phones:    contact.ToWire(contact.Items(c.Phones)), Emails: contact.ToWire(contact.Items(c.Emails)),
		Websites: contact.ToWire(contact.Items(c.Websites)), Tags: wire.Texts(c.Tags),
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

// facts are what the service reports about the account's customer, as far as a reference can name it. They are in the
// private state, as the state shows the customer as the configuration writes it.
type facts struct {
	ID             string `json:"id"`
	ExternalID     string `json:"external_id,omitempty"`
	DocumentNumber string `json:"document_number,omitempty"`
	Name           string `json:"name,omitempty"`
}

func factsOf(c *billing.AccountCustomer) (facts, error) {
	if c == nil {
		return facts{}, errors.New("the response contains no customer")
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

// sameReference reports whether both refer to a customer, in the same way.
func (c customer) sameReference(other customer) bool {
	return c.refers() && !c.referenceUnknown() && same.ID(c.ID.ValueString(), other.ID.ValueString()) &&
		c.ID.IsNull() == other.ID.IsNull() &&
		c.ExternalID.Equal(other.ExternalID) && c.DocumentNumber.Means(other.DocumentNumber)
}

// referenceUnknown reports whether it is only known after apply which customer is meant.
func (c customer) referenceUnknown() bool {
	return c.ID.IsUnknown() || c.ExternalID.IsUnknown() || c.DocumentNumber.IsUnknown()
}

// opened is an account that was opened together with a new customer.
type opened struct{ Account, Customer string }

// noteOpened notes an account whose customer the configuration describes without a reference: another account that the
// same argument opens gets another customer.
func (r *Resource) noteOpened(ctx context.Context, m model) {
	if c, err := customerOf(ctx, m.Customer); err == nil && !c.refers() {
		r.Run().Note(typeName, c.code(), opened{m.ID.ValueString(), m.CustomerID.ValueString()})
	}
}

// code is under what noteOpened notes the argument.
func (c customer) code() string { return "customer.name=" + c.Name.ValueString() }

// withoutReference is the argument less the fields that locate the customer, for comparing the data alone.
func (c customer) withoutReference() customer {
	c.ID, c.ExternalID, c.DocumentNumber = types.StringNull(), types.StringNull(), fwtype.DocumentPointer(nil)
	return c
}

// withoutEmpty is the argument with a null for what is empty.
func (c customer) withoutEmpty() customer {
	for _, list := range []*types.List{&c.Addresses, &c.Phones, &c.Emails, &c.Websites} {
		if !list.IsUnknown() && len(list.Elements()) == 0 {
			*list = types.ListNull(list.ElementType(context.Background()))
		}
	}
	if !c.Tags.IsUnknown() && len(c.Tags.Elements()) == 0 {
		c.Tags = types.SetNull(types.StringType)
	}
	if object, err := c.CustomMetadata.Object(); err == nil && len(object) == 0 {
		c.CustomMetadata = metadata.Null()
	}
	return c
}

// blank is the argument that says nothing.
func blank(ctx context.Context) customer {
	c, _ := customerOf(ctx, referenceTo(""))
	return c.withoutReference()
}

// sameData reports whether two arguments carry the same data in addition to their references. An empty list and none
// are the same.
func sameData(ctx context.Context, a, b customer) bool {
	one, diagsOne := fields.Object(ctx, customerType.AttrTypes, a.withoutReference().withoutEmpty())
	two, diagsTwo := fields.Object(ctx, customerType.AttrTypes, b.withoutReference().withoutEmpty())
	return !diagsOne.HasError() && !diagsTwo.HasError() && one.Equal(two)
}

// refuseUnnamed reports what a missing customer.name means in an account that refers to a customer: no customer was
// found, and there is no name for a new one. It returns whether err is that.
func refuseUnnamed(ctx context.Context, err error, m model, diags *diag.Diagnostics) bool {
	e, isError := api.AsError(err)
	_, ambiguous := api.AsAmbiguous(err)
	c, invalid := customerOf(ctx, m.Customer)
	if !isError || ambiguous || invalid != nil || !c.Name.IsNull() {
		return false
	}
	_, rejected := e.Fields["customer.name"]
	name, value := "external_id", c.ExternalID.ValueString()
	if value == "" {
		name, value = "document_number", c.DocumentNumber.ValueString()
	}
	if !rejected && e.Field != "customer.name" || value == "" {
		return false
	}
	diags.AddAttributeError(path.Root("customer"), "No such customer",
		fmt.Sprintf("%s could not be opened: the organization of this token has no customer with %s %q, and customer.name "+
			"is null, so that no new customer can be "+
			"created with it. Correct customer.%s, or set customer.name. %s", apidiag.Capitalize(m.displayName()), name, value,
			name, apidiag.Text(err)))
	return true
}
