package contact

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// item is an item with a value and, unless it is "", a kind.
func item(value, kind string) Item {
	i := Item{Kind: types.StringNull(), Value: types.StringValue(value)}
	if kind != "" {
		i.Kind = types.StringValue(kind)
	}
	return i
}

// TestItems_thereAndBack: what the service returns is in the list in its order, and is sent unchanged.
func TestItems_thereAndBack(t *testing.T) {
	t.Parallel()
	fax := "fax"
	remote := []billing.Contact{{Value: "2"}, {Kind: &fax, Value: "1"}}
	items := FromWire(remote)
	if want := []Item{item("2", ""), item("1", "fax")}; !reflect.DeepEqual(items, want) {
		t.Errorf("items %v", items)
	}
	if have := ToWire(Items(List(items))); !reflect.DeepEqual(have, remote) {
		t.Errorf("sent %v", have)
	}
	if list := List(FromWire(nil)); !list.IsNull() {
		t.Errorf("no items are %s", list)
	}
	if have := ToWire(nil); have == nil || len(have) != 0 {
		t.Errorf("no items are sent as %#v, and only [] clears them", have)
	}
}

// TestItems_unknown: what is not known yet is unknown in the item, and a list that is not known has no items.
func TestItems_unknown(t *testing.T) {
	t.Parallel()
	list := types.ListValueMust(ItemType, []attr.Value{
		types.ObjectUnknown(ItemType.AttrTypes),
		types.ObjectValueMust(ItemType.AttrTypes, map[string]attr.Value{"kind": types.StringUnknown(),
			"value": types.StringValue("a")}),
	})
	want := []Item{{Kind: types.StringUnknown(), Value: types.StringUnknown()},
		{Kind: types.StringUnknown(), Value: types.StringValue("a")}}
	if have := Items(list); !reflect.DeepEqual(have, want) {
		t.Errorf("items %v", have)
	}
	for _, none := range []types.List{types.ListNull(ItemType), types.ListUnknown(ItemType)} {
		if have := Items(none); len(have) != 0 {
			t.Errorf("%s has the items %v", none, have)
		}
	}
}

func TestHasValue(t *testing.T) {
	t.Parallel()
	items := []Item{item("a", "work")}
	if !HasValue(items, types.StringValue("a")) || HasValue(items, types.StringValue("work")) ||
		HasValue(nil, types.StringNull()) {
		t.Error("a value is looked for in the wrong place")
	}
}

// TestAddresses_thereAndBack: each field is in the attribute of its own name, and is sent as it came.
func TestAddresses_thereAndBack(t *testing.T) {
	t.Parallel()
	named := map[string]string{}
	for _, name := range AddressFields {
		named[name] = name
	}
	raw, err := json.Marshal(named)
	if err != nil {
		t.Fatal(err)
	}
	var full billing.Address
	if err := json.Unmarshal(raw, &full); err != nil {
		t.Fatal(err)
	}
	street := "only this"
	remote := []billing.Address{full, {Street: &street}}
	list := Addresses(remote)
	for name, value := range list.Elements()[0].(types.Object).Attributes() {
		if !value.Equal(types.StringValue(name)) {
			t.Errorf("%s is %s", name, value)
		}
	}
	if n := reflect.TypeFor[billing.Address]().NumField(); n != len(AddressFields) {
		t.Errorf("%d of %d fields have an attribute", len(AddressFields), n)
	}
	if have := ToAddresses(list); !reflect.DeepEqual(have, remote) {
		t.Errorf("sent %v", have)
	}
	if list := Addresses(nil); !list.IsNull() {
		t.Errorf("no addresses are %s", list)
	}
	if have := ToAddresses(types.ListNull(AddressType)); have == nil || len(have) != 0 {
		t.Errorf("no addresses are sent as %#v, and only [] clears them", have)
	}
}

// TestAttributes: each field is an argument with a description and a validator, and the objects are of the types that
// are converted.
func TestAttributes(t *testing.T) {
	t.Parallel()
	for prefix, c := range map[string]struct {
		attributes map[string]schema.Attribute
		converted  types.ObjectType
	}{
		"item.":    {ItemAttributes("emails", validate.Email()), ItemType},
		"address.": {AddressAttributes(), AddressType},
	} {
		if have := (schema.NestedAttributeObject{Attributes: c.attributes}).Type(); !have.Equal(c.converted) {
			t.Errorf("%sattributes make %s, converted is %s", prefix, have, c.converted)
		}
		for name, attribute := range c.attributes {
			text := attribute.(schema.StringAttribute)
			if text.MarkdownDescription == "" || len(text.PlanModifiers) != 1 || text.Required == text.Optional {
				t.Errorf("%s%s: %+v", prefix, name, text)
			}
		}
	}
}
