package claims

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// law is a statement that holds for every kind of objects, so that it is written once. To add a law, append it to
// [laws]; numbers.txt gives each statement that follows from it a number.
type law struct {
	name      string
	says      string // the statement; see [kind.in]
	section   map[Service]string
	operation string // the part of the operation's name after that of the kind
	otherwise string
	rests     []string               // laws about the same kind, without which this one cannot hold
	parts     func(k *kind) []string // of a kind; nil if the law says nothing about it
	reads     func(part string) bool // reading can judge it; nil: never
	idle      bool                   // it creates nothing
	costs     func(part string) string
	check     func(s *scope, part string)
}

// once is for laws without parts.
func once(is bool) []string {
	if is {
		return []string{""}
	}
	return nil
}

// The sections of the descriptions; for a law without them, that of the kind.
var (
	ofLists = map[Service]string{Billing: "Recurring billing §4 Collections",
		Finance: "Financial management §4 Endpoints"}
	ofErrors = map[Service]string{Billing: "Recurring billing §7 Errors", Finance: "Financial management §7 Errors"}
	ofTokens = map[Service]string{Billing: "Recurring billing §5 Authentication",
		Finance: "Financial management §5 Authentication", Collections: "Collections §5 Access to this API"}
	ofWire = map[Service]string{Billing: "Recurring billing §1 Wire rules",
		Finance: "Financial management §1 What the service does"}
	ofModes = map[Service]string{Billing: "Recurring billing §4 custom_metadata_mode"}
	ofKeys  = map[Service]string{Finance: "Financial management §1 What the service does (idempotency)"}
)

const reprices = "changes what a subscription is charged"

func byReading(string) bool { return true }

func every(*kind) []string        { return once(true) }
func created(k *kind) []string    { return once(k.needs != nil) }
func updated(k *kind) []string    { return once(k.other != nil) }
func identified(k *kind) []string { return once(k.unique != "") }
func annotated(k *kind) []string  { return once(k.metadata) }

var laws = []law{
	{
		name: "shape", operation: "create", parts: every, reads: byReading, check: checkShape,
		says:      "{A} that is created with only what it needs has every documented member.",
		otherwise: "The creation of {a} fails, or attributes that the service sets are null.",
	},
	{
		name: "request id", section: ofWire, parts: created, reads: byReading, check: checkRequestIDs,
		says:      "Every response about {a} has its own Request-Id.",
		otherwise: "The provider's errors about {a} lack the Request-Id for the service's support.",
	},
	{
		name: "token", section: ofTokens, parts: created, reads: byReading, idle: true, check: checkToken,
		says: "A request about {a} with an unknown token, or with none, returns 401.",
		otherwise: "The error about an invalid token does not name the token as the cause. In collections: is " +
			"collections_auth_header the right header for {a}?",
	},
	{
		name: "unknown", section: ofErrors, operation: "get", parts: created, reads: byReading, idle: true,
		check:     checkUnknown,
		says:      "Every operation on an unknown {name} returns 404 in the error shape.",
		otherwise: "{A} that was deleted elsewhere causes an error in the plan, and is not recreated.",
	},
	{
		name: "pages", section: ofLists, operation: "list", rests: []string{"shape"}, parts: every, reads: byReading,
		check: checkPages,
		says:  "Pages of {names} contain each once and count them all; a page past the end is empty.",
		otherwise: "Refreshes and data sources read only some of the {names}, or fail. Set bulk_refresh = false, which " +
			"reads each object.",
	},
	{
		name: "sort", section: ofLists, operation: "list", rests: []string{"shape", "pages"}, check: checkSort,
		parts:     func(k *kind) []string { return k.sorts },
		reads:     func(part string) bool { return part == "id" || part == "created_at" }, // texts are compared differently
		says:      "sort_by {part} with sort_order asc or desc sorts {names}.",
		otherwise: "A refresh of many {names} misses some, or reads some twice. Set bulk_refresh = false.",
	},
	{
		name: "order", operation: "list", rests: []string{"shape", "pages"}, reads: byReading, check: checkOrder,
		parts:     func(k *kind) []string { return once(k.ordered) },
		says:      "{Names} are listed by createdAt, the oldest first, and in the same order every time.",
		otherwise: "A refresh of many {names} misses some, or reads some twice. Set bulk_refresh = false.",
	},
	{
		name: "filter", section: ofLists, operation: "list", rests: []string{"shape", "pages"}, reads: byReading,
		check: checkFilter, parts: filtered,
		says:      "The filter {part} returns the {names} with this value and no others.",
		otherwise: "A lookup by this filter reads the whole list, and the provider compares each {name} itself: prefer ids.",
	},
	{
		name: "since", section: ofLists, operation: "list", rests: []string{"shape", "pages"}, reads: byReading,
		check: checkSince, parts: func(k *kind) []string { return once(k.dated) },
		says:      "The filter updated_at_gte of {names} includes that exact time, in any offset, and excludes older ones.",
		otherwise: "A lookup by this filter reads the whole list, and the provider compares each {name} itself: prefer ids.",
	},
	{
		name: "listed", operation: "list", rests: []string{"shape", "pages"}, parts: created, reads: byReading,
		check: checkListed,
		says:  "A read and a list show the same {name} as its creation returned.",
		otherwise: "A refresh shows wrong differences of {a}, or its attributes change after its creation. Set " +
			"bulk_refresh = false.",
	},
	{
		name: "echo", operation: "create", rests: []string{"shape"}, check: checkEcho,
		parts: func(k *kind) []string { return once(k.full != nil) },
		says:  "Every argument of {a} is returned as it was sent, and reads back the same.",
		otherwise: "An argument of {a} differs in every plan. Set the value that the service returns, or use " +
			"ignore_changes.",
	},
	{
		name: "choice", operation: "create", rests: []string{"shape"}, check: checkChoice,
		parts: func(k *kind) []string { return slices.Sorted(maps.Keys(k.enums)) },
		costs: func(argument string) string {
			if argument == "collection_method" {
				return reprices
			}
			return ""
		},
		says:      "Every documented value of {part} of {a} is accepted.",
		otherwise: "The service rejects a value of {a} that the provider accepts. Use another value.",
	},
	{
		name: "alone", operation: "update", rests: []string{"shape", "echo"}, check: checkAlone, costs: whenPriced,
		parts:     priced(updated, func(k *kind) bool { return k.costly != nil }),
		says:      "Each argument of {a} can be changed alone, without changing another{part}.",
		otherwise: "A change of one argument of {a} changes others, or does not take effect and remains in every plan.",
	},
	{
		name: "null", operation: "update", rests: []string{"shape", "alone"}, check: checkNull, costs: whenPriced,
		parts: priced(func(k *kind) []string { return once(k.clears != nil) },
			func(k *kind) bool { return k.costlyNulls != nil }),
		says:      "null clears each optional value of {a}{part}.",
		otherwise: "An argument of {a} that was removed remains in every plan. Set another value instead of removing it.",
	},
	{
		name: "empty", operation: "update", rests: []string{"shape", "alone"}, check: checkEmpty,
		parts:     func(k *kind) []string { return once(k.lists != nil) },
		says:      "null and [] clear each list of {a}.",
		otherwise: "A list of {a} that was removed remains in every plan. Set another value instead of removing it.",
	},
	{
		name: "metadata", operation: "create", rests: []string{"shape"}, parts: annotated, check: checkMetadata,
		says: "custom_metadata of {a} is stored as it was sent: types, exact numbers, nesting, null and unusual keys.",
		otherwise: "custom_metadata of {a} differs in every plan. Write such values as strings, and omit null and empty " +
			"ones.",
	},
	{
		name: "merge", section: ofModes, operation: "update", rests: []string{"shape", "metadata"}, parts: annotated,
		check: checkMerge,
		says:  "merge adds to custom_metadata of {a} at any depth, and replaces or sets to null only what is sent.",
		otherwise: "Keys of custom_metadata of {a} are lost, or differ in every plan. Without other writers, set " +
			"custom_metadata_mode = \"replace\".",
	},
	{
		name: "replace", section: ofModes, operation: "update", rests: []string{"shape", "metadata"}, parts: annotated,
		check:     checkReplace,
		says:      "replace, the default, replaces custom_metadata of {a} as a whole, also by {}.",
		otherwise: "Keys that were removed from custom_metadata of {a} remain. Set them to another value instead.",
	},
	{
		name: "taken", operation: "create", rests: []string{"shape", "alone"}, parts: identified, check: checkTaken,
		says: "A taken external_id of {a} is rejected with the id of the other one, in a creation and an update; its own " +
			"is accepted.",
		otherwise: "An apply with a taken external_id does not say which {name} to import, or creates a second one.",
	},
	{
		name: "free", operation: "create", rests: []string{"shape"}, check: checkFree,
		parts:     func(k *kind) []string { return k.frees },
		says:      "The external_id of a {part} {name} can be used again.",
		otherwise: "Replacing {a} without changing its external_id fails. Change the external_id, too.",
	},
	{
		name: "rejected", section: ofErrors, operation: "create", rests: []string{"shape", "pages"}, check: checkRejected,
		parts: func(k *kind) []string { return once(k.wrong != nil) },
		says:  "A rejected creation or update of {a} has no effect, and the error names the argument.",
		otherwise: "An apply that fails may have created or changed {a}, or does not name the wrong argument. Look for the " +
			"object before you apply again.",
	},
	{
		name: "deleted", section: ofErrors, operation: "delete", rests: []string{"shape", "unknown", "pages"},
		parts: func(k *kind) []string { return once(k.deletes) }, check: checkDeleted,
		says:      "A deleted {name} returns 404 to every further request and does not appear in any list.",
		otherwise: "A destroy of {a} fails or has no effect. deletion_policy = \"abandon\" removes it from state only.",
	},
	{
		name: "changing", section: ofLists, operation: "list", rests: []string{"shape", "pages", "filter, company_id"},
		check: checkChanging, parts: func(k *kind) []string { return cursors(k, "created", "deleted") },
		says:      "When {names} are {part} between two pages, every other one appears exactly once.",
		otherwise: "Data sources of financial management miss {names}, or read some twice. Narrow the filters.",
	},
	{
		name: "bounds", section: ofLists, operation: "list", rests: []string{"shape", "pages", "filter, company_id"},
		reads: byReading, check: checkBounds, parts: func(k *kind) []string { return cursors(k, "times", "dates") },
		says: "occurred_at[gte], [gt], [lte] and [lt] of {names} compare {part}: gte and lte include the bound, gt and lt " +
			"exclude it.",
		otherwise: "A filter also returns other {names}. The provider compares times itself; filter the rest yourself.",
	},
	{
		name: "together", section: ofKeys, operation: "create", rests: []string{"shape", "pages"}, check: checkTogether,
		parts:     func(k *kind) []string { return cursors(k, "") },
		says:      "Creations of {names} with one key at the same time create one, and all return it.",
		otherwise: "An apply after a lost response creates a second {name}, or fails. Look for it first.",
	},
}

func filtered(k *kind) (names []string) {
	for _, f := range k.filters {
		names = append(names, f.query)
	}
	return names
}

// cursors are the parts of a law about lists with cursors.
func cursors(k *kind, parts ...string) []string {
	if k.cursors {
		return parts
	}
	return nil
}

// priced adds a part for the arguments that change what is charged.
func priced(parts func(*kind) []string, has func(*kind) bool) func(*kind) []string {
	return func(k *kind) []string {
		if has(k) {
			return append(parts(k), chargeable)
		}
		return parts(k)
	}
}

const chargeable = ", with an effect on charges"

func whenPriced(part string) string {
	if part == chargeable {
		return reprices
	}
	return ""
}

//go:embed numbers.txt
var numbered string

// numbers returns the numbers of each statement of a law, by its [law.key]. They are never reused, because reports
// contain them. A statement has several if it replaces several.
func numbers() map[string][]int {
	of := map[string][]int{}
	for line := range strings.Lines(numbered) {
		all, key, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for number := range strings.FieldsSeq(all) {
			n, _ := strconv.Atoi(number) // a test reads them
			of[key] = append(of[key], n)
		}
	}
	return of
}

// key names a statement in numbers.txt.
func (l law) key(k *kind, part string) string {
	return strings.TrimSuffix(l.name+", "+k.plural+", "+strings.TrimPrefix(part, ", "), ", ")
}

// lawClaims returns the statements that follow from the laws.
func lawClaims() (all []Claim) {
	number := numbers()
	for _, l := range laws {
		for _, k := range kinds {
			for _, part := range l.parts(k) {
				c := Claim{Service: k.service, Text: k.in(l.says, part), Otherwise: k.in(l.otherwise, part), Source: l.source(k)}
				if of := number[l.key(k, part)]; len(of) > 0 {
					c.Number, c.Also = of[0], of[1:]
				}
				first := kinds[slices.IndexFunc(kinds, func(one *kind) bool { return one.service == k.service })]
				c.RestsOn = slices.Clone(number[l.key(first, part)]) // what a service does wrong everywhere has one cause
				for _, base := range l.rests {
					name, part, _ := strings.Cut(base, ", ")
					c.RestsOn = append(c.RestsOn, number[law{name: name}.key(k, part)]...)
				}
				if !l.idle {
					c.Effect = k.effect
				}
				if l.costs != nil {
					c.Costs = cmp.Or(c.Costs, l.costs(part))
				}
				c.Check = inSteps(k.service, c.Source, func(p *probe) {
					for _, s := range p.scopes(k, l.idle) {
						l.check(s, part)
					}
				})
				if l.reads != nil && l.reads(part) {
					c.read = c.Check
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// in returns a text about the kind: {a} is its name with an article, {name} without, {names} the plural.
func (k *kind) in(text, part string) string {
	article := "a "
	if strings.ContainsRune("aeiouA", rune(k.name[0])) {
		article = "an "
	}
	upper := func(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
	return strings.NewReplacer("{a}", article+k.name, "{A}", upper(article+k.name), "{name}", k.name, "{names}", k.names,
		"{Names}", upper(k.names), "{part}", part).Replace(text)
}

func (l law) source(k *kind) string {
	operation := "wire contract: " + k.plural + "." + l.operation
	section := l.section[k.service]
	if l.section == nil {
		section = string(k.service) + " " + k.section
		section = strings.ToUpper(section[:1]) + section[1:]
	}
	switch {
	case section == "":
		return "Wire contract: " + k.plural + "." + cmp.Or(l.operation, "get")
	case l.operation == "": // it is about every operation
		return section
	case k == records && l.operation == "list":
		operation = "wire contract: finance.accounts.list, finance.payables.list, finance.receivables.list, " +
			"finance.records.list"
	case k.needs == nil: // it cannot be created on its own
		operation = "wire contract: " + k.plural + ".list"
	}
	return section + "; " + operation
}
