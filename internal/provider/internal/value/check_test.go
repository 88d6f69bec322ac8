package value

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestNotBlank_instead: no message asks to leave out what is required, or to write null as an element.
func TestNotBlank_instead(t *testing.T) {
	t.Parallel()
	config := tfsdk.Config{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true}, "notes": schema.StringAttribute{Optional: true},
		"tags": schema.SetAttribute{Optional: true, ElementType: types.StringType},
	}}}
	for _, c := range []struct {
		at   path.Path
		says string
	}{
		{path.Root("name"), "name is empty or has only spaces (got \"\"). The argument is required: write a value."},
		{path.Root("notes"), "notes is empty or has only spaces (got \"\"). Write a value, or remove the argument (or set it to null)."},
		{path.Root("tags").AtSetValue(types.StringValue("")),
			"tags[*] is empty or has only spaces (got \"\"). Write a value, or remove the element."},
	} {
		var resp validator.StringResponse
		NotBlank().ValidateString(t.Context(), validator.StringRequest{Path: c.at, Config: config,
			ConfigValue: types.StringValue("")}, &resp)
		if have := resp.Diagnostics[0].Detail(); have != c.says {
			t.Errorf("%s\nwant %s", have, c.says)
		}
	}
}
