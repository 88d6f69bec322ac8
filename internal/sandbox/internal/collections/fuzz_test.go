package collections

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCredentialsInLog checks that credentials never appear in the request log, whatever the body.
func FuzzCredentialsInLog(f *testing.F) {
	for _, seed := range []string{`{}`, `{"type":"bearer"}`, `[]`, `{"type":{"token":1}}`, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, other []byte) {
		var more any
		if json.Unmarshal(other, &more) != nil || strings.Contains(string(other), "hush") {
			return
		}
		body, err := json.Marshal(map[string]any{"url": "https://a.example",
			"authentication": map[string]any{"token": "hush-hush-42", "value": []any{"hush-hush-42", more}, "x": more}})
		if err != nil {
			t.Fatal(err)
		}
		if kept := Loggable(body); bytes.Contains(kept, []byte("hush")) {
			t.Errorf("%s is logged as %s", body, kept)
		}
	})
}
