package customer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
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
		return types.ListNull(contact.ItemType)
	case "?":
		return types.ListUnknown(contact.ItemType)
	case "":
		return types.ListValueMust(contact.ItemType, []attr.Value{})
	}
	var items []contact.Item
	for item := range strings.SplitSeq(text, ",") {
		value, kind, hasKind := strings.Cut(item, ":")
		c := contact.Item{Kind: types.StringNull(), Value: mainOf(value)}
		if hasKind {
			c.Kind = mainOf(kind)
		}
		items = append(items, c)
	}
	return contact.List(items)
}

// pairOf reads "main list", as in "a a,b:work".
func pairOf(text string) pair {
	main, list, _ := strings.Cut(text, " ")
	return pair{Main: mainOf(main), List: listOf(list)}
}

func (p pair) equal(other pair) bool { return p.Main.Equal(other.Main) && p.List.Equal(other.List) }

func (p pair) describe() string { return fmt.Sprintf("%s %s", p.Main, p.List) }

func remoteOf(text string) []billing.Contact { return contact.ToWire(contact.Items(listOf(text))) }

var (
	nothing  = ownedPair{}
	ownsMain = ownedPair{Main: true}
	ownsList = ownedPair{List: true}
	ownsBoth = ownedPair{Main: true, List: true}
)

func TestPair_planned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, state string
		owned         ownedPair
		want          string
	}{
		"nothing named, nothing there":         {"- -", "- -", nothing, "- -"},
		"nothing named, never owned: stays":    {"- -", "a a,b", nothing, "a a,b"},
		"main taken out":                       {"- -", "a a,b", ownsMain, "b b"},
		"main taken out, last one":             {"- -", "a a", ownsMain, "- -"},
		"list taken out":                       {"- -", "a a,b", ownsList, "- -"},
		"both taken out":                       {"- -", "a b", ownsBoth, "- -"},
		"list taken out, main stays":           {"a -", "a a,b", ownsBoth, "a a"},
		"main named first":                     {"a -", "- -", nothing, "a a"},
		"main as it is":                        {"a -", "a a,b", ownsMain, "a a,b"},
		"main replaced":                        {"c -", "a a,b", ownsMain, "c c,b"},
		"main named over others' items":        {"c -", "a a,b", nothing, "c c,a,b"},
		"main takes an item that is there":     {"b -", "a a,b", ownsMain, "b b"},
		"main moves, others' items stay":       {"b -", "a a,b", nothing, "b a,b"},
		"list named first":                     {"- a,b", "- -", nothing, "a a,b"},
		"list in another order":                {"- b,a", "a a,b", ownsList, "a a,b"},
		"list in another order, new main":      {"- b,c", "a a,b", ownsList, "b b,c"},
		"list emptied":                         {"- ", "a a,b", ownsList, "- "},
		"empty list, nothing there":            {"- ", "- -", nothing, "- "},
		"both named":                           {"a b", "- -", nothing, "a b"},
		"both named, main in the list":         {"a b,a", "- -", nothing, "a b,a"},
		"both named, service holds it so":      {"a b", "a a,b", ownsBoth, "a a,b"},
		"both named, kinds differ":             {"a a:work", "a a", ownsBoth, "a a:work"},
		"main and item change places":          {"b a", "a b", ownsBoth, "b a"},
		"from main to list":                    {"- a", "a a", ownsMain, "a a"},
		"from list to main":                    {"a -", "a a", ownsList, "a a"},
		"unknown main":                         {"? -", "a a,b", ownsMain, "? ?"},
		"unknown main, list named":             {"? b", "a a,b", ownsBoth, "? b"},
		"unknown main, list in another order":  {"? b,c", "a c,b", ownsList, "? c,b"},
		"unknown list":                         {"- ?", "a a,b", ownsList, "? ?"},
		"unknown list, main named":             {"a ?", "a a,b", ownsBoth, "a ?"},
		"unknown item":                         {"- a,?", "a a,b", ownsList, "? a,?"},
		"unknown kind":                         {"- a:?", "a a", ownsList, "? a:?"},
		"both unknown":                         {"? ?", "- -", nothing, "? ?"},
		"same value twice is the user's":       {"- a,a:work", "- -", nothing, "a a,a:work"},
		"main named, item of it has a kind":    {"a -", "a a:work,b", ownsMain, "a a:work,b"},
		"main replaced, item of it has a kind": {"c -", "a a:work,b", ownsMain, "c c,b"},
	} {
		have := pairOf(c.config).planned(pairOf(c.state), c.owned)
		if want := pairOf(c.want); !have.equal(want) {
			t.Errorf("%s: planned %s, want %s", name, have.describe(), want.describe())
		}
	}
}

func TestPair_seen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ prior, remote, want string }{
		"nothing":                              {"- -", "", "- -"},
		"empty list stays empty":               {"- ", "", "- "},
		"imported":                             {"- -", "a,b:work", "a a,b:work"},
		"main only":                            {"a -", "a", "a a"},
		"main is not the first":                {"b -", "a,b", "b a,b"},
		"main written apart":                   {"a b", "a,b", "a b"},
		"main written apart, other order":      {"a b,c", "c,b,a", "a b,c"},
		"main written twice":                   {"a a,b", "a,b", "a a,b"},
		"order is the prior's":                 {"a a,b,c", "c,b,a", "a a,b,c"},
		"main is gone":                         {"a b", "b", "b b"},
		"item is gone":                         {"a b,c", "a,b", "a b"},
		"somebody added an item":               {"a b", "a,b,x", "a b,x"},
		"somebody gave main a kind":            {"a b", "a:work,b", "a a:work,b"},
		"everything is gone":                   {"a b", "", "- -"},
		"unknown list takes what there is":     {"a ?", "a,b", "a a,b"},
		"unknown main takes the first":         {"? b", "b,c", "b b,c"},
		"unknown main, first item was hidden":  {"? -", "a", "a a"},
		"the same value with two kinds":        {"- a:home,a:work", "a:work,a:home", "a a:home,a:work"},
		"one of two items of the same is gone": {"- a,a", "a", "a a"},
	} {
		have := pairOf(c.prior).seen(remoteOf(c.remote))
		if want := pairOf(c.want); !have.equal(want) {
			t.Errorf("%s: seen %s, want %s", name, have.describe(), want.describe())
		}
	}
}

func TestPair_change(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ planned, state, want string }{ // want "" sends nothing
		"same":                  {"a a,b", "a a,b", ""},
		"said in another way":   {"a b", "b a,b", ""},
		"an item more":          {"a a,b", "a a", `[{"value":"a"},{"value":"b"}]`},
		"main goes along first": {"c b", "a a,b", `[{"value":"c"},{"value":"b"}]`},
		"emptied":               {"- ", "a a", `[]`},
		"cleared":               {"- -", "a a", `[]`},
		"another kind":          {"a a:work", "a a", `[{"kind":"work","value":"a"}]`},
	} {
		field := pairOf(c.planned).change(pairOf(c.state))
		raw, err := json.Marshal(field)
		if err != nil {
			t.Fatal(err)
		}
		if have := string(raw); field.IsZero() != (c.want == "") || !field.IsZero() && have != c.want {
			t.Errorf("%s: sends %s, want %s", name, have, c.want)
		}
	}
	if pairOf("? -").change(pairOf("- -")).IsZero() {
		t.Error("an unknown main value changes nothing")
	}
}

// TestPair_converges tries every combination of small pairs: the plan is one that Terraform accepts, an apply reaches
// it, the refresh shows it, and the next plan of the same configuration changes nothing.
func TestPair_converges(t *testing.T) {
	t.Parallel()
	none := pairOf("- -")
	lists := []string{"-", "", "a", "b", "a,b", "b,a", "a:work,b", "c"}
	remotes := []string{"", "a", "b", "a,b", "b,a", "a:work", "c,b", "a,b,c"}
	for _, main := range []string{"-", "a", "b", "d"} {
		for _, list := range lists {
			config := pairOf(main + " " + list)
			checkCreate(t, config, none)
			for _, remote := range remotes {
				for _, owned := range []ownedPair{nothing, ownsMain, ownsList, ownsBoth} {
					checkUpdate(t, config, imported(remoteOf(remote)), owned)
					for _, written := range []string{"a -", "a b", "- b"} {
						checkUpdate(t, config, pairOf(written).seen(remoteOf(remote)), owned)
					}
				}
			}
		}
	}
}

func checkCreate(t *testing.T, config, none pair) {
	t.Helper()
	planned := config.planned(none, ownedPair{})
	checkAllowed(t, config, none, planned)
	stored := contact.ToWire(config.all())
	checkSettled(t, config, planned, planned.seen(stored), stored)
}

func checkUpdate(t *testing.T, config, state pair, owned ownedPair) {
	t.Helper()
	planned := config.planned(state, owned)
	checkAllowed(t, config, state, planned)
	stored := contact.ToWire(state.all())
	if sent, changed := planned.change(state).Get(); changed {
		stored = sent
	}
	checkSettled(t, config, planned, planned.seen(stored), stored)
}

// checkAllowed: Terraform takes for a configured argument what is configured, or what the state has.
func checkAllowed(t *testing.T, config, state, planned pair) {
	t.Helper()
	if !config.Main.IsNull() && !planned.Main.Equal(config.Main) {
		t.Fatalf("configured %s, planned %s", config.describe(), planned.describe())
	}
	if !config.List.IsNull() && !planned.List.Equal(config.List) && !planned.List.Equal(state.List) {
		t.Fatalf("configured %s over %s, planned %s", config.describe(), state.describe(), planned.describe())
	}
	if !planned.known() {
		t.Fatalf("configured %s, planned %s", config.describe(), planned.describe())
	}
}

func checkSettled(t *testing.T, config, planned, after pair, stored []billing.Contact) {
	t.Helper()
	if !after.equal(planned) {
		t.Fatalf("configured %s, planned %s, stored %v, seen %s", config.describe(), planned.describe(), stored,
			after.describe())
	}
	owns := ownedPair{Main: !config.Main.IsNull(), List: !config.List.IsNull()}
	again := config.planned(after, owns)
	if !again.equal(after) || !again.change(after).IsZero() {
		t.Fatalf("configured %s, state %s, planned again %s", config.describe(), after.describe(), again.describe())
	}
}

func TestPair_undecided(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, state string
		want          bool
	}{
		"main may be the item that is not listed": {"? b", "a a,b", true},
		"nothing listed, one item there":          {"? ", "a a", true},
		"that item has a kind, main has none":     {"? b", "a a:work,b", false},
		"two items are not listed":                {"? b", "a a,b,c", false},
		"the lists are the same":                  {"? a,b", "a b,a", false},
		"main is known":                           {"a b", "a a,b", false},
		"no list":                                 {"? -", "a a", false},
		"list not known":                          {"? ?", "a a", false},
		"item not known":                          {"? ?,b", "a a,b,c", false},
		"no list in the state":                    {"? b", "- -", false},
	} {
		if have := pairOf(c.config).undecided(pairOf(c.state)); have != c.want {
			t.Errorf("%s: undecided %t, want %t", name, have, c.want)
		}
	}
}
