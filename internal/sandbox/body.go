package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
)

// problems collects what is wrong with a request: field → what is wrong, in
// words that never repeat what the user sent. A field inside a list is named
// like "phones[0].value".
type problems map[string]string

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return invalid(p)
}

// rule checks one decoded JSON value, null being nil and a number a
// json.Number, and reports under path.
type rule func(p problems, path string, value any)

// shape is the set of fields an object may have.
type shape map[string]rule

// decode reads exactly one JSON value, numbers kept as they are written.
func decode(document []byte) (any, error) {
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

// readObject reads the request body as an object of the shape, and into the
// struct that into points to. The object tells a missing field from a null one.
// What is no JSON object is malformed (400); what is one of another shape is
// invalid (422).
func (c *call) readObject(s shape, required []string, into any) (map[string]any, error) {
	value, err := decode(c.body)
	if err != nil {
		return nil, errMalformed.with("The request body is not valid JSON.")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errMalformed.with("The request body must be a JSON object.")
	}
	p := problems{}
	s.check(p, "", object, required)
	if err := p.err(); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return nil, fmt.Errorf("decode a body that passed its rules: %w", err)
	}
	return object, nil
}

// readOptional is readObject for an operation that requires no field: without a
// body, all are left out.
func (c *call) readOptional(s shape, into any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	_, err := c.readObject(s, nil, into)
	return err
}

func (s shape) check(p problems, prefix string, object map[string]any, required []string) {
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

// objectOf checks a nested object.
func objectOf(s shape, required ...string) rule {
	return func(p problems, path string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			p[path] = "must be an object"
			return
		}
		s.check(p, path+".", object, required)
	}
}

// listOf checks every item of an array.
func listOf(item rule) rule {
	return func(p problems, path string, value any) {
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

// nullable lets null pass.
func nullable(check rule) rule {
	return func(p problems, path string, value any) {
		if value != nil {
			check(p, path, value)
		}
	}
}

// refused never passes.
func refused(why string) rule {
	return func(p problems, path string, _ any) { p[path] = why }
}

// freeObject is any JSON object.
func freeObject(p problems, path string, value any) {
	if _, ok := value.(map[string]any); !ok {
		p[path] = "must be an object"
	}
}

func boolean(p problems, path string, value any) {
	if _, ok := value.(bool); !ok {
		p[path] = "must be a boolean"
	}
}

func text(p problems, path string, value any) {
	textWhere("", func(string) bool { return true })(p, path, value)
}

// textWhere is a string that passes the test.
func textWhere(must string, passes func(string) bool) rule {
	return func(p problems, path string, value any) {
		s, ok := value.(string)
		if !ok {
			p[path] = "must be a string"
		} else if !passes(s) {
			p[path] = must
		}
	}
}

var (
	filled = textWhere("must not be empty", func(s string) bool { return strings.TrimSpace(s) != "" })
	date   = textWhere("must be a date such as 1990-12-31", func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	})
	email = textWhere("must be an email address", func(s string) bool {
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s
	})
)

func oneOf(values ...string) rule {
	return textWhere("must be one of: "+strings.Join(values, ", "), func(s string) bool {
		return slices.Contains(values, s)
	})
}

// integerFrom is an integer of at least least.
func integerFrom(least int64) rule {
	return func(p problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil {
			p[path] = "must be an integer"
		} else if n < least {
			p[path] = "must be at least " + strconv.FormatInt(least, 10)
		}
	}
}
