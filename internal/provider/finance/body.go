package finance

import (
	"maps"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// seen returns the body after a refresh: the keys of prior with the service's values. before is the service's previous
// object: owned keys that were already missing from it are never in a response, and keep their value in prior.
func seen(prior, owned, before, now metadata.Object) metadata.Object {
	return metadata.Project(prior, withUnreturned(metadata.Project(owned, prior), before, withoutAdditions(prior, now)))
}

// withUnreturned adds the keys of prior that are neither in now nor in before.
func withUnreturned(prior, before, now metadata.Object) metadata.Object {
	all := make(metadata.Object, len(now))
	maps.Copy(all, now)
	for key, value := range prior {
		had, was := before[key]
		has, is := now[key]
		below, isObject := value.(metadata.Object)
		under, hasObject := has.(metadata.Object)
		switch {
		case !is && !was:
			all[key] = value
		case isObject && hasObject:
			hadBelow, hadObject := had.(metadata.Object)
			if !hadObject {
				hadBelow = below // the object is returned from now on, so what it lacks was removed
			}
			all[key] = withUnreturned(below, hadBelow, under)
		}
	}
	return all
}

// withoutAdditions removes keys that the service has added to the objects in lists, such as ids of items: package
// metadata compares whole lists, but keys that are not configured belong to others there too. Lists of different
// lengths are not matched. An amount keeps its configured spelling.
func withoutAdditions(shape, remote metadata.Object) metadata.Object {
	left := make(metadata.Object, len(remote))
	for key, have := range remote {
		left[key] = withoutAdditionsIn(shape[key], have)
	}
	return left
}

func withoutAdditionsIn(want, have any) any {
	switch have := have.(type) {
	case string:
		if want, ok := want.(string); ok && finance.SameAmount(want, have) {
			return want
		}
	case metadata.Object:
		if want, ok := want.(metadata.Object); ok {
			return withoutAdditions(want, have)
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
			left[i] = withoutAdditionsIn(want[i], have[i])
			if isObject && hasObject {
				left[i] = metadata.Project(below, withoutAdditions(below, under))
			}
		}
		return left
	}
	return have
}

// changes returns the top-level keys to send to change what the configuration owns of a record from before to wanted: a
// key that was owned and is no longer wanted is nil. The service replaces a whole top-level key (wire contract: finance
// PATCH), so an object is sent with the keys that other systems have added to it, and with their values of keys that do
// not change. Both come from record, as it is now.
func changes(own metadata.Ownership, before, record, wanted metadata.Object) map[string]any {
	before = withoutAdditions(wanted, before)
	after, recordAfter := own.Result(before, wanted, wanted), own.Result(record, wanted, changing(before, record, wanted))
	send := map[string]any{}
	for key := range before {
		if _, stays := after[key]; stays {
			continue
		}
		left, isObject := recordAfter[key].(metadata.Object)
		switch {
		case !isObject:
			send[key] = nil
		case !same.JSON(left, record[key]): // otherwise it has only keys of other systems already
			send[key] = left
		}
	}
	for key, value := range after {
		have, there := before[key]
		if there && equalKnowing(key, value, have, own.Owned) || !there && value == nil && hasKey(own.Owned, key) {
			continue
		}
		send[key] = value
		if _, isObject := value.(metadata.Object); isObject {
			send[key] = recordAfter[key]
		}
	}
	return send
}

// changing returns the part of wanted that is not as before, or that record lacks, which may be a key that the service
// never returns.
func changing(before, record, wanted metadata.Object) metadata.Object {
	part := metadata.Object{}
	for key, want := range wanted {
		below, isObject := want.(metadata.Object)
		have, there := record[key]
		under, hasObject := have.(metadata.Object)
		switch had, was := before[key]; {
		case isObject && hasObject:
			hadBelow, _ := had.(metadata.Object)
			if inner := changing(hadBelow, under, below); len(inner) > 0 {
				part[key] = inner
			}
		case !there || !was || !same.JSON(had, want):
			part[key] = want
		}
	}
	return part
}

// reverts reports whether sending a value, planned as a change from before, changes a part of what the record has that
// the plan shows as unchanged.
func reverts(before, sent, have any, equal func(a, b any) bool) bool {
	switch {
	case equal(sent, have):
		return false
	case same.JSON(before, sent):
		return true
	}
	switch sent := sent.(type) {
	case metadata.Object:
		before, wasObject := before.(metadata.Object)
		have, _ := have.(metadata.Object)
		for key, value := range sent {
			if had, was := before[key]; wasObject && was && reverts(had, value, have[key], equal) {
				return true
			}
		}
	case []any:
		before, wasList := before.([]any)
		have, isList := have.([]any)
		if !wasList || len(before) != len(sent) {
			return false
		}
		for i, value := range sent {
			if !isList || len(have) != len(sent) || reverts(before[i], value, have[i], equal) {
				return true
			}
		}
	}
	return false
}

// worded reports whether two values are the same, or differ only in wording.
func worded(a, b any) bool {
	return same.WordedJSON(metadata.Payload(metadata.Object{"": a}), metadata.Payload(metadata.Object{"": b}))
}

// ofObject reports whether a change of the body before sends or removes an object.
func ofObject(send map[string]any, before metadata.Object) bool {
	for key, value := range send {
		_, isObject := value.(metadata.Object)
		if _, wasObject := before[key].(metadata.Object); isObject || value == nil && wasObject {
			return true
		}
	}
	return false
}

func equalKnowing(key string, a, b any, known metadata.Object) bool {
	return metadata.EqualKnowing(metadata.Object{key: a}, metadata.Object{key: b}, known)
}

func hasKey(object metadata.Object, key string) bool {
	_, there := object[key]
	return there
}
