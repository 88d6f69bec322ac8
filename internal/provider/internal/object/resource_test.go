package object

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

// stateOf is the state of a thing with the name.
func stateOf(name string) tfsdk.State {
	return tfsdk.State{
		Schema: schema.Schema{Attributes: map[string]schema.Attribute{"name": schema.StringAttribute{Required: true}}},
		Raw: tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}},
			map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, name)}),
	}
}

// TestResource_MoveState: an object keeps its type, whichever type a moved block names.
func TestResource_MoveState(t *testing.T) {
	t.Parallel()
	r := Resource[[]thing, thing, shownThing]{Scheme: things}
	var resp resource.MoveStateResponse
	r.MoveState(t.Context())[0].StateMover(t.Context(), resource.MoveStateRequest{SourceTypeName: "billing_other"}, &resp)
	if text := resp.Diagnostics[0].Summary(); text != "A billing_other cannot become a "+things.TypeName {
		t.Error(text)
	}
}

// TestResource_BeginDelete: what stays, and what has no service, is not deleted.
func TestResource_BeginDelete(t *testing.T) {
	t.Parallel()
	asks := func(m model, _ *diag.Diagnostics) bool { return m.Name.ValueString() == "stays" }
	for name, c := range map[string]struct {
		service conn.Service[string]
		stays   func(model, *diag.Diagnostics) bool
		want    bool
		errors  int
	}{
		"thing": {conn.Service[string]{Client: "client", Ready: true}, asks, true, 0},
		"any":   {conn.Service[string]{Client: "client", Ready: true}, nil, true, 0},
		"stays": {conn.Service[string]{Missing: []conn.ProviderArgument{{Name: "token"}}}, asks, false, 0},
		"alone": {conn.Service[string]{Missing: []conn.ProviderArgument{{Name: "token"}}}, asks, false, 1},
	} {
		var resp resource.DeleteResponse
		r := Resource[string, thing, model]{Scheme: Scheme[string, thing]{TypeName: "billing_thing",
			Service: func(*conn.Conn) conn.Service[string] { return c.service }}}
		w, ok := r.BeginDelete(t.Context(), resource.DeleteRequest{State: stateOf(name)}, &resp, c.stays)
		if ok != c.want || ok != (w.Client == "client") || w.State.Name.ValueString() != name ||
			resp.Diagnostics.ErrorsCount() != c.errors {
			t.Errorf("%s: %v with %q and %s, %v", name, ok, w.Client, w.State.Name, resp.Diagnostics)
		}
	}
}

// TestScheme_Import_refused: an object that cannot be managed is not imported.
func TestScheme_Import_refused(t *testing.T) {
	t.Parallel()
	closed := things
	closed.CheckFound = func(_ context.Context, _ []thing, found *thing, by Selector, diags *diag.Diagnostics) {
		diags.AddError("Closed", found.id+" was selected by "+by.String())
	}
	var resp resource.ImportStateResponse
	service := conn.Service[[]thing]{Client: []thing{{"1", "a"}}, Ready: true}
	found := closed.Import(t.Context(), service, nil, resource.ImportStateRequest{ID: "name=a"}, &resp)
	if want := `1 was selected by name "a"`; found != nil || resp.Diagnostics.ErrorsCount() != 1 ||
		resp.Diagnostics[0].Detail() != want {
		t.Errorf("found %v, %v", found, resp.Diagnostics)
	}
}

// TestScheme_Keys: the data source finds an object by its id, by the key of an import, and by further keys.
func TestScheme_Keys(t *testing.T) {
	t.Parallel()
	s := Scheme[any, any]{Key: "external_id", MoreKeys: []string{"document_number"}}
	if have, want := s.keys(), []string{"id", "external_id", "document_number"}; !slices.Equal(have, want) {
		t.Errorf("keys %v, want %v", have, want)
	}
}

var errDown = errors.New("the line is down")

// number is an object without an id, so that its list keeps its order.
type number struct{ I int }

// counting yields the numbers from 1 to n, then err unless it is nil; asked counts how many were asked for.
func counting(n int, err error, asked *int) iter.Seq2[number, error] {
	return func(yield func(number, error) bool) {
		for i := 1; i <= n; i++ {
			*asked++
			if !yield(number{i}, nil) {
				return
			}
		}
		if err != nil {
			yield(number{}, err)
		}
	}
}

// TestCollect: everything is converted in order, or as much as the limit allows, and nothing more is asked for than
// that.
func TestCollect(t *testing.T) {
	t.Parallel()
	spell := func(n *number) (string, error) {
		if n.I == 4 {
			return "", errDown
		}
		return strconv.Itoa(n.I), nil
	}
	for name, c := range map[string]struct {
		n     int
		ends  error
		limit types.Int64
		want  []string // nil for an error
		asked int
	}{
		"all":                     {3, nil, types.Int64Null(), []string{"1", "2", "3"}, 3},
		"none":                    {0, nil, types.Int64Null(), []string{}, 0},
		"limit":                   {3, nil, types.Int64Value(2), []string{"1", "2"}, 2},
		"limit that is the end":   {3, errDown, types.Int64Value(3), []string{"1", "2", "3"}, 3},
		"limit beyond the end":    {3, nil, types.Int64Value(9), []string{"1", "2", "3"}, 3},
		"failure":                 {3, errDown, types.Int64Null(), nil, 3},
		"unreadable":              {9, nil, types.Int64Null(), nil, 9},
		"unreadable beyond limit": {9, nil, types.Int64Value(3), []string{"1", "2", "3"}, 3},
	} {
		asked := 0
		have, err := Collect(counting(c.n, c.ends, &asked), Ordering{Limit: c.limit}, spell)
		if !slices.Equal(have, c.want) || (have == nil) != (c.want == nil) || (err != nil) != (c.want == nil) ||
			asked != c.asked {
			t.Errorf("%s: %v, %v, after %d", name, have, err, asked)
		}
		if err != nil && !errors.Is(err, errDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeepCreated: the plan keeps what the creation has used.
func TestKeepCreated(t *testing.T) {
	t.Parallel()
	type model struct {
		Trial types.String `tfsdk:"trial"`
	}
	a, b, null, unknown := types.StringValue("a"), types.StringValue("b"), types.StringNull(), types.StringUnknown()
	r := Resource[any, any, model]{OnCreation: []OnCreation[model]{{Argument: "trial"}}}
	for name, c := range map[string]struct{ config, state, want types.String }{
		"the same":             {a, a, a},
		"removed":              {null, a, a},
		"never named":          {null, null, null},
		"another":              {b, a, a},
		"where there was none": {b, null, b},
		"not known":            {unknown, a, a},
	} {
		p := &Plan[model]{Config: model{c.config}, State: model{c.state}, Planned: model{c.config}}
		if r.keepCreated(p); !p.Planned.Trial.Equal(c.want) {
			t.Errorf("%s: planned %s", name, p.Planned.Trial)
		}
	}
}

// TestTriggered: a rotation needs a trigger that had values and gets others.
func TestTriggered(t *testing.T) {
	t.Parallel()
	of := func(value string) types.Map {
		return types.MapValueMust(types.StringType, map[string]attr.Value{"on": types.StringValue(value)})
	}
	none := types.MapValueMust(types.StringType, map[string]attr.Value{})
	for name, c := range map[string]struct {
		had, has types.Map
		want     bool
	}{
		"no trigger":   {none, none, false},
		"first values": {none, of("1"), false},
		"the same":     {of("1"), of("1"), false},
		"others":       {of("1"), of("2"), true},
		"removed":      {of("1"), none, false},
		"not known":    {of("1"), types.MapUnknown(types.StringType), true},
		"null before":  {types.MapNull(types.StringType), of("1"), false},
	} {
		if have := Triggered(c.had, c.has); have != c.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}
