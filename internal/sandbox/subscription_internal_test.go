package sandbox

import (
	"errors"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The rule stands before any operation fills the table of subscriptions
// (wire contract: deleting a customer).
func TestDeleteIsRefusedWhileSubscriptionsLive(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := &call{server: s, organization: s.bootstrap.Organization, now: s.clock.Now(), body: []byte(`{"name":"Ana"}`)}
	var account billingAccount
	remove := func(status string) error {
		return s.db.Update(func(tx *store.Tx) error {
			s.subscriptions.Put(tx, "sub", subscriptionRow{BillingAccountID: account.ID, Status: status})
			_, err := deleteCustomer(c, tx)
			return err
		})
	}
	if err := s.db.Update(func(tx *store.Tx) error {
		if _, err := createCustomer(c, tx); err != nil {
			return err
		}
		for _, row := range s.accounts.All(tx) {
			account = row.Account
			c.path = map[string]string{"id": row.CustomerID}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := remove("paused"); !errors.Is(err, errActiveSubscriptions) {
		t.Errorf("with a paused subscription: %v", err)
	}
	if err := remove(subscriptionCanceled); err != nil {
		t.Errorf("with a canceled subscription: %v", err)
	}
}
