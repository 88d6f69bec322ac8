package object

import (
	"context"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// scheme is that of things, which are in a list.
var scheme = Scheme[[]thing, thing]{TypeName: "billing_customer", Noun: "customer", Key: "external_id"}

// identityOf is an identity of the scheme with the given fields; the others are null.
func identityOf(given map[string]string) *tfsdk.ResourceIdentity {
	attributes, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
	for _, name := range []string{"id", scheme.Key} {
		attributes[name] = tftypes.String
		values[name] = tftypes.NewValue(tftypes.String, nil)
		if text, ok := given[name]; ok {
			values[name] = tftypes.NewValue(tftypes.String, text)
		}
	}
	return &tfsdk.ResourceIdentity{Schema: scheme.identitySchema(),
		Raw: tftypes.NewValue(tftypes.Object{AttributeTypes: attributes}, values)}
}

// TestSelect: an import id or an identity selects by exactly one field.
func TestSelect(t *testing.T) {
	t.Parallel()
	const id = "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"
	byID := func(written string) Selector { return Selector{ID: id, Import: written} }
	byValue := func(value, written string) Selector {
		return Selector{Field: "external_id", Value: value, Import: written}
	}
	for name, c := range map[string]struct {
		id       string
		identity map[string]string // nil: none given
		want     Selector
		bad      bool
	}{
		"id":                  {id: id, want: byID(`id = "` + id + `"`)},
		"id, named":           {id: "id=" + id, want: byID(`id = "id=` + id + `"`)},
		"external_id":         {id: "external_id=erp-1", want: byValue("erp-1", `id = "external_id=erp-1"`)},
		"external_id with =":  {id: "external_id=a=b", want: byValue("a=b", `id = "external_id=a=b"`)},
		"id of none":          {id: "id=", bad: true},
		"external_id of none": {id: "external_id=", bad: true},
		"identity id":         {identity: map[string]string{"id": id}, want: byID("id " + id)},
		"identity external_id": {identity: map[string]string{"external_id": "erp-1"}, want: byValue("erp-1",
			`external_id "erp-1"`)},
		"identity of both":    {identity: map[string]string{"id": id, "external_id": "erp-1"}, bad: true},
		"identity of neither": {identity: map[string]string{}, bad: true},
		"empty identity id":   {identity: map[string]string{"id": ""}, bad: true},
		"nothing at all":      {bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := resource.ImportStateRequest{ID: c.id}
			if c.identity != nil {
				req.Identity = identityOf(c.identity)
			}
			var diags diag.Diagnostics
			have := scheme.selection(t.Context(), req, &diags)
			if diags.HasError() != c.bad || !c.bad && have != c.want {
				t.Errorf("selects %+v, %v", have, diags)
			}
		})
	}
}

// TestIdentify: the identity is the id alone, whatever selected the object.
func TestIdentify(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	named := dial{ID: types.StringValue("0b5f"), Level: types.StringValue("high")}
	for _, before := range []map[string]string{{"external_id": "erp-1"}, {"id": "0b5f"}, {"id": "1c6a"}, {},
		{"id": "0b5f", "external_id": "erp-1"}} {
		identity := identityOf(before)
		scheme.Identify(t.Context(), named, identity, &diags)
		if want := identityOf(map[string]string{"id": "0b5f"}); !identity.Raw.Equal(want.Raw) || diags.HasError() {
			t.Errorf("%v becomes the identity %s, %v", before, identity.Raw, diags)
		}
	}
	scheme.Identify(t.Context(), named, nil, &diags)
	if diags.HasError() {
		t.Errorf("a Terraform without identities: %v", diags)
	}
	within := Scheme[any, any]{Key: "level", CompositeID: true}
	identity := &tfsdk.ResourceIdentity{}
	within.Identify(t.Context(), named, identity, &diags)
	var have map[string]tftypes.Value
	if err := identity.Raw.As(&have); err != nil || !have["id"].Equal(tftypes.NewValue(tftypes.String, "0b5f")) ||
		!have["level"].Equal(tftypes.NewValue(tftypes.String, "high")) || within.name(named) != "high/0b5f" {
		t.Errorf("of an id that is unique within a level: %s, %v", identity.Raw, err)
	}
}

// empty is a new value of a type that only the framework can name.
func empty[T any](*T) *T { return new(T) }

// TestScheme_imported: an import leaves the id in state and identity, and the mark for the refresh.
func TestScheme_imported(t *testing.T) {
	t.Parallel()
	none := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}, nil)
	resp := resource.ImportStateResponse{Identity: identityOf(nil), State: tfsdk.State{Raw: none,
		Schema: schema.Schema{Attributes: map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}}}}
	resp.Private = empty(resp.Private)
	scheme.imported(t.Context(), "0b5f", &resp)
	var id types.String
	resp.Diagnostics.Append(resp.State.GetAttribute(t.Context(), path.Root("id"), &id)...)
	marked := Imports(t.Context(), resp.Private, &resp.Diagnostics)
	if id.ValueString() != "0b5f" || !resp.Identity.Raw.Equal(identityOf(map[string]string{"id": "0b5f"}).Raw) ||
		!marked || resp.Diagnostics.HasError() {
		t.Errorf("id %s, identity %s, marked %v, %v", id, resp.Identity.Raw, marked, resp.Diagnostics)
	}
}

// thing is an object of this test.
type thing struct{ id, name string }

// things is the scheme of things, which are their own service. Neither the id "broken" can be read, nor the name
// "broken".
var things = Scheme[[]thing, thing]{
	TypeName: "billing_thing", Noun: "thing", Key: "name",
	ID: func(t *thing) string { return t.id },
	Get: func(all []thing, _ context.Context, id string) (*thing, error) {
		i := slices.IndexFunc(all, func(t thing) bool { return t.id == id })
		switch {
		case id == "broken":
			return nil, errDown
		case i < 0:
			return nil, &api.Error{Status: 404, Code: "not_found", Structured: true}
		}
		return &all[i], nil
	},
	Find: func(_ context.Context, all []thing, by Selector) ([]thing, error) {
		if by.Value == "broken" {
			return nil, errDown
		}
		return slices.DeleteFunc(slices.Clone(all), func(t thing) bool { return t.name != by.Value }), nil
	},
	Summary: func(t *thing) string { return t.id + " " + t.name },
}
