package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Customer is a customer as the service returns it (service description, Recurring billing §2). A nil pointer or slice
// is null or absent.
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

// CustomerBody is the body of customers.create and customers.update (service description, Recurring billing §4). An
// absent field has the service's default on creation, and is not changed by an update.
type CustomerBody struct {
	Name           api.Field[string]          `json:"name,omitzero"` // required by a creation
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

	// replace (the service's default) or merge; only for an update
	CustomMetadataMode api.Field[string] `json:"custom_metadata_mode,omitzero"`

	// Only for a creation: arguments of the billing account that it creates.
	CreateBillingAccount api.Field[bool]   `json:"create_billing_account,omitzero"`
	BillingEmail         api.Field[string] `json:"billing_email,omitzero"`
	PaymentTermsDays     api.Field[int64]  `json:"payment_terms_days,omitzero"`
	AutoCollection       api.Field[bool]   `json:"auto_collection,omitzero"`
}

// IsEmpty reports whether the body has no fields.
func (b CustomerBody) IsEmpty() bool { return reflect.ValueOf(b).IsZero() }

// CustomerCreated is the response of customers.create.
type CustomerCreated struct {
	Customer       Customer        `json:"customer"`
	BillingAccount *BillingAccount `json:"billing_account"` // nil: none was created, or it is unknown
	// Adopted means that the response to the creation was lost and a lookup found the customer.
	Adopted bool `json:"-"`
	// AccountError is the reason why the billing account of an adopted customer is unknown.
	AccountError error `json:"-"`
}

// CustomerQuery filters a list of customers. Empty fields are not sent.
type CustomerQuery struct {
	ListOptions
	Search         string // free text, matched only by the service; "": everything
	ExternalID     string
	DocumentNumber string // compared without mask and case
	UpdatedAtGTE   string // ISO 8601
}

func (q CustomerQuery) matches(c Customer) bool {
	return q.hasCode(q.ExternalID, c.ExternalID) &&
		(q.DocumentNumber == "" || same.Document(q.DocumentNumber, api.OrEmpty(c.DocumentNumber))) &&
		notBefore(c.UpdatedAt, q.UpdatedAtGTE)
}

// Check implements [checked].
func (c *Customer) Check() error { return api.Present("customer with an id", c.ID) }

// Check implements [checked].
func (c *CustomerCreated) Check() error { return api.Present("customer with an id", c.Customer.ID) }

// CreateCustomer creates a customer (wire contract: customers.create). A lost response is handled by [api.Create]; an
// adopted customer includes the billing account that was created with it, if it can be found.
func (s *Service) CreateCustomer(ctx context.Context, body CustomerBody) (*CustomerCreated, error) {
	created := &CustomerCreated{}
	code, _ := body.ExternalID.Get()
	name, _ := body.Name.Get()
	document, _ := body.DocumentNumber.Get()
	customer, adopted, err := creationOf[Customer]{
		noun: "customer", externalID: code, body: body,
		otherwise: fmt.Sprintf("customer named %q", name),
		send: func(ctx context.Context) (*Customer, error) {
			response, err := api.One[CustomerCreated](ctx, s.client, api.Request{Operation: "customers.create", Body: body})
			if err == nil {
				s.wrote(response.Customer.ID, response.Customer.CreatedAt, response.Customer.UpdatedAt, true)
			}
			*created = response
			return &created.Customer, err
		},
		find: func(ctx context.Context, externalID string) ([]Customer, error) {
			return api.Collect(s.ListCustomers(ctx, CustomerQuery{ExternalID: externalID,
				ListOptions: ListOptions{Worded: true}}))
		},
		newest: func(ctx context.Context) iter.Seq2[Customer, error] {
			return s.listed(ctx, CustomerQuery{DocumentNumber: document,
				ListOptions: ListOptions{SortOrder: newestFirst}})
		},
		like: func(c Customer) bool {
			return api.OrEmpty(c.ExternalID) == "" && same.Wording(name, c.Name) &&
				same.Document(document, api.OrEmpty(c.DocumentNumber))
		},
		id: customerID, code: func(c Customer) *string { return c.ExternalID },
		createdAt: func(c Customer) string { return c.CreatedAt },
		live:      func(Customer) bool { return true },
	}.create(ctx, s)
	if err != nil {
		return nil, err
	}
	if created.Adopted = adopted; adopted {
		created.Customer, created.BillingAccount = *customer, nil
	}
	if with, asked := body.CreateBillingAccount.Get(); adopted && (!asked || with) {
		created.BillingAccount, created.AccountError = s.awaitAccount(ctx, customer.ID)
	}
	return created, nil
}

func customerID(c Customer) string { return c.ID }

func (s *Service) awaitAccount(ctx context.Context, customerID string) (*BillingAccount, error) {
	ctx, cancel := api.Completing(ctx)
	defer cancel()
	return api.Await(ctx, func(ctx context.Context) (*BillingAccount, error) { return s.FirstAccount(ctx, customerID) },
		func(account *BillingAccount) bool { return account != nil })
}

// maxAccountsAsked limits the single reads of FirstAccount if a service ignores the filter and omits the customer from
// every item.
const maxAccountsAsked = 20

// FirstAccount returns the billing account that was created with a customer, or nil. The list is sorted by creation, so
// it is the first account.
func (s *Service) FirstAccount(ctx context.Context, customerID string) (*BillingAccount, error) {
	asked := 0
	for account, err := range s.ListBillingAccounts(ctx, BillingAccountQuery{CustomerID: customerID}) {
		if err != nil {
			return nil, err
		}
		if account.Customer != nil {
			return &account, nil
		}
		// A list may omit the customer. Then the account must be read.
		if asked++; asked > maxAccountsAsked {
			return nil, fmt.Errorf("none of the first %d billing accounts that the service lists belongs to the customer",
				maxAccountsAsked)
		}
		single, err := s.GetBillingAccount(ctx, account.ID)
		if err != nil {
			return nil, err
		}
		if single.Customer != nil && same.ID(customerID, single.Customer.ID) {
			return single, nil
		}
	}
	return nil, nil
}

// GetCustomer reads a customer (wire contract: customers.get). A read that lags behind a write is repeated.
func (s *Service) GetCustomer(ctx context.Context, id string) (*Customer, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*Customer, error) {
		return api.Object[Customer](ctx, s.client, api.Request{Operation: "customers.get",
			Path: map[string]string{"id": id}})
	}, func(c *Customer) string { return c.UpdatedAt })
}

var customerListing = api.Listing{Family: "customers", ByID: true}

// RefreshCustomer is GetCustomer for a refresh; see [api.Refreshed].
func (s *Service) RefreshCustomer(ctx context.Context, id string) (_ *Customer, unchanged bool, _ error) {
	return api.Refreshed(ctx, s.client, &s.writes, customerListing, id, s.GetCustomer, func(c *Customer) string {
		return c.UpdatedAt
	})
}

// UpdateCustomer changes a customer and returns the changed one (wire contract: customers.update). If the response does
// not contain it, the customer is read.
func (s *Service) UpdateCustomer(ctx context.Context, id string, body CustomerBody) (*Customer, error) {
	before := s.client.DateText()
	customer, err := api.Object[Customer](ctx, s.client, api.Request{Operation: "customers.update",
		Path: map[string]string{"id": id}, Body: body})
	if err == nil {
		s.wrote(id, "", customer.UpdatedAt, false)
	}
	return api.ReadBack(ctx, customer, err, func(ctx context.Context) (*Customer, error) {
		s.wrote(id, "", before, false)
		return s.GetCustomer(ctx, id)
	})
}

// DeleteCustomer deletes a customer (wire contract: customers.delete). It succeeds if the customer does not exist.
func (s *Service) DeleteCustomer(ctx context.Context, id string) error {
	s.writes.Forget(id)
	return api.Delete(ctx, s.client, api.Request{Operation: "customers.delete", Path: map[string]string{"id": id}})
}

// ListCustomers lists the matching customers (wire contract: customers.list). Every filter but the free-text search is
// applied again to each item, because a service may ignore it.
func (s *Service) ListCustomers(ctx context.Context, q CustomerQuery) iter.Seq2[Customer, error] {
	return api.Only(s.listed(ctx, q), q.matches)
}

func (s *Service) listed(ctx context.Context, q CustomerQuery) iter.Seq2[Customer, error] {
	query := url.Values{}
	setIf(query, "search", q.Search)
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "document_number", q.DocumentNumber)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	return listPages(ctx, s, api.Request{Operation: "customers.list"}, query, q.ListOptions, customerID)
}

// FindCustomers returns every customer with exactly this external_id, document number (without mask and case), or both,
// over all pages.
func (s *Service) FindCustomers(ctx context.Context, q CustomerQuery) ([]Customer, error) {
	if q.ExternalID == "" && q.DocumentNumber == "" {
		return nil, errors.New("find customers: neither external_id nor document_number is given")
	}
	return api.Collect(s.ListCustomers(ctx, q))
}
