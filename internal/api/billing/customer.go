package billing

import (
	"encoding/json"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Customer is a customer as the service returns it (service description,
// Recurring billing §2). A nil pointer or slice is null or absent.
type Customer struct {
	ID              string           `json:"id"`
	PublicID        string           `json:"public_id"`
	ExternalID      *string          `json:"external_id"`
	Name            string           `json:"name"`
	Nickname        *string          `json:"nickname"`
	LegalName       *string          `json:"legal_name"`
	DocumentType    *string          `json:"document_type"` // cpf or cnpj
	DocumentNumber  *string          `json:"document_number"`
	Kind            *string          `json:"kind"`     // natural or juridical
	Birthday        *string          `json:"birthday"` // ISO 8601 date
	Notes           *string          `json:"notes"`
	Addresses       []Address        `json:"addresses"`
	Phones          []Contact        `json:"phones"`
	Emails          []Contact        `json:"emails"`
	Websites        []Contact        `json:"websites"`
	Tags            []string         `json:"tags"`
	Metadata        json.RawMessage  `json:"metadata"`        // nil or "null" when null
	CustomMetadata  json.RawMessage  `json:"custom_metadata"` // nil or "null" when null
	CreatedAt       string           `json:"created_at"`
	UpdatedAt       string           `json:"updated_at"`
	BillingAccounts []BillingAccount `json:"billing_accounts,omitempty"` // only when loaded
}

// Address is one address of a customer.
type Address struct {
	Kind         *string `json:"kind,omitempty"`
	Street       *string `json:"street,omitempty"`
	Number       *string `json:"number,omitempty"`
	Complement   *string `json:"complement,omitempty"`
	Neighborhood *string `json:"neighborhood,omitempty"`
	City         *string `json:"city,omitempty"`
	State        *string `json:"state,omitempty"`
	PostalCode   *string `json:"postal_code,omitempty"`
	Country      *string `json:"country,omitempty"` // ISO country code
}

// Contact is one phone, email or website of a customer.
type Contact struct {
	Kind  *string `json:"kind,omitempty"`
	Value string  `json:"value"`
}

// CustomerCreate is the body of customers.create (service description,
// Recurring billing §4). Only Name is required; what is nil or empty is left
// out.
type CustomerCreate struct {
	Name                 string          `json:"name"`
	ExternalID           *string         `json:"external_id,omitempty"`
	Nickname             *string         `json:"nickname,omitempty"`
	LegalName            *string         `json:"legal_name,omitempty"`
	DocumentNumber       *string         `json:"document_number,omitempty"`
	Kind                 *string         `json:"kind,omitempty"`
	Birthday             *string         `json:"birthday,omitempty"`
	Email                *string         `json:"email,omitempty"`
	Phone                *string         `json:"phone,omitempty"`
	Notes                *string         `json:"notes,omitempty"`
	Addresses            []Address       `json:"addresses,omitempty"`
	Phones               []Contact       `json:"phones,omitempty"`
	Emails               []Contact       `json:"emails,omitempty"`
	Websites             []Contact       `json:"websites,omitempty"`
	Tags                 []string        `json:"tags,omitempty"`
	CustomMetadata       json.RawMessage `json:"custom_metadata,omitempty"`
	CreateBillingAccount *bool           `json:"create_billing_account,omitempty"`
	BillingEmail         *string         `json:"billing_email,omitempty"`
	PaymentTermsDays     *int64          `json:"payment_terms_days,omitempty"`
	AutoCollection       *bool           `json:"auto_collection,omitempty"`
}

// CustomerUpdate is the body of customers.update. A field that is left out is
// not touched.
type CustomerUpdate struct {
	Name           api.Field[string]          `json:"name,omitzero"`
	ExternalID     api.Field[string]          `json:"external_id,omitzero"`
	Nickname       api.Field[string]          `json:"nickname,omitzero"`
	LegalName      api.Field[string]          `json:"legal_name,omitzero"`
	DocumentNumber api.Field[string]          `json:"document_number,omitzero"`
	Kind           api.Field[string]          `json:"kind,omitzero"`
	Birthday       api.Field[string]          `json:"birthday,omitzero"`
	Email          api.Field[string]          `json:"email,omitzero"`
	Phone          api.Field[string]          `json:"phone,omitzero"`
	Notes          api.Field[string]          `json:"notes,omitzero"`
	Addresses      api.Field[[]Address]       `json:"addresses,omitzero"`
	Phones         api.Field[[]Contact]       `json:"phones,omitzero"`
	Emails         api.Field[[]Contact]       `json:"emails,omitzero"`
	Websites       api.Field[[]Contact]       `json:"websites,omitzero"`
	Tags           api.Field[[]string]        `json:"tags,omitzero"`
	CustomMetadata api.Field[json.RawMessage] `json:"custom_metadata,omitzero"`
	// replace (the service's default) or merge
	CustomMetadataMode api.Field[string] `json:"custom_metadata_mode,omitzero"`
}

// IsEmpty says whether the update changes nothing. A mode alone changes nothing.
func (u CustomerUpdate) IsEmpty() bool {
	u.CustomMetadataMode = api.Field[string]{}
	return reflect.ValueOf(u).IsZero()
}

// CustomerCreated is the response of customers.create.
type CustomerCreated struct {
	Customer       Customer        `json:"customer"`
	BillingAccount *BillingAccount `json:"billing_account"` // nil: none was made with it, or it is not known
	// Adopted says that the response to the create was lost and the customer was
	// found by a lookup.
	Adopted bool `json:"-"`
	// AccountError is why the billing account of an adopted customer is not known.
	AccountError error `json:"-"`
}

// CustomerQuery narrows a list of customers. Empty fields are not sent.
type CustomerQuery struct {
	Listing
	ExternalID     string
	DocumentNumber string // compared without mask and case
	UpdatedAtGTE   string // ISO 8601
}
