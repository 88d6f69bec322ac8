package claims_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const keyHeader = "X-Idempotency-Key"

var entryFaults = []fault{
	{name: "a record is made with 200", breaks: []int{751, 756},
		spoil: onCall(http.MethodPost, books, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a record that is made stands bare", breaks: []int{751},
		spoil: onCall(http.MethodPost, books, func(in *inFlight) { in.got = at(in.got, "data") })},
	{name: "ids that are no UUID", breaks: []int{751},
		spoil: onCall(http.MethodPost, books, func(in *inFlight) { setAt(in.got, "data.id", "7") })},
	{name: "fields of its own are dropped", breaks: []int{751},
		rewrite: onSent(http.MethodPost, books, func(sent object) { delete(sent, "origin") })},
	{name: "objects lose their false members", breaks: []int{751},
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
	{name: "integers go through a double in the books", breaks: []int{753},
		spoil: inBooks(func(in *inFlight) { in.got = throughDouble(in.got) })},
	{name: "integers go through a double in lists", breaks: []int{753},
		spoil: onPage(func(in *inFlight) { in.got = throughDouble(in.got) })},
	{name: "money is a number", breaks: []int{753, 758}, spoil: onEntries(func(record object) {
		if amount, ok := record["amount"].(string); ok {
			record["amount"] = json.Number(amount)
		}
	})},
	{name: "money loses its zeros", breaks: []int{753, 758}, spoil: onEntries(func(record object) {
		if amount, ok := record["amount"].(string); ok {
			record["amount"] = strings.TrimRight(amount, "0")
		}
	})},
}

var keyReplayFaults = []fault{
	{name: "keys are ignored", breaks: []int{756, 757, 758, 759, 760},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) { in.header.Del(keyHeader) })},
	{name: "a key that came before is refused", breaks: []int{756, 757, 758, 759, 760},
		rewrite: onKnownKey(func(in *inFlight, _ object) { in.status = http.StatusConflict })},
	{name: "a key that came before gets 200", breaks: []int{756, 757, 758, 759, 760},
		spoil: func(in *inFlight) {
			if in.mark == "again" {
				in.status = http.StatusOK
			}
		}, rewrite: onKnownKey(func(in *inFlight, _ object) { in.mark = "again" })},
	{name: "a key that came before makes a second record", breaks: []int{756, 757, 758, 759, 760},
		rewrite: onKnownKey(func(in *inFlight, _ object) {
			in.proxy.ask(http.MethodPost, in.path, object{"name": "second", "company_id": in.sent["company_id"]})
		})},
	{name: "a key with another body is refused", breaks: []int{757},
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if at(original, "data.name") != in.sent["name"] {
				in.status = http.StatusUnprocessableEntity
			}
		})},
	{name: "a key that came before gets the record of now", breaks: []int{758},
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if found := in.original(original); found != nil {
				in.status, in.got = http.StatusCreated, object{"data": found}
			}
		})},
	{name: "a key that came before undoes updates", breaks: []int{758},
		rewrite: onKnownKey(func(in *inFlight, original object) {
			if found := in.original(original); found != nil {
				in.proxy.ask(http.MethodPatch, in.path+"/"+found["id"].(string), in.sent)
			}
		})},
	{name: "a deletion frees the key", breaks: []int{759}, rewrite: onKnownKey(func(in *inFlight, original object) {
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
	racingFault(),
	{name: "the same body is the same record", breaks: []int{763},
		rewrite: onCall(http.MethodPost, books, func(in *inFlight) {
			sum := sha256.Sum256(fmt.Append(nil, in.sent))
			in.header.Set(keyHeader, fmt.Sprintf("00000000-0000-4000-8000-%x", sum[:6]))
		})},
}

// racingFault remembers a key once its creation is returned and no earlier.
// Creations wait for a second one, so that two are always under way.
func racingFault() fault {
	var arrived atomic.Int32
	second := make(chan struct{})
	return fault{name: "two creations at once do not see each other", breaks: []int{760}, together: true,
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
			case <-time.After(5 * time.Second): // a claim that sends one after the other finds nothing
				in.header.Set(keyHeader, nobodysKey)
			}
		}}
}

// nobodysKey is one key for all.
const nobodysKey = "00000000-0000-4000-8000-000000000000"

// onEntries acts on every record that a response shows.
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

// onKnownKey acts on a creation whose key came before, with what was returned then.
func onKnownKey(act func(*inFlight, object)) func(*inFlight) {
	return onCall(http.MethodPost, books, func(in *inFlight) {
		if original, known := in.proxy.replies[in.collection()+" "+in.header.Get(keyHeader)]; known {
			act(in, original)
		}
	})
}

// original is the record that a creation made, nil when it is gone.
func (in *inFlight) original(created object) object {
	id, _ := at(created, "data.id").(string)
	return in.proxy.one(in.path + "/" + id)
}
