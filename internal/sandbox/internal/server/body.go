package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/mail"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Problems collects what is wrong with a request: field → what is wrong, in
// words that never repeat what the user sent. A field inside a list is named
// like "phones[0].value".
type Problems map[string]string

// Err is the rejection that blames the fields, nil when there is no problem.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return Invalid(p)
}

// Rule checks one decoded JSON value, null being nil and a number a
// json.Number, and reports under path.
type Rule func(p Problems, path string, value any)

// Shape is the set of fields an object may have.
type Shape map[string]Rule

// Decode reads exactly one JSON value, numbers kept as they are written.
func Decode(document []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// Form is what the body of an operation may hold. The zero Form reads no body.
type Form struct {
	Shape    Shape
	Required []string
	Optional bool // no field is required, and neither is a body
}

// NoFields is the form of an operation that takes none.
var NoFields = Form{Shape: Shape{}, Optional: true}

// read reads the request body into Call.Sent. What is not a JSON object is malformed (400); what is one of another
// shape is invalid (422).
func (f Form) read(c *Call) error {
	if f.Shape == nil || f.Optional && len(bytes.TrimSpace(c.Body)) == 0 {
		return nil
	}
	var err error
	if c.Sent, err = ReadObject(c.Body); err != nil {
		return err
	}
	p := Problems{}
	f.Shape.Check(p, "", c.Sent, f.Required)
	return p.Err()
}

// ReadObject reads a body as a JSON object.
func ReadObject(body []byte) (Body, error) {
	value, err := Decode(body)
	if err != nil {
		return nil, ErrMalformed.With("The request body is not valid JSON.")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, ErrMalformed.With("The request body must be a JSON object.")
	}
	return object, nil
}

// Body is the object that a request has sent, whose fields have passed their rules.
type Body map[string]any

// Has reports whether a field was sent, be it as null.
func (b Body) Has(name string) bool {
	_, ok := b[name]
	return ok
}

// Sent is the value of a field, nil where it is null or was not sent.
func Sent[T any](b Body, name string) *T {
	if b[name] == nil {
		return nil
	}
	value := new(T)
	decode(b[name], value)
	return value
}

// Into sets the fields of a struct that have the name of one that was sent, except those.
func (b Body) Into(object any, except ...string) {
	structure := reflect.ValueOf(object).Elem()
	for name, sent := range b {
		index, ok := jsonField(structure.Type(), name)
		if !ok || slices.Contains(except, name) {
			continue
		}
		// A new value: the old one may be shared with a row of the tables.
		value := reflect.New(structure.FieldByIndex(index).Type())
		decode(sent, value.Interface())
		structure.FieldByIndex(index).Set(value.Elem())
	}
}

// decode reads a decoded value again, into the type of a field.
func decode(sent, into any) {
	document, err := Encode(sent)
	if err == nil {
		err = json.Unmarshal(document, into)
	}
	if err != nil {
		panic(fmt.Errorf("decode a field that has passed its rule: %w", err))
	}
}

// Canonical puts ids that were sent into the form in which they are stored.
func (b Body) Canonical(names ...string) {
	for _, name := range names {
		if id, ok := b[name].(string); ok {
			b[name] = CanonicalID(id)
		}
	}
}

// Check checks the fields of an object, and that the required ones are there.
func (s Shape) Check(p Problems, prefix string, object map[string]any, required []string) {
	for name, value := range object {
		check, known := s[name]
		if !known {
			p[prefix+name] = "is not a field of this request; its fields are " +
				strings.Join(slices.Sorted(maps.Keys(s)), ", ")
			continue
		}
		check(p, prefix+name, value)
	}
	for _, name := range required {
		if _, given := object[name]; !given {
			p[prefix+name] = "is required"
		}
	}
}

// And returns a shape that has the fields of both, and those that may be sent with another operation only.
func (s Shape) And(more Shape, only string, elsewhere ...string) Shape {
	both := maps.Clone(s)
	maps.Copy(both, more)
	for _, name := range elsewhere {
		both[name] = func(p Problems, path string, _ any) { p[path] = "may be sent with " + only + " only" }
	}
	return both
}

// ObjectOf checks a nested object.
func ObjectOf(s Shape, required ...string) Rule {
	return func(p Problems, path string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			p[path] = "must be an object"
			return
		}
		s.Check(p, path+".", object, required)
	}
}

// ListOf checks every item of an array.
func ListOf(item Rule) Rule {
	return func(p Problems, path string, value any) {
		items, ok := value.([]any)
		if !ok {
			p[path] = "must be an array"
			return
		}
		for i, value := range items {
			item(p, path+"["+strconv.Itoa(i)+"]", value)
		}
	}
}

// Nullable lets null pass.
func Nullable(check Rule) Rule {
	return func(p Problems, path string, value any) {
		if value != nil {
			check(p, path, value)
		}
	}
}

// FreeObject is any JSON object.
func FreeObject(p Problems, path string, value any) {
	if _, ok := value.(map[string]any); !ok {
		p[path] = "must be an object"
	}
}

// Boolean is true or false.
func Boolean(p Problems, path string, value any) {
	if _, ok := value.(bool); !ok {
		p[path] = "must be a boolean"
	}
}

// Text is any string.
func Text(p Problems, path string, value any) {
	TextWhere("", func(string) bool { return true })(p, path, value)
}

// TextWhere is a string that passes the test.
func TextWhere(must string, passes func(string) bool) Rule {
	return func(p Problems, path string, value any) {
		s, ok := value.(string)
		if !ok {
			p[path] = "must be a string"
		} else if !passes(s) {
			p[path] = must
		}
	}
}

var (
	// Filled is a string that is not blank.
	Filled = TextWhere("must not be empty", func(s string) bool { return strings.TrimSpace(s) != "" })
	// Date is a date without a time.
	Date = TextWhere("must be a date such as 1990-12-31", func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	})
	// Email is a plain email address.
	Email = TextWhere("must be an email address", func(s string) bool {
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s
	})
)

// OneOf is one of the texts.
func OneOf(values ...string) Rule {
	return TextWhere("must be one of: "+strings.Join(values, ", "), func(s string) bool {
		return slices.Contains(values, s)
	})
}

// IntegerFrom is an integer of at least least.
func IntegerFrom(least int64) Rule {
	return func(p Problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil {
			p[path] = "must be an integer"
		} else if n < least {
			p[path] = "must be at least " + strconv.FormatInt(least, 10)
		}
	}
}

// UUIDLength is the length of a UUID as the service writes it; the parser
// takes other spellings too.
const UUIDLength = 36

var (
	// UUID takes any version: the description says version 4, but ids given
	// out elsewhere (plans, prices, products) are not the sandbox's to judge.
	UUID = TextWhere("must be a UUID", func(s string) bool {
		_, err := uuid.Parse(s)
		return err == nil && len(s) == UUIDLength
	})
	// DateOrTime is a date, or a date with time and zone.
	DateOrTime = TextWhere("must be a date, or a date with time and zone", func(s string) bool {
		_, ok := ParseTime(s)
		return ok
	})
)

// Both checks by two rules; the second is asked only if the first passes.
func Both(first, second Rule) Rule {
	return func(p Problems, path string, value any) {
		if first(p, path, value); p[path] == "" {
			second(p, path, value)
		}
	}
}

// IntegerBetween is an integer from least to most.
func IntegerBetween(least, most int64) Rule {
	return func(p Problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil || n < least || n > most {
			p[path] = "must be an integer from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
		}
	}
}

// Percent is a number from 0 to 100.
func Percent(p Problems, path string, value any) {
	number, ok := value.(json.Number)
	n, err := number.Float64()
	if !ok || err != nil || n < 0 || n > 100 {
		p[path] = "must be a number from 0 to 100"
	}
}
