package api

import (
	"encoding/json"
	"testing"
)

// fitted has every kind of field that the services' objects have.
type fitted struct {
	ID      string   `json:"id"`
	Name    *string  `json:"name"`
	Days    *int64   `json:"days"`
	Active  *bool    `json:"active"`
	Tags    []string `json:"tags"`
	Address *struct {
		Number *string `json:"number"`
	} `json:"address"`
	Items []struct {
		Quantity int64 `json:"quantity"`
	} `json:"items"`
	Metadata json.RawMessage `json:"metadata"`
}

// TestFit: a value of another type is converted, if nothing is lost; else the error names the field, and after a
// creation it is left out.
func TestFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shown, want string
		drops       bool // only a creation accepts it
	}{
		"as documented":        {`{"id":"a","days":1}`, `{"id":"a","days":1}`, false},
		"a number for a text":  {`{"id":10,"name":1.50}`, `{"id":"10","name":"1.50"}`, false},
		"no object":            {`{"id":"a","address":[]}`, `{"id":"a"}`, false},
		"an object for a list": {`{"id":"a","tags":{}}`, `{"id":"a","tags":[]}`, false},
		"inside an object":     {`{"id":"a","address":{"number":10}}`, `{"id":"a","address":{"number":"10"}}`, false},
		"inside a list": {`{"id":"a","tags":[1,"b"],"items":[{"quantity":2}]}`,
			`{"id":"a","tags":["1","b"],"items":[{"quantity":2}]}`, false},
		"free-form":            {`{"id":1,"metadata":{"n":[1,"1"]}}`, `{"id":"1","metadata":{"n":[1,"1"]}}`, false},
		"a text for an amount": {`{"id":"a","days":"10"}`, `{"id":"a"}`, true},
		"a text for a switch":  {`{"id":"a","active":"true"}`, `{"id":"a"}`, true},
		"a boolean for a text": {`{"id":"a","name":true}`, `{"id":"a"}`, true},
		"null":                 {`{"id":1,"name":null}`, `{"id":"1"}`, false},
		"a whole number as a fraction": {`{"id":"a","days":-100.0,"items":[{"quantity":9007199254740993.00}]}`,
			`{"id":"a","days":-100,"items":[{"quantity":9007199254740993}]}`, false},
		"a real fraction":     {`{"id":"a","days":1.5}`, `{"id":"a"}`, true},
		"too large":           {`{"id":"a","days":1e400000000}`, `{"id":"a"}`, true},
		"another object":      {`{"id":"a","name":{"first":"A"},"days":3}`, `{"id":"a","days":3}`, true},
		"inside, another":     {`{"id":"a","address":{"number":{}}}`, `{"id":"a","address":{}}`, true},
		"a list with another": {`{"id":"a","tags":["a",{}]}`, `{"id":"a"}`, true},
	} {
		var strict, want fitted
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(name, err)
		}
		expected, _ := json.Marshal(want)
		if err := decodeInto([]byte(c.shown), &strict); (err != nil) != c.drops {
			t.Errorf("%s: %v", name, err)
		}
		created, err := decodeAs[fitted](json.RawMessage(c.shown), true)
		if have, _ := json.Marshal(created); err != nil || string(have) != string(expected) {
			t.Errorf("%s: %s, %v, want %s", name, have, err, expected)
		}
	}
}
