package value

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func document(number string) Document { return DocumentPointer(&number) }

// TestDocument_mask: the mask is not a difference, a digit is.
func TestDocument_mask(t *testing.T) {
	t.Parallel()
	masked := document("529.982.247-25")
	for name, c := range map[string]struct {
		other basetypes.StringValuable
		want  bool
	}{
		"same":              {document("529.982.247-25"), true},
		"without mask":      {document("52998224725"), true},
		"with other mask":   {document("529 982 247/25"), true},
		"another digit":     {document("52998224726"), false},
		"with a letter":     {document("5299822472A"), false},
		"leading zero":      {document("052998224725"), false},
		"of another type":   {types.StringValue("529.982.247-25"), false},
		"no number at all":  {document(""), false},
		"null of this type": {DocumentPointer(nil), false},
	} {
		same, diags := masked.StringSemanticEquals(t.Context(), c.other)
		if same != c.want || diags.HasError() {
			t.Errorf("%s: %v %v", name, same, diags)
		}
	}
	if masked.Equal(document("52998224725")) || masked.Equal(types.StringValue("529.982.247-25")) ||
		!masked.Equal(document("529.982.247-25")) {
		t.Error("Equal does not compare exactly")
	}
}

func TestDocumentType_wrapsTerraformValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   tftypes.Value
		want attr.Value
	}{
		"known":   {tftypes.NewValue(tftypes.String, "1"), document("1")},
		"null":    {tftypes.NewValue(tftypes.String, nil), DocumentPointer(nil)},
		"unknown": {tftypes.NewValue(tftypes.String, tftypes.UnknownValue), Document{StringValue: types.StringUnknown()}},
	} {
		have, err := DocumentType{}.ValueFromTerraform(t.Context(), c.in)
		if err != nil || !have.Equal(c.want) || !have.Type(t.Context()).Equal(DocumentType{}) {
			t.Errorf("%s: %v, %v", name, have, err)
		}
	}
	if _, err := (DocumentType{}).ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.Bool, true)); err == nil {
		t.Error("a bool is read as a document")
	}
	if (DocumentType{}).Equal(types.StringType) {
		t.Error("the plain string type counts as the same")
	}
	if _, ok := (DocumentType{}).ValueType(t.Context()).(Document); !ok {
		t.Error("the value type is another one")
	}
}
