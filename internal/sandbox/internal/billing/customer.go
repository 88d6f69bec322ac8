package billing

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// customer is a customer as returned, with every documented field always present (service description, Recurring
// billing §2 Customer). billing_accounts is omitted: operations do not load the relation.
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

// contact is an item of phones, emails and websites. kind is optional, and omitted if unset.
type contact struct {
	Kind  *string `json:"kind,omitempty"`
	Value string  `json:"value"`
}

// CustomerRow is a stored customer. A deleted one is kept for the billing accounts closed with it; customer operations
// ignore it.
type CustomerRow struct {
	server.Owned
	Number   int64    `json:"number,omitempty"` // in order of creation; 0 in a copy
	Deleted  bool     `json:"deleted"`
	Customer customer `json:"customer"`
}

// Owner returns the organization, empty once the customer is deleted.
func (r CustomerRow) Owner() string {
	if r.Deleted {
		return ""
	}
	return r.Organization
}

// externalKey includes the customer in the index of external ids until it is deleted.
func (r CustomerRow) externalKey() string {
	if r.Deleted {
		return ""
	}
	return externalKey(r.Organization, r.Customer.ExternalID)
}

// matches implements the free-text search: part of a name, the external_id or an email in any case, or of the document
// number with or without mask.
func (u customer) matches(search string) bool {
	needle := strings.ToLower(strings.TrimSpace(search))
	texts := []*string{&u.Name, u.Nickname, u.LegalName, u.ExternalID}
	for _, e := range u.Emails {
		texts = append(texts, &e.Value)
	}
	if slices.ContainsFunc(texts, func(text *string) bool {
		return text != nil && strings.Contains(strings.ToLower(*text), needle)
	}) {
		return true
	}
	number := plainDocument(needle)
	isNumber := strings.ContainsAny(number, "0123456789") &&
		strings.Trim(needle, "0123456789abcdefghijklmnopqrstuvwxyz.-/ ") == ""
	return isNumber && u.DocumentNumber != nil && strings.Contains(plainDocument(*u.DocumentNumber), number)
}

// documentType infers the type from the length of the unmasked number (service description, Recurring billing §2
// Customer).
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

// promote inserts a missing value at the start of a list of contacts (wire contract: customer email, phone on create
// and update).
func promote(contacts []contact, value *string) []contact {
	if value == nil || slices.ContainsFunc(contacts, func(c contact) bool { return c.Value == *value }) {
		return contacts
	}
	return append([]contact{{Value: *value}}, contacts...)
}

// customerFields are accepted on create and update. null clears the fields that the service may return as null. email
// and phone are not among these: they only add to the lists (wire contract: clearing a customer's field).
var customerFields = server.Shape{
	"name":        server.Filled,
	"external_id": server.Nullable(server.Filled),
	"nickname":    server.Nullable(server.Text),
	"legal_name":  server.Nullable(server.Text),
	"document_number": server.Nullable(server.TextWhere("must contain digits",
		func(s string) bool { return strings.ContainsAny(s, "0123456789") })),
	"kind":            server.Nullable(server.OneOf("natural", "juridical")),
	"birthday":        server.Nullable(server.Date),
	"email":           server.Email,
	"phone":           server.Filled,
	"notes":           server.Nullable(server.Text),
	"addresses":       server.Nullable(server.ListOf(server.ObjectOf(addressFields))),
	"phones":          server.Nullable(server.ListOf(server.ObjectOf(contactFields(server.Filled), "value"))),
	"emails":          server.Nullable(server.ListOf(server.ObjectOf(contactFields(server.Email), "value"))),
	"websites":        server.Nullable(server.ListOf(server.ObjectOf(contactFields(server.Filled), "value"))),
	"tags":            server.Nullable(server.ListOf(server.Text)),
	"custom_metadata": server.FreeObject,
}

// The fields of an address are not documented as required, so missing or null ones are returned as null.
var addressFields = server.Shape{
	"kind": server.Nullable(server.Text), "street": server.Nullable(server.Text), "number": server.Nullable(server.Text),
	"complement": server.Nullable(server.Text), "neighborhood": server.Nullable(server.Text),
	"city":  server.Nullable(server.Text),
	"state": server.Nullable(server.Text), "postal_code": server.Nullable(server.Text),
	"country": server.Nullable(server.TextWhere("must be an ISO country code: two letters or three", isCountry)),
}

func contactFields(value server.Rule) server.Shape {
	return server.Shape{"kind": server.Nullable(server.Text), "value": value}
}

func isCountry(s string) bool {
	return (len(s) == 2 || len(s) == 3) && strings.Trim(strings.ToUpper(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

var (
	customerCreate = server.Form{Required: []string{"name"}, Shape: customerFields.And(server.Shape{
		"create_billing_account": server.Boolean,
		"billing_email":          server.Email,
		"payment_terms_days":     server.IntegerFrom(0),
		"auto_collection":        server.Boolean,
	}, "an update", "custom_metadata_mode")}
	customerUpdate = server.Form{Shape: customerFields.And(server.Shape{"custom_metadata_mode": metadataMode},
		"a create", append([]string{"create_billing_account"}, ofTheAccount...)...)}
)

// ofTheAccount are the fields of a new customer that are set on its billing account.
var ofTheAccount = []string{"billing_email", "payment_terms_days", "auto_collection"}

// with returns the customer with the fields sent, except custom_metadata. email and phone only add to the lists.
func (u customer) with(in server.Body) customer {
	in.Into(&u, "id", "custom_metadata")
	if in.Has("document_number") {
		u.DocumentType = documentType(u.DocumentNumber)
	}
	u.Phones = promote(u.Phones, server.Sent[string](in, "phone"))
	u.Emails = promote(u.Emails, server.Sent[string](in, "email"))
	return u
}

func (s *Service) customers() server.Kind[CustomerRow, customer] {
	return server.Kind[CustomerRow, customer]{
		Table:   s.Customers,
		Show:    func(_ *server.Call, _ *store.Tx, r CustomerRow) customer { return r.Customer },
		Updated: func(r CustomerRow) server.Timestamp { return r.Customer.UpdatedAt },
		Fields:  []string{"external_id"},
		Filters: server.Filters[CustomerRow]{
			"search":          func(_ *store.Tx, r CustomerRow, text string) bool { return r.Customer.matches(text) },
			"document_number": func(_ *store.Tx, r CustomerRow, want string) bool { return r.Customer.hasDocument(want) },
		},
	}
}

// hasDocument compares without mask and case.
func (u customer) hasDocument(number string) bool {
	return u.DocumentNumber != nil && plainDocument(*u.DocumentNumber) == plainDocument(number)
}

// plainDocument removes the mask from a document number. A CNPJ may contain letters, which are case-insensitive (a
// character counts as its ASCII code less 48).
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

func (s *Service) showCustomer(c *server.Call, _ *store.Tx, row CustomerRow) (server.Reply, error) {
	return c.Single(http.StatusOK, row.Customer, row.Customer.UpdatedAt.Time), nil
}

// createdCustomer is a new customer, with the billing account that was created with it.
type createdCustomer struct {
	Customer       customer        `json:"customer"`
	BillingAccount *billingAccount `json:"billing_account"`
}

// createCustomer serves customers.create: it creates a customer and, unless disabled in the request, its billing
// account.
func (s *Service) createCustomer(c *server.Call, tx *store.Tx) (server.Reply, error) {
	if err := claimExternalID(c, tx, s.customerCodes, ""); err != nil {
		return server.Reply{}, err
	}
	u := s.addCustomer(c, tx, c.Sent).Customer

	response := createdCustomer{Customer: u}
	if c.Sent["create_billing_account"] != false {
		in := server.Body{}
		for _, name := range ofTheAccount {
			if c.Sent.Has(name) {
				in[name] = c.Sent[name]
			}
		}
		account := s.loaded(tx, s.openAccount(c, tx, u, in, c.Sent["email"]))
		response.BillingAccount = &account
	}
	return c.Single(http.StatusCreated, response, u.UpdatedAt.Time), nil
}

func (s *Service) addCustomer(c *server.Call, tx *store.Tx, in server.Body) CustomerRow {
	u := customer{
		ID:             s.Source.UUID(),
		PublicID:       s.Source.UUID(),
		Metadata:       object{},
		CustomMetadata: updatedMetadata(c, nil, in),
		CreatedAt:      server.Timestamp{Time: c.Now},
		UpdatedAt:      server.Timestamp{Time: c.Now},
	}.with(in)
	row := CustomerRow{Owned: server.Owned{Organization: c.Organization}, Number: s.Next(tx), Customer: u}
	s.Customers.Put(tx, u.ID, row)
	s.noteWriter(c, tx, u.ID, nil, u.CustomMetadata)
	return row
}

func (s *Service) updateCustomer(c *server.Call, tx *store.Tx, row CustomerRow) (server.Reply, error) {
	if err := claimExternalID(c, tx, s.customerCodes, row.Customer.ID); err != nil {
		return server.Reply{}, err
	}
	changed := row.Customer.with(c.Sent)
	changed.CustomMetadata = updatedMetadata(c, changed.CustomMetadata, c.Sent)
	row.Customer = s.changeCustomer(c, tx, row, changed)
	return s.showCustomer(c, tx, row)
}

func (s *Service) changeCustomer(c *server.Call, tx *store.Tx, row CustomerRow, changed customer) customer {
	if !reflect.DeepEqual(changed, row.Customer) {
		s.noteWriter(c, tx, changed.ID, row.Customer.CustomMetadata, changed.CustomMetadata)
		changed.UpdatedAt = changed.UpdatedAt.Next(c.Now)
		row.Customer = changed
		s.Customers.Put(tx, changed.ID, row)
	}
	return changed
}

// deleteCustomer serves customers.delete. It is rejected while a subscription is not canceled; otherwise the billing
// accounts are closed with the customer (wire contract: deleting a customer).
func (s *Service) deleteCustomer(c *server.Call, tx *store.Tx, row CustomerRow) (server.Reply, error) {
	for accountID := range s.AccountsOf.All(tx, row.Customer.ID) {
		if s.isSubscribed(tx, accountID) {
			return server.Reply{}, errActiveSubscriptions
		}
	}
	s.closeAccounts(c, tx, row.Customer.ID)
	row.Deleted = true
	s.Customers.Put(tx, row.Customer.ID, row)
	return c.Deleted(), nil
}
