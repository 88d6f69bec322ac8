package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Without11 makes Terraform one before 1.11, which knows no write-only arguments.
func (d *Direct) Without11() *Direct {
	d.noWriteOnly = true
	return d
}

// withoutWriteOnly is an object as Terraform keeps it: without the values of write-only arguments.
func withoutWriteOnly(t *testing.T, attributes []*tfprotov6.SchemaAttribute, v tftypes.Value) tftypes.Value {
	t.Helper()
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	values := fields(t, v)
	for _, attribute := range attributes {
		value := values[attribute.Name]
		switch {
		case attribute.WriteOnly:
			values[attribute.Name] = tftypes.NewValue(value.Type(), nil)
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			values[attribute.Name] = withoutWriteOnly(t, attribute.NestedType.Attributes, value)
		}
	}
	return tftypes.NewValue(v.Type(), values)
}

// holdsNoWriteOnly fails the test when a plan or a state that the provider returns has a write-only value, which
// Terraform forbids.
func (d *Direct) holdsNoWriteOnly(v tftypes.Value) {
	d.t.Helper()
	if !withoutWriteOnly(d.t, d.schema.Block.Attributes, v).Equal(v) {
		d.t.Errorf("a write-only argument is not null in %s", v)
	}
}
