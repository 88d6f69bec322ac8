package customer

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// mainOf reads a main value: "-" is null, "?" unknown.
func mainOf(text string) types.String {
	switch text {
	case "-":
		return types.StringNull()
	case "?":
		return types.StringUnknown()
	}
	return types.StringValue(text)
}

// listOf reads a list such as "a,b:work" of values with their kinds: "-" is null, "?" unknown, "" empty; an item "?"
// has an unknown value.
func listOf(text string) types.List {
	switch text {
	case "-":
		return types.ListNull(itemType)
	case "?":
		return types.ListUnknown(itemType)
	case "":
		return types.ListValueMust(itemType, []attr.Value{})
	}
	var items []item
	for entry := range strings.SplitSeq(text, ",") {
		value, kind, hasKind := strings.Cut(entry, ":")
		c := item{Kind: types.StringNull(), Value: mainOf(value)}
		if hasKind {
			c.Kind = mainOf(kind)
		}
		items = append(items, c)
	}
	return itemList(items)
}

func remoteOf(text string) []billing.Contact { return toWire(itemsOf(listOf(text))) }

// TestItems_unknown: what is not known yet is unknown in the item, and a list that is not known has no items.
func TestItems_unknown(t *testing.T) {
	t.Parallel()
	list := types.ListValueMust(itemType, []attr.Value{types.ObjectUnknown(itemType.AttrTypes),
		types.ObjectValueMust(itemType.AttrTypes, map[string]attr.Value{"kind": types.StringUnknown(),
			"value": types.StringValue("a")})})
	want := []item{{mainOf("?"), mainOf("?")}, {mainOf("?"), mainOf("a")}}
	if have := itemsOf(list); !reflect.DeepEqual(have, want) {
		t.Errorf("items %v", have)
	}
	for _, none := range []string{"-", "?"} {
		if have := toContacts(listOf(none)); have == nil || len(have) != 0 {
			t.Errorf("%s is sent as %#v, and only [] clears a list", none, have)
		}
	}
}

// TestKeepOrder: what was written before stays exactly while it says the same: order is not a difference, how often an
// item is there is one, and so is its kind.
func TestKeepOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, now string
		keeps       bool
	}{
		{"b,a", "a,b", true}, {"a:work,a", "a,a:work", true}, {"a,a,b", "a,b,a", true}, {"", "-", true}, {"-", "", true},
		{"b,a", "a,b,c", false}, {"a,b,c", "b,a", false}, {"a", "a:work", false}, {"a,a,b", "a,b,b", false},
		{"a,b", "-", false}, {"-", "a", false}, {"?", "a", false}, {"?", "-", false}, {"a", "?", false},
	} {
		before, now := listOf(c.before), listOf(c.now)
		want := now
		if c.keeps {
			want = before
		}
		if have := keepOrder(before, now); !have.Equal(want) {
			t.Errorf("%s and then %s: %s", c.before, c.now, have)
		}
	}
}
