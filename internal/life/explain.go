package life

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	alike "github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// applied is a finished apply: the shown plan, the objects at the service before, and the requests.
type applied struct {
	plan   *core.Plan
	before map[string]object // by address: the object at the service
	newIDs map[string]string // ids in the new state, with their addresses
}

// shownBy maps an operation on an existing object to the attribute whose planned change explains it.
var shownBy = map[string]string{
	"subscriptions.pause": "pause", "subscriptions.resume": "pause", "subscriptions.change_plan": "plan_id",
	"subscriptions.items.sync": "items", "subscriptions.cancel": "cancel_at_period_end",
	"billing_accounts.suspend": "status", "billing_accounts.reactivate": "status", "api_keys.rotate": "rotated_at",
	"webhook_endpoints.rotate_secret": "secret", "api_keys.revoke": "previous_keys",
}

// explain lists the requests that no planned change explains.
func (a applied) explain(sent []sandbox.Request) (unexplained []string) {
	created := map[string]int{}
	for _, r := range sent {
		if creates(r) || r.Operation == "api_keys.rotate" {
			// To end an old key, the provider rotates it and revokes the successor. A run that is killed has no state.
			id, _ := within(parsed(r.Response), "data.id").(string)
			a.newIDs[id] = cmp.Or(a.newIDs[id], "created")
		}
	}
	for _, r := range sent {
		if r.Method == http.MethodGet {
			a.read(r)
			continue
		}
		if r.Fault != "" && r.Method == http.MethodPost && repeatable(r) {
			continue // After a fault, a creation may be sent again.
		}
		why := ""
		if creates(r) {
			typeName := evidence.KindOf(r.Operation).Type
			if typeName == "billing_finance_record" && len(r.Changes) == 0 {
				continue // The key of a deleted record cannot be used again, so the next one is tried.
			}
			created[typeName]++
			if created[typeName] > a.creations(typeName) {
				why = "the plan creates fewer"
			}
		} else {
			why = a.unexplained(r)
		}
		if why != "" {
			unexplained = append(unexplained, fmt.Sprintf("%s %s %s: %s", r.Operation, r.Body, r.Path, why))
		}
	}
	return unexplained
}

// read notes the custom_metadata that the apply has read: it may send what another system has changed since the plan.
func (a applied) read(r sandbox.Request) {
	if change, _ := a.about(r); change != nil && a.before[change.Address] != nil {
		if now := within(parsed(r.Response), "data.custom_metadata"); now != any(absent{}) {
			a.before[change.Address]["custom_metadata"] = now
		}
	}
}

// creates reports whether a request creates an object.
func creates(r sandbox.Request) bool { return evidence.KindOf(r.Operation).Create != "" }

// repeatable reports whether a creation may be sent again after a fault: if the service has not processed it, or
// creates no second object.
func repeatable(r sandbox.Request) bool {
	body, _ := parsed(r.Body).(object)
	return creates(r) && (r.Status == http.StatusTooManyRequests || body["external_id"] != nil ||
		evidence.KindOf(r.Operation).Name == evidence.Record)
}

// creations returns how many objects of a type the plan creates. An update with a new id counts too: a key that was
// rotated elsewhere is replaced by a new one.
func (a applied) creations(typeName string) (n int) {
	for _, c := range a.plan.Changes {
		creates := c.Action == core.Create || c.Action == core.Replace || c.Action == core.Update &&
			c.After["id"] == any(core.Unknown)
		if typeOf(c.Address) == typeName && creates {
			n++
		}
	}
	return n
}

// unexplained returns why a request to an object is unexplained, or "".
func (a applied) unexplained(r sandbox.Request) string {
	change, previous := a.about(r)
	switch {
	case r.Operation == "finance.records.update" && string(r.Body) == "{}" && a.creations("billing_finance_record") > 0:
		return "" // checks whether the record with this external id was deleted
	case change == nil && !a.createdHere(r) && !a.endsOldKey(r):
		return "the object is not in the plan"
	case change == nil, change.Action == core.Delete, change.Action == core.Replace:
		return ""
	case change.Action == core.NoOp:
		return change.Address + " shows no change"
	}
	return a.unexplainedUpdate(change, previous, r)
}

// createdHere reports whether a request is sent to an object that this apply has created.
func (a applied) createdHere(r sandbox.Request) bool {
	for id := range a.newIDs {
		if id != "" && strings.Contains(r.Path, id) {
			return true
		}
	}
	return false
}

// endsOldKey reports whether a request revokes a successor that was only created to end an old key.
func (a applied) endsOldKey(r sandbox.Request) bool {
	return r.Operation == "api_keys.revoke" && slices.ContainsFunc(a.plan.Changes, func(c *core.Change) bool {
		return typeOf(c.Address) == "billing_api_key" &&
			(c.Action == core.Delete || c.After["previous_keys"] == any(core.Unknown) ||
				c.After["id"] == any(core.Unknown))
	})
}

// unexplainedUpdate is unexplained for an object that the plan updates.
func (a applied) unexplainedUpdate(change *core.Change, previous bool, r sandbox.Request) string {
	changes := differences(change.Before, change.After, "")
	revokes := change.After["revoke_previous_keys"] == true
	ends := revokes || fmt.Sprint(change.After["grace_period_days"]) == "0"
	switch {
	case r.Operation == "api_keys.rotate" && previous && touched(changes, "previous_keys"):
		return "" // an old key gets an expiry
	case r.Operation == "api_keys.revoke" && (ends && touched(changes, "id") || previous && revokes):
		return ""
	case strings.HasSuffix(r.Operation, ".update"):
		return a.update(change, changes, r)
	}
	name, known := shownBy[r.Operation]
	// The change of an encrypted secret appears only in its encrypted text.
	shows := func(name string) bool { return touched(changes, name) }
	if !known || !slices.ContainsFunc(append([]string{name, "encrypted_" + name}, alsoShown[name]...), shows) {
		return fmt.Sprintf("%s does not show it in %q; it shows %v", change.Address, name, changes)
	}
	if r.Operation == "subscriptions.items.sync" {
		return a.items(change, r)
	}
	return ""
}

// about returns the change of the request's object; previous is true if that is an earlier key. Two blocks can have one
// record, as a warning says: what one of them shows is shown.
func (a applied) about(r sandbox.Request) (change *core.Change, previous bool) {
	for _, c := range a.plan.Changes {
		if id, _ := c.Before["id"].(string); id != "" && strings.Contains(r.Path, id) {
			if change = c; c.Action != core.NoOp {
				return c, false
			}
			continue
		}
		keys, _ := c.Before["previous_keys"].([]any)
		for _, key := range keys {
			fields, _ := key.(object)
			if id, _ := fields["id"].(string); strings.Contains(r.Path, id) {
				return c, true
			}
		}
	}
	return change, false
}

// inWording reports whether a request sends a value of the state of which the service shows its wording.
func inWording(change *core.Change, d difference) bool {
	return d.after != any(absent{}) && alike.WordedJSON([]byte(show(d.before)), []byte(show(d.after))) &&
		same(within(change.Before, d.path), d.after)
}

func touched(changes []difference, name string) bool {
	return slices.ContainsFunc(changes, func(d difference) bool {
		return d.path == name ||
			strings.HasPrefix(d.path, name+".")
	})
}

// alsoShown maps a field to the attributes with other names that show its change.
var alsoShown = map[string][]string{
	"email": {"emails"}, "emails": {"email"}, "phone": {"phones"}, "phones": {"phone"},
	"custom_metadata_mode": {"custom_metadata", "effective_custom_metadata"}, "plan_id": {"current_plan_id"},
}

// update compares the body of a PATCH with the planned differences.
func (a applied) update(change *core.Change, changes []difference, r sandbox.Request) string {
	body, _ := parsed(r.Body).(object)
	for _, name := range slices.Sorted(maps.Keys(body)) { // sorted, so that a life always fails with the same message
		sent := body[name]
		switch {
		case name == "custom_metadata":
			if why := a.metadata(change, changes, body); why != "" {
				return why
			}
		case a.reverts(change.Address, name):
		case typeOf(change.Address) == "billing_finance_record":
			// The service replaces a key of the body as a whole.
			for _, d := range differences(within(a.before[change.Address], name), orAbsent(sent), "body."+name) {
				if !explained(changes, d) && !inWording(change, d) {
					return fmt.Sprintf("%s does not show %s; it shows %v", change.Address, d, changes)
				}
			}
			if !touched(changes, "body."+name) && !touched(changes, "body") {
				return fmt.Sprintf("%s does not show a change of %s; it shows %v", change.Address, name, changes)
			}
		case !slices.ContainsFunc(append([]string{name}, alsoShown[name]...),
			func(n string) bool { return touched(changes, n) }):
			return fmt.Sprintf("%s does not show a change of %s; it shows %v", change.Address, name, changes)
		case alsoShown[name] == nil && contradicts(sent, change.After[name]):
			return fmt.Sprintf("%s shows %s = %s", change.Address, name, show(change.After[name]))
		}
	}
	return ""
}

// reverts reports whether a warning shows that the key of a record is sent, because ignore_remote_changes ends: the
// state has ignored the changes of other systems, so the difference cannot show them.
func (a applied) reverts(address, key string) bool {
	return a.says(address, "The apply reverts changes by other systems", "  "+key+"\n")
}

// says reports whether a warning about an address has both texts.
func (a applied) says(address, what, which string) bool {
	return slices.ContainsFunc(a.plan.Warnings, func(text string) bool {
		return strings.HasPrefix(text, address+": ") && strings.Contains(text, what) &&
			strings.Contains(text, which)
	})
}

// orAbsent returns the effect of a sent value: null removes the key from a record.
func orAbsent(sent any) any {
	if sent == nil {
		return absent{}
	}
	return sent
}

// contradicts reports whether a field is sent with a different value than the plan shows. Lists, and fields that
// only one side has, are not compared.
func contradicts(sent, shown any) bool {
	fields, isObject := sent.(object)
	known, wasObject := shown.(object)
	if isObject && wasObject {
		for name, v := range fields {
			if contradicts(v, known[name]) {
				return true
			}
		}
	}
	return isScalar(sent) && isScalar(shown) && !same(sent, shown)
}

func isScalar(v any) bool {
	switch v.(type) {
	case object, []any:
		return false
	}
	return v != any(core.Unknown) && v != nil
}

// inNFC returns a JSON value as Terraform stores it.
func inNFC(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return v
	}
	return parsed(norm.NFC.Bytes(text))
}

// metadata compares the effect of a PATCH on custom_metadata with the plan. A default of the provider appears as a
// change of effective_custom_metadata.
func (a applied) metadata(change *core.Change, changes []difference, body object) string {
	had, _ := inNFC(a.before[change.Address]["custom_metadata"]).(object)
	sent, _ := inNFC(body["custom_metadata"]).(object)
	result := sent
	if body["custom_metadata_mode"] == "merge" {
		result = merged(had, sent)
	}
	if change.After["custom_metadata_mode"] == any(core.Unknown) &&
		change.After["effective_custom_metadata"] == any(core.Unknown) {
		return ""
	}
	effective, _ := change.After["effective_custom_metadata"].(string)
	shown := parsed([]byte(effective))
	for _, d := range differences(had, result, "custom_metadata") {
		key := strings.TrimPrefix(d.path, "custom_metadata.")
		if there := within(shown, key); shown != nil && touched(changes, "effective_custom_metadata") &&
			(there == any(absent{}) && d.after == any(absent{}) || same(there, d.after)) {
			continue
		}
		if d.after != any(absent{}) && within(change.After, d.path) == any(absent{}) &&
			touched(changes, "custom_metadata") && change.After["effective_custom_metadata"] == any(core.Unknown) {
			continue // a default, while a part of the object is unknown
		}
		if !explained(changes, d) && !a.says(change.Address, "removes keys that the plan does not show", key) {
			return fmt.Sprintf("%s does not show %s; it shows %v", change.Address, d, changes)
		}
	}
	return ""
}

// explained reports whether one of the planned changes is or contains this difference.
func explained(changes []difference, d difference) bool {
	return slices.ContainsFunc(changes, func(shown difference) bool {
		if shown.path == d.path {
			return fits(shown.after, d.after) || shown.after == nil && d.after == any(absent{})
		}
		return strings.HasPrefix(d.path, shown.path+".") && shown.after == any(core.Unknown)
	})
}

// fits reports whether a planned value, which may be unknown in part, may turn out to be another one.
func fits(planned, now any) bool {
	list, isList := planned.([]any)
	items, _ := now.([]any)
	if !isList || len(list) != len(items) {
		return planned == any(core.Unknown) || same(planned, now)
	}
	for i, item := range items {
		if !fits(list[i], item) {
			return false
		}
	}
	return true
}

// items compares the items that are sent with those in the plan: a removed item must have been shown.
func (a applied) items(change *core.Change, r sandbox.Request) string {
	body, _ := parsed(r.Body).(object)
	sent, _ := body["items"].([]any)
	there, _ := a.before[change.Address]["items"].([]any)
	shown, _ := change.Before["items"].([]any)
	for _, item := range wanted(there) {
		if !holds(sent, item) && !holds(shown, item) && !a.warned(change.Address, item) {
			return fmt.Sprintf("%s does not show the removal of the item %s", change.Address, show(item))
		}
	}
	return ""
}

// warned reports whether the plan contains a warning about an item, or says that it cannot show what it removes.
func (a applied) warned(address string, item any) bool {
	fields, _ := item.(object)
	return slices.ContainsFunc(a.plan.Warnings, func(text string) bool {
		return strings.HasPrefix(text, address+":") && strings.Contains(text, "may lose items that the plan cannot show") ||
			strings.Contains(text, fmt.Sprint(fields["product_id"])) && strings.Contains(text, fmt.Sprint(fields["quantity"]))
	})
}

// holds reports whether one of the items is equal to an item in the format of a request.
func holds(items []any, item any) bool {
	return slices.ContainsFunc(wanted(items), func(other any) bool { return show(other) == show(item) })
}
