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

// CreateCustomer creates a customer (wire contract: customers.create). A lost response is settled as [api.Settle] says;
// an adopted customer comes with the billing account that was created with it, if that can be found.
func (s *Service) CreateCustomer(ctx context.Context, create CustomerCreate) (*CustomerCreated, error) {
	created := &CustomerCreated{}
	customer, adopted, err := creation[Customer]{
		noun: "customer", externalID: create.ExternalID, body: create,
		otherwise: fmt.Sprintf("customer named %q", create.Name),
		send: func(ctx context.Context) (*Customer, error) {
			response, err := api.One[CustomerCreated](ctx, s.client, api.Request{Operation: "customers.create", Body: create})
			if err == nil {
				s.wrote(response.Customer.ID, response.Customer.CreatedAt, response.Customer.UpdatedAt, true)
			}
			*created = response
			return &created.Customer, err
		},
		find: func(ctx context.Context, externalID string) ([]Customer, error) {
			return s.FindCustomers(ctx, CustomerQuery{ExternalID: externalID})
		},
		newest: func(ctx context.Context) iter.Seq2[Customer, error] {
			return s.listed(ctx, CustomerQuery{DocumentNumber: text(create.DocumentNumber),
				Listing: Listing{SortOrder: newestFirst}})
		},
		like: func(c Customer) bool {
			return text(c.ExternalID) == "" && c.Name == create.Name &&
				same.Document(text(create.DocumentNumber), text(c.DocumentNumber))
		},
		id: customerID, createdAt: func(c Customer) string { return c.CreatedAt },
		live: func(Customer) bool { return true },
	}.settle(ctx, s)
	if err != nil {
		return nil, err
	}
	if created.Adopted = adopted; adopted {
		created.Customer, created.BillingAccount = *customer, nil
	}
	if adopted && (create.CreateBillingAccount == nil || *create.CreateBillingAccount) {
		created.BillingAccount, created.AccountError = s.awaitAccount(ctx, customer.ID)
	}
	return created, nil
}

func customerID(c Customer) string { return c.ID }

// awaitAccount finds the billing account of a customer that was just created.
func (s *Service) awaitAccount(ctx context.Context, customerID string) (*BillingAccount, error) {
	return api.Await(ctx, func(ctx context.Context) (*BillingAccount, error) { return s.FirstAccount(ctx, customerID) },
		func(account *BillingAccount) bool { return account != nil })
}

// maxAccountsAsked bounds the single reads of FirstAccount, should a service
// ignore the filter and leave the customer out of every item.
const maxAccountsAsked = 20

// FirstAccount finds the billing account that was opened together with a customer. The
// list is sorted by creation, so that is the first. It is nil when there is none.
func (s *Service) FirstAccount(ctx context.Context, customerID string) (*BillingAccount, error) {
	asked := 0
	for account, err := range s.ListBillingAccounts(ctx, BillingAccountQuery{CustomerID: customerID}) {
		if err != nil {
			return nil, err
		}
		if account.Customer != nil {
			return &account, nil
		}
		// A list may leave the customer out. Then only the account itself
		// shows its customer.
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

// GetCustomer reads a customer (wire contract: customers.get). A read that lags behind
// a write is repeated.
func (s *Service) GetCustomer(ctx context.Context, id string) (*Customer, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*Customer, error) {
		return s.oneCustomer(ctx, api.Request{Operation: "customers.get", Path: map[string]string{"id": id}})
	}, func(c *Customer) string { return c.UpdatedAt })
}

// customerListing is how customers are listed (wire contract: customers.list).
var customerListing = api.Listing{Family: "customers", ByID: true}

// RefreshCustomer is GetCustomer for a refresh, which may come from a list; see [api.Refreshed].
func (s *Service) RefreshCustomer(ctx context.Context, id string) (*Customer, error) {
	return api.Refreshed(ctx, s.client, &s.writes, customerListing, id, s.GetCustomer, func(c *Customer) string {
		return c.UpdatedAt
	})
}

// UpdateCustomer changes a customer and returns it as it is then (wire
// contract: customers.update). A response that does not show it is followed by a
// read.
func (s *Service) UpdateCustomer(ctx context.Context, id string, u CustomerUpdate) (*Customer, error) {
	before := s.client.DateText()
	customer, err := s.oneCustomer(ctx, api.Request{Operation: "customers.update", Path: map[string]string{"id": id},
		Body: u})
	if err == nil {
		s.wrote(id, "", customer.UpdatedAt, false)
	}
	return api.ReadBack(ctx, customer, err, func(ctx context.Context) (*Customer, error) {
		s.wrote(id, "", before, false)
		return s.GetCustomer(ctx, id)
	})
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
	s.writes.Forget(id)
	return api.Delete(ctx, s.client, api.Request{Operation: "customers.delete", Path: map[string]string{"id": id}})
}

// ListCustomers lists the customers that match (wire contract: customers.list).
// Every filter but the free-text search is applied to each item again, because
// a service may ignore it.
func (s *Service) ListCustomers(ctx context.Context, q CustomerQuery) iter.Seq2[Customer, error] {
	return api.Only(s.listed(ctx, q), q.matches)
}

// listed is what the service lists, whether or not it filters.
func (s *Service) listed(ctx context.Context, q CustomerQuery) iter.Seq2[Customer, error] {
	query := url.Values{}
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "document_number", q.DocumentNumber)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	return listing(ctx, s, api.Request{Operation: "customers.list"}, query, q.Listing, customerID)
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
