package claims

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// A claim that fails is checked a second time, with tolerance for the differences that the provider accepts without any
// setting (internal/evidence/README.md). If it holds then, the difference does not affect users.

// acceptance is the tolerance of a second check. Nil accepts nothing.
type acceptance struct {
	mu    sync.Mutex
	found map[string][]string // accepted differences, and the attributes that have them
}

// The accepted differences between services.
const (
	deletionStatus = "deletions that respond 200 instead of 204, or 204 instead of 200"
	bareObjects    = "objects without the data envelope"
	moreFields     = "objects with additional fields"
	fieldsLeftOut  = "omitted fields without a value"
	nullLists      = "null instead of an empty list"
	ignoredNulls   = "a merge of custom_metadata that ignores null"
	unlistedItems  = "changes of items that cannot be listed"
	priceAmounts   = "the price's amount in an item without unit_amount_subcents"
	ownWording     = "the service's own wording in "
)

// accept reports whether a difference is accepted, and records it, with the attributes that have it if they matter.
func (a *acceptance) accept(difference string, attributes ...string) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found[difference] = append(a.found[difference], attributes...)
	return true
}

// secondTime checks a failed claim again. It returns the differences that must be accepted for it to hold; empty if it
// fails.
func (c Claim) secondTime(ctx context.Context, target Target) []string {
	target.accepts = &acceptance{found: map[string][]string{}}
	if c.Check(ctx, target) != nil {
		return nil
	}
	var found []string
	for _, difference := range slices.Sorted(maps.Keys(target.accepts.found)) {
		attributes := slices.Sorted(slices.Values(target.accepts.found[difference]))
		if len(attributes) > 0 {
			difference += " (" + strings.Join(slices.Compact(attributes), ", ") + ")"
		}
		found = append(found, difference)
	}
	return found
}

// accepts returns the tolerance for this response; an error response has none.
func (a *response) accepts() *acceptance {
	if a.status < 200 || a.status > 299 {
		return nil
	}
	return a.p.target.accepts
}

// normalize converts a response to the documented format.
func (a *response) normalize(c call) {
	accepts := a.accepts()
	if accepts == nil {
		return
	}
	body, isObject := a.body.(map[string]any)
	_, enveloped := body["data"]
	deletes, deleted := c.method == http.MethodDelete, asJSON(object{"data": object{"deleted": true}})
	silent := a.p.finance || strings.HasPrefix(c.path, "/api/v1/") // as documented: 204, without a body
	switch {
	case deletes && !silent && a.status == http.StatusNoContent:
		accepts.accept(deletionStatus)
		a.status, a.body = http.StatusOK, deleted
	case deletes && silent && a.status == http.StatusOK && sameJSON(a.body, deleted):
		accepts.accept(deletionStatus)
		a.status, a.body, a.raw = http.StatusNoContent, missing{}, nil
	case isObject && !enveloped && c.path != mePath && c.path != openAPIJSONPath:
		accepts.accept(bareObjects)
		a.body = object{"data": a.body}
	}
}

// same compares the value at path with the wanted one, except for accepted differences.
func (a *response) same(path string, got, wanted any) bool {
	accepts := a.accepts()
	_, inside, metadata := strings.Cut(path, "custom_metadata") // which contains exactly what was sent
	switch {
	case accepts == nil:
		return sameJSON(got, wanted)
	case metadata && (inside != "" || wanted != nil):
		return a.sameMetadata(got, wanted)
	}
	switch wanted := wanted.(type) {
	case nil:
		return accepts.unset(path, got)
	case map[string]any:
		return a.sameObject(path, got, wanted)
	case []any:
		return a.sameList(path, got, wanted)
	}
	return sameJSON(got, wanted) || a.p.wordable(path) && worded(got, wanted) &&
		accepts.accept(ownWording+path[strings.LastIndex(path, ".")+1:])
}

// sameMetadata compares custom_metadata, or a part of it.
func (a *response) sameMetadata(got, wanted any) bool {
	return sameJSON(got, wanted) || a.p.merges && butForNulls(got, wanted) && a.accepts().accept(ignoredNulls) ||
		onlyWorded(got, wanted) && a.accepts().accept(ownWording+"custom_metadata")
}

// wordable reports whether the value at path may have another wording.
func (p *probe) wordable(path string) bool {
	return p.finance || slices.Contains(evidence.FreeTexts, path[strings.LastIndex(path, ".")+1:])
}

// onlyWorded reports whether two values differ only in the wording of texts.
func onlyWorded(got, wanted any) bool {
	return !slices.ContainsFunc(differences(got, wanted), func(d difference) bool { return !worded(d.shown, d.sent) })
}

// unset reports whether a value is null, or accepted as null.
func (a *acceptance) unset(path string, got any) bool {
	if _, isNumber := got.(json.Number); isNumber && strings.HasSuffix(path, "unit_amount_subcents") {
		return a.accept(priceAmounts)
	}
	return got == nil || got == (any)(missing{}) && a.accept(fieldsLeftOut)
}

func (a *response) sameObject(path string, got any, wanted map[string]any) bool {
	members, ok := got.(map[string]any)
	if !ok {
		return false
	}
	for name, value := range wanted {
		member, there := members[name]
		if !there {
			member = missing{}
		}
		if !a.same(path+"."+name, member, value) {
			return false
		}
	}
	return len(members) <= len(wanted) || !a.p.finance && a.accepts().accept(moreFields) // a record contains what was sent
}

func (a *response) sameList(path string, got any, wanted []any) bool {
	if got == nil && len(wanted) == 0 {
		return a.accepts().accept(nullLists)
	}
	list, ok := got.([]any)
	if !ok || len(list) != len(wanted) {
		return false
	}
	for i := range list {
		if !a.same(path, list[i], wanted[i]) {
			return false
		}
	}
	return true
}

// butForNulls reports whether got equals wanted, except for members that were set to null.
func butForNulls(got, wanted any) bool {
	members, isObject := wanted.(map[string]any)
	object, alsoObject := got.(map[string]any)
	if !isObject || !alsoObject {
		return wanted == nil || sameJSON(got, wanted)
	}
	for name, value := range members {
		if value != nil && !butForNulls(object[name], value) {
			return false
		}
	}
	for name := range object {
		if _, there := members[name]; !there {
			return false
		}
	}
	return true
}

// unset reports whether the value at path is null, or missing if that is accepted.
func (a *response) unset(path string) bool { return a.same(path, a.at(path), nil) }
