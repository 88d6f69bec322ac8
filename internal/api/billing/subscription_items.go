package billing

import (
	"context"
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// SubscriptionItems reads the items of a subscription (wire contract:
// subscriptions.items.list). listed is false when the service returns 404 or
// 405: it does not list items then, which is not an error.
//
// A 404 looks the same whether the operation or the subscription is missing. So
// the caller reads the subscription itself first: only a 404 to that says that
// it is gone.
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

func isNoOperation(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

// SyncSubscriptionItems makes these the items of a subscription, all of them
// (wire contract: subscriptions.items.sync). The items are nil when the response
// does not show them; one that is not the service's own is followed by a read.
func (s *Service) SyncSubscriptionItems(ctx context.Context, id string,
	items []SubscriptionItemInput) ([]SubscriptionItem, error) {
	body := struct {
		Items []SubscriptionItemInput `json:"items"`
	}{Items: items}
	if body.Items == nil {
		body.Items = []SubscriptionItemInput{} // null is not the empty set
	}
	now, err := api.Many[SubscriptionItem](ctx, s.client, api.Request{
		Operation: "subscriptions.items.sync", Path: map[string]string{"id": id}, Body: body,
	})
	return api.ReadBack(ctx, now, err, func(ctx context.Context) ([]SubscriptionItem, error) {
		items, _, err := s.SubscriptionItems(ctx, id)
		return items, err
	})
}
