package customer

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
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

// pairOf reads "main list", as in "a a,b:work".
func pairOf(text string) pair {
	main, list, _ := strings.Cut(text, " ")
	return pair{Main: mainOf(main), List: listOf(list)}
}

func (p pair) equal(other pair) bool { return p.Main.Equal(other.Main) && p.List.Equal(other.List) }

func (p pair) describe() string { return fmt.Sprintf("%s %s", p.Main, p.List) }

func remoteOf(text string) []billing.Contact { return toWire(itemsOf(listOf(text))) }

var (
	nothing = ownedPair{}
	ownsA   = ownedPair{Main: "a"}
)

func TestPair_planned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, state string
		owned         ownedPair
		want          string
	}{
		"nothing named, nothing there":        {"- -", "- -", nothing, "- -"},
		"nothing named, an empty list there":  {"- -", "- ", nothing, "- "},
		"nothing named: stays":                {"- -", "a a,b", nothing, "a a,b"},
		"main removed: the entry stays":       {"- -", "b a,b", ownedPair{Main: "b"}, "a a,b"},
		"main removed, it is the first":       {"- -", "a a,b", ownsA, "? a,b"},
		"list removed: the entries stay":      {"- -", "a a,b", nothing, "a a,b"},
		"list removed, main stays":            {"a -", "a a,b", ownsA, "a a,b"},
		"main named first":                    {"a -", "- -", nothing, "a a"},
		"main named over others' entries":     {"c -", "a a,b", nothing, "c c,a,b"},
		"main names an entry that is there":   {"b -", "a a,b", nothing, "b a,b"},
		"main as it is":                       {"a -", "a a,b", ownsA, "a a,b"},
		"main changed":                        {"c -", "a a,b", ownsA, "c c,b"},
		"main changed, in its place":          {"c -", "b a,b:work,d", ownedPair{Main: "b"}, "c a,c:work,d"},
		"main changed, others came before it": {"c -", "a b,a", ownsA, "c b,c"},
		"main changed to an entry":            {"b -", "a a,b", ownsA, "b b"},
		"main was removed elsewhere":          {"a -", "b b", ownsA, "a a,b"},
		"main is worded, as after an import":  {"a -", "A b,A:work", nothing, "a b,a:work"},
		"main is changed to another wording":  {"A -", "a a,b", ownsA, "A A,b"},
		"main removed: its wording stays":     {"- -", "A a", nothing, "A a"},
		"... and is changed":                  {"c -", "b b", ownsA, "c c,b"},
		"one value under two kinds":           {"c -", "a a:home,a:work", ownsA, "c c:home,a:work"},
		"list named first":                    {"- a,b", "- -", nothing, "a a,b"},
		"list in another order":               {"- b,a", "a a,b", nothing, "a a,b"},
		"list changed":                        {"- b,c", "a a,b", nothing, "b b,c"},
		"list with another kind":              {"- a:work", "a a", nothing, "a a:work"},
		"list emptied":                        {"- ", "a a,b", nothing, "- "},
		"empty list, nothing there":           {"- ", "- -", nothing, "- "},
		"both named":                          {"a b,a", "- -", nothing, "a b,a"},
		"both named, service has it so":       {"a b,a", "a a,b", nothing, "a a,b"},
		"both, main moves":                    {"b a,b", "a a,b", ownsA, "b a,b"},
		"from list to main":                   {"b -", "a a,b", nothing, "b a,b"},
		"from main to list":                   {"- a,b", "a a", ownsA, "? a,b"},
		"main under ignore_changes":           {"a b", "a a,b", nothing, "a b"},
		"list under ignore_changes":           {"c a,b", "a a,b", ownsA, "c a,b"},
		"unknown main":                        {"? -", "a a,b", ownsA, "? ?"},
		"unknown main, list named":            {"? b", "a a,b", ownsA, "? b"},
		"unknown main, list in another order": {"? b,a", "a a,b", ownsA, "? a,b"},
		"unknown list":                        {"- ?", "a a,b", nothing, "? ?"},
		"unknown list, main named":            {"a ?", "a a,b", nothing, "a ?"},
		"unknown item":                        {"- a,?", "a a,b", nothing, "? a,?"},
		"both unknown":                        {"? ?", "- -", nothing, "? ?"},
	} {
		have := pairOf(c.config).planned(pairOf(c.state), c.owned)
		if want := pairOf(c.want); !have.equal(want) {
			t.Errorf("%s: planned %s, want %s", name, have.describe(), want.describe())
		}
	}
}

func TestPair_contradicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		want   bool
	}{
		"outside":                  {"a b", true},
		"outside of an empty list": {"a ", true},
		"one of the list":          {"a b,a", false},
		"no list":                  {"a -", false},
		"no main value":            {"- b", false},
		"unknown main value":       {"? b", false},
		"unknown item":             {"a ?", false},
		"unknown value of an item": {"a b,?", false},
	} {
		if have := pairOf(c.config).contradicts(); have != c.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}

func TestPair_seen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prior, remote string
		owned         ownedPair
		want          string
	}{
		"nothing":                       {"- -", "", nothing, "- -"},
		"empty list stays empty":        {"- ", "", nothing, "- "},
		"imported":                      {"- -", "a,b:work", nothing, "a a,b:work"},
		"owned main is not the first":   {"b a,b", "a,b", ownedPair{Main: "b"}, "b a,b"},
		"owned main, others before it":  {"a a", "b,a", ownsA, "a b,a"},
		"another first entry":           {"a a", "b,a", nothing, "b b,a"},
		"order is the prior's":          {"a a,b,c", "c,b,a", nothing, "a a,b,c"},
		"owned main is gone":            {"a a,b", "b", ownsA, "b b"},
		"first entry is gone":           {"a a,b", "b", nothing, "b b"},
		"owned main in other words":     {"a b", "b,A", ownsA, "A b,A"},
		"the list has the words":        {"A b,a", "b,A", ownsA, "a b,A"},
		"somebody added an entry":       {"a a", "a,x", ownsA, "a a,x"},
		"somebody gave main a kind":     {"a a", "a:work", ownsA, "a a:work"},
		"everything is gone":            {"a a,b", "", ownsA, "- -"},
		"unknown list":                  {"a ?", "a,b", ownsA, "a a,b"},
		"unknown main takes the first":  {"? -", "b,c", nothing, "b b,c"},
		"the same value with two kinds": {"a a:home,a:work", "a:work,a:home", nothing, "a a:home,a:work"},
	} {
		have := pairOf(c.prior).seen(remoteOf(c.remote), c.owned)
		if want := pairOf(c.want); !have.equal(want) {
			t.Errorf("%s: seen %s, want %s", name, have.describe(), want.describe())
		}
	}
}

func TestPair_change(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		planned, state string
		owned          ownedPair
		want           string // "" sends nothing
	}{
		"same":                      {"a a,b", "a a,b", nothing, ""},
		"another main value":        {"b a,b", "a a,b", nothing, ""},
		"another order":             {"a b,a", "a a,b", nothing, ""},
		"an item more":              {"a a,b", "a a", nothing, `[{"value":"a"},{"value":"b"}]`},
		"emptied":                   {"- ", "a a", nothing, `[]`},
		"another kind":              {"a a:work", "a a", nothing, `[{"kind":"work","value":"a"}]`},
		"main given up":             {"? a", "a a", ownsA, ""},
		"main under ignore_changes": {"a b", "a a,b", nothing, `[{"value":"b"}]`},
		"list under ignore_changes": {"c a,b", "a a,b", ownsA, `[{"value":"c"},{"value":"b"}]`},
		"both, main moves":          {"b a,b", "a a,b", ownsA, ""},
	} {
		field := pairOf(c.planned).change(pairOf(c.state), c.owned)
		raw, err := json.Marshal(field)
		if err != nil {
			t.Fatal(err)
		}
		if have := string(raw); field.IsZero() != (c.want == "") || !field.IsZero() && have != c.want {
			t.Errorf("%s: sends %s, want %s", name, have, c.want)
		}
	}
	if pairOf("? ?").change(pairOf("a a"), nothing).IsZero() {
		t.Error("an unknown list changes nothing")
	}
}

// life is a customer's pair through plans, applies and changes made elsewhere, beside a model of what surface and
// service say.
type life struct {
	t      *testing.T
	remote []billing.Contact
	state  pair
	owned  ownedPair
	config pair
	log    []string
}

// apply plans and applies a configuration, and holds plan, request and state to what Terraform and the rule ask for:
// want is the list of the service afterwards.
func (l *life) apply(config pair, want []string) {
	l.t.Helper()
	planned := config.planned(l.state, l.owned)
	if !config.Main.IsNull() && !planned.Main.Equal(config.Main) ||
		!config.List.IsNull() && !planned.List.Equal(config.List) && !planned.List.Equal(l.state.List) {
		l.t.Fatalf("%v: planned %s", l.log, planned.describe())
	}
	if sent, changed := planned.change(l.state, l.owned).Get(); changed {
		l.remote = sent
	}
	if have := values(l.remote); !slices.Equal(have, want) {
		l.t.Fatalf("%v: the service has %v, want %v", l.log, have, want)
	}
	if !planned.equal(l.state) {
		l.owned = config.owned()
	}
	after := planned.seen(l.remote, l.owned)
	if !planned.List.Equal(after.List) || !planned.Main.IsUnknown() && !planned.Main.Equal(after.Main) {
		l.t.Fatalf("%v: planned %s, and the state is %s", l.log, planned.describe(), after.describe())
	}
	l.state, l.config = after, config
	l.refresh()
	if again := config.planned(l.state, l.owned); !again.equal(l.state) || !again.change(l.state, l.owned).IsZero() {
		l.t.Fatalf("%v: state %s, planned again %s", l.log, l.state.describe(), again.describe())
	}
}

func (l *life) refresh() { l.state = l.state.seen(l.remote, l.owned) }

func values(remote []billing.Contact) []string {
	all := []string{}
	for _, c := range remote {
		all = append(all, c.Value)
	}
	slices.Sort(all)
	return all
}

// TestPair_lives plays random configurations and changes made elsewhere: the service has what the rule says, each apply
// reaches its plan, and the next plan is empty.
func TestPair_lives(t *testing.T) {
	t.Parallel()
	letters := []string{"a", "b", "c", "d", "e"}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func() []string {
			all := slices.Clone(letters)
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all[:r.IntN(4)]
		}
		l := &life{t: t, state: pairOf("- -"), config: pairOf("- -"), log: []string{fmt.Sprint("seed ", seed)}}
		for range 12 {
			config, before := pairOf("- -"), values(l.remote)
			switch named := some(); r.IntN(6) {
			case 0:
				l.log = append(l.log, fmt.Sprint("elsewhere ", named))
				l.remote = remoteOf(strings.Join(named, ","))
				l.refresh()
				continue
			case 1: // nothing is configured
			case 2:
				config.List = listOf(strings.Join(named, ","))
			case 3, 4:
				config.Main = types.StringValue(letters[r.IntN(len(letters))])
			case 5:
				if config.List = listOf(strings.Join(named, ",")); len(named) > 0 {
					config.Main = types.StringValue(named[r.IntN(len(named))])
				}
			}
			l.log = append(l.log, config.describe())
			l.apply(config, wanted(config, before, l.owned.Main))
		}
	}
}

// wanted is the rule: a configured list is the list; a configured main value is in it, in the place of the value that
// was configured before; everything else stays.
func wanted(config pair, before []string, owned string) []string {
	want := slices.Clone(before)
	main := config.Main.ValueString()
	switch {
	case !config.List.IsNull():
		want = values(toWire(itemsOf(config.List)))
	case main == "" || main == owned && slices.Contains(before, main):
	case slices.Contains(before, main):
		want = slices.DeleteFunc(want, func(value string) bool { return value == owned })
	case owned != "" && slices.Contains(before, owned):
		want[slices.Index(want, owned)] = main
	default:
		want = append(want, main)
	}
	slices.Sort(want)
	return want
}
