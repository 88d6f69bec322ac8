package claims_test

import (
	"maps"
	"net/http"
	"slices"
)

var entryUpdateFaults = []fault{
	{name: "an update replaces the record", breaks: []int{771, 772, 774},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			for name := range fields {
				if _, is := in.sent[name]; !is && !slices.Contains([]string{"id", "created_at", "updated_at"}, name) {
					in.sent[name] = nil
				}
			}
		})},
	{name: "an update adds nothing", breaks: []int{771},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			maps.DeleteFunc(in.sent, func(name string, _ any) bool { _, is := fields[name]; return !is })
		})},
	{name: "an update is acknowledged and not done", breaks: []int{771, 772, 773, 774, 758},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			if len(wrongEntries(in.sent)) == 0 {
				response := maps.Clone(fields)
				maps.Copy(response, in.sent)
				maps.DeleteFunc(response, func(_ string, value any) bool { return value == nil })
				in.status, in.got = http.StatusOK, object{"data": response}
			}
		})},
	{name: "a null changes nothing", breaks: []int{772}, rewrite: onSent(http.MethodPatch, oneEntry, func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
	})},
	{name: "a null is kept", breaks: []int{772}, spoil: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
		if value, is := in.sent["note"]; is && value == nil {
			setAt(in.got, "data.note", nil)
		}
	})},
	{name: "what is not there cannot be taken out", breaks: []int{772},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			if _, is := fields["note"]; !is && len(in.sent) == 1 {
				in.status = http.StatusUnprocessableEntity
			}
		})},
	{name: "objects inside are merged", breaks: []int{773},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			if _, is := in.sent["origin"]; is {
				in.sent["origin"] = merge(fields["origin"], in.sent["origin"])
			}
		})},
	{name: "lists inside grow", breaks: []int{773}, rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
		if lines, is := in.sent["lines"].([]any); is {
			before, _ := fields["lines"].([]any)
			in.sent["lines"] = append(slices.Clone(before), lines...)
		}
	})},
	{name: "an update returns no record", breaks: []int{774}, spoil: onCall(http.MethodPatch, oneEntry,
		func(in *inFlight) { in.got = object{"data": object{"updated": true}} })},
	{name: "an update gets what was sent", breaks: []int{774}, spoil: onCall(http.MethodPatch, oneEntry,
		func(in *inFlight) { in.got = object{"data": in.sent} })},
	{name: "an update gives a new id", breaks: []int{774},
		spoil: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			setAt(in.got, "data.id", newUUID())
		})},
	{name: "a deletion returns a body", breaks: []int{776}, spoil: onCall(http.MethodDelete, oneEntry,
		func(in *inFlight) { in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}} })},
	{name: "a deletion does nothing", breaks: []int{759, 776, 777, 728}, rewrite: onCall(http.MethodDelete, oneEntry,
		func(in *inFlight) { in.status = http.StatusNoContent })},
	lingeringFault(),
	{name: "a second deletion is done", breaks: []int{777}, rewrite: onCall(http.MethodDelete, oneEntry,
		func(in *inFlight) {
			if in.entry() == nil {
				in.status = http.StatusNoContent
			}
		})},
}

// lingeringFault continues listing what was deleted.
func lingeringFault() fault {
	var gone []any
	return fault{name: "a deleted record is still listed", breaks: []int{728, 759, 776},
		rewrite: onEntry(http.MethodDelete, func(in *inFlight, fields object) {
			gone = append(gone, maps.Clone(fields))
		}), spoil: onLastPage(func(in *inFlight) {
			list, _ := at(in.got, "data").([]any)
			setAt(in.got, "data", append(list, gone...))
		})}
}

// onEntry acts on a call about a record that is there, with its stored fields.
func onEntry(method string, act func(*inFlight, object)) func(*inFlight) {
	return onCall(method, oneEntry, func(in *inFlight) {
		if found := in.entry(); found != nil {
			act(in, found)
		}
	})
}
