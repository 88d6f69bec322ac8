package billing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// accountClosed is the final status of a billing account.
const accountClosed = "closed"

// CreateBillingAccount creates a billing account (wire contract: billing_accounts.create). A lost response is settled
// as [api.Settle] says.
func (s *Service) CreateBillingAccount(ctx context.Context,
	create BillingAccountCreate) (*BillingAccountCreated, error) {
	account, adopted, err := creation[BillingAccount]{
		noun: "billing account", externalID: create.ExternalID, body: create,
		otherwise: fmt.Sprintf("billing account of the customer %q", create.Customer.ID),
		send: func(ctx context.Context) (*BillingAccount, error) {
			return s.changeAccount(ctx, api.Request{Operation: "billing_accounts.create", Body: create})
		},
		find: func(ctx context.Context, externalID string) (whole []BillingAccount, err error) {
			for account, err := range s.ListWholeAccounts(ctx, BillingAccountQuery{ExternalID: externalID}) {
				if err != nil {
					return nil, err
				}
				whole = append(whole, account)
			}
			return whole, nil
		},
		newest: func(ctx context.Context) iter.Seq2[BillingAccount, error] {
			return s.ListWholeAccounts(ctx, BillingAccountQuery{CustomerID: create.Customer.ID,
				Listing: Listing{SortOrder: newestFirst}})
		},
		like: func(a BillingAccount) bool { return text(a.ExternalID) == "" },
		id:   accountID, live: BillingAccount.live, createdAt: func(a BillingAccount) string { return a.CreatedAt },
	}.settle(ctx, s)
	if err != nil {
		return nil, err
	}
	return &BillingAccountCreated{BillingAccount: *account, Adopted: adopted}, nil
}

func accountID(a BillingAccount) string { return a.ID }

func (a BillingAccount) live() bool { return a.Status != accountClosed }

// GetBillingAccount reads a billing account (wire contract: billing_accounts.get). A
// read that lags behind a write is repeated.
func (s *Service) GetBillingAccount(ctx context.Context, id string) (*BillingAccount, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*BillingAccount, error) {
		return s.oneAccount(ctx, id)
	}, func(a *BillingAccount) string { return a.UpdatedAt })
}

// accountListing is how billing accounts are listed (wire contract: billing_accounts.list).
var accountListing = api.Listing{Family: "billing_accounts", ByID: true, Loaded: "customer"}

// RefreshBillingAccount is GetBillingAccount for a refresh, which may come from a list; see [api.Refreshed].
func (s *Service) RefreshBillingAccount(ctx context.Context, id string) (*BillingAccount, error) {
	return api.Refreshed(ctx, s.client, &s.writes, accountListing, id, s.GetBillingAccount,
		func(a *BillingAccount) string { return a.UpdatedAt })
}

func (s *Service) oneAccount(ctx context.Context, id string) (*BillingAccount, error) {
	account, err := api.One[BillingAccount](ctx, s.client, api.Request{
		Operation: "billing_accounts.get", Path: map[string]string{"id": id},
	})
	if err != nil {
		return nil, err
	}
	return &account, nil
}

// UpdateBillingAccount changes a billing account and returns it as it is then
// (wire contract: billing_accounts.update). A response that does not show it is
// followed by a read.
func (s *Service) UpdateBillingAccount(ctx context.Context, id string,
	u BillingAccountUpdate) (*BillingAccount, error) {
	before := s.client.DateText()
	account, err := s.changeAccount(ctx, api.Request{
		Operation: "billing_accounts.update", Path: map[string]string{"id": id}, Body: u,
	})
	return api.ReadBack(ctx, account, err, func(ctx context.Context) (*BillingAccount, error) {
		s.wrote(id, "", before, false)
		return s.GetBillingAccount(ctx, id)
	})
}

// accountKeys are the fields that a complete billing account has and a partial one lacks.
var accountKeys = []string{
	"external_id", "currency", "billing_email", "payment_terms_days", "auto_collection", "balance_cents",
	"status", "suspended_at", "suspension_reason", "tax_exempt", "custom_metadata", "created_at", "updated_at",
}

// changeAccount carries out an operation that returns the changed account. Where
// the response leaves out the customer or what a whole account has, the single
// object is asked for once; when that fails the account has no Customer.
func (s *Service) changeAccount(ctx context.Context, r api.Request) (*BillingAccount, error) {
	response, err := api.One[written[BillingAccount]](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	s.wrote(response.value.ID, response.value.CreatedAt, response.value.UpdatedAt,
		r.Operation == "billing_accounts.create")
	if response.value.Customer != nil && response.has(accountKeys) {
		return &response.value, nil
	}
	if response.value.Customer == nil {
		delete(response.keys, "customer") // null and absent are the same here
	}
	return response.completed(ctx, func(ctx context.Context) (*BillingAccount, error) {
		return s.GetBillingAccount(ctx, response.value.ID)
	}), nil
}

// DeleteBillingAccount deletes a billing account (wire contract:
// billing_accounts.delete). One that is not there is deleted.
func (s *Service) DeleteBillingAccount(ctx context.Context, id string) error {
	s.writes.Forget(id)
	return api.Delete(ctx, s.client, api.Request{Operation: "billing_accounts.delete", Path: map[string]string{"id": id}})
}

// ListBillingAccounts lists the billing accounts that match (wire contract:
// billing_accounts.list). Every filter but the free-text search is applied to each
// item again, because a service may ignore it; that of the customer only where the
// item carries one, as a list may leave it out.
func (s *Service) ListBillingAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	return api.Only(s.listedAccounts(ctx, q), q.matches)
}

// listedAccounts is what the service lists, whether or not it filters.
func (s *Service) listedAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	query := url.Values{}
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "customer_id", q.CustomerID)
	setIf(query, "status", q.Status)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	return listing(ctx, s, api.Request{Operation: "billing_accounts.list"}, query, q.Listing, accountID)
}

// ListWholeAccounts lists accounts with their customers. A service may leave these
// out of a list: then each account is read by its id, and the filter of the customer,
// which the list could not be held to, is applied to it (wire contract: customer
// inside a billing account).
func (s *Service) ListWholeAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	return func(yield func(BillingAccount, error) bool) {
		for account, err := range s.ListBillingAccounts(ctx, q) {
			if err == nil && account.Customer == nil {
				whole, getErr := s.GetBillingAccount(ctx, account.ID)
				switch {
				case api.IsNotFound(getErr):
					continue // deleted since it was listed
				case getErr != nil:
					err = getErr
				case q.CustomerID != "" && whole.Customer != nil && whole.Customer.ID != q.CustomerID:
					continue
				default:
					account = *whole
				}
			}
			if !yield(account, err) || err != nil {
				return
			}
		}
	}
}

// FindBillingAccounts returns every billing account with exactly this
// external_id, over all pages: the live ones, or, when there are none, those
// that are closed.
func (s *Service) FindBillingAccounts(ctx context.Context, q BillingAccountQuery) ([]BillingAccount, error) {
	if q.ExternalID == "" {
		return nil, errors.New("find billing accounts: no external_id is given")
	}
	var found []BillingAccount
	for account, err := range s.ListBillingAccounts(ctx, q) {
		if err != nil {
			return nil, err
		}
		found = append(found, account)
	}
	return liveFirst(found, BillingAccount.live), nil
}
