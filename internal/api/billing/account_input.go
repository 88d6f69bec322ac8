package billing

import (
	"encoding/json"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// CustomerRef names the customer of a new billing account by its id. The service
// locates or creates one by other fields too; the provider does not use that.
type CustomerRef struct {
	ID string `json:"id"`
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
// left out is not touched.
type BillingAccountUpdate struct {
	ExternalID       api.Field[string]          `json:"external_id,omitzero"`
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
