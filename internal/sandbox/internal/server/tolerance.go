package server

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Tolerance lists the ways in which servers of the wire contract differ and that a
// client must accept (wire contract: Tolerance). The zero value
// differs in none.
type Tolerance struct {
	IgnoreFilters      bool // list filters and search are read and not applied
	BareObjects        bool // single objects come without the {data: …} envelope
	DeleteNoContent    bool // a deletion returns 204 instead of 200 {data: {deleted: true}}
	NoValidators       bool // neither ETag nor Last-Modified, so never a 304
	NullsChangeNothing bool // merge reads a null as "leave the key alone"
	OmitNullFields     bool // fields without a value are missing instead of null
	UnknownFields      bool // every object carries undocumented fields
	FlatErrors         bool // every error has the flat shape {error: "text", error_code: "…"}
	NullLists          bool // an empty array is returned as null
	LeanAccounts       bool // lists, updates and transitions of accounts, and customers.create, load no customer into them
	PriceAmounts       bool // an item whose unit_amount_subcents was not sent returns the price's own amount
	ItemsNotListed     bool // subscriptions.items.list returns 405
	ItemsNotFound      bool // subscriptions.items.list returns 404
	RepeatAcrossPages  bool // an object comes in front after the first page: its last one is on the second too
	SkipAcrossPages    bool // an object in front goes after the first page: one between two pages is missed
}

// undocumented is the field that UnknownFields adds to every object.
const undocumented = "x_undocumented"

// encode writes a successful response, changed as the tolerances say. In one of
// records, the objects with an id are free-form.
func (t Tolerance) encode(body any, records bool) ([]byte, error) {
	plain, err := Encode(body)
	if err != nil || !(t.OmitNullFields || t.UnknownFields || t.NullLists) {
		return plain, err
	}
	tree, err := Decode(plain)
	if err != nil {
		return nil, err
	}
	return Encode(t.bend(tree, records))
}

// bend changes the documented parts of a response. What clients themselves put
// into custom_metadata, or into a field of a record, stays as it is.
func (t Tolerance) bend(value any, records bool) any {
	switch value := value.(type) {
	case []any:
		if t.NullLists && len(value) == 0 {
			return nil
		}
		for i, item := range value {
			value[i] = t.bend(item, records)
		}
		return value
	case map[string]any:
		_, identified := value["id"]
		for name, field := range value {
			if name != "custom_metadata" && !(records && identified) {
				value[name] = t.bend(field, records)
			}
			if t.OmitNullFields && field == nil {
				delete(value, name)
			}
		}
		if t.UnknownFields {
			value[undocumented] = map[string]any{"nested": []any{1, "two"}}
		}
		return value
	default:
		return value
	}
}

// toleranceNames are the switches as they are written on a command line, such as ignore-filters, and their fields.
var toleranceNames = func() map[string]int {
	names := map[string]int{}
	for field := range reflect.TypeFor[Tolerance]().Fields() {
		var name strings.Builder
		for i, r := range field.Name {
			if unicode.IsUpper(r) && i > 0 {
				name.WriteByte('-')
			}
			name.WriteRune(unicode.ToLower(r))
		}
		names[name.String()] = field.Index[0]
	}
	return names
}()

// ToleranceNames returns the names ParseTolerance knows, sorted.
func ToleranceNames() []string { return slices.Sorted(maps.Keys(toleranceNames)) }

// ParseTolerance reads switch names separated by commas; the error lists the
// known ones.
func ParseTolerance(names string) (Tolerance, error) {
	var t Tolerance
	for name := range strings.SplitSeq(names, ",") {
		if name == "" {
			continue
		}
		field, ok := toleranceNames[name]
		if !ok {
			return Tolerance{}, fmt.Errorf("no tolerance %q: use %s", name, strings.Join(ToleranceNames(), ", "))
		}
		reflect.ValueOf(&t).Elem().Field(field).SetBool(true)
	}
	return t, nil
}
