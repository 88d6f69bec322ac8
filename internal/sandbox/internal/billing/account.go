package billing

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// billingAccount is a billing account on the wire
// (service description, Recurring billing §2 Billing account).
type billingAccount struct {
	ID                      string            `json:"id"`
	PublicID                string            `json:"public_id"`
	ExternalID              *string           `json:"external_id"`
	Currency                string            `json:"currency"`
	BillingEmail            *string           `json:"billing_email"`
	PaymentTermsDays        int64             `json:"payment_terms_days"`
	AutoCollection          bool              `json:"auto_collection"`
	BalanceCents            int64             `json:"balance_cents"`
	Status                  string            `json:"status"`
	SuspendedAt             *server.Timestamp `json:"suspended_at"`
	SuspensionReason        *string           `json:"suspension_reason"`
	TaxExempt               bool              `json:"tax_exempt"`
	TaxExemptionCertificate *string           `json:"tax_exemption_certificate"`
	CustomerTaxType         *string           `json:"customer_tax_type"`
	Metadata                object            `json:"metadata"`
	CustomMetadata          object            `json:"custom_metadata"`
	CreatedAt               server.Timestamp  `json:"created_at"`
	UpdatedAt               server.Timestamp  `json:"updated_at"`
	Customer                *embeddedCustomer `json:"customer,omitempty"`
}

// embeddedCustomer is the customer loaded with a billing account. Its kind has
// its own words: individual and company.
type embeddedCustomer struct {
	ID             string           `json:"id"`
	ExternalID     *string          `json:"external_id"`
	Name           string           `json:"name"`
	Nickname       *string          `json:"nickname"`
	LegalName      *string          `json:"legal_name"`
	DocumentType   *string          `json:"document_type"`
	DocumentNumber *string          `json:"document_number"`
	Kind           *string          `json:"kind"`
	Birthday       *string          `json:"birthday"`
	Notes          *string          `json:"notes"`
	Addresses      []address        `json:"addresses"`
	Phones         []contact        `json:"phones"`
	Emails         []contact        `json:"emails"`
	Websites       []contact        `json:"websites"`
	Tags           []string         `json:"tags"`
	CustomMetadata object           `json:"custom_metadata"`
	CreatedAt      server.Timestamp `json:"created_at"`
	UpdatedAt      server.Timestamp `json:"updated_at"`
}

// AccountRow is a billing account as the tables keep it, its customer by id.
type AccountRow struct {
	Organization string         `json:"organization"`
	CustomerID   string         `json:"customer_id"`
	Account      billingAccount `json:"account"`
}

// What the service gives a new account where the request says nothing
// (service description, Recurring billing §4 Customer create; the currency is
// not described).
const (
	defaultCurrency     = "BRL"
	defaultPaymentTerms = 10

	accountActive    = "active"
	accountSuspended = "suspended"
	AccountClosed    = "closed"
)

// externalKey takes part in the index of external ids until the account is
// closed (wire contract: external_id of a closed object).
func (r AccountRow) externalKey() string {
	if r.Account.Status == AccountClosed {
		return ""
	}
	return externalKey(r.Organization, r.Account.ExternalID)
}

// closeAccounts closes what a deleted customer leaves behind.
func (s *Service) closeAccounts(c *server.Call, tx *store.Tx, customerID string) {
	for id, row := range s.AccountsOf.All(tx, customerID) {
		if row.Account.Status == AccountClosed {
			continue
		}
		row.Account.Status = AccountClosed
		row.Account.UpdatedAt = row.Account.UpdatedAt.Next(c.Now)
		s.Accounts.Put(tx, id, row)
	}
}

// loaded returns the account with its customer, unless lean.
func (s *Service) loaded(c *server.Call, tx *store.Tx, row AccountRow, lean bool) billingAccount {
	account := row.Account
	owner, ok := s.Customers.Get(tx, row.CustomerID)
	if ok && !lean {
		account.Customer = embed(owner.Customer)
	}
	return account
}

func embed(u customer) *embeddedCustomer {
	return &embeddedCustomer{
		ID: u.ID, ExternalID: u.ExternalID, Name: u.Name, Nickname: u.Nickname,
		LegalName: u.LegalName, DocumentType: u.DocumentType, DocumentNumber: u.DocumentNumber,
		Kind: embeddedKind(u.Kind), Birthday: u.Birthday, Notes: u.Notes,
		Addresses: u.Addresses, Phones: u.Phones, Emails: u.Emails, Websites: u.Websites,
		Tags: u.Tags, CustomMetadata: u.CustomMetadata,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}
}

// customerKind is the inverse of embeddedKind.
func customerKind(kind *string) *string {
	if kind == nil {
		return nil
	}
	word := "natural"
	if *kind == "company" {
		word = "juridical"
	}
	return &word
}

func embeddedKind(kind *string) *string {
	if kind == nil {
		return nil
	}
	word := "individual"
	if *kind == "juridical" {
		word = "company"
	}
	return &word
}

// findAccount returns the account that the path names. That of another
// organization does not exist.
func (s *Service) findAccount(c *server.Call, tx *store.Tx) (AccountRow, error) {
	row, ok := s.Accounts.Get(tx, c.Path["id"])
	if !ok || row.Organization != c.Organization {
		return AccountRow{}, server.ErrNotFound
	}
	return row, nil
}

// modified is when the response last changed, the customer inside included.
func (a billingAccount) modified() time.Time {
	if a.Customer != nil && a.Customer.UpdatedAt.After(a.UpdatedAt.Time) {
		return a.Customer.UpdatedAt.Time
	}
	return a.UpdatedAt.Time
}
