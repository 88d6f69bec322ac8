package claims_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const keyHeader = "X-Idempotency-Key"

var entryFaults = []fault{
	{name: "a record is created with 200", breaks: []int{751, 756},
		spoil: onCall(http.MethodPost, books, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a created record has no envelope", breaks: []int{751},
		spoil: onCall(http.MethodPost, books, func(in *inFlight) { in.got = at(in.got, "data") })},
	{name: "ids are not UUIDs", breaks: []int{751},
		spoil: onCall(http.MethodPost, books, func(in *inFlight) { setAt(in.got, "data.id", "7") })},
	{name: "undocumented fields are dropped", breaks: []int{751},
		rewrite: onSent(http.MethodPost, books, func(sent object) { delete(sent, "origin") })},
	{name: "objects lose their false members", only: 751,
		rewrite: onSent(http.MethodPost, books, func(sent object) {
			for _, line := range items(sent["lines"]) {
				delete(line, "approved")
			}
		})},
	{name: "reads show another name", breaks: []int{752},
		spoil: onCall(http.MethodGet, oneEntry, func(in *inFlight) { setAt(in.got, "data.name", "other") })},
	{name: "lists show id and name only", breaks: []int{752, 753}, spoil: onPage(func(in *inFlight) {
		for _, record := range items(at(in.got, "data")) {
			maps.DeleteFunc(record, func(name string, _ any) bool { return name != "id" && name != "name" })
		}
	})},
	{name: "integers lose precision in financial management", only: 753,
		spoil: inBooks(func(in *inFlight) { in.got = throughDouble(in.got) })},
	{name: "integers lose precision in lists", breaks: []int{753},
		spoil: onPage(func(in *inFlight) { in.got = throughDouble(in.got) })},
	{name: "amounts are numbers", breaks: []int{751, 753, 758}, spoil: onEntries(func(record object) {
		if amount, ok := record["amount"].(string); ok {
			record["amount"] = json.Number(amount)
		}
	})},
	{name: "amounts lose trailing zeros", breaks: []int{751, 753, 758}, spoil: onEntries(func(record object) {
		if amount, ok := record["amount"].(string); ok {
			record["amount"] = strings.TrimRight(amount, "0")
		}
	})},
}

var keyReplayFaults = []fault{
	{name: "keys are ignored", breaks: []int{756, 757, 758, 759, 760},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) { in.header.Del(keyHeader) })},
	{name: "a used key is rejected", breaks: []int{756, 757, 758, 759, 760},
		rewrite: onKnownKey(func(in *inFlight, _ object) { in.status = http.StatusConflict })},
	{name: "a used key returns 200", breaks: []int{756, 757, 758, 759, 760},
		spoil: func(in *inFlight) {
			if in.mark == "again" {
				in.status = http.StatusOK
			}
		}, rewrite: onKnownKey(func(in *inFlight, _ object) { in.mark = "again" })},
	{name: "a used key creates a second record", breaks: []int{756, 757, 758, 759, 760},
		rewrite: onKnownKey(func(in *inFlight, _ object) {
			in.proxy.ask(http.MethodPost, in.path, object{"name": "second", "company_id": in.sent["company_id"]})
		})},
	{name: "a used key with another body is rejected", only: 757,
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if at(original, "data.name") != in.sent["name"] {
				in.status = http.StatusUnprocessableEntity
			}
		})},
	{name: "a used key returns the current record", only: 758,
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if found := in.original(original); found != nil {
				in.status, in.got = http.StatusCreated, object{"data": found}
			}
		})},
	{name: "a used key reverts updates", breaks: []int{756, 758},
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if found := in.original(original); found != nil {
				in.proxy.ask(http.MethodPatch, in.path+"/"+found["id"].(string), in.sent)
			}
		})},
	{name: "a deletion frees the key", only: 759, rewrite: onKnownKey(func(in *inFlight, original object) {
		if in.original(original) == nil {
			in.header.Del(keyHeader)
		}
	})},
	{name: "the key of a deleted record is not found", breaks: []int{759},
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if in.original(original) == nil {
				in.status = http.StatusNotFound
			}
		})},
	remembering(racingFault),
	{name: "the same body creates the same record", breaks: []int{757, 763},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) {
			sum := sha256.Sum256(fmt.Append(nil, in.sent))
			in.header.Set(keyHeader, fmt.Sprintf("00000000-0000-4000-8000-%x", sum[:6]))
		})},
}

// racingFault stores a key only after the response to its creation. Creations wait for a second one, so that two are
// always in progress.
func racingFault() fault {
	var arrived atomic.Int32
	second := make(chan struct{})
	return fault{name: "two parallel creations ignore each other", breaks: []int{756, 757, 758, 759, 760}, together: true,
		rewrite: func(in *inFlight) {
			if in.method != http.MethodPost {
				return
			}
			in.header.Del(keyHeader)
			if arrived.Add(1) == 2 {
				close(second)
			}
			select {
			case <-second:
			case <-time.After(5 * time.Second): // a claim that sends them one after the other does not detect the fault
				in.header.Set(keyHeader, nobodysKey)
			}
		}}
}

// nobodysKey is the same key for all.
const nobodysKey = "00000000-0000-4000-8000-000000000000"

// onEntries changes every record in a response.
func onEntries(act func(object)) func(*inFlight) {
	return inBooks(func(in *inFlight) {
		if record, ok := at(in.got, "data").(object); ok {
			act(record)
		}
		for _, record := range items(at(in.got, "data")) {
			act(record)
		}
	})
}

// onKnownKey changes a creation with a used key; original is the response to the first one.
func onKnownKey(act func(*inFlight, object)) func(*inFlight) {
	return onCall(http.MethodPost, books, func(in *inFlight) {
		if original, known := in.proxy.replies[in.collection()+" "+in.header.Get(keyHeader)]; known {
			act(in, original)
		}
	})
}

// original returns the record of the first creation, nil if it was deleted.
func (in *inFlight) original(created object) object {
	id, _ := at(created, "data.id").(string)
	return in.proxy.one(in.path + "/" + id)
}

var entryUpdateFaults = []fault{
	{name: "an update replaces the record", breaks: []int{771, 772, 774},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			for name := range fields {
				if _, is := in.sent[name]; !is && !slices.Contains([]string{"id", "created_at", "updated_at"}, name) {
					in.sent[name] = nil
				}
			}
		})},
	{name: "an update adds nothing", only: 771,
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			maps.DeleteFunc(in.sent, func(name string, _ any) bool { _, is := fields[name]; return !is })
		})},
	{name: "an update is acknowledged but not executed", breaks: []int{771, 772, 773, 774, 758},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			if len(wrongEntries(in.sent)) == 0 {
				response := maps.Clone(fields)
				maps.Copy(response, in.sent)
				maps.DeleteFunc(response, func(_ string, value any) bool { return value == nil })
				in.status, in.got = http.StatusOK, object{"data": response}
			}
		})},
	{name: "a null changes nothing", only: 772, rewrite: onSent(http.MethodPatch, oneEntry, func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
	})},
	{name: "a null is kept", breaks: []int{772}, spoil: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
		if value, is := in.sent["note"]; is && value == nil {
			setAt(in.got, "data.note", nil)
		}
	})},
	{name: "a missing key cannot be removed", breaks: []int{772},
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			if _, is := fields["note"]; !is && len(in.sent) == 1 {
				in.status = http.StatusUnprocessableEntity
			}
		})},
	{name: "nested objects are merged", only: 773,
		rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			if _, is := in.sent["origin"]; is {
				in.sent["origin"] = merge(fields["origin"], in.sent["origin"])
			}
		})},
	{name: "nested lists grow", breaks: []int{773}, rewrite: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
		if lines, is := in.sent["lines"].([]any); is {
			before, _ := fields["lines"].([]any)
			in.sent["lines"] = append(slices.Clone(before), lines...)
		}
	})},
	{name: "an update returns no record", breaks: []int{774}, spoil: onCall(http.MethodPatch, oneEntry,
		func(in *inFlight) { in.got = object{"data": object{"updated": true}} })},
	{name: "an update returns only the sent fields", breaks: []int{774}, spoil: onCall(http.MethodPatch, oneEntry,
		func(in *inFlight) { in.got = object{"data": in.sent} })},
	{name: "an update changes the id", only: 774,
		spoil: onEntry(http.MethodPatch, func(in *inFlight, fields object) {
			setAt(in.got, "data.id", uuid.NewString())
		})},
	{name: "a deletion returns a body", breaks: []int{759, 776, 777}, spoil: onCall(http.MethodDelete, oneEntry,
		func(in *inFlight) { in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}} })},
	{name: "a deletion has no effect", breaks: []int{704, 728, 759, 776, 777}, rewrite: onCall(http.MethodDelete, oneEntry,
		func(in *inFlight) { in.status = http.StatusNoContent })},
	remembering(lingeringFault),
	{name: "a second deletion succeeds", breaks: []int{704, 777}, rewrite: onCall(http.MethodDelete, oneEntry,
		func(in *inFlight) {
			if in.entry() == nil {
				in.status = http.StatusNoContent
			}
		})},
}

// lingeringFault keeps listing deleted records.
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

// onEntry changes a call on an existing record, with its stored fields.
func onEntry(method string, act func(*inFlight, object)) func(*inFlight) {
	return onCall(method, oneEntry, func(in *inFlight) {
		if found := in.entry(); found != nil {
			act(in, found)
		}
	})
}

var entryRefusalFaults = []fault{
	{name: "an amount may be a number", only: 785, rewrite: onSent(http.MethodPost, books, func(sent object) {
		if _, isText := sent["amount"].(string); sent["amount"] != nil && !isText {
			sent["amount"] = "1.00"
		}
	})},
	{name: "a date is rejected as a time", breaks: []int{743, 751}, rewrite: onSent(http.MethodPost, books, func(sent object) {
		if date, _ := sent["occurred_at"].(string); len(date) == 10 {
			sent["occurred_at"] = "no"
		}
	})},
	{name: "rejections in financial management name no field", breaks: []int{785},
		spoil: whenStatus(422, 422, inBooks(func(in *inFlight) { deleteAt(in.got, "error.details") }))},
	{name: "invalid records are 400", breaks: []int{785},
		spoil: whenStatus(422, 422, inBooks(func(in *inFlight) { in.status = http.StatusBadRequest }))},
	{name: "a rejected record is created", breaks: []int{757, 785}, rewrite: onCall(http.MethodPost, books, func(in *inFlight) {
		if wrongEntries(in.sent)["amount"] != nil {
			partly("amount")(in)
		}
	}),
		spoil: refusePartly("amount")},
	{name: "receivables are not checked", breaks: []int{785},
		rewrite: onSent(http.MethodPost, financePrefix+"/v1/receivables", func(sent object) {
			for field := range wrongEntries(sent) {
				delete(sent, field)
			}
		})},
}

var openAPIFaults = []fault{
	{name: "text/plain", breaks: []int{793}, spoil: func(in *inFlight) {
		in.response.Set("Content-Type", "text/plain")
	}},
	{name: "the OpenAPI document is missing", breaks: []int{791, 793}, rewrite: onCall(http.MethodGet, openAPIDocs,
		func(in *inFlight) { in.status = http.StatusNotFound })},
	{name: "an OpenAPI document of version 2", only: 791,
		spoil: onDescription(func(in *inFlight) { setAt(in.got, "openapi", "2.0") })},
	{name: "a description without a title", breaks: []int{791},
		spoil: onDescription(func(in *inFlight) { deleteAt(in.got, "info.title") })},
	{name: "a description without a version", breaks: []int{791},
		spoil: onDescription(func(in *inFlight) { deleteAt(in.got, "info.version") })},
	{name: "a description without paths", breaks: []int{791, 793},
		spoil: onDescription(func(in *inFlight) { setAt(in.got, "paths", object{}) })},
	{name: "YAML has the content type of JSON", only: 793,
		spoil: onYAML(func(in *inFlight) { in.response.Set("Content-Type", "application/json") })},
	{name: "the YAML lacks a path", breaks: []int{793},
		spoil: onYAML(func(in *inFlight) { in.text = strings.ReplaceAll(in.text, "/v1/receivables", "") })},
	{name: "the YAML is an HTML page", breaks: []int{793},
		spoil: onYAML(func(in *inFlight) { in.text = "<p>" + strings.ReplaceAll(in.text, "\n", "\n<p>") })},
}

func onDescription(act func(*inFlight)) func(*inFlight) {
	return onCall(http.MethodGet, financePrefix+"/api/v1/openapi.json", act)
}

func onYAML(act func(*inFlight)) func(*inFlight) {
	return onCall(http.MethodGet, financePrefix+"/api/v1/openapi.yaml", act)
}
