package object

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// dial is a model of which the service returns the level alone.
type dial struct {
	ID    types.String `tfsdk:"id"`
	Level types.String `tfsdk:"level"`
	Mode  types.String `tfsdk:"mode"`  // if not configured, the service decides
	Since types.String `tfsdk:"since"` // computed
	Note  types.String `tfsdk:"note"`  // never sent
}

// Policy implements HasPolicy.
func (m dial) Policy() Policy { return Policy{Object: "dial " + m.ID.ValueString()} }

// operating is an operation on a dial: the plan is to have the level, and since is known in the apply.
func operating(is kind, level string) (*Op[any, string, dial], *diag.Diagnostics) {
	described := schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "level": schema.StringAttribute{Required: true},
		"mode":  schema.StringAttribute{Optional: true, Computed: true},
		"since": schema.StringAttribute{Computed: true}, "note": schema.StringAttribute{Optional: true}}}
	var diags diag.Diagnostics
	before := dial{ID: types.StringValue("1"), Level: types.StringValue("old"), Mode: types.StringValue("auto"),
		Since: types.StringValue("then"), Note: types.StringValue("before")}
	plan := before
	plan.Level, plan.Since, plan.Note = types.StringValue(level), types.StringUnknown(), types.StringValue("planned")
	w := &Op[any, string, dial]{Plan: plan, State: before, before: before, is: is, Diags: &diags,
		resource: &Resource[any, string, dial]{}, Private: private.Map{},
		Config: dial{Level: plan.Level, Note: plan.Note},
		state: &tfsdk.State{Schema: described,
			Raw: tftypes.NewValue(described.Type().TerraformType(context.Background()), nil)}}
	if is == creation {
		w.State, w.before = plan, dial{}
	}
	return w, &diags
}

// shows is a dial with the level in a response.
func (m dial) shows(level *string) dial {
	m.Level = types.StringValue(*level)
	return m
}

// saved is the state of a dial in short.
func saved(t *testing.T, w *Op[any, string, dial]) string {
	t.Helper()
	if w.state.Raw.IsNull() {
		return "nothing"
	}
	var m dial
	if diags := w.state.Get(t.Context(), &m); diags.HasError() {
		t.Fatal(diags)
	}
	return m.Level.ValueString() + " " + m.Since.ValueString() + " " + m.Note.ValueString()
}

// TestOp: each response is saved before the next request, what fails ends them, and a response next to an error has
// happened. The outcome is the plan, with what only the responses could say.
func TestOp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is      kind
		sends   string // "<verb>[=<level>][!]": what is returned, and ! for an error
		want    string // what was in the state before each request, and after the last
		reports string
	}{
		"nothing to send":          {update, "", "new then planned", ""},
		"all":                      {update, "a=1 b=new", "a: nothing, b: 1 then before, new then planned", ""},
		"one that shows no object": {update, "a=new b", "a: nothing, b: new then before, new b planned", ""},
		"no response at all":       {update, "b", "b: nothing, new b planned", ""},
		"the first fails":          {update, "a! b", "a: nothing, nothing", "error: Could not a dial 1"},
		"the second fails": {update, "a=1 b!", "a: nothing, b: 1 then before, 1 then before", "error: Could not b " +
			"dial 1"},
		"half done": {update, "a=1!", "a: nothing, 1 then before", "error: Could not a dial 1"},
		"another level": {update, "a=1", "a: nothing, new then planned",
			"warning: The service stored a different value of level for dial 1"},
		"a creation":       {creation, "a=new", "a: nothing, new  planned", ""},
		"a creation fails": {creation, "a!", "a: nothing, nothing", "error: Could not a dial 1"},
		"a request after a creation": {creation, "a=1 b!", "a: nothing, b: 1  planned, 1  planned",
			"warning: Created, but not finished: Could not b dial 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, diags := operating(c.is, "new")
			var told []string
			send := func(text string) (response *string, failed bool) {
				text, fails := strings.CutSuffix(text, "!")
				verb, level, responds := strings.Cut(text, "=")
				told = append(told, verb+": "+saved(t, w))
				var err error
				if fails {
					err = errDown
				}
				switch {
				case responds:
					response = &level
					w.Save(t.Context(), w.State.shows(response))
				case !fails:
					w.State.Since = types.StringValue(verb)
					w.Save(t.Context(), w.State)
				}
				return response, w.Failed(t.Context(), verb, err)
			}
			var last *string
			failed := false
			for text := range strings.FieldsSeq(c.sends) {
				var response *string
				if response, failed = send(text); response != nil {
					last = response
				}
				if failed {
					break
				}
			}
			if !failed {
				w.Finish(t.Context(), last, w.Plan.shows)
			}
			if have := strings.Join(append(told, saved(t, w)), ", "); have != c.want {
				t.Errorf("%s, want %s", have, c.want)
			}
			var reports []string
			for _, d := range *diags {
				reports = append(reports, strings.ToLower(d.Severity().String())+": "+d.Summary())
			}
			if have := strings.Join(reports, ", "); have != c.reports {
				t.Errorf("reported %s, want %s", have, c.reports)
			}
		})
	}
}

// TestOp_Finish_warns: a difference is reported on the argument that was asked for, without the values of a text. A
// computed attribute, and an argument that is not configured and stays, only show what the service has.
func TestOp_Finish_warns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(w *Op[any, string, dial])
		want   string
	}{
		"an argument":                {func(w *Op[any, string, dial]) { w.Config.Mode = types.StringValue("auto") }, "mode"},
		"one that is not configured": {func(*Op[any, string, dial]) {}, ""},
		"one that the plan changes":  {func(w *Op[any, string, dial]) { w.before.Mode = types.StringNull() }, "mode"},
		"a computed attribute": {func(w *Op[any, string, dial]) {
			w.Plan.Since = types.StringValue("planned")
			w.Plan.Mode = types.StringValue("other")
		}, ""},
	} {
		w, diags := operating(update, "1")
		c.change(w)
		w.Finish(t.Context(), new("1"), func(*string) dial {
			outcome := w.Plan
			outcome.Mode, outcome.Since = types.StringValue("other"), types.StringValue("now")
			return outcome
		})
		if len(*diags) == 0 && c.want == "" {
			continue
		}
		if len(*diags) != 1 || c.want == "" {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		warning := (*diags)[0]
		for _, part := range []string{"a different value of " + c.want + " for dial 1", "The next plan shows"} {
			if !strings.Contains(warning.Summary()+warning.Detail(), part) {
				t.Errorf("%s: the warning does not say %s: %s", name, part, warning)
			}
		}
		if on, ok := warning.(diag.DiagnosticWithPath); !ok || !on.Path().Equal(path.Root(c.want)) {
			t.Errorf("%s: the warning is not on the argument: %v", name, warning)
		}
	}
}

// TestPostpone: nothing that happens after a creation is an error, and all of it is reported.
func TestPostpone(t *testing.T) {
	t.Parallel()
	var failed, diags diag.Diagnostics
	failed.AddError("Could not suspend the thing", "It is busy.")
	failed.AddAttributeWarning(path.Root("name"), "Odd name", "It is odd.")
	postpone(failed, &diags)
	if len(diags) != 2 || diags.HasError() {
		t.Fatal(diags)
	}
	for i, d := range diags {
		if !strings.Contains(d.Summary(), failed[i].Summary()) || !strings.Contains(d.Detail(), failed[i].Detail()) ||
			!strings.Contains(d.Detail(), "next apply") {
			t.Errorf("%q became %q: %s", failed[i].Summary(), d.Summary(), d.Detail())
		}
	}
}

// TestBlame: a rejection speaks of the arguments that asked for the operation; what is not a rejection stays as it is.
func TestBlame(t *testing.T) {
	t.Parallel()
	attributes := ErrorAttributes{Argument: "pause", Fields: map[string]string{"resumes_at": "pause.resumes_at"}}
	for name, c := range map[string]struct {
		attributes ErrorAttributes
		err        api.Error
		field      string
		fields     []string
	}{
		"a field of the operation": {attributes, api.Error{Status: 422, Field: "resumes_at"}, "pause.resumes_at", nil},
		"another field":            {attributes, api.Error{Status: 422, Field: "colour"}, "colour", nil},
		"several fields": {attributes,
			api.Error{Status: 422, Fields: map[string]string{"resumes_at": "is past", "colour": "is unknown"}}, "",
			[]string{"colour", "pause.resumes_at"}},
		"no field":                   {attributes, api.Error{Status: 422}, "pause", nil},
		"no refusal of the contents": {attributes, api.Error{Status: 503}, "", nil},
		"fields named as arguments":  {ErrorAttributes{}, api.Error{Status: 422}, "", nil},
	} {
		given := c.err
		have, ok := api.AsError(c.attributes.On(fmt.Errorf("request: %w", &given)))
		if !ok || have.Status != c.err.Status || have.Field != c.field ||
			!slices.Equal(slices.Sorted(maps.Keys(have.Fields)), c.fields) {
			t.Errorf("%s: %+v", name, have)
		}
		if given.Field != c.err.Field || !maps.Equal(given.Fields, c.err.Fields) {
			t.Errorf("%s: the error itself became %+v", name, given)
		}
	}
	for _, err := range []error{errDown, &api.AmbiguousError{Err: &api.Error{Status: 422}}} {
		if have := attributes.On(err); !errors.Is(have, err) || have.Error() != err.Error() {
			t.Errorf("%v became %v", err, have)
		}
	}
}

// planned is a model as a resource has it, with a field that Terraform does not know.
type planned struct {
	named
	Document value.Document `tfsdk:"document"`
	Tags     types.List     `tfsdk:"tags"`
	Custom   metadata.Value `tfsdk:"custom"`
	Private  types.String
}

// named is the part of planned that a data source has too.
type named struct {
	Name types.String `tfsdk:"name"`
}

func texts(items ...attr.Value) types.List { return types.ListValueMust(types.StringType, items) }

func document(number string) value.Document { return value.DocumentPointer(&number) }

func custom(t *testing.T, text string) metadata.Value {
	t.Helper()
	tree, err := metadata.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return metadata.FromObject(tree)
}

func TestCopyKnown(t *testing.T) {
	t.Parallel()
	plain := planned{named: named{Name: types.StringValue("A")}, Document: document("52998224725"),
		Tags: texts(types.StringValue("x")), Custom: custom(t, `{"n":1}`)}
	for name, c := range map[string]struct {
		change func(plan, state *planned)
		differ []string
		check  func(state planned) bool
	}{
		"nothing differs": {func(_, _ *planned) {}, nil, func(s planned) bool { return s.Name.Equal(plain.Name) }},
		"another text": {func(_, s *planned) { s.Name = types.StringValue("B") }, []string{"name"},
			func(s planned) bool { return s.Name.Equal(types.StringValue("A")) }},
		"text becomes null": {func(_, s *planned) { s.Name = types.StringNull() }, []string{"name"},
			func(s planned) bool { return s.Name.Equal(types.StringValue("A")) }},
		"null becomes text": {func(p, _ *planned) { p.Name = types.StringNull() }, []string{"name"},
			func(s planned) bool { return s.Name.IsNull() }},
		"unknown is returned": {func(p, s *planned) { p.Name = types.StringUnknown(); s.Name = types.StringValue("B") }, nil,
			func(s planned) bool { return s.Name.Equal(types.StringValue("B")) }},
		"planned, response unknown": {func(_, s *planned) { s.Name = types.StringUnknown() }, []string{"name"},
			func(s planned) bool { return s.Name.Equal(types.StringValue("A")) }},
		"half-known list is returned": {func(p, s *planned) {
			p.Tags = texts(types.StringValue("x"), types.StringUnknown())
			s.Tags = texts(types.StringValue("y"))
		}, nil, func(s planned) bool { return s.Tags.Equal(texts(types.StringValue("y"))) }},
		"another list": {func(_, s *planned) { s.Tags = texts() }, []string{"tags"},
			func(s planned) bool { return s.Tags.Equal(plain.Tags) }},
		"another mask": {func(_, s *planned) { s.Document = document("529.982.247-25") }, nil,
			func(s planned) bool { return s.Document.ValueString() == "529.982.247-25" }},
		"another number": {func(_, s *planned) { s.Document = document("11144477735") }, []string{"document"},
			func(s planned) bool { return s.Document.Equal(plain.Document) }},
		"same JSON": {func(_, s *planned) { s.Custom = custom(t, `{"n":1.0}`) }, nil,
			func(s planned) bool { return !s.Custom.IsNull() }},
		"other JSON": {func(_, s *planned) { s.Custom = custom(t, `{"n":2}`) }, []string{"custom"},
			func(s planned) bool { return s.Custom.Equal(plain.Custom) }},
		"what Terraform does not know": {func(p, s *planned) {
			p.Private = types.StringValue("p")
			s.Private = types.StringValue("s")
		}, nil,
			func(s planned) bool { return s.Private.ValueString() == "s" }},
		"two of them": {func(_, s *planned) { s.Name = types.StringValue("B"); s.Tags = texts() }, []string{"name", "tags"},
			func(s planned) bool { return s.Name.Equal(plain.Name) && s.Tags.Equal(plain.Tags) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, state := plain, plain
			c.change(&plan, &state)
			responded := state
			differences := CopyKnown(t.Context(), &plan, &state)
			if len(differences) != len(c.differ) {
				t.Fatalf("differences %v, want %v", differences, c.differ)
			}
			for i, d := range differences {
				if d.Attribute != c.differ[i] || d.Planned.Equal(d.Responded) {
					t.Errorf("difference %d is %+v, want one of %s", i, d, c.differ[i])
				}
			}
			if !c.check(state) {
				t.Errorf("state is %+v after %+v", state, responded)
			}
		})
	}
}
