// Package accounts lists billing accounts for the objects that need to know whose they are.
package accounts

import (
	"context"
	"iter"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// Whole lists accounts with their customers. A service may leave these out of a list; the single object is asked for then, and the filter
// of the customer, which the list could not be held to, is applied to it (wire contract: customer inside a billing account).
func Whole(ctx context.Context, client *billing.Service, query billing.BillingAccountQuery) iter.Seq2[billing.BillingAccount, error] {
	return func(yield func(billing.BillingAccount, error) bool) {
		for account, err := range client.ListBillingAccounts(ctx, query) {
			if err == nil && account.Customer == nil {
				single, getErr := client.GetBillingAccount(ctx, account.ID)
				switch {
				case api.IsNotFound(getErr):
					continue // deleted since it was listed
				case getErr != nil:
					err = getErr
				case query.CustomerID != "" && single.Customer != nil && single.Customer.ID != query.CustomerID:
					continue
				default:
					account = *single
				}
			}
			if !yield(account, err) || err != nil {
				return
			}
		}
	}
}
