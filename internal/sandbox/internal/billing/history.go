package billing

import (
	"iter"
	"reflect"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The history is shown only on the web page: which client wrote which key of custom_metadata. Other history is in the
// audit trail.
type (
	history struct {
		writers store.Table[map[string]Writer] // by id of the object
	}
	// Writer is the last writer of a key of custom_metadata. Both fields are empty if a seed wrote it.
	Writer struct {
		Client string `json:"client,omitempty"` // first word of the User-Agent
		Token  string `json:"token,omitempty"`  // public prefix
	}
)

// Writers returns the last writer of each key in an object's custom_metadata, by path: keys from the top, joined by
// dots.
func (s *Service) Writers(tx *store.Tx, id string) map[string]Writer {
	writers, _ := s.history.writers.Get(tx, id)
	return writers
}

// Plans returns the names of the plans in the catalogue, by id.
func (s *Service) Plans(tx *store.Tx) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for id, plan := range s.plans.All(tx) {
			if !yield(id, plan.Object.Name) {
				return
			}
		}
	}
}

// noteWriter records the client for the custom_metadata keys that changed from before to after.
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

// leaves returns the scalars, lists and empty objects in an object, by path.
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

// audit adds a change of a subscription to the audit trail: status, plan, cancellation and pause. Without such a change
// or a reason, it adds no entry.
func (s *Service) audit(tx *store.Tx, e server.AuditEntry, before, after SubscriptionRow) {
	was, is := agreed(before), agreed(after)
	e = e.Moved(before.Subscription.Status, after.Subscription.Status)
	e.Organization, e.Type, e.ID, e.Name = after.Organization, "subscription", after.Subscription.ID,
		server.TextOf(after.Subscription.ExternalID)
	e.Terms = map[string]*string{}
	for name, value := range is {
		if !reflect.DeepEqual(was[name], value) && e.After != SubscriptionCanceled {
			e.Terms[name] = value
		}
	}
	if _, changed := e.Terms["plan_id"]; changed && is["pending_plan_id"] == nil {
		delete(e.Terms, "pending_plan_id")
	}
	if e.Before != e.After || len(e.Terms) > 0 || e.Reason != "" {
		s.Audit(tx, e)
	}
}

// auditDue adds a subscription's time-driven changes to the audit trail.
func (s *Service) auditDue(tx *store.Tx, at time.Time, before, after SubscriptionRow) {
	e := server.AuditEntry{Time: at, Cause: server.ByClock, Action: "period ended"}
	switch {
	case after.Subscription.Status == SubscriptionCanceled:
		e.Reason = server.TextOf(after.Subscription.CancellationReason)
	case before.Subscription.Status == subscriptionTrialing:
		e.Action = "trial ended"
	case before.Subscription.Status == subscriptionPaused && after.Subscription.Status != subscriptionPaused:
		e.Action = "pause ended"
	}
	s.audit(tx, e, before, after)
}

// agreed returns the terms of a subscription that transitions change.
func agreed(row SubscriptionRow) map[string]*string {
	s := row.Subscription
	terms := map[string]*string{"plan_id": s.PlanID, "pending_plan_id": row.PendingPlanID,
		"cancel_at_period_end": new(strconv.FormatBool(s.CancelAtPeriodEnd))}
	if s.PauseCollection != nil {
		terms["behavior"] = &s.PauseCollection.Behavior
	}
	if s.TrialEnd != nil {
		terms["trial_end"] = new(s.TrialEnd.UTC().Format(time.RFC3339))
	}
	if s.ResumesAt != nil {
		terms["resumes_at"] = new(s.ResumesAt.UTC().Format(time.RFC3339))
	}
	return terms
}

// auditAccount adds a change of an account's status to the audit trail.
func (s *Service) auditAccount(c *server.Call, tx *store.Tx, account billingAccount, before, after string) {
	s.Audit(tx, c.Audited("account", account.ID, server.TextOf(account.ExternalID)).Moved(before, after))
}
