package billing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	subscriptionCanceled = "canceled" // final
	subscriptionPaused   = "paused"
)

// CreateSubscription creates a subscription (wire contract:
// subscriptions.create).
//
// When the answer is lost, a subscription with an external_id is looked up by
// it, and one that is what was asked for is adopted; a canceled one is none, as
// its external_id is free again. Without an external_id, or when the lookup does
// not decide, the error is an *api.AmbiguousError or an *api.ConflictError:
// there is never a silent second subscription.
func (s *Service) CreateSubscription(ctx context.Context, create SubscriptionCreate) (*SubscriptionCreated, error) {
	subscription, adopted, err := creation[Subscription]{
		noun: "subscription", anonymous: fmt.Sprintf("subscription of the billing account %q", create.BillingAccountID), externalID: create.ExternalID,
		create: func(ctx context.Context) (*Subscription, error) {
			return s.changeSubscription(ctx, api.Request{Operation: "subscriptions.create", Body: create})
		},
		find: func(ctx context.Context, externalID string) ([]Subscription, error) {
			return s.FindSubscriptions(ctx, SubscriptionQuery{ExternalID: externalID})
		},
		get: s.GetSubscription, id: subscriptionID, live: Subscription.live, same: create.matches,
	}.settle(ctx)
	if err != nil {
		return nil, err
	}
	return &SubscriptionCreated{Subscription: *subscription, Adopted: adopted}, nil
}

func subscriptionID(s Subscription) string { return s.ID }

func (s Subscription) live() bool { return s.Status != subscriptionCanceled }

// GetSubscription reads a subscription (wire contract: subscriptions.get).
func (s *Service) GetSubscription(ctx context.Context, id string) (*Subscription, error) {
	subscription, err := api.One[Subscription](ctx, s.client, api.Request{
		Operation: "subscriptions.get", Path: map[string]string{"id": id},
	})
	if err != nil {
		return nil, err
	}
	return &subscription, nil
}

// UpdateSubscription changes a subscription and returns it as it is then (wire
// contract: subscriptions.update). A response that does not show it is followed by
// a read.
func (s *Service) UpdateSubscription(ctx context.Context, id string, u SubscriptionUpdate) (*Subscription, error) {
	subscription, err := s.changeSubscription(ctx, api.Request{
		Operation: "subscriptions.update", Path: map[string]string{"id": id}, Body: u,
	})
	return api.ReadBack(ctx, subscription, err, func(ctx context.Context) (*Subscription, error) { return s.GetSubscription(ctx, id) })
}

// changeSubscription carries out an operation that answers the changed
// subscription. Where the answer leaves out what is always present, the single
// object is asked for once.
func (s *Service) changeSubscription(ctx context.Context, r api.Request) (*Subscription, error) {
	answer, err := api.One[answered[Subscription]](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	if answer.has(subscriptionKeys) {
		return &answer.value, nil
	}
	return answer.completed(ctx, func(ctx context.Context) (*Subscription, error) {
		return s.GetSubscription(ctx, answer.value.ID)
	}), nil
}

// DeleteSubscription deletes a draft or a canceled subscription (wire contract:
// subscriptions.delete). One that is not there is deleted.
func (s *Service) DeleteSubscription(ctx context.Context, id string) error {
	return api.Delete(ctx, s.client, api.Request{Operation: "subscriptions.delete", Path: map[string]string{"id": id}})
}

// ListSubscriptions lists the subscriptions that match (wire contract:
// subscriptions.list). Every filter is applied to each item again, because a
// service may ignore it.
func (s *Service) ListSubscriptions(ctx context.Context, q SubscriptionQuery) iter.Seq2[Subscription, error] {
	query := url.Values{}
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "billing_account_id", q.BillingAccountID)
	setIf(query, "status", q.Status)
	setIf(query, "plan_id", q.PlanID)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	all := api.List(ctx, s.client, api.Request{Operation: "subscriptions.list", Query: query}, api.ListOptions[Subscription]{
		ID:     subscriptionID,
		SortBy: q.SortBy, SortOrder: q.SortOrder,
	})
	return api.Only(all, q.matches)
}

// FindSubscriptions returns every subscription with exactly this external_id,
// over all pages: the live ones, or, when there are none, those that are
// canceled.
func (s *Service) FindSubscriptions(ctx context.Context, q SubscriptionQuery) ([]Subscription, error) {
	if q.ExternalID == "" {
		return nil, errors.New("find subscriptions: no external_id is given")
	}
	var found []Subscription
	for subscription, err := range s.ListSubscriptions(ctx, q) {
		if err != nil {
			return nil, err
		}
		found = append(found, subscription)
	}
	return liveFirst(found, Subscription.live), nil
}
