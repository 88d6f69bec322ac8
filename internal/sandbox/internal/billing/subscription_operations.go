package billing

import (
	"net/http"
	"reflect"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// respondSubscription returns a subscription alone.
func (s *Service) respondSubscription(c *server.Call, status int, row SubscriptionRow) server.Reply {
	return c.Single(status, row.Subscription, row.Subscription.UpdatedAt.Time)
}

// getSubscription serves subscriptions.get.
func (s *Service) getSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return s.respondSubscription(c, http.StatusOK, row), nil
}

// listSubscriptions serves subscriptions.list.
func (s *Service) listSubscriptions(c *server.Call, tx *store.Tx) (server.Reply, error) {
	since, err := c.Since()
	if err != nil {
		return server.Reply{}, err
	}
	found := []subscription{}
	for _, row := range s.Subscriptions.All(tx) {
		u := row.Subscription
		if row.Organization != c.Organization {
			continue
		}
		if u.UpdatedAt.Before(since) ||
			!c.Filter("external_id", func(want string) bool { return is(u.ExternalID, want) }) ||
			!c.FilterID("billing_account_id", u.BillingAccountID) ||
			!c.Filter("status", func(want string) bool { return u.Status == want }) ||
			!c.Filter("search", func(text string) bool { return anyHolds(text, u.ExternalID, u.Notes) }) ||
			!c.Filter("plan_id", func(want string) bool { return is(u.PlanID, server.CanonicalID(want)) }) {
			continue
		}
		found = append(found, u)
	}
	return server.List(c, found)
}

// createSubscription serves subscriptions.create.
func (s *Service) createSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	var in subscriptionInput
	sent, err := c.ReadObject(subscriptionCreateShape, []string{"billing_account_id"}, &in)
	if err != nil {
		return server.Reply{}, err
	}
	in.canonical()
	if in.PlanID == nil && len(in.Items) == 0 {
		return server.Reply{}, server.Invalid(server.Problems{"plan_id": "is required without items"})
	}
	if err := s.checkReferences(c, tx, in.PlanID, in.Items); err != nil {
		return server.Reply{}, err
	}
	trialEnd, err := in.trial(c.Now)
	if err != nil {
		return server.Reply{}, err
	}
	if err := s.checkPayer(c, tx, in.BillingAccountID); err != nil {
		return server.Reply{}, err
	}
	if err := claimExternalID(c, tx, s.subscriptionCodes, in.ExternalID, ""); err != nil {
		return server.Reply{}, err
	}
	row := in.apply(c, s.newSubscription(c, in), sent)
	row.Items = s.items(c, nil, in.Items)
	row.begin(c.Now, trialEnd)
	row = s.putSubscription(tx, row)
	s.noteWriter(c, tx, row.Subscription.ID, nil, row.Subscription.CustomMetadata)
	return s.respondSubscription(c, http.StatusCreated, row), nil
}

// checkPayer rejects an account that cannot have a new subscription
// (wire contract: suspended billing account, closed billing account).
func (s *Service) checkPayer(c *server.Call, tx *store.Tx, accountID string) error {
	account, ok := s.Accounts.Get(tx, accountID)
	switch {
	case !ok || account.Organization != c.Organization:
		return server.Invalid(server.Problems{"billing_account_id": "no billing account has it"})
	case account.Account.Status != accountActive:
		return errTransition.With("The billing account is " + account.Account.Status + ".")
	}
	return nil
}

// newSubscription is a subscription with what only a create may say, and the
// defaults of the rest.
func (s *Service) newSubscription(c *server.Call, in subscriptionInput) SubscriptionRow {
	method := chargeAutomatically
	return SubscriptionRow{Organization: c.Organization, Subscription: subscription{
		ID:                s.Source.UUID(),
		PublicID:          s.Source.UUID(),
		BillingAccountID:  in.BillingAccountID,
		CompanyID:         in.CompanyID,
		ProductGroupID:    in.ProductGroupID,
		PlanID:            in.PlanID,
		BillingCycle:      defaultCycle,
		CollectionMethod:  &method,
		ProrationBehavior: defaultProration,
		RenewalSettings:   renewalSettings{Type: "auto_renew"},
		AllowPause:        true,
		AllowCancel:       true,
		CreatedAt:         server.Timestamp{Time: c.Now},
		UpdatedAt:         server.Timestamp{Time: c.Now},
	}}
}

// updateSubscription serves subscriptions.update. A plan_id changes the
// plan immediately; a canceled subscription is final.
func (s *Service) updateSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in subscriptionInput
	sent, err := c.ReadObject(subscriptionUpdateShape, nil, &in)
	if err != nil {
		return server.Reply{}, err
	}
	in.canonical()
	if err := row.final(); err != nil {
		return server.Reply{}, err
	}
	if err := s.checkReferences(c, tx, in.PlanID, nil); err != nil {
		return server.Reply{}, err
	}
	if err := claimExternalID(c, tx, s.subscriptionCodes, in.ExternalID, row.Subscription.ID); err != nil {
		return server.Reply{}, err
	}
	changed := in.apply(c, row, sent)
	if in.CancelAtPeriodEnd != nil {
		changed.schedule(*in.CancelAtPeriodEnd)
	}
	if _, ok := sent["plan_id"]; ok {
		if err := changed.setPlan(in.PlanID); err != nil {
			return server.Reply{}, err
		}
	}
	return s.respondSubscription(c, http.StatusOK, s.changeSubscription(c, tx, row, changed)), nil
}

// changeSubscription stores the changed row and returns it.
func (s *Service) changeSubscription(c *server.Call, tx *store.Tx, row, changed SubscriptionRow) SubscriptionRow {
	if reflect.DeepEqual(changed.derived(s.pricing(tx)), row) {
		return row
	}
	s.noteWriter(c, tx, row.Subscription.ID, row.Subscription.CustomMetadata, changed.Subscription.CustomMetadata)
	s.notePlans(tx, row, []SubscriptionRow{changed}, func(SubscriptionRow) time.Time { return c.Now })
	changed.Subscription.UpdatedAt = row.Subscription.UpdatedAt.Next(c.Now)
	return s.putSubscription(tx, changed)
}

// deleteSubscription serves subscriptions.delete, of a draft or a canceled one
// (wire contract: subscriptions.delete). Its invoices stay.
func (s *Service) deleteSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findSubscription(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	switch row.Subscription.Status {
	case subscriptionDraft, SubscriptionCanceled:
		s.Subscriptions.Delete(tx, row.Subscription.ID)
		return c.Deleted(), nil
	default:
		return server.Reply{}, errTransition.With("The subscription is neither a draft nor canceled.")
	}
}
