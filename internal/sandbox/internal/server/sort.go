package server

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// sortKey is a field's value in a form that compares cheaply: a null comes
// before every value, numbers and booleans compare as numbers, all else as text.
type sortKey struct {
	present bool
	number  int64
	text    string
	id      string // breaks ties, so that the order is stable between requests
}

func (k sortKey) compare(other sortKey) int {
	if k.present != other.present {
		if other.present {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(k.number, other.number),
		cmp.Compare(k.text, other.text),
		cmp.Compare(k.id, other.id),
	)
}

// sortBy sorts objects, which are structs with an id, by the field with that
// name in the response. It returns false when there is no such field.
func sortBy[T any](objects []T, name string, descending bool) bool {
	field, ok := jsonField(reflect.TypeFor[T](), name)
	if !ok {
		return false
	}
	id, ok := jsonField(reflect.TypeFor[T](), "id")
	if !ok {
		return false
	}
	type keyed struct {
		key    sortKey
		object T
	}
	all := make([]keyed, len(objects))
	for i, object := range objects {
		value := reflect.ValueOf(object)
		all[i] = keyed{keyOf(value.FieldByIndex(field)), object}
		all[i].key.id = value.FieldByIndex(id).String()
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if descending {
			a, b = b, a
		}
		return a.key.compare(b.key)
	})
	for i := range all {
		objects[i] = all[i].object
	}
	return true
}

func jsonField(structure reflect.Type, name string) ([]int, bool) {
	for _, field := range reflect.VisibleFields(structure) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name && name != "" {
			return field.Index, true
		}
	}
	return nil, false
}

func keyOf(value reflect.Value) sortKey {
	switch value.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if value.IsNil() {
			return sortKey{}
		}
		if value.Kind() == reflect.Pointer {
			return keyOf(value.Elem())
		}
	case reflect.String:
		return sortKey{present: true, text: value.String()}
	case reflect.Int, reflect.Int64:
		return sortKey{present: true, number: value.Int()}
	case reflect.Bool:
		if value.Bool() {
			return sortKey{present: true, number: 1}
		}
		return sortKey{present: true}
	}
	// Dates are written at one length in one zone, so their text sorts too.
	// Marshal cannot fail on a value that is returned in the same response.
	document, _ := json.Marshal(value.Interface())
	return sortKey{present: true, text: string(document)}
}
