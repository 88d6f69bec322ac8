package value

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

type embedded struct {
	Text     types.String `tfsdk:"text"`
	Flag     types.Bool   `tfsdk:"flag"`
	Whole    types.Int64  `tfsdk:"whole"`
	Document Document     `tfsdk:"document"`
	Moment   DateTime     `tfsdk:"moment"`
	Days     types.Int64  `tfsdk:"days"`
}

type thing struct {
	embedded
	List     types.List     `tfsdk:"list"`
	Set      types.Set      `tfsdk:"set"`
	Strings  StringSet      `tfsdk:"strings"`
	Map      types.Map      `tfsdk:"map"`
	Object   types.Object   `tfsdk:"object"`
	Objects  types.List     `tfsdk:"objects"`
	Metadata metadata.Value `tfsdk:"metadata"`
	Dynamic  types.Dynamic  `tfsdk:"dynamic"`

	ignored int //nolint:unused // the framework skips it, so the conversion has to
	Ignored int `tfsdk:"-"`
}

var inner = map[string]schema.Attribute{"a": schema.StringAttribute{Optional: true},
	"b": schema.Int64Attribute{Optional: true}}

func described() schema.Schema {
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"text": schema.StringAttribute{Optional: true}, "flag": schema.BoolAttribute{Optional: true},
		"whole":    schema.Int64Attribute{Optional: true},
		"document": schema.StringAttribute{Optional: true, CustomType: DocumentType{}},
		"moment":   schema.StringAttribute{Optional: true, CustomType: DateTimeType{}},
		"days":     schema.Int64Attribute{Optional: true, CustomType: Days},
		"list":     schema.ListAttribute{Optional: true, ElementType: types.StringType},
		"set":      schema.SetAttribute{Optional: true, ElementType: types.StringType},
		"strings":  schema.SetAttribute{Optional: true, CustomType: Strings},
		"map":      schema.MapAttribute{Optional: true, ElementType: types.BoolType},
		"object":   schema.SingleNestedAttribute{Optional: true, Attributes: inner},
		"objects":  schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: inner}},
		"metadata": schema.DynamicAttribute{Optional: true, CustomType: metadata.Type{}},
		"dynamic":  schema.DynamicAttribute{Optional: true},
	}}
}

// generated is a random value of a type: null and unknown too. The same source gives the same value.
func generated(r *rand.Rand, as tftypes.Type, depth int) tftypes.Value {
	switch r.IntN(8) {
	case 0:
		return tftypes.NewValue(as, nil)
	case 1:
		return tftypes.NewValue(as, tftypes.UnknownValue)
	}
	many := func(element tftypes.Type) []tftypes.Value {
		values := make([]tftypes.Value, r.IntN(3))
		for i := range values {
			values[i] = generated(r, element, depth+1)
		}
		return values
	}
	switch as := as.(type) {
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for _, name := range slices.Sorted(maps.Keys(as.AttributeTypes)) {
			values[name] = generated(r, as.AttributeTypes[name], depth+1)
		}
		return tftypes.NewValue(as, values)
	case tftypes.List:
		return tftypes.NewValue(as, many(as.ElementType))
	case tftypes.Set:
		return tftypes.NewValue(as, many(as.ElementType))
	case tftypes.Map:
		return tftypes.NewValue(as, map[string]tftypes.Value{"k": generated(r, as.ElementType, depth+1)})
	}
	switch {
	case as.Is(tftypes.DynamicPseudoType):
		if depth > 3 {
			return tftypes.NewValue(tftypes.String, "deep")
		}
		return generated(r,
			tftypes.Object{AttributeTypes: map[string]tftypes.Type{"n": tftypes.Number,
				"t": tftypes.Tuple{ElementTypes: []tftypes.Type{}}}}, depth+1)
	case as.Is(tftypes.Tuple{}):
		return tftypes.NewValue(as, []tftypes.Value{})
	case as.Is(tftypes.Bool):
		return tftypes.NewValue(as, r.IntN(2) == 0)
	case as.Is(tftypes.Number):
		return tftypes.NewValue(as, r.Int64())
	default:
		return tftypes.NewValue(as, strings.Repeat("é1", r.IntN(4)))
	}
}

// root is a known random object.
func root(r *rand.Rand, s schema.Schema) tftypes.Value {
	as, _ := s.Type().TerraformType(context.Background()).(tftypes.Object)
	values := map[string]tftypes.Value{}
	for _, name := range slices.Sorted(maps.Keys(as.AttributeTypes)) {
		values[name] = generated(r, as.AttributeTypes[name], 1)
	}
	return tftypes.NewValue(as, values)
}

// TestConversions: what this package converts is what the framework converts, value for value.
func TestConversions(t *testing.T) {
	t.Parallel()
	r, s := rand.New(rand.NewPCG(1, 2)), described()
	if modelOf(t.Context(), reflect.TypeFor[thing](), s) == nil {
		t.Fatal("the struct is left to the framework")
	}
	for range 500 {
		raw := root(r, s)
		var ours, theirs thing
		got := Get(t.Context(), tfsdk.State{Raw: raw, Schema: s}, &ours)
		want := tfsdk.State{Raw: raw, Schema: s}.Get(t.Context(), &theirs)
		if !got.Equal(want) {
			t.Fatalf("%s: %v, want %v", raw, got, want)
		}
		if want.HasError() {
			continue
		}
		if !reflect.DeepEqual(ours, theirs) {
			t.Fatalf("%s becomes %+v, want %+v", raw, ours, theirs)
		}
		a, b := tfsdk.Plan{Schema: s}, tfsdk.Plan{Schema: s}
		got, want = Set(t.Context(), &a, ours), b.Set(t.Context(), theirs)
		if !got.Equal(want) || !a.Raw.Equal(b.Raw) || !a.Raw.Type().Equal(b.Raw.Type()) {
			t.Fatalf("%+v becomes %s (%v), want %s (%v)", ours, a.Raw, got, b.Raw, want)
		}
	}
}

// TestSetKnowsStructsInInterfaces: a struct that a caller passes on as an interface is not left to the framework.
func TestSetKnowsStructsInInterfaces(t *testing.T) {
	s := described()
	var value thing
	if diags := Get(t.Context(), tfsdk.State{Raw: root(rand.New(rand.NewPCG(1, 2)), s), Schema: s},
		&value); len(diags) > 0 {
		t.Fatal(diags)
	}
	cost := func(set func(context.Context, *tfsdk.State) diag.Diagnostics) float64 {
		return testing.AllocsPerRun(10, func() {
			if diags := set(context.Background(), &tfsdk.State{Schema: s}); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
	ours := cost(func(ctx context.Context, into *tfsdk.State) diag.Diagnostics {
		return func(value any) diag.Diagnostics { return Set(ctx, into, value) }(value)
	})
	theirs := cost(func(ctx context.Context, into *tfsdk.State) diag.Diagnostics { return into.Set(ctx, value) })
	if ours > theirs/2 {
		t.Errorf("%.0f allocations, and %.0f in the framework", ours, theirs)
	}
}

// TestErrorsAreTheFrameworks: what does not fit is reported by the framework, word for word.
func TestErrorsAreTheFrameworks(t *testing.T) {
	t.Parallel()
	s := schema.Schema{Attributes: map[string]schema.Attribute{"text": schema.StringAttribute{Optional: true}}}
	type missing struct {
		Other types.String `tfsdk:"other"`
	}
	type wrong struct {
		Text types.Bool `tfsdk:"text"`
	}
	type plain struct {
		Text string `tfsdk:"text"`
	}
	raw := tftypes.NewValue(s.Type().TerraformType(t.Context()),
		map[string]tftypes.Value{"text": tftypes.NewValue(tftypes.String, nil)})
	state := tfsdk.State{Raw: raw, Schema: s}
	for name, both := range map[string][2]func(context.Context) error{
		"missing": {failing(Get[missing], state),
			failing(func(ctx context.Context, from Source, m *missing) diag.Diagnostics { return from.Get(ctx, m) }, state)},
		"wrong": {failing(Get[wrong], state), failing(func(ctx context.Context, from Source, m *wrong) diag.Diagnostics {
			return from.Get(ctx, m)
		}, state)},
		"plain": {failing(Get[plain], state), failing(func(ctx context.Context, from Source, m *plain) diag.Diagnostics {
			return from.Get(ctx, m)
		}, state)},
	} {
		ours, theirs := both[0](t.Context()), both[1](t.Context())
		if ours == nil || theirs == nil || ours.Error() != theirs.Error() {
			t.Errorf("%s: %v, want %v", name, ours, theirs)
		}
	}
	full := schema.Schema{Attributes: map[string]schema.Attribute{"list": schema.ListAttribute{Optional: true,
		ElementType: types.StringType}}}
	type listed struct {
		List types.List `tfsdk:"list"`
	}
	plan := tfsdk.Plan{Schema: full}
	if got := Set(t.Context(), &plan, listed{types.ListNull(types.BoolType)}); !got.HasError() || plan.Raw.Type() != nil {
		t.Errorf("a list of another type became %s (%v)", plan.Raw, got)
	}
}

// TestTagged: a struct is left to the framework where it embeds what is no struct, names what it embeds, or has a field
// that is not named or no value.
func TestTagged(t *testing.T) {
	t.Parallel()
	type text = types.String
	type Texts []types.String
	for name, c := range map[string]struct {
		of     any
		fields int
	}{
		"fields of its own": {struct {
			A text `tfsdk:"a"`
		}{}, 1},
		"embedded": {thing{}, 14},
		"embedded twice": {struct {
			embedded
			Text text `tfsdk:"text"`
		}{}, 6},
		"embedded with a name": {struct {
			types.String `tfsdk:"a"`
		}{}, 0},
		"embedded, and no struct": {struct {
			Texts
			A text `tfsdk:"a"`
		}{}, 0},
		"without a name": {struct{ A text }{}, 0},
		"no value": {struct {
			A string `tfsdk:"a"`
		}{}, 0},
		"no struct": {"a", 0},
	} {
		fields, ok := tagged(reflect.TypeOf(c.of))
		if len(fields) != c.fields || ok != (c.fields > 0) {
			t.Errorf("%s: %t, %d fields, want %d", name, ok, len(fields), c.fields)
		}
	}
}

// TestAt: an attribute that a struct does not have is named.
func TestAt(t *testing.T) {
	t.Parallel()
	m := struct {
		A types.String `tfsdk:"a"`
	}{types.StringValue("1")}
	if At(&m, "a").Set(reflect.ValueOf(types.StringValue("2"))); m.A.ValueString() != "2" {
		t.Errorf("it has %s", m.A)
	}
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, `has no attribute "absent"`) {
			t.Error(said)
		}
	}()
	At(&m, "absent")
}

func failing[M any](get func(context.Context, Source, *M) diag.Diagnostics, from Source) func(context.Context) error {
	return func(ctx context.Context) error {
		var m M
		all := get(ctx, from, &m)
		if !all.HasError() {
			return nil
		}
		return errors.New(all[0].Summary() + all[0].Detail())
	}
}
