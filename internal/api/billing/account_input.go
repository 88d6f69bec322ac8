package billing

import (
	"encoding/json"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// CustomerRef names the customer of a new billing account: an existing customer, by its
// id (UUID or external code), external_id or document_number, or a new one,
// which then needs a name (service description, Recurring billing §4). What is
// nil or empty is left out.
type CustomerRef struct {
	ID             *string         `json:"id,omitempty"`
	ExternalID     *string         `json:"external_id,omitempty"`
	DocumentNumber *string         `json:"document_number,omitempty"`
	Name           *string         `json:"name,omitempty"`
	Nickname       *string         `json:"nickname,omitempty"`
	LegalName      *string         `json:"legal_name,omitempty"`
	Kind           *string         `json:"kind,omitempty"` // individual or company
	Birthday       *string         `json:"birthday,omitempty"`
	Email          *string         `json:"email,omitempty"`
	Phone          *string         `json:"phone,omitempty"`
	Notes          *string         `json:"notes,omitempty"`
	Addresses      []Address       `json:"addresses,omitempty"`
	Phones         []Contact       `json:"phones,omitempty"`
	Emails         []Contact       `json:"emails,omitempty"`
	Websites       []Contact       `json:"websites,omitempty"`
	Tags           []string        `json:"tags,omitempty"`
	CustomMetadata json.RawMessage `json:"custom_metadata,omitempty"`
}

// BillingAccountCreate is the body of billing_accounts.create (service
// description, Recurring billing §4). Only Customer is required; what is nil is
// left out.
type BillingAccountCreate struct {
	Customer         CustomerRef     `json:"customer"`
	ExternalID       *string         `json:"external_id,omitempty"`
	BillingEmail     *string         `json:"billing_email,omitempty"`
	PaymentTermsDays *int64          `json:"payment_terms_days,omitempty"` // 1 to 90
	AutoCollection   *bool           `json:"auto_collection,omitempty"`
	CustomMetadata   json.RawMessage `json:"custom_metadata,omitempty"`
}

// BillingAccountUpdate is the body of billing_accounts.update. A field that is
// left out is not touched. Name, Email, Phone and Address change the customer.
type BillingAccountUpdate struct {
	ExternalID       api.Field[string]          `json:"external_id,omitzero"`
	Name             api.Field[string]          `json:"name,omitzero"` // 1 to 255 characters
	Email            api.Field[string]          `json:"email,omitzero"`
	Phone            api.Field[string]          `json:"phone,omitzero"`
	Address          api.Field[Address]         `json:"address,omitzero"`
	BillingEmail     api.Field[string]          `json:"billing_email,omitzero"`
	PaymentTermsDays api.Field[int64]           `json:"payment_terms_days,omitzero"` // 1 to 90
	AutoCollection   api.Field[bool]            `json:"auto_collection,omitzero"`
	CustomMetadata   api.Field[json.RawMessage] `json:"custom_metadata,omitzero"`
	// replace (the service's default) or merge
	CustomMetadataMode api.Field[string] `json:"custom_metadata_mode,omitzero"`
}

// IsEmpty says whether the update changes nothing. A mode alone changes nothing.
func (u BillingAccountUpdate) IsEmpty() bool {
	u.CustomMetadataMode = api.Field[string]{}
	return reflect.ValueOf(u).IsZero()
}

// BillingAccountCreated is the response of billing_accounts.create.
type BillingAccountCreated struct {
	BillingAccount
	// Adopted says that the response to the create was lost and the account was
	// found by a lookup.
	Adopted bool `json:"-"`
}

// matches says whether an account is what this create asked for. What was left
// out of the create may have any value, and what the response leaves out decides
// nothing.
func (w BillingAccountCreate) matches(a BillingAccount) bool {
	return (a.Customer == nil || w.Customer.matches(*a.Customer)) &&
		asked(w.ExternalID, a.ExternalID, sameText) &&
		asked(w.BillingEmail, a.BillingEmail, sameText) &&
		sameValue(w.PaymentTermsDays, a.PaymentTermsDays) &&
		sameValue(w.AutoCollection, a.AutoCollection) &&
		sameJSON(w.CustomMetadata, a.CustomMetadata)
}

// matches says whether this reference may mean that customer. One key of
// several is enough, because the service takes the customer it finds by one of
// them; the other fields count only for a customer that nothing refers to, as
// they are ignored next to a reference (wire contract: behaviour).
func (r CustomerRef) matches(c AccountCustomer) bool {
	if r.ID != nil {
		return same.ID(*r.ID, c.ID) || sameText(r.ID, c.ExternalID)
	}
	if r.ExternalID != nil || r.DocumentNumber != nil {
		return r.ExternalID != nil && sameText(r.ExternalID, c.ExternalID) ||
			r.DocumentNumber != nil && sameDocument(r.DocumentNumber, c.DocumentNumber)
	}
	return asked(r.Name, &c.Name, sameText) &&
		asked(r.Nickname, c.Nickname, sameText) &&
		asked(r.LegalName, c.LegalName, sameText) &&
		asked(r.Kind, c.Kind, sameText) &&
		asked(r.Birthday, c.Birthday, sameText) &&
		asked(r.Notes, c.Notes, sameText)
}

// sameValue compares what was both asked for and returned.
func sameValue[T comparable](want, have *T) bool {
	return want == nil || have == nil || *want == *have
}
