package control

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type (
	// Status is the response of GET /status: what the running sandbox is.
	Status struct {
		Addresses     map[string]string   `json:"addresses"` // of the services, control and the web page
		StateFile     string              `json:"state_file,omitempty"`
		Clock         ClockState          `json:"clock"`
		Organizations []OrganizationState `json:"organizations"` // the one of the default tokens first
		Objects       []Count             `json:"objects"`
		Requests      int                 `json:"requests"` // in the request log
		Faults        []FaultState        `json:"faults"`
	}
	// OrganizationState is an organization as it is listed.
	OrganizationState struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	// Count is how many objects of a type there are.
	Count struct {
		Type  string `json:"type"`
		Count int    `json:"count"`
	}
)

// lifecycle are the control listener's routes about the sandbox as a whole.
func (s *Control) lifecycle() map[string]func(r *http.Request) (any, error) {
	return map[string]func(r *http.Request) (any, error){
		"GET /status":                s.controlStatus,
		"POST /reset":                func(r *http.Request) (any, error) { return struct{}{}, s.Reset(r.Context()) },
		"POST /stop":                 func(*http.Request) (any, error) { s.stop(); return struct{}{}, nil },
		"GET /objects/{kind}/{name}": s.controlFind,
		"GET /subscriptions":         s.controlSubscriptions,
	}
}

// Stopped is closed when a client requests that the sandbox stops. The caller of Start then ends it.
func (s *Control) Stopped() <-chan struct{} { return s.stopped }

func (s *Control) controlStatus(r *http.Request) (any, error) {
	faults, err := s.controlFaults(r)
	if err != nil {
		return nil, err
	}
	status := Status{
		Addresses: s.Server.Addresses(), StateFile: s.options.StateFile, Clock: s.clockState(),
		Requests: len(s.Server.Log.Since(0)), Faults: faults.([]FaultState),
	}
	if err := s.billing.Settle(status.Clock.Now); err != nil {
		return nil, err
	}
	err = s.DB.View(func(tx *store.Tx) error {
		status.Organizations = s.organizationStates(tx)
		status.Objects = s.counts(tx)
		return nil
	})
	return status, err
}

func (s *Control) organizationStates(tx *store.Tx) []OrganizationState {
	var all []server.Organization
	for _, o := range s.Organizations.All(tx) {
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b server.Organization) int { return a.CreatedAt.Compare(b.CreatedAt) })
	states := []OrganizationState{}
	for _, o := range all {
		states = append(states, OrganizationState{ID: o.ID, Name: o.Name})
	}
	slices.SortStableFunc(states, func(a, b OrganizationState) int { return s.foreign(a.ID) - s.foreign(b.ID) })
	return states
}

// foreign is 0 for the sandbox's own organization, else 1.
func (s *Control) foreign(organization string) int {
	if organization == s.Bootstrap.Organization {
		return 0
	}
	return 1
}

// counts are the objects that the services' lists show.
func (s *Control) counts(tx *store.Tx) []Count {
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

// Reset puts the sandbox back to where a new one begins: the objects that the services have created are deleted, the
// seed or the example data is there again, the clock is where it started, and there are no faults and no requests.
// Tokens, organizations and the keys that were created from outside the service stay, so that clients need no new ones.
// It fails when the seed cannot be used any more or the state cannot be written; nothing is changed then.
func (s *Control) Reset(ctx context.Context) error {
	undo := s.Clock.Reset() // first: the seed is created at the time at which the clock started
	err := s.DB.Update(func(tx *store.Tx) error {
		s.billing.Clear(tx)
		s.finance.Clear(tx)
		s.collections.Clear(tx)
		return s.firstData(ctx, tx)
	})
	if err != nil {
		undo()
		return err
	}
	s.Server.ClearFaults()
	s.Server.Log.Reset()
	return nil
}

// organization returns the id of the organization that a word refers to: an id, a name, or new, or new=NAME for one
// that is created unless there is one of that name.
func (s *Control) organization(word string) (id string, err error) {
	name, create := strings.CutPrefix(word, NewOrganizationKeyword+"=")
	if word == NewOrganizationKeyword {
		name, create = "", true
	}
	var known []string
	taken := 0
	err = s.DB.View(func(tx *store.Tx) error {
		for _, o := range s.Organizations.All(tx) {
			taken++
			known = append(known, o.Name)
			if o.ID == word || o.Name != "" && (o.Name == word || create && o.Name == name) {
				id = o.ID
			}
		}
		return nil
	})
	switch {
	case err != nil || id != "":
		return id, err
	case !create:
		return "", server.ErrValidation.With("There is no organization " + quote(word) + meant(word, known) +
			" Use " + NewOrganizationKeyword + "=NAME to create one.")
	case name == "":
		name = nextName(known, taken)
	}
	made, err := s.NewOrganization(server.Organization{Name: name})
	return made.ID, err
}

// nextName is a name that no organization has yet.
func nextName(known []string, taken int) string {
	for n := taken + 1; ; n++ {
		if name := "Organization " + strconv.Itoa(n); !slices.Contains(known, name) {
			return name
		}
	}
}
