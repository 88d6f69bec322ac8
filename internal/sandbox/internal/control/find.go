package control

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type (
	// Found is the response of GET /objects/{kind}/{name}.
	Found struct {
		ID string `json:"id"`
	}
	// SubscriptionState is a subscription as GET /subscriptions lists it.
	SubscriptionState struct {
		ID           string    `json:"id"`
		ExternalID   string    `json:"external_id,omitempty"`
		Organization string    `json:"organization"`
		Customer     string    `json:"customer"` // name
		AccountID    string    `json:"billing_account_id"`
		Status       string    `json:"status"`
		Plan         string    `json:"plan_id,omitempty"`
		PendingPlan  string    `json:"pending_plan_id,omitempty"`
		PeriodEnd    time.Time `json:"current_period_end"`
		CreatedAt    time.Time `json:"created_at"`
	}
)

// candidate is an object that has a name.
type candidate struct {
	id, value, organization string
	ended                   bool // deleted or canceled: another one may have the name since
}

// kinds are the objects that a command can name, with the field that names one.
var kinds = map[string]struct {
	field string
	all   func(s *Control, tx *store.Tx) []candidate
}{
	"customer": {"external_id", func(s *Control, tx *store.Tx) (found []candidate) {
		for id, r := range s.billing.Customers.All(tx) {
			found = append(found, candidate{id, textOf(r.Customer.ExternalID), r.Organization, r.Deleted})
		}
		return found
	}},
	"account": {"external_id", func(s *Control, tx *store.Tx) (found []candidate) {
		for id, r := range s.billing.Accounts.All(tx) {
			found = append(found, candidate{id, textOf(r.Account.ExternalID), r.Organization,
				r.Account.Status == billing.AccountClosed})
		}
		return found
	}},
	"subscription": {"external_id", func(s *Control, tx *store.Tx) (found []candidate) {
		for id, r := range s.billing.Subscriptions.All(tx) {
			ended := r.Subscription.Status == billing.SubscriptionCanceled
			found = append(found, candidate{id, textOf(r.Subscription.ExternalID), r.Organization, ended})
		}
		return found
	}},
	"endpoint": {"url", func(s *Control, tx *store.Tx) (found []candidate) {
		for id, r := range s.collections.Endpoints.All(tx) {
			found = append(found, candidate{id, r.Endpoint.URL, r.Organization, false})
		}
		return found
	}},
}

// find returns the id of the object that a name refers to: external_id=CODE, url=URL for an endpoint, or the id
// itself. Of several, the one of the sandbox's own organization counts, and the one that has not ended.
func (s *Control) find(tx *store.Tx, kind, name string) (id string, err error) {
	named, ok := kinds[kind]
	if !ok {
		return "", server.ErrValidation.With("There is no kind " + quote(kind) + ".")
	}
	value, isName := strings.CutPrefix(name, named.field+"=")
	if !isName {
		return name, nil
	}
	all := named.all(s, tx)
	known := make([]string, 0, len(all))
	for _, c := range all {
		known = append(known, c.value)
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return c.value != value })
	rank := func(c candidate) int {
		r := 0
		if c.ended {
			r++
		}
		if c.organization != s.Bootstrap.Organization {
			r += 2
		}
		return r
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return rank(a) - rank(b) })
	switch {
	case len(all) == 0:
		known = slices.DeleteFunc(known, func(v string) bool { return v == "" })
		return "", server.ErrNotFound.With(fmt.Sprintf("No %s has %s=%s%s", kind, named.field, value, among(value, known)))
	case len(all) > 1 && rank(all[0]) == rank(all[1]):
		return "", server.ErrValidation.With(fmt.Sprintf("Several have %s: %s and %s. Give the id.", name,
			all[0].id, all[1].id))
	}
	return all[0].id, nil
}

// meant ends a sentence about an unknown word: with the known one that was probably meant.
func meant(word string, known []string) string {
	if near, ok := server.Nearest(word, known); ok {
		return "; did you mean " + near + "?"
	}
	return "."
}

// among is meant that shows what is known where nothing near is.
func among(word string, known []string) string {
	const most = 5
	_, near := server.Nearest(word, known)
	switch {
	case near:
		return meant(word, known)
	case len(known) == 0:
		return "; there is none."
	case len(known) > most:
		return fmt.Sprintf("; there are %d, such as %s.", len(known), strings.Join(known[:most], ", "))
	}
	return "; known: " + strings.Join(known, ", ") + "."
}

func quote(word string) string { return fmt.Sprintf("%q", word) }

func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func (s *Control) controlFind(r *http.Request) (any, error) {
	var found Found
	err := s.DB.View(func(tx *store.Tx) (err error) {
		found.ID, err = s.find(tx, r.PathValue("kind"), r.PathValue("name"))
		return err
	})
	return found, err
}

func (s *Control) controlSubscriptions(*http.Request) (any, error) {
	if err := s.billing.Settle(s.Clock.Now()); err != nil {
		return nil, err
	}
	states := []SubscriptionState{}
	err := s.DB.View(func(tx *store.Tx) error {
		for id, r := range s.billing.Subscriptions.All(tx) {
			account, _ := s.billing.Accounts.Get(tx, r.Subscription.BillingAccountID)
			customer, _ := s.billing.Customers.Get(tx, account.CustomerID)
			states = append(states, SubscriptionState{
				ID: id, ExternalID: textOf(r.Subscription.ExternalID), Organization: r.Organization,
				Customer: customer.Customer.Name, AccountID: r.Subscription.BillingAccountID, Status: r.Subscription.Status,
				Plan: textOf(r.Subscription.PlanID), PendingPlan: textOf(r.PendingPlanID),
				PeriodEnd: r.Subscription.CurrentPeriodEnd.Time, CreatedAt: r.Subscription.CreatedAt.Time,
			})
		}
		return nil
	})
	slices.SortStableFunc(states, func(a, b SubscriptionState) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ExternalID, b.ExternalID))
	})
	return states, err
}
