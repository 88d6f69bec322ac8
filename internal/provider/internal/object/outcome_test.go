package object

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

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
