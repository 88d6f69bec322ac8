package sandbox

import "github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"

// subscriptionRow is what the rules on customers read of a subscription.
type subscriptionRow struct {
	Organization     string `json:"organization"`
	BillingAccountID string `json:"billing_account_id"`
	Status           string `json:"status"`
}

const subscriptionCanceled = "canceled"

// hasLiveSubscription tells whether one of the customer's billing accounts has
// a subscription that is not canceled.
func (c *call) hasLiveSubscription(tx *store.Tx, customerID string) bool {
	for accountID := range c.server.accountsOf.All(tx, customerID) {
		for _, subscription := range c.server.subscriptionsOf.All(tx, accountID) {
			if subscription.Status != subscriptionCanceled {
				return true
			}
		}
	}
	return false
}
