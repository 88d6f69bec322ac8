package server

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// kept contains the fields of a copied object that this sandbox would write differently from the source: unknown
// fields, fields omitted by the source, and values in another notation. A kept field applies until the object's own
// value changes.
type kept map[string]keptField

// keptField is a field as this sandbox writes it, and as the source wrote it; nil: missing.
type keptField struct {
	Here   json.RawMessage `json:"here,omitempty"`
	Source json.RawMessage `json:"source,omitempty"`
}

// Keep decodes a copied object into a row's object, so that responses show it as its source did. After decoding, it
// calls complete, which sets the derived fields. Keep returns the id.
func (c *Core) Keep(tx *store.Tx, document json.RawMessage, into any, complete func() error) (id string, err error) {
	if err := json.Unmarshal(document, into); err != nil {
		return "", fmt.Errorf("the object is not what the service describes: %w", err)
	}
	return c.keep(tx, document, into, complete)
}

// KeepFree is Keep for an object whose fields no description gives: one in another form is only shown.
func (c *Core) KeepFree(tx *store.Tx, document json.RawMessage, into any) (id string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return "", err
	}
	for name, value := range fields {
		if one, err := json.Marshal(map[string]json.RawMessage{name: value}); err == nil {
			_ = json.Unmarshal(one, into) // in another form
		}
	}
	return c.keep(tx, document, into, func() error { return nil })
}

func (c *Core) keep(tx *store.Tx, document json.RawMessage, into any, complete func() error) (id string, err error) {
	var source, here map[string]json.RawMessage
	if err := json.Unmarshal(document, &source); err != nil {
		return "", err
	}
	if err := json.Unmarshal(source["id"], &id); err != nil || id == "" {
		return "", errors.New("the object has no id")
	}
	id = CanonicalID(id)
	if err := complete(); err != nil {
		return "", err
	}
	written, err := Encode(into)
	if err == nil {
		err = json.Unmarshal(written, &here)
	}
	if err != nil {
		return "", err
	}
	fields := kept{}
	for name, value := range source {
		if string(here[name]) != compact(value) {
			fields[name] = keptField{Here: here[name], Source: json.RawMessage(compact(value))}
		}
	}
	for name, value := range here {
		if _, shown := source[name]; !shown {
			fields[name] = keptField{Here: value}
		}
	}
	if len(fields) > 0 {
		c.kept.Put(tx, id, fields)
	}
	return id, nil
}

// compact formats JSON as Encode does, and preserves all digits of numbers.
func compact(document json.RawMessage) string {
	value, err := Decode(document)
	if err != nil {
		return string(document)
	}
	text, err := Encode(value)
	if err != nil {
		return string(document)
	}
	return string(text)
}

// asCopied returns a body with the kept fields as the source wrote them.
func (c *Core) asCopied(body []byte) ([]byte, error) {
	if !c.Copy || !json.Valid(body) { // plain text
		return body, nil
	}
	value, err := Decode(body)
	if err != nil {
		return nil, err
	}
	err = c.DB.View(func(tx *store.Tx) error {
		c.restore(tx, value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return Encode(value)
}

// restore sets the kept fields in a value, recursively.
func (c *Core) restore(tx *store.Tx, value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			c.restore(tx, element)
		}
	case map[string]any:
		for _, inner := range value {
			c.restore(tx, inner)
		}
		id, _ := value["id"].(string)
		fields, _ := c.kept.Get(tx, id)
		for name, field := range fields {
			field.into(value, name)
		}
	}
}

func (f keptField) into(object map[string]any, name string) {
	now, there := object[name]
	text, err := Encode(now)
	switch {
	case err != nil, there != (f.Here != nil), there && string(text) != compact(f.Here):
	case f.Source == nil:
		delete(object, name)
	default:
		object[name] = f.Source
	}
}
