package sandbox

import (
	"maps"
	"strings"
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
// service may answer as null; email and phone are no such fields, they only
// add to the lists (wire contract: clearing a customer's field).
var customerFields = shape{
	"name":            filled,
	"external_id":     nullable(filled),
	"nickname":        nullable(text),
	"legal_name":      nullable(text),
	"document_number": nullable(textWhere("must contain digits", func(s string) bool { return strings.ContainsAny(s, "0123456789") })),
	"kind":            nullable(oneOf("natural", "juridical")),
	"birthday":        nullable(date),
	"email":           email,
	"phone":           filled,
	"notes":           nullable(text),
	"addresses":       nullable(listOf(objectOf(addressFields))),
	"phones":          nullable(listOf(objectOf(contactFields(filled), "value"))),
	"emails":          nullable(listOf(objectOf(contactFields(email), "value"))),
	"websites":        nullable(listOf(objectOf(contactFields(filled), "value"))),
	"tags":            nullable(listOf(text)),
	"custom_metadata": freeObject,
}

// Nothing of an address is documented as required, so what is null or missing
// is answered as null.
var addressFields = shape{
	"kind": nullable(text), "street": nullable(text), "number": nullable(text),
	"complement": nullable(text), "neighborhood": nullable(text), "city": nullable(text),
	"state": nullable(text), "postal_code": nullable(text),
	"country": nullable(textWhere("must be a country code of two letters", isCountry)),
}

func contactFields(value rule) shape {
	return shape{"kind": nullable(text), "value": value}
}

func isCountry(s string) bool {
	return len(s) == 2 && strings.Trim(strings.ToUpper(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

var customerCreateShape = customerFields.and(shape{
	"create_billing_account": boolean,
	"billing_email":          email,
	"payment_terms_days":     integerFrom(0),
	"auto_collection":        boolean,
	"custom_metadata_mode":   refused("may be sent with an update only"),
})

var customerUpdateShape = customerFields.and(shape{
	"create_billing_account": refused("may be sent with a create only"),
	"billing_email":          refused("may be sent with a create only"),
	"payment_terms_days":     refused("may be sent with a create only"),
	"auto_collection":        refused("may be sent with a create only"),
	"custom_metadata_mode":   oneOf(modeReplace, modeMerge),
})

// and answers a shape that has the fields of both.
func (s shape) and(more shape) shape {
	both := maps.Clone(s)
	maps.Copy(both, more)
	return both
}

// apply answers the customer with the fields that were sent, and no others,
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
