package contact

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestSame: order is not a difference, how often an item is there is one.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"ab", "ba", true}, {"aab", "aba", true}, {"aab", "abb", false}, {"a", "", false}, {"a", "aa", false},
		{"ab", "ac", false},
	} {
		if have := same([]byte(c.a), []byte(c.b), func(x, y byte) bool { return x == y }); have != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, have)
		}
	}
}

// TestSameItems: the kind is part of an item.
func TestSameItems(t *testing.T) {
	t.Parallel()
	a, b, work := item("a", ""), item("b", ""), item("a", "work")
	for name, c := range map[string]struct {
		x, y []Item
		want bool
	}{
		"none":            {nil, []Item{}, true},
		"another order":   {[]Item{a, b}, []Item{b, a}, true},
		"another kind":    {[]Item{a}, []Item{work}, false},
		"both kinds":      {[]Item{a, work}, []Item{work, a}, true},
		"one of two":      {[]Item{a, a}, []Item{a}, false},
		"another of them": {[]Item{a, a, b}, []Item{a, b, b}, false},
	} {
		if have := SameItems(c.x, c.y); have != c.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}

// TestKeepOrder: what was written before stays exactly while it says the same.
func TestKeepOrder(t *testing.T) {
	t.Parallel()
	null, empty, unknown := types.ListNull(ItemType), types.ListValueMust(ItemType, []attr.Value{}),
		types.ListUnknown(ItemType)
	ab, ba, abc := List([]Item{item("a", ""), item("b", "")}), List([]Item{item("b", ""), item("a", "")}),
		List([]Item{item("a", ""), item("b", ""), item("c", "")})
	for name, c := range map[string]struct{ before, now, want types.List }{
		"another order":        {ba, ab, ba},
		"an item more":         {ba, abc, abc},
		"an item less":         {abc, ba, ba},
		"emptied":              {ab, null, null},
		"none, written as []":  {empty, null, empty},
		"[], written as none":  {null, empty, null},
		"not known before":     {unknown, ab, ab},
		"not known, now none":  {unknown, null, null},
		"not known now":        {ab, unknown, unknown},
		"none before, not now": {null, ab, ab},
	} {
		if have := KeepOrder(c.before, c.now); !have.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, have, c.want)
		}
	}
}
