package billing

import (
	"encoding/json"
	"slices"
)

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

// AccountCustomer is the customer inside a billing account. Its kind says
// individual or company, where the customer itself says natural or juridical.
// The items of its addresses, phones, emails and websites are not described:
// such a list is nil when they are not like those of a customer.
type AccountCustomer struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	ExternalID     *string         `json:"external_id"`
	Nickname       *string         `json:"nickname"`
	LegalName      *string         `json:"legal_name"`
	DocumentType   *string         `json:"document_type"`
	DocumentNumber *string         `json:"document_number"`
	Kind           *string         `json:"kind"` // individual or company
	Birthday       *string         `json:"birthday"`
	Notes          *string         `json:"notes"`
	Addresses      []Address       `json:"addresses"`
	Phones         []Contact       `json:"phones"`
	Emails         []Contact       `json:"emails"`
	Websites       []Contact       `json:"websites"`
	Tags           []string        `json:"tags"`
	CustomMetadata json.RawMessage `json:"custom_metadata"`
	CreatedAt      string          `json:"created_at"`
	UpdatedAt      string          `json:"updated_at"`
}

// UnmarshalJSON decodes the described fields strictly and the lists of open
// shape as far as they can be read.
func (c *AccountCustomer) UnmarshalJSON(data []byte) error {
	type plain AccountCustomer
	open := struct {
		*plain
		Addresses json.RawMessage `json:"addresses"`
		Phones    json.RawMessage `json:"phones"`
		Emails    json.RawMessage `json:"emails"`
		Websites  json.RawMessage `json:"websites"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(data, &open); err != nil {
		return err
	}
	noValue := func(c Contact) bool { return c.Value == "" }
	readOpen(&c.Addresses, open.Addresses, func(a Address) bool { return a == Address{} })
	readOpen(&c.Phones, open.Phones, noValue)
	readOpen(&c.Emails, open.Emails, noValue)
	readOpen(&c.Websites, open.Websites, noValue)
	return nil
}

// readOpen decodes a list that is present; nil when its items have another shape.
func readOpen[T any](list *[]T, raw json.RawMessage, foreign func(T) bool) {
	if len(raw) == 0 {
		return
	}
	var items []T
	if json.Unmarshal(raw, &items) != nil || slices.ContainsFunc(items, foreign) {
		items = nil
	}
	*list = items
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
