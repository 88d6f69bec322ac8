package billing

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
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

var accountFields = server.Shape{
	"billing_email":      server.Email,
	"payment_terms_days": server.IntegerBetween(leastPaymentTerms, mostPaymentTerms),
	"auto_collection":    server.Boolean,
	"custom_metadata":    server.FreeObject,
}

// referenceFields are the fields of a customer reference. kind has the account's words here, not those of the customer
// resource.
var referenceFields = customerFields.And(server.Shape{
	"id":   server.Filled,
	"kind": server.Nullable(server.OneOf("individual", "company")),
})

var accountCreateShape = accountFields.And(server.Shape{
	"external_id":          server.Filled,
	"customer":             server.ObjectOf(referenceFields),
	"custom_metadata_mode": server.Refused("may be sent with an update only"),
})

var accountUpdateShape = accountFields.And(server.Shape{
	"external_id": server.Nullable(server.Filled),
	"name": server.Both(server.Filled, server.TextWhere("must have 1 to 255 characters",
		func(s string) bool { return utf8.RuneCountInString(s) <= 255 })),
	"email":                server.Email,
	"phone":                server.Filled,
	"address":              server.ObjectOf(addressFields),
	"custom_metadata_mode": server.OneOf(modeReplace, modeMerge),
	"customer":             server.Refused("may be sent with a create only"),
})

// locate returns the customer that the reference means, and whether there is
// one (wire contract: a customer reference).
func (s *Service) locate(c *server.Call, tx *store.Tx, r reference) (CustomerRow, bool, error) {
	if r.ID != nil {
		row, ok := s.Customers.Get(tx, server.CanonicalID(*r.ID))
		if ok && !row.Deleted && row.Organization == c.Organization {
			return row, true, nil
		}
		row, ok = s.customerByCode(c, tx, r.ID)
		if !ok {
			return CustomerRow{}, false, server.Invalid(server.Problems{"customer.id": "no customer has it"})
		}
		return row, true, nil
	}
	if row, ok := s.customerByCode(c, tx, r.ExternalID); ok {
		return row, true, nil
	}
	if r.DocumentNumber != nil {
		for _, row := range s.Customers.All(tx) {
			if !row.Deleted && row.Organization == c.Organization && row.Customer.hasDocument(*r.DocumentNumber) {
				return row, true, nil
			}
		}
	}
	return CustomerRow{}, false, nil
}

func (s *Service) customerByCode(c *server.Call, tx *store.Tx, code *string) (CustomerRow, bool) {
	for _, row := range s.customerCodes.All(tx, externalKey(c.Organization, code)) {
		return row, true
	}
	return CustomerRow{}, false
}

// apply returns the account with the fields that were sent.
func (in accountInput) apply(c *server.Call, account billingAccount, sent map[string]any) billingAccount {
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
	account.CustomMetadata = updatedMetadata(c, account.CustomMetadata, in.CustomMetadata, in.CustomMetadataMode)
	return account
}

// applyToCustomer returns the account's customer after an update of the account.
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

// placeFirst makes an address the first one (wire contract: address in an account
// update). One that is there already moves, so that the same update sent twice
// does nothing the second time.
func placeFirst(addresses []address, first address) []address {
	rest := slices.DeleteFunc(slices.Clone(addresses), func(a address) bool { return reflect.DeepEqual(a, first) })
	return append([]address{first}, rest...)
}
