package life

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// What belongs to another system stays, and what belonged to an old key ends.

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
			whole := func(b block) bool { return b.at == "" || b.values[list] != nil }
			entries, _ := now[list].([]any)
			switch {
			case now == nil, whole(before[address]), whole(j.blocks[address]):
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
