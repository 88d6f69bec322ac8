package metadata

import (
	"encoding/json"
	"strings"
	"testing"
)

// Two spellings of one key.
const (
	composedKey   = "caf\u00e9"
	decomposedKey = "cafe\u0301"
)

// TestSpelling: a key that a service spells otherwise is the same key, and is sent in its spelling.
func TestSpelling(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"a":[{"` + decomposedKey + `":2}],"` + decomposedKey + `":{"b":"` + decomposedKey + `","` +
		decomposedKey + `":1}}`)
	have, err := Parse(raw)
	want := strings.ReplaceAll(string(raw), decomposedKey, composedKey)
	if err != nil || Text(have) != want {
		t.Errorf("%s, %v, want %s", Text(have), err, want)
	}
	for _, c := range []struct {
		object, remote, want string
		whole                bool
	}{
		{`{"` + composedKey + `":1}`, `{"` + decomposedKey + `":0}`, `{"` + decomposedKey + `":1}`, false},
		{`{"` + composedKey + `":1}`, `{}`, `{"` + composedKey + `":1}`, false},
		{`{"` + composedKey + `":1}`, `{"` + decomposedKey + `":0,"` + composedKey + `":2}`, `{"` + composedKey + `":1}`,
			false},
		{`{"` + composedKey + `":1}`, `{"` + decomposedKey + `":0,"` + composedKey + `":2}`,
			`{"` + decomposedKey + `":0,"` + composedKey + `":1}`, true},
		{`{"a":{"` + composedKey + `":1}}`, `{"a":{"` + decomposedKey + `":0}}`, `{"a":{"` + decomposedKey + `":1}}`, true},
		{`{"a":1}`, `{"b":2}`, `{"a":1}`, true},
	} {
		object, _ := Parse([]byte(c.object))
		if have := Text(Spelled(object, json.RawMessage(c.remote), c.whole)); have != c.want {
			t.Errorf("%s in %s: %s, want %s", c.object, c.remote, have, c.want)
		}
	}
	both := json.RawMessage(`{"a":{"` + composedKey + `":1,"` + decomposedKey + `":2}}`)
	kept, _ := Parse(both)
	if twins := Twins(both); len(twins) != 1 || twins[0] != composedKey || Text(kept) != `{"a":{"`+composedKey+`":1}}` {
		t.Errorf("%q, %s", twins, Text(kept))
	}
	if object, _ := Parse([]byte(`{"a":{"é":1}}`)); !Respellable(object) || Respellable(Object{"a": "é"}) {
		t.Error("respellable")
	}
}
