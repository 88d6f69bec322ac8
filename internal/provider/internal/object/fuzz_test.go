package object

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// FuzzSelect: every import id is an error, or selects by exactly one field with a value, which is the end of what was
// written.
func FuzzSelect(f *testing.F) {
	for _, seed := range []string{"0b5f", "id=0b5f", "id=", "id=id=", "external_id=", "external_id=a=b",
		"url=https://a.example/?id=", "name= ", "document_number=1", "=", "id", "\x00", "\xff"} {
		f.Add(seed, "external_id")
		f.Add(seed, "url")
		f.Add(seed, "name")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		if key == "" || key == "id" || strings.Contains(key, "=") {
			return
		}
		var diags diag.Diagnostics
		selector := Scheme[any, any]{Noun: "thing", Key: key}.selection(t.Context(), resource.ImportStateRequest{ID: text},
			&diags)
		if diags.HasError() {
			return
		}
		chosen := selector.ID + selector.Value
		if (selector.ID == "") == (selector.Value == "") || (selector.Field == "") != (selector.Value == "") ||
			!strings.HasSuffix(text, chosen) {
			t.Errorf("%q selects %+v", text, selector)
		}
		if strings.HasPrefix(text, key+"=") != (selector.Value != "") {
			t.Errorf("%q selects %+v", text, selector)
		}
	})
}
