package billing

import (
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// customer is a customer on the wire, every documented field always present
// (service description, Recurring billing §2 Customer). billing_accounts is
// left out: no operation loads the relation.
type customer struct {
	ID             string           `json:"id"`
	PublicID       string           `json:"public_id"`
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
	Metadata       object           `json:"metadata"`
	CustomMetadata object           `json:"custom_metadata"`
	CreatedAt      server.Timestamp `json:"created_at"`
	UpdatedAt      server.Timestamp `json:"updated_at"`
}

type address struct {
	Kind         *string `json:"kind"`
	Street       *string `json:"street"`
	Number       *string `json:"number"`
	Complement   *string `json:"complement"`
	Neighborhood *string `json:"neighborhood"`
	City         *string `json:"city"`
	State        *string `json:"state"`
	PostalCode   *string `json:"postal_code"`
	Country      *string `json:"country"`
}

// contact is an item of phones, emails and websites. kind is optional there,
// so an item without one is returned without one.
type contact struct {
	Kind  *string `json:"kind,omitempty"`
	Value string  `json:"value"`
}

// CustomerRow is a customer as the tables keep it. A deleted one stays for the
// billing accounts that were closed with it; no customer operation sees it.
type CustomerRow struct {
	Organization string   `json:"organization"`
	Deleted      bool     `json:"deleted"`
	Customer     customer `json:"customer"`
}

// findCustomer returns the live customer that the path names.
func (s *Service) findCustomer(c *server.Call, tx *store.Tx) (CustomerRow, error) {
	row, ok := s.Customers.Get(tx, c.Path["id"])
	if !ok || row.Deleted || row.Organization != c.Organization {
		return CustomerRow{}, server.ErrNotFound
	}
	return row, nil
}

// externalKey takes part in the index of external ids until the customer is
// deleted.
func (r CustomerRow) externalKey() string {
	if r.Deleted {
		return ""
	}
	return externalKey(r.Organization, r.Customer.ExternalID)
}

// anyHolds is the free-text search of the other collections: a part of one of the texts, whatever the case.
func anyHolds(search string, texts ...*string) bool {
	needle := strings.ToLower(strings.TrimSpace(search))
	return slices.ContainsFunc(texts, func(text *string) bool { return contains(text, needle) })
}

// matches is the free-text search: a part of a name, the external_id or an
// email, whatever the case, or of the document number, whatever the mask.
func (u customer) matches(search string) bool {
	if anyHolds(search, &u.Name, u.Nickname, u.LegalName, u.ExternalID) {
		return true
	}
	needle := strings.ToLower(strings.TrimSpace(search))
	if slices.ContainsFunc(u.Emails, func(e contact) bool { return contains(&e.Value, needle) }) {
		return true
	}
	number := plainDocument(needle)
	isNumber := strings.ContainsAny(number, "0123456789") &&
		strings.Trim(needle, "0123456789abcdefghijklmnopqrstuvwxyz.-/ ") == ""
	return isNumber && u.DocumentNumber != nil && strings.Contains(plainDocument(*u.DocumentNumber), number)
}

// documentType infers the type from the number's length without a mask
// (service description, Recurring billing §2 Customer).
func documentType(number *string) *string {
	if number == nil {
		return nil
	}
	kind := "cnpj"
	if len(plainDocument(*number)) <= 11 {
		kind = "cpf"
	}
	return &kind
}

// promote puts a value first in a list of contacts that does not have it
// (wire contract: customer email, phone on create and update).
func promote(contacts []contact, value *string) []contact {
	if value == nil || slices.ContainsFunc(contacts, func(c contact) bool { return c.Value == *value }) {
		return contacts
	}
	return append([]contact{{Value: *value}}, contacts...)
}

// is compares an optional text with a wanted one.
func is(value *string, wanted string) bool { return value != nil && *value == wanted }

// contains looks for a lowercase needle in optional text, whatever its case.
func contains(value *string, needle string) bool {
	return value != nil && strings.Contains(strings.ToLower(*value), needle)
}

// plainDocument takes the mask off a document number. A CNPJ has letters too,
// which have no case (a character counts as its ASCII code less 48).
func plainDocument(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
			return r
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return -1
	}, s)
}
