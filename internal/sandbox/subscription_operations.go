package sandbox

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// answerSubscription answers a subscription alone.
func (c *call) answerSubscription(status int, row subscriptionRow) reply {
	return c.single(status, row.Subscription, row.Subscription.UpdatedAt.Time)
}

// getSubscription serves subscriptions.get.
func getSubscription(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	return c.answerSubscription(http.StatusOK, row), nil
}

// listSubscriptions serves subscriptions.list.
func listSubscriptions(c *call, tx *store.Tx) (reply, error) {
	since, err := c.since()
	if err != nil {
		return reply{}, err
	}
	found := []subscription{}
	for id, row := range c.server.subscriptions.All(tx) {
		s := row.Subscription
		if row.Organization != c.organization || !c.server.lag.shows(id) {
			continue
		}
		if s.UpdatedAt.Before(since) ||
			!c.filter("external_id", func(want string) bool { return is(s.ExternalID, want) }) ||
			!c.filter("billing_account_id", func(want string) bool { return s.BillingAccountID == canonicalID(want) }) ||
			!c.filter("status", func(want string) bool { return s.Status == want }) ||
			!c.filter("plan_id", func(want string) bool { return is(s.PlanID, canonicalID(want)) }) {
			continue
		}
		found = append(found, s)
	}
	return list(c, found)
}

// createSubscription serves subscriptions.create.
func createSubscription(c *call, tx *store.Tx) (reply, error) {
	var in subscriptionInput
	sent, err := c.readObject(subscriptionCreateShape, []string{"billing_account_id"}, &in)
	if err != nil {
		return reply{}, err
	}
	in.canonical()
	if in.PlanID == nil && len(in.Items) == 0 {
		return reply{}, invalid(problems{"plan_id": "is required without items"})
	}
	trialEnd, err := in.trial(c.now)
	if err != nil {
		return reply{}, err
	}
	if err := c.checkPayer(tx, in.BillingAccountID); err != nil {
		return reply{}, err
	}
	if err := claimExternalID(c, tx, c.server.subscriptionCodes, in.ExternalID, ""); err != nil {
		return reply{}, err
	}
	row := in.apply(c, c.newSubscription(in), sent)
	row.Items = c.items(nil, in.Items)
	row.begin(c.now, trialEnd)
	row = c.server.putSubscription(tx, row)
	c.server.lag.hide(row.Subscription.ID)
	return c.answerSubscription(http.StatusCreated, row), nil
}

// checkPayer refuses an account that cannot have a new subscription
// (wire contract: suspended billing account, closed billing account).
func (c *call) checkPayer(tx *store.Tx, accountID string) error {
	account, ok := c.server.accounts.Get(tx, accountID)
	switch {
	case !ok || account.Organization != c.organization:
		return invalid(problems{"billing_account_id": "no billing account has it"})
	case account.Account.Status != accountActive:
		return errTransition.with("The billing account is " + account.Account.Status + ".")
	}
	return nil
}

// newSubscription is a subscription with what only a create may say, and the
// defaults of the rest.
func (c *call) newSubscription(in subscriptionInput) subscriptionRow {
	method := chargeAutomatically
	return subscriptionRow{Organization: c.organization, Subscription: subscription{
		ID:                c.server.source.uuid(),
		PublicID:          c.server.source.uuid(),
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
		CreatedAt:         instant{c.now},
		UpdatedAt:         instant{c.now},
	}}
}

// updateSubscription serves subscriptions.update. A plan_id is a change of
// plan at once; a canceled subscription is final.
func updateSubscription(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	var in subscriptionInput
	sent, err := c.readObject(subscriptionUpdateShape, nil, &in)
	if err != nil {
		return reply{}, err
	}
	in.canonical()
	if err := row.final(); err != nil {
		return reply{}, err
	}
	if err := claimExternalID(c, tx, c.server.subscriptionCodes, in.ExternalID, row.Subscription.ID); err != nil {
		return reply{}, err
	}
	changed := in.apply(c, row, sent)
	if in.CancelAtPeriodEnd != nil {
		changed.schedule(*in.CancelAtPeriodEnd)
	}
	if _, ok := sent["plan_id"]; ok {
		if err := changed.setPlan(in.PlanID); err != nil {
			return reply{}, err
		}
	}
	return c.answerSubscription(http.StatusOK, c.changeSubscription(tx, row, changed)), nil
}

// changeSubscription makes the changed row stand and answers it.
func (c *call) changeSubscription(tx *store.Tx, row, changed subscriptionRow) subscriptionRow {
	if reflect.DeepEqual(changed.derived(), row) {
		return row
	}
	changed.Subscription.UpdatedAt = row.Subscription.UpdatedAt.after(c.now)
	return c.server.putSubscription(tx, changed)
}

// deleteSubscription serves subscriptions.delete, of a draft or a canceled one
// (wire contract: subscriptions.delete). Its invoices stay.
func deleteSubscription(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findSubscription(tx)
	if err != nil {
		return reply{}, err
	}
	switch row.Subscription.Status {
	case subscriptionDraft, subscriptionCanceled:
		c.server.subscriptions.Delete(tx, row.Subscription.ID)
		return c.deleted(), nil
	default:
		return reply{}, errTransition.with("The subscription is neither a draft nor canceled.")
	}
}
