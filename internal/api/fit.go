package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// wrapper is implemented by types that decode another one.
type wrapper interface{ Wraps() reflect.Type }

// fit rewrites a JSON value whose types differ from the documented ones, where that loses nothing: a number for a text,
// 100.0 for an integer, an empty object for an empty list, an empty list for no object. Otherwise, amounts and switches
// stay as strict as documented. If drop is set, it leaves out fields that still do not fit. It reports whether the
// value fits.
func fit(raw json.RawMessage, target reflect.Type, drop bool) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	for target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	if w, ok := reflect.New(target).Interface().(wrapper); ok {
		target = w.Wraps()
	}
	if len(raw) == 0 || string(raw) == "null" || target == reflect.TypeFor[json.RawMessage]() {
		return raw, true
	}
	switch target.Kind() {
	case reflect.Struct:
		return fitObject(raw, target, drop)
	case reflect.Slice:
		return fitList(raw, target.Elem(), drop)
	case reflect.String:
		return fitText(raw)
	case reflect.Int, reflect.Int64:
		if whole, zeros, ok := strings.Cut(string(raw), "."); ok && strings.Trim(zeros, "0") == "" {
			raw = json.RawMessage(whole)
		}
	}
	err := json.Unmarshal(raw, reflect.New(target).Interface())
	return raw, err == nil
}

func fitObject(raw json.RawMessage, target reflect.Type, drop bool) (json.RawMessage, bool) {
	if string(raw) == "[]" {
		return json.RawMessage("null"), true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw, false
	}
	all := true
	for name, value := range fields {
		of, known := fieldType(target, name)
		if !known {
			continue
		}
		fitted, ok := fit(value, of, drop)
		if fields[name] = fitted; ok {
			continue
		}
		if all = drop && all; drop {
			delete(fields, name)
		}
	}
	fitted, err := json.Marshal(fields)
	return fitted, all && err == nil
}

// fieldType returns the type of the field that the decoder of JSON uses for a name.
func fieldType(target reflect.Type, name string) (reflect.Type, bool) {
	for _, field := range reflect.VisibleFields(target) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && !field.Anonymous && tag != "-" && strings.EqualFold(tag, name) {
			return field.Type, true
		}
	}
	return nil, false
}

func fitList(raw json.RawMessage, element reflect.Type, drop bool) (json.RawMessage, bool) {
	if string(raw) == "{}" {
		return json.RawMessage("[]"), true
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return raw, false
	}
	for i := range elements {
		var ok bool
		if elements[i], ok = fit(elements[i], element, drop); !ok {
			return raw, false
		}
	}
	fitted, err := json.Marshal(elements)
	return fitted, err == nil
}

// fitText accepts a number as the text that the service was probably sent.
func fitText(raw json.RawMessage) (json.RawMessage, bool) {
	switch c := raw[0]; {
	case c == '"':
		return raw, true
	case c == '-' || c >= '0' && c <= '9':
		return json.RawMessage(strconv.Quote(string(raw))), true
	}
	return raw, false
}
