package object

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

var contactType = types.ObjectType{AttrTypes: map[string]attr.Type{"kind": types.StringType, "value": types.StringType}}

func contact(kind types.String, text string) attr.Value {
	return types.ObjectValueMust(contactType.AttrTypes, map[string]attr.Value{"kind": kind,
		"value": types.StringValue(text)})
}

func contacts(entries ...attr.Value) attr.Value { return types.ListValueMust(contactType, entries) }

func labels(texts ...string) attr.Value { return value.SetOrEmpty(texts) }

func free(t *testing.T, text string) attr.Value {
	t.Helper()
	object, err := metadata.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return metadata.FromObject(object)
}

// TestWording: what a response shows of a value that was sent is restored later, as far as it is a wording of it, and
// nothing else is.
func TestWording(t *testing.T) {
	t.Parallel()
	none, text := types.StringNull(), func(s string) attr.Value { return types.StringValue(s) }
	for name, c := range map[string]struct {
		sent, shown, before attr.Value
		want                learned
	}{
		"trimmed":               {text("Ana "), text("Ana"), nil, sameText},
		"another":               {text("Ana"), text("Bob"), nil, otherText},
		"cut":                   {text("Ana Lima"), text("Ana"), nil, lostText},
		"dropped":               {text("Ana"), none, nil, lostText},
		"not taken":             {text("Eva"), text("Ana"), text("Ana"), lostText},
		"a wording of both":     {text("Ana "), text("Ana"), text("Ana"), sameText},
		"cleared, filled":       {none, text("Ana"), text("Ana"), otherText},
		"an amount":             {text("10.50"), text("1050"), nil, lostText},
		"a date":                {text("2026-01-31"), text("2026-01-31T00:00:00Z"), nil, sameText},
		"another date":          {text("2026-01-31"), text("2026-01-30"), nil, lostText},
		"entries":               {contacts(contact(none, "A@b.c"), contact(none, "d")), contacts(contact(none, "a@b.c"), contact(none, "d")), nil, sameText},
		"members added":         {contacts(contact(none, "a")), contacts(contact(types.StringValue("x"), "a")), nil, sameText},
		"an entry less":         {contacts(contact(none, "a"), contact(none, "A")), contacts(contact(none, "a")), nil, lostText},
		"another entry":         {contacts(contact(none, "ana")), contacts(contact(none, "bob")), nil, otherText},
		"labels":                {labels("A ", "b"), labels("a", "b"), nil, sameText},
		"free":                  {free(t, `{"a":"X ","b":[{"c":"Y "}],"n":1}`), free(t, `{"a":"X","b":[{"c":"Y"}],"n":1.0}`), nil, sameText},
		"free, another number":  {free(t, `{"a":"X ","n":1}`), free(t, `{"a":"X","n":2}`), nil, lostText},
		"free, a key less":      {free(t, `{"a":"X ","b":"c"}`), free(t, `{"a":"X"}`), nil, lostText},
		"free, a null less":     {free(t, `{"a":"X ","b":null}`), free(t, `{"a":"X"}`), nil, sameText},
		"free, only one is new": {free(t, `{"a":"X ","b":"c"}`), free(t, `{"a":"X","b":"elsewhere"}`), free(t, `{"a":"Y","b":"c"}`), sameText},
	} {
		var w wording
		if have := w.learn("x", c.sent, c.shown, c.before); have != c.want {
			t.Errorf("%s: learned %d, want %d", name, have, c.want)
		}
		restored := w.restore("x", c.sent, c.shown)
		whole := c.want != lostText && name != "free, only one is new" && name != "free, a null less"
		if restored.Equal(c.sent) != whole &&
			!(whole && alike(c.sent, restored)) {
			t.Errorf("%s: restored %s", name, restored)
		}
		if name == "free, only one is new" && !restored.Equal(free(t, `{"a":"X ","b":"elsewhere"}`)) {
			t.Errorf("%s: restored %s", name, restored)
		}
		if _, isText := c.shown.(types.String); isText && !c.shown.IsNull() {
			if other := w.restore("x", c.sent, text("changed elsewhere")); !other.Equal(text("changed elsewhere")) {
				t.Errorf("%s: a change elsewhere is %s", name, other)
			}
			if elsewhere := w.restore("y", c.sent, c.shown); !elsewhere.Equal(c.shown) {
				t.Errorf("%s: another argument is %s", name, elsewhere)
			}
		}
	}
}

// TestWording_replaced: a text that is sent again replaces what was learned, so that nothing grows.
func TestWording_replaced(t *testing.T) {
	t.Parallel()
	var w wording
	for _, sent := range []string{"A ", "B ", "C "} {
		w.learn("x", types.StringValue(sent), types.StringValue(sent[:1]), nil)
		w.learn("l", labels(sent), labels(sent[:1]), nil)
		w.learn("f", free(t, `{"a":"`+sent+`"}`), free(t, `{"a":"`+sent[:1]+`"}`), nil)
	}
	if len(w.Shown) != 1 || len(w.Entries["l"]) != 1 || len(w.Entries["f/a"]) != 1 {
		t.Errorf("%+v", w)
	}
	if have := w.restore("x", types.StringValue("B "), types.StringValue("B")); !have.Equal(types.StringValue("B")) {
		t.Errorf("an earlier wording is restored: %s", have)
	}
}
