package billing

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// SetPastDue makes an active subscription past_due, as a failed payment does,
// or with on false a past_due one active again, as when it is paid. It fails
// when there is no such subscription or it is in another state.
func (s *Service) SetPastDue(id string, on bool) error {
	return s.manipulate(id, func(row *SubscriptionRow) error { return row.setPastDue(on) })
}

// SetStatus puts a subscription into any status, documented or not, without a transition of
// the state machine: draft, confirmed and suspended are reached only so, and a client must
// show a status it does not know. Nothing else changes with it. It fails when there is no
// such subscription.
func (s *Service) SetStatus(id, status string) error {
	return s.manipulate(id, func(row *SubscriptionRow) error {
		row.Subscription.Status = status
		return nil
	})
}

// manipulate changes a subscription of any organization, without an operation.
func (s *Service) manipulate(id string, change func(row *SubscriptionRow) error) error {
	now := s.Clock.Now()
	if err := s.Settle(now); err != nil {
		return err
	}
	return s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Subscriptions.Get(tx, id)
		if !ok {
			return server.ErrNotFound.With("There is no subscription with this id.")
		}
		if err := change(&row); err != nil {
			return err
		}
		row.Subscription.UpdatedAt = row.Subscription.UpdatedAt.Next(now)
		s.putSubscription(tx, row)
		return nil
	})
}
