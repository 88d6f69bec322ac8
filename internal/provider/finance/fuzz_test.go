package finance

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// FuzzSelected: every import id is an error, or <collection>/<id>.
func FuzzSelected(f *testing.F) {
	for _, seed := range []string{"payables/1", "payables", "/1", "payables/", "a/b/c", "../1", "payables/..",
		"pay ables/1", "", "a%2fb/c", "\x00/\x00", "0./0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var diags diag.Diagnostics
		collection, id := selected(t.Context(), resource.ImportStateRequest{ID: text}, &diags)
		if diags.HasError() {
			return
		}
		if collection == "" || id == "" || strings.Contains(id, "/") || collection+"/"+id != text || collection == "." ||
			collection == ".." || strings.ContainsAny(collection, "/?#% \r\n\x00") {
			t.Errorf("%q is the record %q of %q", text, id, collection)
		}
	})
}
