package billing

import (
	"reflect"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The history is what the web page shows and no operation returns: which client wrote which key of custom_metadata, and
// when another plan began to run.
type (
	history struct {
		writers store.Table[map[string]Writer] // by id of the object
		plans   store.Table[[]PlanChange]      // by id of the subscription
	}
	// Writer is who has written a key of custom_metadata last. Both are empty for what a seed has written.
	Writer struct {
		Client string `json:"client,omitempty"` // first word of the User-Agent
		Token  string `json:"token,omitempty"`  // public prefix
	}
	// PlanChange is a time from which a subscription runs another plan.
	PlanChange struct {
		At   time.Time `json:"at"`
		Plan string    `json:"plan"` // empty: none, it is priced by its items
	}
)

// Writers are the clients that have written the keys of an object's custom_metadata, by path: keys from the top, joined
// by dots.
func (s *Service) Writers(tx *store.Tx, id string) map[string]Writer {
	writers, _ := s.history.writers.Get(tx, id)
	return writers
}

// PlanChanges are the changes of a subscription's plan, oldest first, without the plan that it began with.
func (s *Service) PlanChanges(tx *store.Tx, id string) []PlanChange {
	changes, _ := s.history.plans.Get(tx, id)
	return changes
}

// PlanName is the name that the catalogue has for a plan, empty without one.
func (s *Service) PlanName(tx *store.Tx, id string) string {
	found, _ := s.plans.Get(tx, id)
	return found.Object.Name
}

// noteWriter notes that the request has changed the custom_metadata of an object from before to after.
func (s *Service) noteWriter(c *server.Call, tx *store.Tx, id string, before, after object) {
	was, is := leaves(before), leaves(after)
	if reflect.DeepEqual(was, is) {
		return
	}
	known := s.Writers(tx, id)
	writers := map[string]Writer{}
	for path, value := range is {
		writers[path] = known[path]
		if old, ok := was[path]; !ok || !reflect.DeepEqual(old, value) {
			writers[path] = Writer{Client: c.Client, Token: c.Token}
		}
	}
	s.history.writers.Put(tx, id, writers)
}

// leaves are the values of an object that are not objects themselves, and empty objects, by path.
func leaves(o map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range o {
		inner, ok := value.(map[string]any)
		if !ok || len(inner) == 0 {
			all[key] = value
			continue
		}
		for path, leaf := range leaves(inner) {
			all[key+"."+path] = leaf
		}
	}
	return all
}

// notePlans notes the plans that have begun to run on the way from one row to the next, each at the time of its row.
func (s *Service) notePlans(tx *store.Tx, from SubscriptionRow, to []SubscriptionRow,
	at func(SubscriptionRow) time.Time) {
	runs := planOf(from)
	changes := s.PlanChanges(tx, from.Subscription.ID)
	for _, row := range to {
		if plan := planOf(row); plan != runs {
			runs = plan
			changes = append(slices.Clip(changes), PlanChange{At: at(row), Plan: plan})
		}
	}
	if len(changes) > 0 {
		s.history.plans.Put(tx, from.Subscription.ID, changes)
	}
}

func planOf(row SubscriptionRow) string {
	if row.Subscription.PlanID == nil {
		return ""
	}
	return *row.Subscription.PlanID
}
