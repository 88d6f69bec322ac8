package billing

import (
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

func setIf(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func (q CustomerQuery) matches(c Customer) bool {
	return (q.ExternalID == "" || q.ExternalID == text(c.ExternalID)) &&
		(q.DocumentNumber == "" || same.Document(q.DocumentNumber, text(c.DocumentNumber))) &&
		notBefore(c.UpdatedAt, q.UpdatedAtGTE)
}

func (q BillingAccountQuery) matches(a BillingAccount) bool {
	return (q.ExternalID == "" || q.ExternalID == text(a.ExternalID)) &&
		(q.CustomerID == "" || a.Customer == nil || same.ID(q.CustomerID, a.Customer.ID)) &&
		(q.Status == "" || a.Status == q.Status) &&
		notBefore(a.UpdatedAt, q.UpdatedAtGTE)
}

// notBefore compares two timestamps. What cannot be read decides nothing.
func notBefore(value, earliest string) bool {
	at, ok := api.Moment(value)
	limit, limitOK := api.Moment(earliest)
	return !ok || !limitOK || !at.Before(limit)
}

// matches reports whether an item is what was asked for.
func (w SubscriptionItemInput) matches(i SubscriptionItem) bool {
	quantity := int64(1)
	if w.Quantity != nil {
		quantity = *w.Quantity
	}
	return same.ID(w.ProductID, i.ProductID) && same.ID(w.PriceID, i.PriceID) && quantity == i.Quantity &&
		(w.UnitAmountSubcents == nil || i.UnitAmountSubcents == nil || *w.UnitAmountSubcents == *i.UnitAmountSubcents)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
