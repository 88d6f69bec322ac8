package finance

import (
	"encoding/json"
	"testing"
)

func TestKeyFor(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	for _, c := range []struct{ collection, body string }{
		{"bills", `{}`}, {"bills", `{"a":1}`}, {"bills", `{"a":"1"}`}, {"bill", `s{"a":1}`}, {"payables", `{}`},
		{"bills\x00", `{}`}, {"bills", "\x00{}"},
	} {
		key := KeyFor(c.collection, json.RawMessage(c.body))
		if !KeyPattern.MatchString(key) || !KeyPattern.MatchString(successor(key)) || successor(key) == key {
			t.Errorf("%v: %s, followed by %s", c, key, successor(key))
		}
		if key != KeyFor(c.collection, json.RawMessage(c.body)) {
			t.Errorf("%v: not always the same key", c)
		}
		name := c.collection + c.body
		if other, taken := keys[key]; taken && other != name {
			t.Errorf("%q and %q have the same key", name, other)
		}
		keys[key] = name
	}
	// A plan that was saved by one release is applied by the next one: the key of a body never changes.
	if key := KeyFor("payables", json.RawMessage(`{"amount":"10.50"}`)); key != "52a437ff-21ab-4b58-8249-a8c7c2f242ef" {
		t.Errorf("the key is %s", key)
	}
}

func TestKeyPattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		key1: true, "6F1C0A52-6F2A-4B7E-9F56-0D4F0B9A7C11": true,
		"6f1c0a52-6f2a-1b7e-9f56-0d4f0b9a7c11": false, "6f1c0a52-6f2a-4b7e-cf56-0d4f0b9a7c11": false,
		"6f1c0a526f2a4b7e9f560d4f0b9a7c11": false, "": false, key1 + "\n": false, " " + key1: false,
	} {
		if KeyPattern.MatchString(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
