package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/mail"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Problems maps the invalid fields of a request to messages, which never repeat user input. A field inside a list has a
// path such as "phones[0].value".
type Problems map[string]string

// Err returns the rejection with these fields, nil without problems.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return Invalid(p)
}

// Rule restricts the value of a field.
type Rule struct {
	// Check validates one decoded JSON value, with nil for null and a json.Number for a number, and reports under path.
	Check func(p Problems, path string, value any)
	// Schema describes the valid values; nil: no value is valid.
	Schema Schema
}

// As returns the rule with more keywords in its schema.
func (r Rule) As(more Schema) Rule {
	r.Schema = r.Schema.With(more)
	return r
}

// Shape defines the fields of an object.
type Shape map[string]Rule

// Decode reads exactly one JSON value, and keeps the spelling of numbers.
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

// Form describes the body of an operation. The zero Form reads no body.
type Form struct {
	Shape    Shape
	Required []string
	Optional bool // the body may be missing
}

// NoFields is the form of an operation without fields.
var NoFields = Form{Shape: Shape{}, Optional: true}

// read decodes the request body into Call.Sent. A body other than a JSON object is malformed (400); an object with the
// wrong shape is invalid (422).
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

// DecodeStrictly is Decode for what somebody has written: it must be UTF-8, and no object may have a member twice.
func DecodeStrictly(document []byte) (any, error) {
	if !utf8.Valid(document) {
		return nil, errors.New("it is not encoded in UTF-8")
	}
	value, err := Decode(document)
	if err != nil {
		return nil, err
	}
	return value, eachOnce(json.NewDecoder(bytes.NewReader(document)))
}

// eachOnce reads a value, and fails for a member that an object has twice.
func eachOnce(decoder *json.Decoder) error {
	token, _ := decoder.Token() // of valid JSON
	opens, nested := token.(json.Delim)
	for names := map[json.Token]bool{}; nested && decoder.More(); {
		if opens == '{' {
			name, _ := decoder.Token()
			if names[name] {
				return fmt.Errorf("an object has the member %q twice", name)
			}
			names[name] = true
		}
		if err := eachOnce(decoder); err != nil {
			return err
		}
	}
	if nested {
		_, _ = decoder.Token() // its end
	}
	return nil
}

// ReadObject reads a body as a JSON object.
func ReadObject(body []byte) (Body, error) {
	value, err := DecodeStrictly(body)
	if err != nil {
		return nil, ErrMalformed.With("The request body is not valid JSON.")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, ErrMalformed.With("The request body must be a JSON object.")
	}
	return object, nil
}

// Body is the validated object in a request body.
type Body map[string]any

// Has reports whether a field was sent, even as null.
func (b Body) Has(name string) bool {
	_, ok := b[name]
	return ok
}

// Sent returns the value of a field, nil if it is null or was not sent.
func Sent[T any](b Body, name string) *T {
	if b[name] == nil {
		return nil
	}
	value := new(T)
	decode(b[name], value)
	return value
}

// Into sets the fields of a struct from those sent, except the listed ones.
func (b Body) Into(object any, except ...string) {
	structure := reflect.ValueOf(object).Elem()
	for name, sent := range b {
		index, ok := jsonField(structure.Type(), name)
		if !ok || slices.Contains(except, name) {
			continue
		}
		// Allocate a new value: the old one may be shared with a table row.
		value := reflect.New(structure.FieldByIndex(index).Type())
		decode(sent, value.Interface())
		structure.FieldByIndex(index).Set(value.Elem())
	}
}

// decode converts a decoded value to the type of a field.
func decode(sent, into any) {
	document, err := Encode(sent)
	if err == nil {
		err = json.Unmarshal(document, into)
	}
	if err != nil {
		panic(fmt.Errorf("decode a field that has passed its rule: %w", err))
	}
}

// Canonical normalizes the ids in the named fields.
func (b Body) Canonical(names ...string) {
	for _, name := range names {
		if id, ok := b[name].(string); ok {
			b[name] = CanonicalID(id)
		}
	}
}

// Check validates the fields of an object, and requires the required ones.
func (s Shape) Check(p Problems, prefix string, object map[string]any, required []string) {
	for name, value := range object {
		rule, known := s[name]
		if !known {
			p[prefix+name] = "is not a field of this request; its fields are " +
				strings.Join(slices.Sorted(maps.Keys(s)), ", ")
			continue
		}
		rule.Check(p, prefix+name, value)
	}
	for _, name := range required {
		if _, given := object[name]; !given {
			p[prefix+name] = "is required"
		}
	}
}

// And returns the fields of both shapes. The fields in elsewhere are rejected: they are valid only with another
// operation.
func (s Shape) And(more Shape, only string, elsewhere ...string) Shape {
	both := maps.Clone(s)
	maps.Copy(both, more)
	for _, name := range elsewhere {
		both[name] = Rule{Check: func(p Problems, path string, _ any) { p[path] = "may be sent with " + only + " only" }}
	}
	return both
}

// ObjectOf checks a nested object.
func ObjectOf(s Shape, required ...string) Rule {
	return Rule{func(p Problems, path string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			p[path] = "must be an object"
			return
		}
		s.Check(p, path+".", object, required)
	}, s.Schema(required)}
}

// ListOf checks every item of an array.
func ListOf(item Rule) Rule {
	return Rule{func(p Problems, path string, value any) {
		items, ok := value.([]any)
		if !ok {
			p[path] = "must be an array"
			return
		}
		for i, value := range items {
			item.Check(p, path+"."+strconv.Itoa(i), value)
		}
	}, Schema{"type": "array", "items": item.Schema}}
}

// Nullable also accepts null.
func Nullable(rule Rule) Rule {
	return Rule{func(p Problems, path string, value any) {
		if value != nil {
			rule.Check(p, path, value)
		}
	}, rule.Schema.OrNull()}
}

// mostLevels is the nesting of a free-form object.
const mostLevels = 500

// deeper reports whether a value is nested deeper than that.
func deeper(value any, levels int) bool {
	var parts []any
	switch value := value.(type) {
	case map[string]any:
		parts = slices.Collect(maps.Values(value))
	case []any:
		parts = value
	default:
		return false
	}
	return levels == 0 || slices.ContainsFunc(parts, func(part any) bool { return deeper(part, levels-1) })
}

// typed accepts values of one type.
func typed[T any](must string, schema Schema) Rule {
	return Rule{func(p Problems, path string, value any) {
		if _, ok := value.(T); !ok {
			p[path] = must
		}
	}, schema}
}

// TextWhere accepts strings that pass the test.
func TextWhere(must string, passes func(string) bool) Rule {
	return Rule{func(p Problems, path string, value any) {
		s, ok := value.(string)
		if !ok {
			p[path] = "must be a string"
		} else if !passes(s) {
			p[path] = must
		}
	}, Schema{"type": "string", "description": strings.ToUpper(must[:1]) + must[1:] + "."}}
}

var (
	// FreeObject is any JSON object, unless it is nested too deeply for the responses that contain it.
	FreeObject = Rule{func(p Problems, path string, value any) {
		if _, ok := value.(map[string]any); !ok {
			p[path] = "must be an object"
		} else if deeper(value, mostLevels) {
			p[path] = fmt.Sprintf("must not be nested deeper than %d levels", mostLevels)
		}
	}, Schema{"type": "object"}}
	// Boolean is true or false.
	Boolean = typed[bool]("must be a boolean", Schema{"type": "boolean"})
	// Text is any string.
	Text = typed[string]("must be a string", Schema{"type": "string"})
	// Filled is a string that is not blank.
	Filled = TextWhere("must not be empty", func(s string) bool { return strings.TrimSpace(s) != "" }).
		As(Schema{"pattern": `[^\s\v\x85\p{Z}]`})
	// Date is a date without a time.
	Date = TextWhere("must be a date such as 1990-12-31", func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	}).As(Schema{"format": "date"})
	// Email is a plain email address.
	Email = TextWhere("must be an email address", func(s string) bool {
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s
	}).As(Schema{"format": "email"})
)

// OneOf accepts the listed strings.
func OneOf(values ...string) Rule {
	return TextWhere("must be one of: "+strings.Join(values, ", "), func(s string) bool {
		return slices.Contains(values, s)
	}).As(Schema{"enum": anys(values), "description": nil})
}

// UUIDLength is the length of a UUID as the service writes it; the parser accepts other forms too.
const UUIDLength = 36

var (
	// UUID accepts any version. The description says version 4, but ids from elsewhere (plans, prices, products) may
	// differ.
	UUID = TextWhere("must be a UUID", func(s string) bool {
		_, err := uuid.Parse(s)
		return err == nil && len(s) == UUIDLength
	}).As(Schema{"format": "uuid", "description": nil})
	// DateOrTime is a date, or a date with time and zone.
	DateOrTime = TextWhere("must be a date, or a date with time and zone", func(s string) bool {
		_, ok := ParseTime(s)
		return ok
	}).As(dateOrTime)
)

// Both validates by two rules, by the second only if the first accepts.
func Both(first, second Rule) Rule {
	return Rule{func(p Problems, path string, value any) {
		if first.Check(p, path, value); p[path] == "" {
			second.Check(p, path, value)
		}
	}, first.Schema.With(second.Schema)}
}

// IntegerFrom accepts integers of at least least.
func IntegerFrom(least int64) Rule {
	return Rule{func(p Problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil {
			p[path] = "must be an integer"
		} else if n < least {
			p[path] = "must be at least " + strconv.FormatInt(least, 10)
		}
	}, integer.With(Schema{"minimum": least})}
}

// IntegerBetween accepts integers from least to most.
func IntegerBetween(least, most int64) Rule {
	return Rule{func(p Problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil || n < least || n > most {
			p[path] = "must be an integer from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
		}
	}, integer.With(Schema{"minimum": least, "maximum": most})}
}

// Percent accepts numbers from 0 to 100.
var Percent = Rule{func(p Problems, path string, value any) {
	number, ok := value.(json.Number)
	n, err := number.Float64()
	if !ok || err != nil || n < 0 || n > 100 {
		p[path] = "must be a number from 0 to 100"
	}
}, Schema{"type": "number", "minimum": 0, "maximum": 100}}
