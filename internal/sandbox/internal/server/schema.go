package server

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema is a JSON Schema in the dialect of OpenAPI 3.1.
type Schema map[string]any

var (
	integer    = Schema{"type": "integer", "format": "int64"}
	dateTime   = Schema{"type": "string", "format": "date-time"}
	dateOrTime = Schema{"type": "string", "anyOf": []any{Schema{"format": "date"}, Schema{"format": "date-time"}}}
)

// With returns the schema with more keywords; nil removes a keyword.
func (s Schema) With(more Schema) Schema {
	both := maps.Clone(s)
	maps.Copy(both, more)
	maps.DeleteFunc(both, func(_ string, value any) bool { return value == nil })
	return both
}

// OrNull returns the schema that also accepts null.
func (s Schema) OrNull() Schema {
	one, ok := s["type"].(string)
	if !ok {
		return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
	}
	nullable := s.With(Schema{"type": []any{one, "null"}})
	if values, ok := s["enum"].([]any); ok {
		nullable["enum"] = append(slices.Clone(values), nil)
	}
	return nullable
}

// Schema describes an object without other fields.
func (s Shape) Schema(required []string) Schema {
	properties := Schema{}
	for name, rule := range s {
		if rule.Schema != nil {
			properties[name] = rule.Schema
		}
	}
	schema := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = anys(slices.Sorted(slices.Values(required)))
	}
	return schema
}

// Schema describes the body of a request, which may be missing if not required; nil if it has no body.
func (f Form) Schema() (schema Schema, required bool) {
	if f.Shape == nil {
		return nil, false
	}
	return f.Shape.Schema(f.Required), !f.Optional
}

func anys[T any](values []T) []any {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = value
	}
	return all
}

// Schemas describe the JSON of Go types, by the name that references use.
type Schemas map[string]Schema

// Of returns the schema of a type. Named structs are described once and referenced.
func (s Schemas) Of(of reflect.Type) Schema {
	switch {
	case of == reflect.TypeFor[Timestamp](), of == reflect.TypeFor[time.Time]():
		return dateTime
	case of == reflect.TypeFor[json.RawMessage]():
		return Schema{}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return s.Of(of.Elem()).OrNull()
	case reflect.Struct:
		return s.ofStruct(of)
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return Schema{"type": "string", "contentEncoding": "base64"}
		}
		return Schema{"type": []any{"array", "null"}, "items": s.Of(of.Elem())}
	case reflect.Map:
		values := Schema{"type": []any{"object", "null"}}
		if of.Elem().Kind() != reflect.Interface {
			values["additionalProperties"] = s.Of(of.Elem())
		}
		return values
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Interface:
		return Schema{}
	default: // all other values in responses are integers
		return integer
	}
}

func (s Schemas) ofStruct(of reflect.Type) Schema {
	name := of.Name()
	if name == "" {
		return s.Fields(of)
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	if s[name] == nil {
		s[name] = Schema{} // placeholder for recursive references
		s[name] = s.Fields(of)
	}
	return Schema{"$ref": "#/components/schemas/" + name}
}

// Fields describes the fields of a struct as selected by encoding/json: the outermost of equal names.
func (s Schemas) Fields(of reflect.Type) Schema {
	properties, depth, optional := Schema{}, map[string]int{}, map[string]bool{}
	for _, field := range reflect.VisibleFields(of) {
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		name := cmp.Or(tag, field.Name)
		if field.Anonymous && tag == "" || tag == "-" || !field.IsExported() {
			continue
		}
		if at, known := depth[name]; known && at <= len(field.Index) {
			continue
		}
		depth[name], properties[name] = len(field.Index), s.Of(field.Type)
		optional[name] = strings.Contains(options, "omit")
	}
	required := slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool { return optional[name] })
	return Schema{"type": "object", "properties": properties, "required": anys(required)}
}

// Returns describes the successful response of an operation.
type Returns struct {
	Status int
	// Body describes the body from the types in it; nil if there is no body.
	Body func(Schemas) Schema
	// Conflicts is set if the object's state can cause a 409.
	Conflicts bool
}

// ReturnsBare is an object without envelope.
func ReturnsBare[T any](status int) Returns {
	return Returns{Status: status, Body: func(s Schemas) Schema { return s.Of(reflect.TypeFor[T]()) }}
}

// ReturnsOne is an object in its envelope.
func ReturnsOne[T any](status int) Returns {
	return Returns{Status: status, Body: func(s Schemas) Schema {
		return enveloped(Schema{"data": s.Of(reflect.TypeFor[T]())})
	}}
}

// ReturnsPage is a page of a listing.
func ReturnsPage[T any]() Returns {
	return Returns{Status: http.StatusOK, Body: func(s Schemas) Schema {
		return enveloped(Schema{
			"data": Schema{"type": "array", "items": s.Of(reflect.TypeFor[T]())}, "meta": s.Of(reflect.TypeFor[pageMeta]()),
		})
	}}
}

// ReturnsDeleted describes the response of a deletion.
var ReturnsDeleted = ReturnsOne[struct {
	Deleted bool `json:"deleted"`
}](http.StatusOK)

// ReturnsNothing is a deletion without a body.
var ReturnsNothing = Returns{Status: http.StatusNoContent}

// OrConflict is the same for an operation that the state of its object can reject with 409.
func (r Returns) OrConflict() Returns {
	r.Conflicts = true
	return r
}

func enveloped(properties Schema) Schema {
	return Schema{"type": "object", "properties": properties, "required": anys(slices.Sorted(maps.Keys(properties)))}
}
