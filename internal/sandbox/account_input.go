package sandbox

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// accountInput is what a create or an update may send
// (service description, Recurring billing §4 Billing account create and update).
type accountInput struct {
	ExternalID       *string `json:"external_id"`
	BillingEmail     *string `json:"billing_email"`
	PaymentTermsDays *int64  `json:"payment_terms_days"`
	AutoCollection   *bool   `json:"auto_collection"`
	CustomMetadata   object  `json:"custom_metadata"`

	Customer reference `json:"customer"` // create only

	// The rest only at update; the first four change the customer.
	Name               *string  `json:"name"`
	Email              *string  `json:"email"`
	Phone              *string  `json:"phone"`
	Address            *address `json:"address"`
	CustomMetadataMode string   `json:"custom_metadata_mode"`
}

// reference names an existing customer or describes a new one.
type reference struct {
	ID *string `json:"id"` // a uuid or an external code
	customerInput
}

// The terms of an account (service description, Recurring billing §8). The
// account that comes with a new customer may have 0 as well (§4 Customer create).
const (
	leastPaymentTerms = 1
	mostPaymentTerms  = 90
)

var accountFields = shape{
	"billing_email":      email,
	"payment_terms_days": integerBetween(leastPaymentTerms, mostPaymentTerms),
	"auto_collection":    boolean,
	"custom_metadata":    freeObject,
}

// kind has the account's words here, not those of the customer resource.
var referenceFields = customerFields.and(shape{
	"id":   filled,
	"kind": nullable(oneOf("individual", "company")),
})

var accountCreateShape = accountFields.and(shape{
	"external_id":          filled,
	"customer":             objectOf(referenceFields),
	"custom_metadata_mode": refused("may be sent with an update only"),
})

var accountUpdateShape = accountFields.and(shape{
	"external_id":          nullable(filled),
	"name":                 both(filled, textWhere("must have 1 to 255 characters", func(s string) bool { return utf8.RuneCountInString(s) <= 255 })),
	"email":                email,
	"phone":                filled,
	"address":              objectOf(addressFields),
	"custom_metadata_mode": oneOf(modeReplace, modeMerge),
	"customer":             refused("may be sent with a create only"),
})

// locate answers the customer that the reference means, and whether there is
// one (wire contract: a customer reference).
func (c *call) locate(tx *store.Tx, r reference) (customerRow, bool, error) {
	if r.ID != nil {
		row, ok := c.server.customers.Get(tx, canonicalID(*r.ID))
		if ok && !row.Deleted && row.Organization == c.organization {
			return row, true, nil
		}
		row, ok = c.customerByCode(tx, r.ID)
		if !ok {
			return customerRow{}, false, invalid(problems{"customer.id": "no customer has it"})
		}
		return row, true, nil
	}
	if row, ok := c.customerByCode(tx, r.ExternalID); ok {
		return row, true, nil
	}
	if r.DocumentNumber != nil {
		for _, row := range c.server.customers.All(tx) {
			if !row.Deleted && row.Organization == c.organization && row.Customer.hasDocument(*r.DocumentNumber) {
				return row, true, nil
			}
		}
	}
	return customerRow{}, false, nil
}

func (c *call) customerByCode(tx *store.Tx, code *string) (customerRow, bool) {
	for _, row := range c.server.customerCodes.All(tx, externalKey(c.organization, code)) {
		return row, true
	}
	return customerRow{}, false
}

// apply answers the account with the fields that were sent.
func (in accountInput) apply(c *call, account billingAccount, sent map[string]any) billingAccount {
	if _, ok := sent["external_id"]; ok {
		account.ExternalID = in.ExternalID
	}
	if in.BillingEmail != nil {
		account.BillingEmail = in.BillingEmail
	}
	if in.PaymentTermsDays != nil {
		account.PaymentTermsDays = *in.PaymentTermsDays
	}
	if in.AutoCollection != nil {
		account.AutoCollection = *in.AutoCollection
	}
	account.CustomMetadata = c.metadata(account.CustomMetadata, in.CustomMetadata, in.CustomMetadataMode)
	return account
}

// applyToCustomer answers the account's customer after an update of the account.
func (in accountInput) applyToCustomer(u customer) customer {
	if in.Name != nil {
		u.Name = *in.Name
	}
	u.Emails = promote(u.Emails, in.Email)
	u.Phones = promote(u.Phones, in.Phone)
	if in.Address != nil {
		u.Addresses = placeFirst(u.Addresses, *in.Address)
	}
	return u
}

// placeFirst puts an address first (wire contract: address in an account
// update). One that is there already moves, so that the same update sent twice
// does nothing the second time.
func placeFirst(addresses []address, first address) []address {
	rest := slices.DeleteFunc(slices.Clone(addresses), func(a address) bool { return reflect.DeepEqual(a, first) })
	return append([]address{first}, rest...)
}
