package sandbox_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §4, custom_metadata_mode; wire contract: a null inside
// custom_metadata.
func TestCustomMetadataModes(t *testing.T) {
	t.Parallel()
	const stored = `{"a":1,"deep":{"x":{"y":1},"z":2},"list":[1,2]}`
	tests := []struct{ name, update, want string }{
		{"replace is the default", `{"custom_metadata":{"b":2}}`, `{"b":2}`},
		{"replace", `{"custom_metadata":{"b":null},"custom_metadata_mode":"replace"}`, `{"b":null}`},
		{"replace clears with an empty object", `{"custom_metadata":{}}`, `{}`},
		{"merge adds", `{"custom_metadata":{"b":2},"custom_metadata_mode":"merge"}`,
			`{"a":1,"b":2,"deep":{"x":{"y":1},"z":2},"list":[1,2]}`},
		{"merge goes deep", `{"custom_metadata":{"deep":{"x":{"w":true}}},"custom_metadata_mode":"merge"}`,
			`{"a":1,"deep":{"x":{"w":true,"y":1},"z":2},"list":[1,2]}`},
		{"merge replaces arrays and scalars", `{"custom_metadata":{"list":[3],"a":"one"},"custom_metadata_mode":"merge"}`,
			`{"a":"one","deep":{"x":{"y":1},"z":2},"list":[3]}`},
		{"merge replaces across kinds", `{"custom_metadata":{"a":{"b":1},"deep":0},"custom_metadata_mode":"merge"}`,
			`{"a":{"b":1},"deep":0,"list":[1,2]}`},
		{"merge keeps nulls",
			`{"custom_metadata":{"a":null,"deep":{"z":null},"new":{"n":null}},"custom_metadata_mode":"merge"}`,
			`{"a":null,"deep":{"x":{"y":1},"z":null},"list":[1,2],"new":{"n":null}}`},
		{"merge of nothing", `{"custom_metadata":{},"custom_metadata_mode":"merge"}`, stored},
		{"a mode alone", `{"custom_metadata_mode":"replace"}`, stored},
		{"not sent", `{"notes":"n"}`, stored},
	}
	c := call(t, start(t, sandbox.Options{}))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := c
			c.t = t
			path := "/v1/customers/" + c.create(`{"name":"Ana","custom_metadata":`+stored+`}`)
			if got := c.do("PATCH", path, test.update).want(200).json("data", "custom_metadata"); got != test.want {
				t.Errorf("update returns %s, want %s", got, test.want)
			}
			if got := c.do("GET", path, "").json("data", "custom_metadata"); got != test.want {
				t.Errorf("stored %s, want %s", got, test.want)
			}
		})
	}
}

// A merge into null starts from an empty object, and numbers stay exact.
func TestMergeIntoNothing(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	path := "/v1/customers/" + c.create(`{"name":"Ana"}`)
	update := `{"custom_metadata":{"big":123456789012345678901234567890.10},"custom_metadata_mode":"merge"}`
	if got := c.do("PATCH", path, update).want(200).json("data",
		"custom_metadata"); got != `{"big":123456789012345678901234567890.10}` {
		t.Errorf("custom_metadata %s", got)
	}
}
