package finance

import (
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// seen is the body after a refresh: of the keys that prior names, what the service has now. before is the service's
// object as it was last known: what was missing from it already is in no response, and keeps prior's value.
func seen(prior, before, now metadata.Object) metadata.Object {
	return metadata.Project(prior, withUnseen(prior, before, overlook(prior, now)))
}

// withUnseen adds to now what prior names and the service shows neither now nor before.
func withUnseen(prior, before, now metadata.Object) metadata.Object {
	whole := make(metadata.Object, len(now))
	for key, value := range now {
		whole[key] = value
	}
	for key, value := range prior {
		had, was := before[key]
		has, is := now[key]
		below, isObject := value.(metadata.Object)
		under, hasObject := has.(metadata.Object)
		switch {
		case !is && !was:
			whole[key] = value
		case isObject && hasObject:
			hadBelow, _ := had.(metadata.Object)
			whole[key] = withUnseen(below, hadBelow, under)
		}
	}
	return whole
}

// amount is money as this service writes it: a text with a decimal point.
var amount = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`)

// sameAmount reports whether two amounts differ only in zeros at the end, which a service may add or leave out.
func sameAmount(a, b string) bool {
	return amount.MatchString(a) && amount.MatchString(b) && strings.TrimRight(a, "0") == strings.TrimRight(b, "0")
}

// overlook leaves out what the service has added to the objects inside of lists, such as ids of items: package metadata
// compares lists as a whole, and these keys are as little this configuration's as any other that it does not name.
// Lists of another length are not matched. An amount keeps the configuration's way to write it.
func overlook(shape, remote metadata.Object) metadata.Object {
	left := make(metadata.Object, len(remote))
	for key, have := range remote {
		left[key] = overlookIn(shape[key], have)
	}
	return left
}

func overlookIn(want, have any) any {
	switch have := have.(type) {
	case string:
		if want, ok := want.(string); ok && sameAmount(want, have) {
			return want
		}
	case metadata.Object:
		if want, ok := want.(metadata.Object); ok {
			return overlook(want, have)
		}
	case []any:
		want, ok := want.([]any)
		if !ok || len(want) != len(have) {
			return have
		}
		left := slices.Clone(have)
		for i := range left {
			below, isObject := want[i].(metadata.Object)
			under, hasObject := have[i].(metadata.Object)
			left[i] = overlookIn(want[i], have[i])
			if isObject && hasObject {
				left[i] = metadata.Project(below, overlook(below, under))
			}
		}
		return left
	}
	return have
}

// changes are the top-level keys to send so that a record which has stored becomes what is desired: a key that was
// owned and is not desired any more is nil. The service replaces a top-level key as a whole (wire contract: finance
// PATCH), so an object goes with what others have put into it, which whole, the record as last returned, shows.
func changes(own metadata.Ownership, stored, whole, desired metadata.Object) map[string]any {
	stored = overlook(desired, stored)
	result, theirs := own.Result(stored, desired, desired), own.Result(whole, desired, desired)
	send := map[string]any{}
	for key := range stored {
		if _, stays := result[key]; stays {
			continue
		}
		send[key] = nil
		if left, isObject := theirs[key].(metadata.Object); isObject {
			send[key] = left
		}
	}
	for key, value := range result {
		have, there := stored[key]
		if there && equalKnowing(key, value, have, own.Owned) || !there && value == nil && named(own.Owned, key) {
			continue
		}
		send[key] = value
		if _, isObject := value.(metadata.Object); isObject {
			send[key] = theirs[key]
		}
	}
	return send
}

func equalKnowing(key string, a, b any, known metadata.Object) bool {
	return metadata.EqualKnowing(metadata.Object{key: a}, metadata.Object{key: b}, known)
}

func named(object metadata.Object, key string) bool {
	_, there := object[key]
	return there
}
