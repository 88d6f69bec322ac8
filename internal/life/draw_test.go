package life

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// draw generates a life while it runs: the commands and files of a scenario.
type draw struct {
	*rand.Rand
	config // of the next run

	s     *scenario
	start time.Time
	lines []string
	files map[string]config // by name
	later int
	calm  bool // nothing goes wrong
}

// newDraw returns the draws of a seed. If it is calm, nothing goes wrong.
func newDraw(s *scenario, seed uint64, calm bool) *draw {
	return &draw{Rand: rand.New(rand.NewPCG(seed, 12)), s: s, calm: calm, files: map[string]config{},
		config: config{blocks: map[string]written{}}}
}

// chance is true once in n draws.
func (d *draw) chance(n int) bool { return d.IntN(n) == n-1 }

func pickOne[V any](d *draw, from []V) V { return from[d.IntN(len(from))] }

// either replaces each (a|b) in a text by one of these.
func (d *draw) either(text string) string {
	return alternatives.ReplaceAllStringFunc(text, func(all string) string {
		return pickOne(d, strings.Split(strings.Trim(all, "()"), "|"))
	})
}

var alternatives = regexp.MustCompile(`\([^()]*\|[^()]*\)`)

// over ends a life after a violation.
type over struct{}

// do plays a command.
func (d *draw) do(words ...string) { d.play(joined(words)) }

func (d *draw) play(line string) {
	d.lines = append(d.lines, line)
	if d.s.play(line); d.s.bad != nil {
		panic(over{})
	}
}

// applied is the configuration of the last apply that succeeded.
func (d *draw) applied() config { return d.files[d.s.judge.appliedFile] }

// file returns the name of the file with the configuration, in which some arguments are known only after apply.
func (d *draw) file(later map[string][]string) string {
	c := d.config
	c.blocks = maps.Clone(d.blocks)
	if len(later) > 0 {
		d.later++
	}
	for address, names := range later {
		b := c.blocks[address]
		b.later = names
		c.blocks[address] = b
	}
	text := c.text(d.start, d.later)
	for name, have := range d.s.files {
		if have == text {
			return name
		}
	}
	name := "main.tf"
	if len(d.files) > 0 {
		name = fmt.Sprintf("%d.tf", len(d.files)+1)
	}
	d.s.files[name], d.files[name] = text, config{blocks: maps.Clone(d.blocks), defaults: d.defaults}
	return name
}

// apply applies the configuration. A plan that is refused leaves that of the last apply.
func (d *draw) apply(later map[string][]string, words ...string) {
	d.do(append(append([]string{"apply"}, words...), d.file(later))...)
	d.config = d.files[d.s.judge.file]
	if d.blocks = maps.Clone(d.blocks); d.blocks == nil {
		d.blocks = map[string]written{}
	}
}

// text returns the life as a scenario.
func (d *draw) text() string { return scenarioOf(d.lines, d.s.files) }

// scenarioOf returns the text of a scenario with the files that it uses.
func scenarioOf(lines []string, files map[string]string) string {
	text, used := strings.Join(lines, "\n")+"\n", map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		used[strings.TrimPrefix(word, "-settle=")] = true
	}
	for _, name := range slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}) {
		if used[name] {
			text += "-- " + name + " --\n" + string(hclwrite.Format([]byte(files[name])))
		}
	}
	return text
}

// addresses lists the blocks that a life may have, all of one organization. Terraform runs a process for each alias of
// a provider, so a life with two would be two lives.
var addresses = []string{"billing_customer.c", "billing_account.a", "billing_subscription.s",
	"billing_subscription.s", "billing_webhook_endpoint.e", "billing_webhook_endpoint.e", "billing_api_key.k",
	"billing_api_key.k", "billing_finance_record.r", "billing_finance_record.r", "billing_finance_record.r",
	"billing_customer.d"}

// address draws a block that a life may have, sometimes one with for_each.
func (d *draw) address() string {
	address := pickOne(d, addresses)
	if !d.chance(6) || slices.Contains([]string{"billing_account", "billing_subscription"}, typeOf(address)) {
		return address
	}
	return typeOf(address) + ".g"
}

// only reports whether -only includes a block.
func only(address string) bool {
	return *soakOnly == "" || slices.Contains(strings.Split(*soakOnly, ","), typeOf(address))
}

// begin draws the first configuration of a life, and applies it.
func (d *draw) begin() {
	for range 1 + d.IntN(3) { // a misfortune concerns few objects, and small lives are fast
		if address := d.address(); only(address) {
			d.add(address)
		}
	}
	d.meet(d.misfortunes())
	d.apply(nil)
}

// add draws a block, and those it refers to.
func (d *draw) add(address string) {
	if _, there := d.blocks[address]; there {
		return
	}
	values := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(choices[typeOf(address)])) {
		if required(typeOf(address), name) {
			values[name] = named(choices[typeOf(address)][name][0], address)
		} else if slices.Contains(often, name) && d.chance(2) || d.chance(4) {
			values[name] = named(pickOne(d, choices[typeOf(address)][name]), address)
		}
	}
	switch typeOf(address) {
	case "billing_account":
		d.add("billing_customer.c")
		values["customer_id"] = "billing_customer.c.id"
	case "billing_subscription":
		d.add("billing_account.a")
		values["billing_account_id"] = "billing_account.a.id"
	}
	b := written{at: address, values: values, ignore: d.ignore(address)}
	if forEach(address) {
		b.keys = pickOne(d, [][]string{{"one"}, {"two"}, {"one", "two"}})
	}
	d.set(b)
}

// ignore draws ignore_changes.
func (d *draw) ignore(address string) []string {
	if d.chance(2) {
		return nil
	}
	if d.chance(8) {
		return []string{"all"}
	}
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(choices[typeOf(address)])) {
		if name == "deletion_policy" {
			continue
		}
		paths = append(paths, name)
		for range 4 { // Other systems change these.
			paths = append(paths, ignorable[name]...)
		}
	}
	return []string{pickOne(d, paths)}
}

// set sets a block after it has made the values valid: a life requests nothing that the documents call impossible.
func (d *draw) set(b written) {
	v := b.values
	omit := func(names ...string) {
		for _, name := range names {
			delete(v, name)
		}
	}
	for name := range v {
		if d.s.rewords {
			v[name] = worded.Replace(v[name])
		}
	}
	if forEach(b.at) { // instances cannot share these
		omit("document_number", "idempotency_key")
	}
	switch typeOf(b.at) {
	case "billing_subscription":
		if v["plan_id"] == "" && (v["items"] == "" || v["items"] == "[]") {
			v["plan_id"] = choices["billing_subscription"]["plan_id"][0]
		}
		if v["trial_end"] != "" {
			omit("trial_period_days")
		}
	case "billing_account":
		if v["status"] == "" {
			omit("status_reason")
		}
	case "billing_customer":
		if v["create_billing_account"] == "false" {
			omit("billing_email", "payment_terms_days", "auto_collection")
		}
		for one, list := range map[string]string{"email": "emails", "phone": "phones"} {
			if v[list] != "" {
				omit(one)
			}
		}
	case "billing_api_key":
		if v["expires_after_days"] != "" {
			omit("expires_at")
			v["grace_period_days"] = cmp.Or(v["grace_period_days"], "3") // the default is longer than the shortest lifetime
		}
	}
	d.blocks[b.at] = b
}

// lifeLength is the number of actions of a life.
const lifeLength = 12

// live draws commands until one violates what always holds.
func (d *draw) live(seed uint64) {
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(over); !mine {
				panic(r)
			}
		}
	}()
	rewords, clock := rewordsOf(seed), clockOf(seed)
	if d.calm {
		clock = ""
	}
	if d.do("seed", fmt.Sprint(seed)); rewords != "" {
		d.do("sandbox", "rewords="+rewords)
	}
	if d.start = acctest.Epoch; clock != "" {
		d.do("sandbox", "clock="+clock)
		d.start = d.start.Add(duration(clock))
	}
	d.do("judge")
	d.begin()
	actions := []func(){d.changeAndRun, d.operate, d.operate, d.operate, d.operate, d.operate, d.operate, d.foreign,
		d.foreignChangeAndRun, d.foreignChangeAndRun, d.foreignChangeAndRun, d.run, d.time, d.imports, d.rename,
		d.drawDefaults, d.addOrRemove, d.stranger}
	for range lifeLength {
		pickOne(d, actions)()
	}
	if d.chance(2) {
		d.do("copy")
	}
	d.apply(nil)
}
