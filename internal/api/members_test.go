package api

import (
	"encoding/json"
	"reflect"
	"testing"
)

// membersOf are the members as the decoder of encoding/json returns them.
func membersOf(text []byte) (map[string]json.RawMessage, bool) {
	found := map[string]json.RawMessage{}
	ok := members(text, func(name, value []byte) { found[string(plain(name))] = value })
	return found, ok
}

var memberSeeds = []string{`{}`, ` { } `, `{"a":1}`, `{"a" : {"b":[1,"}",{"c":null}]} , "d": "x\"y\\" ,"e":-1.5e3}`,
	"{\"\\u0061\\\"\":true,\n\t\"b\":[ ]\r}", `{"a":1,"a":2}`, `[]`, `"a"`, `1`, `null`, `{"a":"{"}`,
	`{"é":"é"}`, "{\"\xff\":0}"}

// FuzzMembers: the members of an object are those that encoding/json finds, and no text makes members panic.
func FuzzMembers(f *testing.F) {
	for _, seed := range memberSeeds {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{``, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"`, `{]`, `{"a":]}`, `{"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found, ok := membersOf(text)
		if !json.Valid(text) {
			return
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil || want == nil {
			if ok {
				t.Errorf("%s is taken for an object", text)
			}
			return
		}
		if !ok || !reflect.DeepEqual(found, want) {
			t.Errorf("%s has %s, want %s", text, found, want)
		}
	})
}
