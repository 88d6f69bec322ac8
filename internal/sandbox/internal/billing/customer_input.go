package billing

import (
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// customerInput is what a create or an update may send
// (service description, Recurring billing §4 Customer create and update).
type customerInput struct {
	Name           string    `json:"name"`
	ExternalID     *string   `json:"external_id"`
	Nickname       *string   `json:"nickname"`
	LegalName      *string   `json:"legal_name"`
	DocumentNumber *string   `json:"document_number"`
	Kind           *string   `json:"kind"`
	Birthday       *string   `json:"birthday"`
	Email          *string   `json:"email"`
	Phone          *string   `json:"phone"`
	Notes          *string   `json:"notes"`
	Addresses      []address `json:"addresses"`
	Phones         []contact `json:"phones"`
	Emails         []contact `json:"emails"`
	Websites       []contact `json:"websites"`
	Tags           []string  `json:"tags"`
	CustomMetadata object    `json:"custom_metadata"`

	CustomMetadataMode string `json:"custom_metadata_mode"` // update only

	// The rest only at create.
	CreateBillingAccount *bool   `json:"create_billing_account"`
	BillingEmail         *string `json:"billing_email"`
	PaymentTermsDays     *int64  `json:"payment_terms_days"`
	AutoCollection       *bool   `json:"auto_collection"`
}

// customerFields may be sent at create and at update. null clears what the
// service may return as null; email and phone are not such fields, they only
// add to the lists (wire contract: clearing a customer's field).
var customerFields = server.Shape{
	"name":        server.Filled,
	"external_id": server.Nullable(server.Filled),
	"nickname":    server.Nullable(server.Text),
	"legal_name":  server.Nullable(server.Text),
	"document_number": server.Nullable(server.TextWhere("must contain digits",
		func(s string) bool { return strings.ContainsAny(s, "0123456789") })),
	"kind":            server.Nullable(server.OneOf("natural", "juridical")),
	"birthday":        server.Nullable(server.Date),
	"email":           server.Email,
	"phone":           server.Filled,
	"notes":           server.Nullable(server.Text),
	"addresses":       server.Nullable(server.ListOf(server.ObjectOf(addressFields))),
	"phones":          server.Nullable(server.ListOf(server.ObjectOf(contactFields(server.Filled), "value"))),
	"emails":          server.Nullable(server.ListOf(server.ObjectOf(contactFields(server.Email), "value"))),
	"websites":        server.Nullable(server.ListOf(server.ObjectOf(contactFields(server.Filled), "value"))),
	"tags":            server.Nullable(server.ListOf(server.Text)),
	"custom_metadata": server.FreeObject,
}

// Nothing of an address is documented as required, so what is null or missing
// is returned as null.
var addressFields = server.Shape{
	"kind": server.Nullable(server.Text), "street": server.Nullable(server.Text), "number": server.Nullable(server.Text),
	"complement": server.Nullable(server.Text), "neighborhood": server.Nullable(server.Text),
	"city":  server.Nullable(server.Text),
	"state": server.Nullable(server.Text), "postal_code": server.Nullable(server.Text),
	"country": server.Nullable(server.TextWhere("must be a country code of two letters", isCountry)),
}

func contactFields(value server.Rule) server.Shape {
	return server.Shape{"kind": server.Nullable(server.Text), "value": value}
}

func isCountry(s string) bool {
	return len(s) == 2 && strings.Trim(strings.ToUpper(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

var customerCreateShape = customerFields.And(server.Shape{
	"create_billing_account": server.Boolean,
	"billing_email":          server.Email,
	"payment_terms_days":     server.IntegerFrom(0),
	"auto_collection":        server.Boolean,
	"custom_metadata_mode":   server.Refused("may be sent with an update only"),
})

var customerUpdateShape = customerFields.And(server.Shape{
	"create_billing_account": server.Refused("may be sent with a create only"),
	"billing_email":          server.Refused("may be sent with a create only"),
	"payment_terms_days":     server.Refused("may be sent with a create only"),
	"auto_collection":        server.Refused("may be sent with a create only"),
	"custom_metadata_mode":   server.OneOf(modeReplace, modeMerge),
})

// apply returns the customer with the fields that were sent, and no others,
// taken from the input.
func (in customerInput) apply(u customer, sent map[string]any) customer {
	set := func(name string, assign func()) {
		if _, ok := sent[name]; ok {
			assign()
		}
	}
	set("name", func() { u.Name = in.Name })
	set("external_id", func() { u.ExternalID = in.ExternalID })
	set("nickname", func() { u.Nickname = in.Nickname })
	set("legal_name", func() { u.LegalName = in.LegalName })
	set("document_number", func() {
		u.DocumentNumber, u.DocumentType = in.DocumentNumber, documentType(in.DocumentNumber)
	})
	set("kind", func() { u.Kind = in.Kind })
	set("birthday", func() { u.Birthday = in.Birthday })
	set("notes", func() { u.Notes = in.Notes })
	set("addresses", func() { u.Addresses = in.Addresses })
	set("phones", func() { u.Phones = in.Phones })
	set("emails", func() { u.Emails = in.Emails })
	set("websites", func() { u.Websites = in.Websites })
	set("tags", func() { u.Tags = in.Tags })
	u.Phones = promote(u.Phones, in.Phone)
	u.Emails = promote(u.Emails, in.Email)
	return u
}

// accountInput is what the input says of the account that comes with the
// customer.
func (in customerInput) accountInput() accountInput {
	account := accountInput{
		BillingEmail:     in.BillingEmail,
		PaymentTermsDays: in.PaymentTermsDays,
		AutoCollection:   in.AutoCollection,
	}
	if account.BillingEmail == nil {
		account.BillingEmail = in.Email
	}
	return account
}
