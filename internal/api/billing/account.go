package billing

import "encoding/json"

// BillingAccount is a billing account as the service returns it (service
// description, Recurring billing §2). A nil pointer is null or absent.
type BillingAccount struct {
	ID                      string           `json:"id"`
	PublicID                string           `json:"public_id"`
	ExternalID              *string          `json:"external_id"`
	Currency                string           `json:"currency"` // ISO 4217
	BillingEmail            *string          `json:"billing_email"`
	PaymentTermsDays        *int64           `json:"payment_terms_days"` // days
	AutoCollection          *bool            `json:"auto_collection"`
	BalanceCents            *int64           `json:"balance_cents"` // hundredths of the currency unit
	Status                  string           `json:"status"`        // active, suspended, closed
	SuspendedAt             *string          `json:"suspended_at"`
	SuspensionReason        *string          `json:"suspension_reason"`
	TaxExempt               *bool            `json:"tax_exempt"`
	TaxExemptionCertificate *string          `json:"tax_exemption_certificate"`
	CustomerTaxType         *string          `json:"customer_tax_type"` // individual, business, exempt
	Metadata                json.RawMessage  `json:"metadata"`          // nil or "null" when null
	CustomMetadata          json.RawMessage  `json:"custom_metadata"`   // nil or "null" when null
	CreatedAt               string           `json:"created_at"`
	UpdatedAt               string           `json:"updated_at"`
	Customer                *AccountCustomer `json:"customer,omitempty"` // only when loaded
}

// AccountCustomer is the customer inside a billing account: what the provider
// needs of it. Everything else of a customer is read from the customer itself.
type AccountCustomer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// BillingAccountQuery narrows a list of billing accounts. Empty fields are not
// sent.
type BillingAccountQuery struct {
	Listing
	ExternalID   string
	CustomerID   string
	Status       string
	UpdatedAtGTE string // ISO 8601
}
