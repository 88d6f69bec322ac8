package metadata

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// TestGuide: the rows of "Before and after" in the guide on custom_metadata, after an apply of segment and
// contract.number.
func TestGuide(t *testing.T) {
	t.Parallel()
	const (
		applied = `{"segment":"retail","contract":{"number":1}}`
		stored  = `{"segment":"retail","contract":{"number":1,"signed_by":"Helena"},"crm":{"owner":"ana","score":87},"tags":["a","b"]}`
	)
	object := func(text string) Object {
		parsed, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for name, c := range map[string]struct{ mode, now, after string }{
		"unchanged": {ModeMerge, applied, stored},
		"changed": {ModeMerge, `{"segment":"wholesale","contract":{"number":1}}`,
			`{"segment":"wholesale","contract":{"number":1,"signed_by":"Helena"},"crm":{"owner":"ana","score":87},"tags":["a","b"]}`},
		"one out, one new": {ModeMerge, `{"segment":"retail","contract":{},"region":"SP"}`,
			`{"segment":"retail","contract":{"signed_by":"Helena"},"region":"SP","crm":{"owner":"ana","score":87},"tags":["a","b"]}`},
		"an object out": {ModeMerge, `{"segment":"retail"}`,
			`{"segment":"retail","contract":{"signed_by":"Helena"},"crm":{"owner":"ana","score":87},"tags":["a","b"]}`},
		"an object null": {ModeMerge, `{"segment":"retail","contract":null}`,
			`{"segment":"retail","contract":null,"crm":{"owner":"ana","score":87},"tags":["a","b"]}`},
		"a key of others": {ModeMerge, `{"segment":"retail","contract":{"number":1},"crm":{"owner":"me"}}`,
			`{"segment":"retail","contract":{"number":1,"signed_by":"Helena"},"crm":{"owner":"me","score":87},"tags":["a","b"]}`},
		"a list": {ModeMerge, `{"segment":"retail","contract":{"number":1},"tags":["a"]}`,
			`{"segment":"retail","contract":{"number":1,"signed_by":"Helena"},"crm":{"owner":"ana","score":87},"tags":["a"]}`},
		"all out": {ModeMerge, `{}`,
			`{"contract":{"signed_by":"Helena"},"crm":{"owner":"ana","score":87},"tags":["a","b"]}`},
		"the whole is yours": {ModeReplace, applied, applied},
	} {
		own := Ownership{Mode: c.mode, Owned: object(applied)}
		if have := own.Result(object(stored), object(c.now), object(c.now)); !same.JSON(have, object(c.after)) {
			t.Errorf("%s: %s, want %s", name, Text(have), c.after)
		}
	}
}
