package api

import "encoding/json"

// Field is one key of a PATCH body: left out (the zero value, with the tag
// option omitzero), null, or a value. The three differ on the wire: a key that
// is left out is not touched, null clears.
//
// A nil slice set as the value is encoded as null; to empty a list set a
// slice of length zero.
type Field[T any] struct {
	value T
	state fieldState
}

type fieldState uint8

const (
	fieldAbsent fieldState = iota
	fieldNull
	fieldSet
)

// Set makes a field that is sent with the value v.
func Set[T any](v T) Field[T] { return Field[T]{value: v, state: fieldSet} }

// Null makes a field that is sent as null.
func Null[T any]() Field[T] { return Field[T]{state: fieldNull} }

// IsZero says whether the field is left out; encoding/json asks it for
// omitzero.
func (f Field[T]) IsZero() bool { return f.state == fieldAbsent }

// IsNull says whether the field is sent as null.
func (f Field[T]) IsNull() bool { return f.state == fieldNull }

// Get returns the value and whether there is one: false for null and for a
// field that is left out.
func (f Field[T]) Get() (T, bool) { return f.value, f.state == fieldSet }

// MarshalJSON encodes the value, or null.
func (f Field[T]) MarshalJSON() ([]byte, error) {
	if f.state != fieldSet {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}
