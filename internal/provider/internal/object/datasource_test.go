package object

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	managed "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
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

// TestNewDataSource: after an error, a data source has no state.
func TestNewDataSource(t *testing.T) {
	t.Parallel()
	type shown struct {
		ID types.String `tfsdk:"id"`
	}
	described := schema.Schema{Attributes: map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}}
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}
	empty := tftypes.NewValue(object, map[string]tftypes.Value{"id": tftypes.NewValue(tftypes.String, nil)})
	for _, fails := range []bool{false, true} {
		made, _ := NewDataSource("thing", func(*conn.Conn) conn.Service[any] { return conn.Service[any]{Ready: true} },
			func() schema.Schema { return described },
			func(_ context.Context, _ any, m *shown, diags *diag.Diagnostics) {
				if m.ID = types.StringValue("1"); fails {
					diags.AddError("Broken", "")
				}
			}).(*dataSource[any])
		made.Conn = &conn.Conn{}
		resp := datasource.ReadResponse{State: tfsdk.State{Schema: described, Raw: tftypes.NewValue(object, nil)}}
		made.Read(t.Context(), datasource.ReadRequest{Config: tfsdk.Config{Schema: described, Raw: empty}}, &resp)
		if resp.State.Raw.IsNull() != fails || resp.Diagnostics.HasError() != fails {
			t.Errorf("fails %t: %s, %v", fails, resp.State.Raw, resp.Diagnostics)
		}
	}
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

// names is the scheme of things that are only names.
var names = Scheme[any, string]{Noun: "thing", Key: "external_id",
	ID: func(name *string) string { return "id-" + *name }}

// model is the resource of a thing.
type model struct {
	Name types.String `tfsdk:"name"`
}

func request(includeResource bool) list.ListRequest {
	return list.ListRequest{IncludeResource: includeResource, ResourceIdentitySchema: names.identitySchema(),
		ResourceSchema: managed.Schema{Attributes: map[string]managed.Attribute{
			"name": managed.StringAttribute{Required: true}}}}
}

// listed yields the names, and an error at the name "broken".
func listed(names ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range names {
			var err error
			if name == "broken" {
				err = errors.New("the line is down")
			}
			if !yield(name, err) {
				return
			}
		}
	}
}

// describe knows things that are closed, which cannot be managed, and things that are odd, which have no resource.
func describe(name *string) (ListItem, bool) {
	item := ListItem{Name: *name, Resource: model{Name: types.StringValue(*name)}}
	if *name == "odd" {
		item.Err = errors.New("it makes no sense")
	}
	return item, *name != "closed"
}

// shown is a result in one line: its name, identity, resource, and what its diagnostics say.
func shown(ctx context.Context, result list.ListResult) string {
	if result.Identity == nil {
		return fmt.Sprintf("%d error: %s", result.Diagnostics.ErrorsCount(), result.Diagnostics[0].Summary())
	}
	var id, name types.String
	result.Identity.GetAttribute(ctx, path.Root("id"), &id)
	text := result.DisplayName + " " + id.ValueString()
	if result.Resource != nil && !result.Resource.Raw.IsNull() {
		result.Resource.GetAttribute(ctx, path.Root("name"), &name)
		text += " " + name.ValueString()
	}
	for _, d := range result.Diagnostics {
		text += " " + strings.ToLower(d.Severity().String()) + ": " + d.Summary()
	}
	return text
}

// TestScheme_stream: each object that can be managed is a result with its identity, and with the resource when that
// is asked for.
func TestScheme_stream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names []string
		whole bool
		want  []string
	}{
		"none":                {nil, true, nil},
		"identities alone":    {[]string{"a", "b"}, false, []string{"a id-a", "b id-b"}},
		"with resources":      {[]string{"a", "b"}, true, []string{"a id-a a", "b id-b b"}},
		"closed are left out": {[]string{"closed", "a", "closed"}, true, []string{"a id-a a"}},
		"without a resource":  {[]string{"odd", "a"}, true, []string{"odd id-odd warning: odd (id id-odd) could not be read", "a id-a a"}},
		"failure ends it":     {[]string{"a", "broken", "b"}, true, []string{"a id-a a", "1 error: Could not list things"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var have []string
			for result := range names.stream(t.Context(), request(c.whole), listed(c.names...), describe) {
				have = append(have, shown(t.Context(), result))
			}
			if !slices.Equal(have, c.want) {
				t.Errorf("streams %q, want %q", have, c.want)
			}
		})
	}
}

// TestScheme_stream_stops: nothing is asked for once Terraform has enough, or the limit is reached, which closed things
// do not count towards.
func TestScheme_stream_stops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit          int64
		takes          int // results that Terraform takes
		asked, results int
	}{
		"Terraform":            {takes: 1, asked: 1, results: 1},
		"limit":                {limit: 2, takes: 9, asked: 3, results: 2},
		"limit above the list": {limit: 9, takes: 9, asked: 4, results: 3},
		"no limit":             {takes: 9, asked: 4, results: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, results := 0, 0
			counted := func(yield func(string, error) bool) {
				for name, err := range listed("a", "closed", "b", "c") {
					asked++
					if !yield(name, err) {
						return
					}
				}
			}
			req := request(false)
			req.Limit = c.limit
			for range names.stream(t.Context(), req, counted, describe) {
				if results++; results == c.takes {
					break
				}
			}
			if asked != c.asked || results != c.results {
				t.Errorf("%d things were asked for and %d shown, want %d and %d", asked, results, c.asked, c.results)
			}
		})
	}
}
