package billing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

const (
	subscriptionCanceled = "canceled" // final
	subscriptionPaused   = "paused"
)

// CreateSubscription creates a subscription (wire contract: subscriptions.create). A lost response is handled by
// [api.Create].
func (s *Service) CreateSubscription(ctx context.Context, body SubscriptionBody) (*SubscriptionCreated, error) {
	code, _ := body.ExternalID.Get()
	account, _ := body.BillingAccountID.Get()
	items, _ := body.Items.Get()
	subscription, adopted, err := creationOf[Subscription]{
		noun: "subscription", externalID: code, body: body,
		otherwise: fmt.Sprintf("subscription of the billing account %q", account),
		send: func(ctx context.Context) (*Subscription, error) {
			return s.changeSubscription(ctx, api.Request{Operation: "subscriptions.create", Body: body})
		},
		find: func(ctx context.Context, externalID string) (whole []Subscription, err error) {
			for found, err := range s.ListSubscriptions(ctx, SubscriptionQuery{ExternalID: externalID,
				ListOptions: ListOptions{Worded: true}}) {
				if err != nil {
					return nil, err
				}
				subscription, err := s.GetSubscription(ctx, found.ID) // a list may omit fields
				if err != nil {
					return nil, err
				}
				whole = append(whole, *subscription)
			}
			return whole, nil
		},
		newest: func(ctx context.Context) iter.Seq2[Subscription, error] {
			return s.listedSubscriptions(ctx, SubscriptionQuery{BillingAccountID: account,
				ListOptions: ListOptions{SortOrder: newestFirst}})
		},
		like: func(s Subscription) bool {
			return api.OrEmpty(s.ExternalID) == "" && same.ID(account, s.BillingAccountID)
		},
		id: subscriptionID, code: func(s Subscription) *string { return s.ExternalID }, live: Subscription.live,
		createdAt: func(s Subscription) string { return s.CreatedAt },
		equal: func(ctx context.Context, found Subscription) (bool, error) {
			return s.hasItems(ctx, found.ID, items)
		},
	}.create(ctx, s)
	if err != nil {
		return nil, err
	}
	return &SubscriptionCreated{Subscription: *subscription, Adopted: adopted}, nil
}

// hasItems reports whether a subscription has the wanted items; true if none are wanted, or if the service does not
// list items.
func (s *Service) hasItems(ctx context.Context, id string, wanted []SubscriptionItemInput) (bool, error) {
	if len(wanted) == 0 {
		return true, nil
	}
	items, listed, err := s.SubscriptionItems(ctx, id)
	if err != nil || !listed {
		return err == nil, err
	}
	for _, want := range wanted {
		i := slices.IndexFunc(items, want.matches)
		if i < 0 {
			return false, nil
		}
		items = slices.Delete(items, i, i+1)
	}
	return len(items) == 0, nil
}

func subscriptionID(s Subscription) string { return s.ID }

func (s Subscription) live() bool { return s.Status != subscriptionCanceled }

// GetSubscription reads a subscription (wire contract: subscriptions.get). A read that
// lags behind a write is repeated.
func (s *Service) GetSubscription(ctx context.Context, id string) (*Subscription, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*Subscription, error) {
		return api.Object[Subscription](ctx, s.client, api.Request{Operation: "subscriptions.get",
			Path: map[string]string{"id": id}})
	}, func(s *Subscription) string { return s.UpdatedAt })
}

var subscriptionListing = api.Listing{Family: "subscriptions", ByID: true}

// RefreshSubscription is GetSubscription for a refresh; see [api.Refreshed].
func (s *Service) RefreshSubscription(ctx context.Context, id string) (_ *Subscription, unchanged bool, _ error) {
	return api.Refreshed(ctx, s.client, &s.writes, subscriptionListing, id, s.GetSubscription,
		func(s *Subscription) string { return s.UpdatedAt })
}

// UpdateSubscription changes a subscription and returns the changed one (wire contract: subscriptions.update). If the
// response does not contain it, the subscription is read.
func (s *Service) UpdateSubscription(ctx context.Context, id string, body SubscriptionBody) (*Subscription, error) {
	before := s.client.DateText()
	subscription, err := s.changeSubscription(ctx, api.Request{
		Operation: "subscriptions.update", Path: map[string]string{"id": id}, Body: body,
	})
	return api.ReadBack(ctx, subscription, err, func(ctx context.Context) (*Subscription, error) {
		s.wrote(id, "", before, false)
		return s.GetSubscription(ctx, id)
	})
}

// changeSubscription carries out an operation that returns the changed subscription. If the response omits a required
// field, the subscription is read once.
func (s *Service) changeSubscription(ctx context.Context, r api.Request) (*Subscription, error) {
	response, err := api.One[written[Subscription]](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	s.wrote(response.value.ID, response.value.CreatedAt, response.value.UpdatedAt, r.Operation == "subscriptions.create")
	if response.has(subscriptionKeys) {
		return &response.value, nil
	}
	return response.completed(ctx, func(ctx context.Context) (*Subscription, error) {
		return s.GetSubscription(ctx, response.value.ID)
	}), nil
}

// DeleteSubscription deletes a draft or a canceled subscription (wire contract: subscriptions.delete). It succeeds if
// the subscription does not exist.
func (s *Service) DeleteSubscription(ctx context.Context, id string) error {
	s.writes.Forget(id)
	return api.Delete(ctx, s.client, api.Request{Operation: "subscriptions.delete", Path: map[string]string{"id": id}})
}

// ListSubscriptions lists the matching subscriptions (wire contract: subscriptions.list). Every filter is
// applied again to each item, because a service may ignore it.
func (s *Service) ListSubscriptions(ctx context.Context, q SubscriptionQuery) iter.Seq2[Subscription, error] {
	return api.Only(s.listedSubscriptions(ctx, q), q.matches)
}

// listedSubscriptions returns the service's list, filtered or not.
func (s *Service) listedSubscriptions(ctx context.Context, q SubscriptionQuery) iter.Seq2[Subscription, error] {
	query := url.Values{}
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "billing_account_id", q.BillingAccountID)
	setIf(query, "status", q.Status)
	setIf(query, "plan_id", q.PlanID)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	return listPages(ctx, s, api.Request{Operation: "subscriptions.list"}, query, q.ListOptions, subscriptionID)
}

// FindSubscriptions returns every subscription with exactly this external_id, over all pages: the live ones, or, if
// there are none, the canceled ones.
func (s *Service) FindSubscriptions(ctx context.Context, q SubscriptionQuery) ([]Subscription, error) {
	if q.ExternalID == "" {
		return nil, errors.New("find subscriptions: no external_id is given")
	}
	found, err := api.Collect(s.ListSubscriptions(ctx, q))
	return liveFirst(found, Subscription.live), err
}

// SubscriptionItems reads the items of a subscription (wire contract: subscriptions.items.list). listed is false,
// without an error, if the service does not list items (404 or 405).
//
// A 404 does not show whether the operation or the subscription is missing. So callers first read the subscription
// itself: only a 404 to that proves that it is gone.
func (s *Service) SubscriptionItems(ctx context.Context, id string) (items []SubscriptionItem, listed bool, err error) {
	request := api.Request{Operation: "subscriptions.items.list", Path: map[string]string{"id": id}}
	items = []SubscriptionItem{}
	for item, err := range api.List(ctx, s.client, request, api.ListOptions[SubscriptionItem]{
		ID:     func(i SubscriptionItem) string { return i.ID },
		SortBy: "id", // items have no created_at
		Whole:  true,
	}) {
		if len(items) == 0 && isNoOperation(err) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		items = append(items, item)
	}
	return items, true, nil
}

// RefreshSubscriptionItems is SubscriptionItems for a refresh. Items have no version, so shortly after a write of the
// subscription, it repeats a read of other items than those that are known.
func (s *Service) RefreshSubscriptionItems(ctx context.Context, id string, known func([]SubscriptionItem) bool) (
	items []SubscriptionItem, listed bool, err error) {
	var sent time.Time
	items, err = api.Again(ctx, func(ctx context.Context) (items []SubscriptionItem, err error) {
		sent = time.Now()
		items, listed, err = s.SubscriptionItems(ctx, id)
		return items, err
	}, func(items []SubscriptionItem, err error) bool {
		return err == nil && listed && !known(items) && s.writes.MayLag(s.client, id, sent)
	})
	return items, listed, err
}

func isNoOperation(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Missing() || e.Status == http.StatusMethodNotAllowed)
}

// SyncSubscriptionItems makes these the items of a subscription, all of them
// (wire contract: subscriptions.items.sync). The items are nil when the response
// does not show them; one that is not the service's own is followed by a read.
// Reads of the subscription that are older than this are repeated.
func (s *Service) SyncSubscriptionItems(ctx context.Context, id string,
	items []SubscriptionItemInput) ([]SubscriptionItem, error) {
	body := struct {
		Items []SubscriptionItemInput `json:"items"`
	}{Items: items}
	if body.Items == nil {
		body.Items = []SubscriptionItemInput{} // null is not the empty set
	}
	before := s.client.DateText()
	now, err := api.Many[SubscriptionItem](ctx, s.client, api.Request{
		Operation: "subscriptions.items.sync", Path: map[string]string{"id": id}, Body: body,
	})
	if err == nil {
		s.wrote(id, "", before, false)
	}
	return api.ReadBack(ctx, now, err, func(ctx context.Context) ([]SubscriptionItem, error) {
		items, _, err := s.SubscriptionItems(ctx, id)
		return items, err
	})
}
