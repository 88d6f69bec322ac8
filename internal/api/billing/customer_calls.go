package billing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// CreateCustomer creates a customer (wire contract: customers.create).
//
// When the answer is lost, a customer with an external_id is looked up by it:
// one that is what was asked for is adopted, with the billing account that was
// made with it if that can be found. Without an external_id, or when the lookup
// does not decide, the error is an *api.AmbiguousError or an *api.ConflictError.
func (s *Service) CreateCustomer(ctx context.Context, create CustomerCreate) (*CustomerCreated, error) {
	settlement := api.Settlement[CustomerCreated]{
		Create:   func(ctx context.Context) (CustomerCreated, error) { return s.createOnce(ctx, create) },
		Same:     func(found CustomerCreated) bool { return create.matches(found.Customer) },
		ID:       func(found CustomerCreated) string { return found.Customer.ID },
		Describe: fmt.Sprintf("customer named %q", create.Name),
	}
	if create.ExternalID != nil && *create.ExternalID != "" {
		settlement.Describe = fmt.Sprintf("customer with external_id %q", *create.ExternalID)
		settlement.RefusesDuplicates = true
		settlement.Lookup = func(ctx context.Context) ([]CustomerCreated, error) {
			return s.createdBefore(ctx, *create.ExternalID)
		}
	}
	created, adopted, err := api.Settle(ctx, settlement)
	if err != nil {
		return nil, err
	}
	created.Adopted = adopted
	if adopted && (create.CreateBillingAccount == nil || *create.CreateBillingAccount) {
		created.BillingAccount = s.firstAccount(ctx, created.Customer.ID)
	}
	return &created, nil
}

func (s *Service) createOnce(ctx context.Context, create CustomerCreate) (CustomerCreated, error) {
	return api.One[CustomerCreated](ctx, s.client, api.Request{Operation: "customers.create", Body: create})
}

func (s *Service) createdBefore(ctx context.Context, externalID string) ([]CustomerCreated, error) {
	customers, err := s.FindCustomers(ctx, CustomerQuery{ExternalID: externalID})
	found := make([]CustomerCreated, len(customers))
	for i, customer := range customers {
		found[i].Customer = customer
	}
	return found, err
}

// maxAccountsAsked bounds the single reads of firstAccount, should a service
// ignore the filter and leave the customer out of every item.
const maxAccountsAsked = 20

// firstAccount finds the billing account made with a customer. Its list is
// sorted by creation, so that is the first. It is nil when there is none or it
// cannot be found out: the customer is there, and that must not be lost.
func (s *Service) firstAccount(ctx context.Context, customerID string) *BillingAccount {
	asked := 0
	for account, err := range s.ListBillingAccounts(ctx, BillingAccountQuery{CustomerID: customerID}) {
		if err != nil {
			return nil
		}
		if account.Customer != nil {
			return &account
		}
		// A list may leave the customer out. Then only the account itself
		// tells whose it is.
		if asked++; asked > maxAccountsAsked {
			return nil
		}
		single, err := s.GetBillingAccount(ctx, account.ID)
		if err != nil {
			return nil
		}
		if single.Customer != nil && same.ID(customerID, single.Customer.ID) {
			return single
		}
	}
	return nil
}

// GetCustomer reads a customer (wire contract: customers.get).
func (s *Service) GetCustomer(ctx context.Context, id string) (*Customer, error) {
	return s.oneCustomer(ctx, api.Request{Operation: "customers.get", Path: map[string]string{"id": id}})
}

// UpdateCustomer changes a customer and returns it as it is then (wire
// contract: customers.update). A response that does not show it is followed by a
// read.
func (s *Service) UpdateCustomer(ctx context.Context, id string, u CustomerUpdate) (*Customer, error) {
	customer, err := s.oneCustomer(ctx, api.Request{Operation: "customers.update", Path: map[string]string{"id": id}, Body: u})
	return api.ReadBack(ctx, customer, err, func(ctx context.Context) (*Customer, error) { return s.GetCustomer(ctx, id) })
}

func (s *Service) oneCustomer(ctx context.Context, r api.Request) (*Customer, error) {
	customer, err := api.One[Customer](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	return &customer, nil
}

// DeleteCustomer deletes a customer (wire contract: customers.delete). One that
// is not there is deleted.
func (s *Service) DeleteCustomer(ctx context.Context, id string) error {
	return api.Delete(ctx, s.client, api.Request{Operation: "customers.delete", Path: map[string]string{"id": id}})
}

// ListCustomers lists the customers that match (wire contract: customers.list).
// Every filter but the free-text search is applied to each item again, because
// a service may ignore it.
func (s *Service) ListCustomers(ctx context.Context, q CustomerQuery) iter.Seq2[Customer, error] {
	query := url.Values{}
	setIf(query, "search", q.Search)
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "document_number", q.DocumentNumber)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	all := api.List(ctx, s.client, api.Request{Operation: "customers.list", Query: query}, api.ListOptions[Customer]{
		ID:     func(c Customer) string { return c.ID },
		SortBy: q.SortBy, SortOrder: q.SortOrder,
	})
	return api.Only(all, q.matches)
}

// FindCustomers returns every customer with exactly this external_id, document
// number (without mask and case), or both, over all pages.
func (s *Service) FindCustomers(ctx context.Context, q CustomerQuery) ([]Customer, error) {
	if q.ExternalID == "" && q.DocumentNumber == "" {
		return nil, errors.New("find customers: neither external_id nor document_number is given")
	}
	var found []Customer
	for customer, err := range s.ListCustomers(ctx, q) {
		if err != nil {
			return nil, err
		}
		found = append(found, customer)
	}
	return found, nil
}
