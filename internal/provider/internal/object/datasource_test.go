package object

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	managed "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// shelf is a resource that is only a schema.
type shelf struct{ resource.Resource }

func (shelf) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = managed.Schema{Attributes: map[string]managed.Attribute{
		"id":   managed.StringAttribute{Computed: true, MarkdownDescription: "Id. The plan keeps it."},
		"name": managed.StringAttribute{Required: true, MarkdownDescription: "Name of it. Two may share it. If unset, none."},
		"due": managed.StringAttribute{Optional: true, CustomType: value.DateTimeType{},
			MarkdownDescription: "Due. Changing this makes another."},
		"open": managed.BoolAttribute{Optional: true, MarkdownDescription: "Whether. A plan shows it."},
		"tags": managed.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Tags."},
		"rows": managed.ListNestedAttribute{Optional: true, MarkdownDescription: "Rows.",
			NestedObject: managed.NestedAttributeObject{Attributes: map[string]managed.Attribute{
				"color": managed.StringAttribute{Required: true, MarkdownDescription: "Color."},
				"width": managed.Int64Attribute{Optional: true, MarkdownDescription: "Width."}}}},
		"hidden": managed.StringAttribute{Optional: true, MarkdownDescription: "Not in the data source."},
	}}
}

// TestDataAttributes: a data source has the attributes of its model as the resource has them, and says of them what
// is not about configuring.
func TestDataAttributes(t *testing.T) {
	t.Parallel()
	type shown struct {
		ID   types.String   `tfsdk:"id"`
		Name types.String   `tfsdk:"name"`
		Due  value.DateTime `tfsdk:"due"`
		Open types.Bool     `tfsdk:"open"`
		Tags types.Set      `tfsdk:"tags"`
		Rows types.List     `tfsdk:"rows"`
		Used types.String   `tfsdk:"used"`
	}
	have := DataAttributes[shown](shelf{}, map[string]string{"tags": "Labels.", "rows.color": "Its color."},
		Attributes{"used": schema.StringAttribute{Computed: true, MarkdownDescription: "Last used."}})
	of := shelf{}
	var resp resource.SchemaResponse
	of.Schema(t.Context(), resource.SchemaRequest{}, &resp)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(have)) {
		a := have[name]
		texts = append(texts, name+": "+a.GetMarkdownDescription())
		if !a.IsComputed() || a.IsOptional() || a.IsRequired() ||
			name != "used" && !a.GetType().Equal(resp.Schema.Attributes[name].GetType()) {
			t.Errorf("%s: %#v", name, a)
		}
	}
	rows, _ := have["rows"].(schema.ListNestedAttribute)
	for _, name := range slices.Sorted(maps.Keys(rows.NestedObject.Attributes)) {
		texts = append(texts, name+": "+rows.NestedObject.Attributes[name].GetMarkdownDescription())
	}
	want := "due: Due.|id: Id. The plan keeps it.|name: Name of it.|open: Whether.|rows: Rows.|" +
		"tags: Labels.|used: Last used.|color: Its color.|width: Width."
	if got := strings.Join(texts, "|"); got != want {
		t.Errorf("%s", got)
	}
	if text := Description(of, "open"); text != "Whether." {
		t.Error(text)
	}
}
