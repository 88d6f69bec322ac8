package object

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// placed is an object with the values that decide its place in a list.
type placed[T any] struct {
	object T
	id, by string
}

// inOrder puts a list into an order that does not change from run to run: a service may promise none, and leave that of
// equal values open. Without sort_by, a whole list is in the order of creation and id, or of id only if an object has
// no creation. With sort_by, objects of equal values are in the order of id. With only a limit, the order is the
// service's, because the rest of the list is unknown.
func inOrder[T any](objects []T, asked Ordering) {
	sortBy := cmp.Or(asked.SortBy.ValueString(), "created_at")
	all := make([]placed[T], len(objects))
	hasID, hasBy := true, true
	for i, object := range objects {
		all[i] = placed[T]{object, textOfField(object, "id"), textOfField(object, sortBy)}
		hasID, hasBy = hasID && all[i].id != "", hasBy && all[i].by != ""
	}
	byID := func(a, b placed[T]) int { return cmp.Compare(a.id, b.id) }
	switch {
	case !hasID, !asked.Limit.IsNull() && asked.SortBy.IsNull():
		return
	case !asked.SortBy.IsNull():
		for from := 0; hasBy && from < len(all); {
			length := slices.IndexFunc(all[from:], func(other placed[T]) bool { return other.by != all[from].by })
			if length < 0 {
				length = len(all) - from
			}
			slices.SortStableFunc(all[from:from+length], byID)
			from += length
		}
	case hasBy:
		slices.SortStableFunc(all, func(a, b placed[T]) int {
			at, _ := api.ParseTime(a.by)
			other, _ := api.ParseTime(b.by)
			return cmp.Or(at.Compare(other), byID(a, b))
		})
	default:
		slices.SortStableFunc(all, byID)
	}
	if asked.SortBy.IsNull() && asked.SortOrder.ValueString() == "desc" {
		slices.Reverse(all)
	}
	for i := range all {
		objects[i] = all[i].object
	}
}

// textOfField returns the text of a field of an object, or "". The field may be in snake_case or in camelCase.
func textOfField(object any, name string) string {
	names := []string{name, camelCase(name)}
	switch object := object.(type) {
	case api.Record:
		return cmp.Or(object.Field(names[0]), object.Field(names[1]))
	case billing.Invoice:
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(object.Raw, &fields)
		return cmp.Or(api.LooseText(fields[names[0]]), api.LooseText(fields[names[1]]))
	}
	of := reflect.ValueOf(object)
	for _, field := range reflect.VisibleFields(of.Type()) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !slices.Contains(names, tag) {
			continue
		}
		value := of.FieldByIndex(field.Index)
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if value.Kind() == reflect.String {
			return value.String()
		}
	}
	return ""
}

// camelCase converts created_at to createdAt.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
