package life

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// refusals are errors that a plan may report: the configuration requests something that the service does not support.
var refusals = regexp.MustCompile(`(?i)` + strings.Join([]string{
	"its (trial|pause) would already have ended",
	"neither a plan nor items are set", // the plan is removed, and ignore_changes keeps the items out
	"nothing would be billed until the plan starts", "the plan cannot be removed at the end of the period",
	"would be charged in addition to the new one", // the deletion_policy that was applied does not cancel it
	// another system has suspended or closed its account, or deleted the customer of it
	"(is (suspended|closed) and|which then) accepts no new subscriptions", "Billing account .* is closed",
	"keeps its external_id, so no new", // the account was applied with abandon, so it stays and keeps it
	"this plan removes its billing account", "This plan removes the customer of",
	"would be replaced during its import",
	"The plan cannot show (whether the imported customer|the cancellation_reason)", // a later value decides
	"The expires_at of API key .* has passed",
	"The lifetime of API key .* is not longer than its grace period", // ignore_changes keeps one of the two
	// ignore_changes keeps an attribute that another type does not have
	"Incomplete authentication", "Conflicting authentication",
	"The imported billing account .* to another customer",                 // the block names another one by now
	"API key .* no longer works",                                          // it has expired before the import
	"Two new records in \\S+ have the key", "has the key of a new record", // one is configured under another's old name
	"is deleted and created again with the same key", // it was renamed
	"is deleted at one address and kept at another",
}, "|"))

// addressOf returns the address of an error.
func addressOf(text string) string {
	address, _, _ := strings.Cut(text, ":")
	return address
}

// ofIgnored are errors about two arguments of which a block may have one, and ignore_changes keeps the other.
var ofIgnored = regexp.MustCompile("has two expiries|two trials are set")

// refusal reports whether a plan may report an error.
func (j *judge) refusal(text string) bool {
	at := addressOf(text)
	if strings.Contains(text, "deletion_policy = \"prevent\" blocks this plan from ") { // it blocks destroying what exists
		address := at
		for from, to := range j.written.Moved {
			if to == address && j.drive.State(address) == nil {
				address = from
			}
		}
		return j.unread || j.remote(address, j.drive.State(address)) != nil
	}
	return refusals.MatchString(text) || ofIgnored.MatchString(text) && len(j.blocks[at].ignore) > 0
}

// failures are errors that only the apply can detect: one object makes impossible what another one requests.
var failures = regexp.MustCompile(`(?i)` + strings.Join([]string{
	"The billing account is (suspended|closed)",
	"The expires_at of API key .* has passed", "The lifetime of API key", // it was unknown in the plan
	// a value that was unknown in the plan turned out to differ
	"The plan did not show that .* is replaced",
	"The customer of .* differs from the plan",
	"is not replaced because the new one could not be created",
	"Invalid value for expires_at: must be in the future", "its (trial|pause) would already have ended",
	// plan_change was not known in the plan
	"nothing would be billed until the plan starts", "the plan cannot be removed at the end of the period",
	// it was not known in the plan, and ignore_changes keeps a part of another type
	"Incomplete authentication", "Conflicting authentication",
	// what was not known in the plan differs from what was imported
	"would be replaced during its import",
	"The plan cannot show whether the imported customer", // a value that is known only after apply decides
	`(?s)No JSON.*Status: 4\d\d`,                         // a rejection was truncated
	// one was abandoned, or runs to the end of its period
	"The (customer|billing account) has subscriptions that are not canceled",
}, "|"))

// movedLater reports whether an error rightly says that the plan did not show the replacement of a record: its
// collection was known only after apply.
func (j *judge) movedLater(text string) bool {
	return strings.Contains(text, ": The plan did not show this replacement of the record") &&
		slices.Contains(j.blocks[addressOf(text)].later, "collection")
}

// refused checks the errors of a failed plan, and restores the configuration of the last apply.
func (j *judge) refused(plan *core.Plan) *violation {
	j.counts["refused"]++
	wrong := slices.IndexFunc(plan.Errors, func(text string) bool {
		return !j.refusal(text)
	})
	j.use(j.appliedFile)
	if wrong >= 0 {
		return broken("plan fails", "%s", plan.Errors[wrong])
	}
	return nil
}

// needless finds a replacement without a change that requires it.
func (j *judge) needless(plan *core.Plan) *violation {
	for _, change := range plan.Changes {
		if change.Action != core.Replace {
			continue
		}
		needed := slices.ContainsFunc(change.Replaces, func(name string) bool { return j.needs(plan, change, name) })
		if !needed {
			return broken("needless replacement", "%s because of %v\n%v", change.Address, change.Replaces,
				differences(pick(change.Before, change.Replaces), pick(change.After, change.Replaces), ""))
		}
	}
	return nil
}

func pick(v object, names []string) object {
	some := object{}
	for _, name := range names {
		some[name] = v[name]
	}
	return some
}

// needs reports whether an attribute will change to a value that requires a new object.
func (j *judge) needs(plan *core.Plan, change *core.Change, name string) bool {
	value := j.blocks[change.Address].values[name]
	if name == "status" {
		return j.dirty[change.Address] || change.Before["status"] == "canceled"
	}
	if slices.ContainsFunc(refs(value), func(ref string) bool { return recreated(plan, ref) }) {
		return true
	}
	before := j.applied[change.Address]
	if now := j.blocks[change.Address]; !j.dirty[change.Address] && before.at != "" &&
		slices.Equal(before.ignore, now.ignore) && show(before.values[name]) == show(value) && len(refs(value)) == 0 {
		return false
	}
	return len(differences(normal(change.Before[name]), normal(j.current(value)), "")) > 0
}

// normal returns a value in which the order of a list does not matter, and an empty list equals none.
func normal(v any) any {
	list, isList := v.([]any)
	if !isList {
		return v
	}
	if len(list) == 0 {
		return nil
	}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b any) int { return strings.Compare(show(a), show(b)) })
	return sorted
}

// recreated reports whether the plan creates an object.
func recreated(plan *core.Plan, address string) bool {
	change := plan.Of(address)
	return change == nil || change.Action == core.Create || change.Action == core.Replace
}

// current returns a value with a reference resolved from the state.
func (j *judge) current(value any) any {
	fields, _ := value.(object)
	if ref, isRef := fields["$ref"].(string); isRef {
		at := strings.LastIndex(ref, ".")
		return j.drive.State(ref[:at])[ref[at+1:]]
	}
	return value
}

// graceKept checks that a key that another system has rotated keeps its grace period.
func (j *judge) graceKept(sent []sandbox.Request, plan *core.Plan, had map[string]block) *violation {
	for _, r := range sent {
		if r.Operation != "api_keys.revoke" {
			continue
		}
		for id := range j.graces {
			if !strings.Contains(r.Path, id) {
				continue
			}
			for _, change := range plan.Changes {
				asked := !j.blocks[change.Address].same(had[change.Address])
				grace := change.After["grace_period_days"]
				if grace == any(core.Unknown) {
					grace = j.blocks[change.Address].values["grace_period_days"]
				}
				revokes := change.After["revoke_previous_keys"]
				if revokes == any(core.Unknown) {
					revokes = j.blocks[change.Address].values["revoke_previous_keys"]
				}
				ends := revokes == true || fmt.Sprint(grace) == "0"
				if change.Before["id"] == id && change.Action != core.Delete && !asked && !ends {
					return broken("grace", "%s was rotated elsewhere, and loses its grace period", change.Address)
				}
			}
		}
	}
	return nil
}

// stateHas checks that everything an apply has created is in the state, or was removed by the same apply.
func (j *judge) stateHas(sent []sandbox.Request) *violation {
	for _, r := range sent {
		made, _ := parsed(r.Response).(object)
		id, isObject := within(made, "data.id").(string)
		if customer, isCustomer := within(made, "data.customer.id").(string); isCustomer {
			id, isObject = customer, true
		}
		known := slices.ContainsFunc(j.drive.Addresses(), func(address string) bool {
			return strings.Contains(show(j.drive.State(address)), id)
		})
		removed := slices.ContainsFunc(sent, func(other sandbox.Request) bool {
			return other.Method == http.MethodDelete && strings.HasSuffix(other.Path, "/"+id)
		})
		if !creates(r) || r.Status != http.StatusCreated || !isObject || known || removed || replayed(r, made) {
			continue
		}
		// A creation with a used key returns the record of that key, which may be deleted.
		if status, _ := j.service.Call(http.MethodGet, r.Path+"/"+id, nil); status == http.StatusOK {
			return broken("lost", "%s created %s, which is not in the state", r.Operation, id)
		}
	}
	return nil
}

// staying lists the arguments of a subscription that keep their value at the service when the configuration omits them.
var staying = []string{"items", "cancel_at_period_end", "cancellation_reason", "collection_method",
	"nfe_issuance_policy"}

// remotes returns the objects of a type at the service that a plan keeps, or replaces in place.
func (j *judge) remotes(plan *core.Plan, typeName string) map[string]object {
	all := map[string]object{}
	for _, c := range plan.Changes {
		if typeOf(c.Address) == typeName && (c.Action == core.NoOp || c.Action == core.Update) {
			all[c.Address] = j.remote(c.Address, c.Before)
		}
	}
	return all
}

// linesKept checks the effect of each argument of a subscription: an omitted argument changes nothing, whoever has set
// the value, false revokes a cancellation, and [] removes the items.
func (j *judge) linesKept(before map[string]object) *violation {
	for address, was := range before {
		block := j.blocks[address]
		now := j.remote(address, j.drive.State(address))
		if now == nil || now["status"] == "canceled" || len(block.ignore) > 0 {
			continue
		}
		for _, name := range staying {
			value, written := block.values[name]
			_, ends := block.values["cancel_at_period_end"]
			switch {
			case name == "cancellation_reason" && (written || ends):
			case !written && show(normal(was[name])) != show(normal(now[name])):
				return broken("omitted argument", "%s: %s was %s and is now %s", address, name, show(was[name]),
					show(now[name]))
			case name == "cancel_at_period_end" && written && !same(now[name], value):
				return broken("an end", "%s: %s is %s, not %s", address, name, show(now[name]), show(value))
			case name == "items" && written && len(value.([]any)) == 0 && show(now[name]) != "[]":
				return broken("items", "%s still has %s", address, show(now[name]))
			}
		}
	}
	return nil
}

// importing removes an object from the state; the next run imports it.
func (j *judge) importing(address string) {
	state := j.drive.State(address)
	if state == nil || j.dirty[address] || !j.blocks[address].same(j.applied[address]) {
		return
	}
	id, _ := state["id"].(string)
	if collection, isRecord := state["collection"].(string); isRecord {
		id = collection + "/" + id
	}
	j.drive.Forget(address)
	j.imports[address] = id
}

// adopting imports the object that has an external_id at the next run, if there is one.
func (j *judge) adopting(address, externalID string) {
	kind := evidence.KindOf(typeOf(address))
	if kind.Type == "" {
		j.fatalf("%q is not an address of the provider", address)
	}
	if j.drive.State(address) != nil {
		return
	}
	for _, o := range j.live(kind.Name) {
		if id, _ := o["id"].(string); o["external_id"] == externalID {
			j.imports[address], j.dirty[address] = id, true
			delete(j.resembling, kind.Path()+"/"+id)
		}
	}
}

// ours lists arguments that no service returns, so an import cannot set them.
var ours = []string{
	"deletion_policy", "custom_metadata_mode", "create_billing_account", "billing_account_id", "billing_email",
	"payment_terms_days", "auto_collection", "status_reason", "updated_at", "plan_change",
	"cancellation_reason", "on_external_cancel", "trial_period_days", "authentication", "rotate_secret_when_changed",
	"grace_period_days", "expires_after_days", "rotate_when_changed", "rotate_after_days", "rotation_due_at",
	"revoke_previous_keys", "allow_own_key", "ignore_remote_changes", "idempotency_key", "age_recipients",
}

// faithful checks the plan that imports an object with the configuration that was applied before: it changes nothing
// that the service returns. A value that is unknown in the plan may turn out to differ.
func (j *judge) faithful(plan *core.Plan) *violation {
	for address, id := range j.imports {
		change := plan.Of(address)
		if len(j.blocks[address].later) > 0 || j.dirty[address] { // or another system has changed it
			continue
		}
		gone := change != nil && change.Action == core.Create // closed with its customer in the meantime
		if j.others[id[strings.LastIndexByte(id, '/')+1:]] {
			continue // another system has created it, and the creation has found it
		}
		if change == nil || gone || change.Action == core.NoOp ||
			!j.blocks[address].same(j.applied[address]) {
			continue
		}
		all := differences(change.Before, change.After, "")
		// A null that the service has lost is not sent again before the import.
		losesNull := slices.ContainsFunc(all, func(d difference) bool { return d.before == any(absent{}) && d.after == nil })
		changesOurs := slices.ContainsFunc(all, func(d difference) bool { return slices.Contains(ours, d.path) })
		changes := slices.DeleteFunc(all, func(d difference) bool {
			name, _, _ := strings.Cut(d.path, ".")
			if changesOurs && (name == "custom_metadata" || name == "body") && d.after == any(absent{}) {
				return true // a change of an imported object also shows keys of other systems, with a warning
			}
			if len(differences(normal(change.Before[name]), normal(change.After[name]), "")) == 0 {
				return true
			}
			if j.unsent(change, name) {
				return true
			}
			if name == "expires_at" && j.lifetime(address) {
				return true // the service returns the expiry, but not its cause
			}
			if one := strings.TrimSuffix(name, "s"); (one == "email" || one == "phone") && change.Before[one] == nil {
				return true // an import does not know which entry email owns, and its apply looks
			}
			freeForm := strings.Contains(name, "custom_metadata") || name == "body" || name == "response"
			defaults := j.defaults[0] != nil || j.defaults[1] != nil // including those that were removed
			block := j.blocks[address]
			// No apply has reverted what the block ignores, such as a late update of a configuration that was taken back.
			ignores := len(block.ignore) > 0 || block.values["ignore_remote_changes"] == true
			return slices.Contains(ours, name) || freeForm && (defaults || losesNull || j.marks[address] != nil || ignores)
		})
		// An import does not know how the service words what was sent, so its first apply sends it.
		worded := j.rewords && change.Action == core.Update
		if change.Action != core.Update || len(changes) > 0 && !worded {
			return broken("import is not empty", "%s %s: %s\n%v", change.Action, address, top(changes), changes)
		}
	}
	return nil
}

// unsent reports whether an argument was in the state before the import but never sent: a trial that was set after the
// creation, any argument of a subscription that has ended, or a pause that is over, even before the subscription was
// created.
func (j *judge) unsent(change *core.Change, name string) bool {
	pause, _ := change.After["pause"].(object)
	resumes, _ := pause["resumes_at"].(string)
	end, err := time.Parse(time.RFC3339, resumes)
	over := change.Before["pause"] == nil && err == nil && end.Before(j.service.Sandbox.Clock().Now())
	return name == "trial_end" && change.Before[name] == nil || name == "pause" && over ||
		change.Before["status"] == "canceled"
}

// markContacts remembers the entry that another system has added last to a list of an object.
func (j *judge) markContacts(at, list string, entries []any) {
	if j.contacts[at] == nil {
		j.contacts[at] = map[string]string{}
	}
	j.contacts[at][list] = show(entries[len(entries)-1])
}

// contactsKept checks that entries of another system stay, where a plan keeps the customer and its configuration has
// and had only entries of its own.
func (j *judge) contactsKept(before map[string]block) *violation {
	for address, kept := range j.contacts {
		now := j.remote(address, j.drive.State(address))
		for list, entry := range kept {
			entries, _ := now[list].([]any)
			switch had := before[address]; {
			case now == nil, had.at == "", had.values[list] != nil:
				delete(kept, list)
			case !slices.ContainsFunc(entries, func(e any) bool { return show(e) == entry }):
				return broken("foreign contact", "%s: %s was in %s, which is now %s", address, entry, list, show(entries))
			}
		}
	}
	return nil
}

// oldKeys checks what an apply has done with the key that it has replaced: it works for its grace period, or to its own
// end if that comes first, and no longer; without a grace period, it is revoked.
func (j *judge) oldKeys(keys map[string]object) *violation {
	now := j.service.Sandbox.Clock().Now()
	at := func(key object, field string) (time.Time, bool) {
		text, _ := key[field].(string)
		moment, err := time.Parse(time.RFC3339, text)
		return moment, err == nil
	}
	for address, was := range keys {
		state := j.drive.State(address)
		id, _ := was["id"].(string)
		own, ends := at(was, "expiresAt")
		if was == nil || state["id"] == id || j.others[id] || was["revokedAt"] != nil || ends && !own.After(now) {
			continue
		}
		is := j.remote(address, object{"id": id})
		end, limited := at(is, "expiresAt")
		days, _ := strconv.Atoi(fmt.Sprint(state["grace_period_days"]))
		grace := now.AddDate(0, 0, days)
		revoked := is == nil || is["revokedAt"] != nil
		switch {
		case days == 0 || state["revoke_previous_keys"] == true:
			if !revoked && !(limited && !end.After(now)) {
				return broken("old key", "%s: %s works until %v, without a grace period", address, id, is["expiresAt"])
			}
		case revoked:
			return broken("old key", "%s: %s is revoked, and has a grace period of %d days", address, id, days)
		case !limited || end.After(grace.Add(time.Minute)) && !(ends && !end.After(own)):
			return broken("old key", "%s: %s works until %v, longer than %d days", address, id, is["expiresAt"], days)
		case end.Before(grace.Add(-time.Hour)) && !(ends && !end.Before(own)):
			return broken("old key", "%s: %s works until %v, less than %d days", address, id, is["expiresAt"], days)
		}
	}
	return nil
}

// replayed reports whether a creation was answered with the record of an earlier one that had its key.
func replayed(r sandbox.Request, made object) bool {
	text, _ := within(made, "data.created_at").(string)
	created, err := time.Parse(time.RFC3339, text)
	return r.Operation == "finance.records.create" && err == nil && created.Before(r.Time.Add(-30*time.Second))
}

// keyTaken reports whether an error rightly says that the key of a record, which its block sets, belongs to another
// one: that of an earlier body, which was deleted elsewhere or abandoned.
func (j *judge) keyTaken(text string) bool {
	return strings.Contains(text, "was answered with another record") &&
		j.blocks[addressOf(text)].values["idempotency_key"] != nil
}

// unsendable reports whether an error is about an entry that the service has reworded so that it rejects it: another
// change sends the whole list.
func (j *judge) unsendable(text string) bool {
	return j.rewords && strings.Contains(text, "Invalid value for emails[")
}
