package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
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

// ReadObject reads the request body as an object of the shape, and into the
// struct that into points to. The object distinguishes a missing field from a null one.
// What is not a JSON object is malformed (400); what is one of another shape is
// invalid (422).
func (c *Call) ReadObject(s Shape, required []string, into any) (map[string]any, error) {
	value, err := Decode(c.Body)
	if err != nil {
		return nil, ErrMalformed.With("The request body is not valid JSON.")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, ErrMalformed.With("The request body must be a JSON object.")
	}
	p := Problems{}
	s.Check(p, "", object, required)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(c.Body, into); err != nil {
		return nil, fmt.Errorf("decode a body that passed its rules: %w", err)
	}
	return object, nil
}

// ReadOptional is readObject for an operation that requires no field: without a
// body, all are left out.
func (c *Call) ReadOptional(s Shape, into any) error {
	if len(bytes.TrimSpace(c.Body)) == 0 {
		return nil
	}
	_, err := c.ReadObject(s, nil, into)
	return err
}

// Check checks the fields of an object, and that the required ones are there.
func (s Shape) Check(p Problems, prefix string, object map[string]any, required []string) {
	for name, value := range object {
		check, known := s[name]
		if !known {
			p[prefix+name] = "is not a field of this request"
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

// And returns a shape that has the fields of both.
func (s Shape) And(more Shape) Shape {
	both := maps.Clone(s)
	maps.Copy(both, more)
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

// Refused never passes.
func Refused(why string) Rule {
	return func(p Problems, path string, _ any) { p[path] = why }
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
