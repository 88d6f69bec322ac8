package billing

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

func setIf(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func (q CustomerQuery) matches(c Customer) bool {
	return (q.ExternalID == "" || sameText(&q.ExternalID, c.ExternalID)) &&
		(q.DocumentNumber == "" || sameDocument(&q.DocumentNumber, c.DocumentNumber)) &&
		notBefore(c.UpdatedAt, q.UpdatedAtGTE)
}

func (q BillingAccountQuery) matches(a BillingAccount) bool {
	return (q.ExternalID == "" || sameText(&q.ExternalID, a.ExternalID)) &&
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

// matches says whether a customer is what this create asked for. What was left
// out of the create may have any value.
func (w CustomerCreate) matches(c Customer) bool {
	return w.Name == c.Name &&
		asked(w.ExternalID, c.ExternalID, sameText) &&
		asked(w.Nickname, c.Nickname, sameText) &&
		asked(w.LegalName, c.LegalName, sameText) &&
		asked(w.DocumentNumber, c.DocumentNumber, sameDocument) &&
		asked(w.Kind, c.Kind, sameText) &&
		asked(w.Birthday, c.Birthday, sameText) &&
		asked(w.Notes, c.Notes, sameText) &&
		sameSet(w.Addresses, c.Addresses) &&
		sameContacts(w.Phones, w.Phone, c.Phones) &&
		sameContacts(w.Emails, w.Email, c.Emails) &&
		sameSet(w.Websites, c.Websites) &&
		sameSet(w.Tags, c.Tags) &&
		sameJSON(w.CustomMetadata, c.CustomMetadata)
}

// newestFirst is the order of a list that is read for what was created lately.
const newestFirst = "desc"

// isLike reports whether a customer could be taken for the one that is created: it
// has the external_id, else the document number, else the name. One that has what was
// not sent is another one.
func (w CustomerCreate) isLike(c Customer) bool {
	if !sameText(w.ExternalID, c.ExternalID) {
		return false
	}
	return text(w.ExternalID) != "" || sameDocument(w.DocumentNumber, c.DocumentNumber) && (text(w.DocumentNumber) != "" ||
		w.Name == c.Name)
}

// isLike reports whether an account could be taken for the one that is opened. A list
// may leave its customer out.
func (w BillingAccountCreate) isLike(a BillingAccount) bool {
	return sameText(w.ExternalID, a.ExternalID) && (text(w.ExternalID) != "" || a.Customer == nil ||
		same.ID(w.Customer.ID, a.Customer.ID))
}

// isLike reports whether a subscription could be taken for the one that is created.
func (w SubscriptionCreate) isLike(s Subscription) bool {
	return sameText(w.ExternalID, s.ExternalID) &&
		(text(w.ExternalID) != "" || same.ID(w.BillingAccountID, s.BillingAccountID))
}

// matches reports whether an item is what was asked for.
func (w SubscriptionItemInput) matches(i SubscriptionItem) bool {
	quantity := int64(1)
	if w.Quantity != nil {
		quantity = *w.Quantity
	}
	return same.ID(w.ProductID, i.ProductID) && same.ID(w.PriceID, i.PriceID) && quantity == i.Quantity &&
		sameValue(w.UnitAmountSubcents, i.UnitAmountSubcents)
}

// asked compares a field only when it was sent.
func asked(want, have *string, same func(want, have *string) bool) bool {
	return want == nil || same(want, have)
}

// sameText takes null for the empty text.
func sameText(want, have *string) bool { return text(want) == text(have) }

// sameDocument compares tax numbers without their masks.
func sameDocument(want, have *string) bool { return same.Document(text(want), text(have)) }

// sameID compares ids, which have no case.
func sameID(want, have *string) bool { return same.ID(text(want), text(have)) }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// sameSet compares without order, each item as often as it occurs.
func sameSet[T any](want, have []T) bool {
	if len(want) == 0 {
		return true
	}
	rest := slices.Clone(have)
	for _, item := range want {
		i := slices.IndexFunc(rest, func(other T) bool { return reflect.DeepEqual(item, other) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return len(rest) == 0
}

// sameContacts knows that the single email or phone of a create becomes an item
// of the list unless its value is there already (wire contract: behaviour).
func sameContacts(want []Contact, single *string, have []Contact) bool {
	if len(want) == 0 && single == nil {
		return true
	}
	all := slices.Clone(want)
	if single != nil && !slices.ContainsFunc(all, func(c Contact) bool { return c.Value == *single }) {
		all = append(all, Contact{Value: *single})
	}
	return sameSet(all, have)
}

// sameJSON compares documents by value, when one was sent.
func sameJSON(want, have json.RawMessage) bool { return len(want) == 0 || same.JSONText(want, have) }
