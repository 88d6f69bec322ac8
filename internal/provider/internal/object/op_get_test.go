package object

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// shownThing is the model of a thing.
type shownThing struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
}

func (n shownThing) Policy() Policy { return Policy{Object: "thing " + n.ID.ValueString()} }

// TestOp_Get: only an object that is gone leaves the state, with a warning; a failure is an error and keeps it. An
// object that a list shows with other values, but without a later change, is read by its id; so is an imported one.
func TestOp_Get(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id                   string
		listed               string // the name in the list; "" if the list fails
		unchanged, importing bool
		want                 string // the name in the state; "" if it has left it
		says                 string
	}{
		"listed as known":                         {id: "1", listed: "a", unchanged: true, want: "a"},
		"listed with a change":                    {id: "1", listed: "b", want: "b"},
		"listed with other values and no change":  {id: "1", listed: "b", unchanged: true, want: "single"},
		"listed unreadably and without a change":  {id: "1", listed: "unreadable", unchanged: true, want: "single"},
		"imported":                                {id: "1", listed: "b", importing: true, want: "single"},
		"listed unreadably":                       {id: "1", listed: "unreadable", want: "a", says: "Unreadable thing: "},
		"gone":                                    {id: "9", listed: "single read", says: "Thing 9 was deleted outside of Terraform: It is removed from the state. If it is still configured, the plan makes it."},
		"gone, and listed with another old value": {id: "9", listed: "b", unchanged: true, says: "Thing 9 was deleted outside of Terraform: It is"},
		"broken": {id: "broken", listed: "single read", want: "a", says: "line is down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := things
			all.Recreation = "makes it"
			all.Service = func(*conn.Conn) conn.Service[[]thing] {
				return conn.Service[[]thing]{Client: []thing{{"1", "single"}}, Ready: true}
			}
			all.Refresh = func(client []thing, ctx context.Context, id string) (*thing, bool, error) {
				if c.listed == "single read" {
					found, err := all.Get(client, ctx, id)
					return found, false, err
				}
				return &thing{id, c.listed}, c.unchanged, nil
			}
			text := func(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }
			r := Resource[[]thing, thing, shownThing]{Connected: conn.Connected{Conn: &conn.Conn{}}, Scheme: all}
			req := resource.ReadRequest{State: tfsdk.State{
				Schema: schema.Schema{Attributes: map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true},
					"name": schema.StringAttribute{Required: true}}},
				Raw: tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String,
					"name": tftypes.String}}, map[string]tftypes.Value{"id": text(c.id), "name": text("a")})}}
			resp := resource.ReadResponse{State: req.State}
			notes := private.Map{}
			ctx := private.With(t.Context(), notes)
			if c.importing {
				MarkImport(ctx, notes, &resp.Diagnostics)
			}
			o, ok := r.BeginRead(ctx, req, &resp)
			if ok {
				var state shownThing
				if _, state, ok = o.Get(ctx, func(shown *thing) shownThing {
					if shown.name == "unreadable" {
						resp.Diagnostics.AddError("Unreadable thing", "")
					}
					return shownThing{types.StringValue(shown.id), types.StringValue(shown.name)}
				}); ok {
					o.Save(ctx, state)
				}
			}
			var have shownThing
			if !resp.State.Raw.IsNull() {
				resp.State.Get(ctx, &have)
			}
			if have.Name.ValueString() != c.want || ok != (c.says == "") {
				t.Errorf("state %s, %v", resp.State.Raw, resp.Diagnostics)
			}
			if c.says != "" && (len(resp.Diagnostics) != 1 || !strings.Contains(resp.Diagnostics[0].Summary()+": "+
				resp.Diagnostics[0].Detail(), c.says)) || c.says == "" && len(resp.Diagnostics) > 0 {
				t.Errorf("%v", resp.Diagnostics)
			}
			if c.importing != Imports(ctx, notes, &resp.Diagnostics) {
				t.Errorf("notes %v", notes)
			}
		})
	}
}

// TestOp_import: a run imports an object from the import until the next refresh.
func TestOp_import(t *testing.T) {
	t.Parallel()
	ctx, notes := t.Context(), private.Map{}
	var diags diag.Diagnostics
	r := Resource[[]thing, thing, shownThing]{Scheme: things}
	for i, step := range []struct {
		mark, importing, imports bool
	}{{imports: false}, {mark: true, importing: true, imports: true}, {imports: false}, {imports: false}} {
		if step.mark {
			MarkImport(ctx, notes, &diags)
		}
		state := stateOf("a")
		state.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true}, "name": schema.StringAttribute{Required: true}}}
		o := &Op[[]thing, thing, shownThing]{is: refresh, Private: notes, Diags: &diags, resource: &r, state: &state}
		o.Importing = private.Get[importing](ctx, notes, keyImport, &diags) == importFound
		if diags = nil; o.Importing != step.importing {
			t.Errorf("%d: importing is %t", i, o.Importing)
		}
		o.Save(ctx, shownThing{types.StringValue("1"), types.StringValue("a")})
		if Imports(ctx, notes, &diags) != step.imports || diags.HasError() {
			t.Errorf("%d: notes %v, %v", i, notes, diags)
		}
	}
	if len(notes) > 0 {
		t.Errorf("it leaves %v", notes)
	}
}
