package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ParseFields builds an object from FIELD=TEXT and FIELD:=JSON, in which a.b is the field b of the object a. Numbers
// are [json.Number]. A field that has two values is an error.
func ParseFields(words []string) (map[string]any, error) {
	object := map[string]any{}
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		field, isJSON := strings.CutSuffix(name, ":")
		path := strings.Split(field, ".")
		if !ok || slices.Contains(path, "") {
			return nil, fmt.Errorf("%q is not FIELD=TEXT or FIELD:=JSON", word)
		}
		var value any = text
		if isJSON {
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			err := decoder.Decode(&value)
			if _, end := decoder.Token(); err != nil || !errors.Is(end, io.EOF) {
				return nil, fmt.Errorf("%q is not valid JSON", text)
			}
		}
		if err := place(object, path, value); err != nil {
			return nil, fmt.Errorf("%q: %w", word, err)
		}
	}
	return object, nil
}

// ParseUpdate is ParseFields for the update of an object, which keeps the keys of custom_metadata that it does not
// name.
func ParseUpdate(words []string) (map[string]any, error) {
	body, err := ParseFields(words)
	if _, nested := body["custom_metadata"].(map[string]any); nested && body["custom_metadata_mode"] == nil {
		body["custom_metadata_mode"] = "merge"
	}
	return body, err
}

func place(into map[string]any, path []string, value any) error {
	for _, key := range path[:len(path)-1] {
		inner, ok := into[key].(map[string]any)
		if !ok && into[key] != nil {
			return errors.New("the field has another value already")
		}
		if !ok {
			inner = map[string]any{}
			into[key] = inner
		}
		into = inner
	}
	last := path[len(path)-1]
	if _, taken := into[last]; taken {
		return errors.New("the field has another value already")
	}
	into[last] = value
	return nil
}
