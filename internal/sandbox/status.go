package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type (
	// Status is the response of GET /status: a description of the running sandbox.
	Status struct {
		Addresses     map[string]string `json:"addresses"` // of the services, control and the web page
		StateFile     string            `json:"state_file,omitempty"`
		Copy          *CopyState        `json:"copy,omitempty"`
		Clock         ClockState        `json:"clock"`
		Organizations []Organization    `json:"organizations"` // the one of the default tokens first
		Objects       []Count           `json:"objects"`
		Requests      int               `json:"requests"` // in the request log
		Faults        []FaultState      `json:"faults"`
		Instance      string            `json:"instance"` // is another one after each start
		// Revision changes with each change of an object, and with each request.
		Revision string `json:"revision"`
		// CollectionsAuthHeader carries the key of collections; empty: Authorization.
		CollectionsAuthHeader string `json:"collections_auth_header,omitempty"`
	}
	// Count is how many objects of a type there are.
	Count struct {
		Type  string `json:"type"`
		Count int    `json:"count"`
	}
)

func (s *Server) controlStatus(r *http.Request) (any, error) {
	faults, err := s.controlFaults(r)
	if err != nil {
		return nil, err
	}
	status := Status{
		Addresses: s.server.Addresses(), Instance: s.instance, StateFile: s.options.StateFile, Copy: s.copyState(),
		Clock:  s.clockState(),
		Faults: faults.([]FaultState), CollectionsAuthHeader: s.options.CollectionsAuthHeader,
	}
	requests := s.server.Log.Since(0)
	status.Requests = len(requests)
	if err := s.billing.Settle(status.Clock.Now); err != nil {
		return nil, err
	}
	err = s.core.DB.View(func(tx *store.Tx) error {
		status.Organizations = s.organizations(tx)
		status.Objects = s.counts(tx)
		status.Revision = strconv.FormatInt(tx.Commits(), 10)
		return nil
	})
	if len(requests) > 0 {
		status.Revision += "." + strconv.FormatUint(requests[len(requests)-1].Sequence, 10)
	}
	return status, err
}

// foreign is 0 for the sandbox's own organization, else 1.
func (s *Server) foreign(organization string) int {
	if organization == s.bootstrap.Organization {
		return 0
	}
	return 1
}

// counts are the objects that the services' lists show.
func (s *Server) counts(tx *store.Tx) []Count {
	customers := 0
	for _, row := range s.billing.Customers.All(tx) {
		if !row.Deleted {
			customers++
		}
	}
	return []Count{
		{"customers", customers}, {"billing accounts", count(s.billing.Accounts, tx)},
		{"subscriptions", count(s.billing.Subscriptions, tx)}, {"invoices", count(s.billing.Invoices, tx)},
		{"webhook endpoints", count(s.collections.Endpoints, tx)}, {"API keys", count(s.collections.Keys, tx)},
		{"finance records", count(s.finance.Records, tx)},
	}
}

func count[T any](table store.Table[T], tx *store.Tx) (n int) {
	for range table.All(tx) {
		n++
	}
	return n
}

// reset puts the sandbox back to where a new one begins: the objects that the services have created are deleted, the
// seed or the example data is restored, the clock is at its start, and faults and requests are cleared.
// Organizations, and the tokens and keys that were created from outside the services, stay until they are revoked, so
// that clients need no new ones.
// It fails, without a change, if the seed has become unusable or the state cannot be written.
func (s *Server) reset(ctx context.Context) error {
	if s.core.Copy && s.options.Copy == nil {
		return server.ErrValidation.With("The sandbox serves a copy that was read by an earlier start: start it with " +
			"--copy FILE to go back to the copy.")
	}
	undo := s.core.Clock.Reset() // first: the seed is created at the time at which the clock started
	err := s.core.DB.Update(func(tx *store.Tx) error {
		tx.ClearBut("settings", "tokens", "organizations", "sequence", server.ClockTable, collections.KeysTable)
		s.clearTokens(tx)
		if err := s.settleTokens(tx); err != nil {
			return err
		}
		return s.firstData(ctx, tx)
	})
	if err != nil {
		undo()
		return err
	}
	s.server.Faults.Clear()
	s.server.Log.Reset()
	return nil
}

// organization returns the id of the organization that a word refers to: an id, a name, or new=NAME for one that is
// created unless there is one of that name.
func (s *Server) organization(word string) (id string, err error) {
	name, create := strings.CutPrefix(word, NewOrganizationKeyword+"=")
	name = strings.TrimSpace(name)
	var known []string
	for _, o := range store.Read(s.core.DB, s.organizations) {
		known = append(known, o.Name)
		if o.ID == word || o.Name == name {
			return o.ID, nil
		}
	}
	if !create || name == "" {
		return "", server.ErrValidation.With("There is no organization " + quote(word) + meant(word, known) +
			" Use " + NewOrganizationKeyword + "=NAME to create one.")
	}
	made, err := s.NewOrganization(Organization{Name: name})
	return made.ID, err
}

// organizations are all of them, the sandbox's own first, then by age.
func (s *Server) organizations(tx *store.Tx) []Organization {
	return store.Sorted(s.core.Organizations.All(tx), func(a, b Organization) int {
		return cmp.Or(s.foreign(a.ID)-s.foreign(b.ID), a.CreatedAt.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
	})
}

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

// find returns the id of the object that a name refers to: external_id=CODE, url=URL for an endpoint, or the id
// itself. Of several, the one of the sandbox's own organization counts, and the one that has not ended.
func (s *Server) find(tx *store.Tx, kind, name string) (id string, err error) {
	unique := evidence.KindOf(kind).Unique
	if unique == "" {
		return "", server.ErrValidation.With("There is no kind " + quote(kind) + ".")
	}
	value, isName := strings.CutPrefix(name, unique+"=")
	if !isName {
		return name, nil
	}
	named := slices.DeleteFunc(s.objects(tx), func(o ObjectState) bool { return o.Kind != kind || o.unique == "" })
	known := make([]string, 0, len(named))
	for _, o := range named {
		known = append(known, o.unique)
	}
	named = slices.DeleteFunc(named, func(o ObjectState) bool { return o.unique != value })
	rank := func(o ObjectState) int {
		if o.ended {
			return 2*s.foreign(o.Organization) + 1
		}
		return 2 * s.foreign(o.Organization)
	}
	slices.SortStableFunc(named, func(a, b ObjectState) int { return rank(a) - rank(b) })
	switch {
	case len(named) == 0:
		return "", server.ErrNotFound.With(fmt.Sprintf("No %s has %s=%s%s", kind, unique, value, among(value, known)))
	case len(named) > 1 && rank(named[0]) == rank(named[1]):
		return "", server.ErrValidation.With(fmt.Sprintf("Several have %s: %s and %s. Give the id.", name,
			named[0].ID, named[1].ID))
	}
	return named[0].ID, nil
}

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

// named is find without a transaction.
func (s *Server) named(kind, name string) (id string, err error) {
	err = s.core.DB.View(func(tx *store.Tx) (err error) {
		id, err = s.find(tx, kind, name)
		return err
	})
	return id, err
}

func (s *Server) controlFind(r *http.Request) (any, error) {
	id, err := s.named(r.PathValue("kind"), r.PathValue("name"))
	return Found{ID: id}, err
}

func (s *Server) controlSubscriptions(*http.Request) (any, error) {
	if err := s.billing.Settle(s.core.Clock.Now()); err != nil {
		return nil, err
	}
	return store.Read(s.core.DB, func(tx *store.Tx) []SubscriptionState {
		states := []SubscriptionState{}
		for _, r := range store.Sorted(s.billing.Subscriptions.All(tx), func(a, b billing.SubscriptionRow) int {
			return cmp.Or(a.Subscription.CreatedAt.Compare(b.Subscription.CreatedAt.Time),
				strings.Compare(server.TextOf(a.Subscription.ExternalID), server.TextOf(b.Subscription.ExternalID)))
		}) {
			account, _ := s.billing.Accounts.Get(tx, r.Subscription.BillingAccountID)
			customer, _ := s.billing.Customers.Get(tx, account.CustomerID)
			states = append(states, SubscriptionState{
				ID: r.Subscription.ID, ExternalID: server.TextOf(r.Subscription.ExternalID), Organization: r.Organization,
				Customer: customer.Customer.Name, AccountID: r.Subscription.BillingAccountID, Status: r.Subscription.Status,
				Plan: server.TextOf(r.Subscription.PlanID), PendingPlan: server.TextOf(r.PendingPlanID),
				PeriodEnd: r.Subscription.CurrentPeriodEnd.Time, CreatedAt: r.Subscription.CreatedAt.Time,
			})
		}
		return states
	}), nil
}
