package billing

import (
	"context"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// GetBillingAccount reads a billing account (wire contract:
// billing_accounts.get).
func (s *Service) GetBillingAccount(ctx context.Context, id string) (*BillingAccount, error) {
	account, err := api.One[BillingAccount](ctx, s.client, api.Request{
		Operation: "billing_accounts.get", Path: map[string]string{"id": id},
	})
	if err != nil {
		return nil, err
	}
	return &account, nil
}

// ListBillingAccounts lists the billing accounts that match (wire contract:
// billing_accounts.list), in the order of their creation. Every filter is
// applied to each item again, because a service may ignore it; that of the
// customer only where the item carries one, as a list may leave it out.
func (s *Service) ListBillingAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	query := url.Values{}
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "customer_id", q.CustomerID)
	setIf(query, "status", q.Status)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	all := api.List(ctx, s.client, api.Request{Operation: "billing_accounts.list", Query: query}, api.ListOptions[BillingAccount]{
		ID: func(a BillingAccount) string { return a.ID },
	})
	return only(all, q.matches)
}
