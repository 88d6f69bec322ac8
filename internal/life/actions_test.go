package life

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// block draws one of the blocks; "" if there are none.
func (d *draw) block(of map[string]written) string {
	all := slices.Sorted(maps.Keys(of))
	if len(all) == 0 {
		return ""
	}
	return pickOne(d, all)
}

// often lists arguments that many others depend on. They are drawn more often.
var often = []string{"body", "cancel_at_period_end", "cancellation_reason", "collection_method", "custom_metadata",
	"discount_percent", "email", "expires_at", "external_id", "grace_period_days", "items", "nfe_issuance_policy", "notes", "pause", "phone",
	"plan_id", "rotate_after_days", "rotate_secret_when_changed", "rotate_when_changed"}

// argumentNames returns the arguments to draw from.
func argumentNames(address string) []string {
	names := slices.Sorted(maps.Keys(choices[typeOf(address)]))
	for _, name := range often {
		if slices.Contains(names, name) {
			names = append(names, name, name, name)
		}
	}
	return names
}

// changeOf changes one to three arguments of a block.
func (d *draw) changeOf(address string) {
	b, there := d.blocks[address]
	if !there {
		return
	}
	b.values = maps.Clone(b.values)
	names := argumentNames(address)
	for range 1 + d.IntN(3) {
		name := pickOne(d, names)
		from := choices[typeOf(address)][name]
		n := d.IntN(len(from) + 1)
		if n < len(from) {
			b.values[name] = named(from[n], address)
		} else if !required(typeOf(address), name) {
			delete(b.values, name)
		}
	}
	if typeOf(address) == "billing_subscription" && d.chance(5) {
		delete(b.values, "plan_id")
		delete(b.values, "items")
		name := pickOne(d, []string{"plan_id", "items"})
		b.values[name] = choices[typeOf(address)][name][1]
	}
	if typeOf(address) == "billing_account" && d.chance(4) {
		customers := []string{"billing_customer.c"}
		if _, there := d.blocks["billing_customer.d"]; there {
			customers = append(customers, "billing_customer.d")
		}
		b.values["customer_id"] = pickOne(d, customers) + ".id"
	}
	if d.chance(4) {
		b.ignore = d.ignore(address)
	}
	d.set(b)
}

func (d *draw) changeAndRun() {
	d.changeOf(d.block(d.blocks))
	d.run()
}

// operations lists the arguments whose change is an operation of its own, or a new object.
var operations = map[string][]string{
	"billing_customer":     {"custom_metadata", "external_id", "email"},
	"billing_account":      {"status", "custom_metadata"},
	"billing_subscription": {"plan_id", "plan_id", "plan_id", "plan_id", "pause", "cancel_at_period_end", "items"},
	"billing_webhook_endpoint": {"rotate_secret_when_changed", "rotate_secret_when_changed", "rotate_secret_when_changed",
		"url"},
	"billing_api_key":        {"rotate_when_changed", "rotate_when_changed", "rotate_when_changed", "name", "name"},
	"billing_finance_record": {"body", "collection"},
}

// operate changes such an argument; its request often meets a misfortune. Often it looks at once afterwards, while
// reads lag.
func (d *draw) operate() {
	var all [][2]string
	for _, address := range slices.Sorted(maps.Keys(d.applied().blocks)) {
		for _, name := range operations[typeOf(address)] {
			all = append(all, [2]string{address, name})
		}
	}
	if len(all) == 0 {
		return
	}
	chosen := pickOne(d, all)
	address, name := chosen[0], chosen[1]
	b, there := d.blocks[address]
	if !there {
		return
	}
	b.values = maps.Clone(b.values)
	others := slices.DeleteFunc(slices.Clone(choices[typeOf(address)][name]), func(value string) bool {
		return value == "{}" || named(value, address) == b.values[name]
	})
	if len(others) == 0 {
		return
	}
	b.values[name] = named(pickOne(d, others), address)
	if d.chance(6) { // in the plan that may replace the object
		b.values["deletion_policy"] = pickOne(d, choices[typeOf(address)]["deletion_policy"])
	}
	d.set(b)
	meets := d.misfortunes()
	isKey := typeOf(address) == "billing_api_key"
	counts := name == "plan_id" || name == "rotate_secret_when_changed" // each repetition of its request has an effect
	if !d.calm && (counts || isKey || d.chance(2)) {
		nth := d.IntN(3) / 2 // sometimes the second step of an apply
		if isKey {
			nth = 1 - nth // a new key usually has one
		}
		meets = append([]string{d.either(fmt.Sprintf("at request %d of write x(1|2|1000): %s", 1+nth, lost))}, meets...)
	}
	d.runs(meets)
	if !d.calm && d.chance(2) {
		d.play(d.either("at request (1|2) x1000: lag=9s"))
		d.apply(nil)
	}
}

func (d *draw) foreignChangeAndRun() {
	address := d.block(d.applied().blocks)
	about := d.foreignTo(address)
	if d.chance(3) {
		d.run()
	}
	if b, there := d.blocks[address]; there && about != "" && !d.chance(4) {
		b.values = maps.Clone(b.values)
		b.values[about] = named(pickOne(d, choices[typeOf(address)][about]), address)
		d.set(b)
	} else {
		d.changeOf(address)
	}
	d.run()
}

// foreign is a change by another system: to its own keys, to ours, or to the object itself.
func (d *draw) foreign() { d.foreignTo(d.block(d.applied().blocks)) }

var wordPattern = regexp.MustCompile(`[a-z_]+`)

// foreignTo returns the argument that the change affects, or that shares a list with it, if any.
func (d *draw) foreignTo(address string) (about string) {
	if address == "" {
		return ""
	}
	arguments := choices[typeOf(address)]
	line := d.does(address)
	d.play(line)
	for _, name := range wordPattern.FindAllString(line+" body", -1) {
		for _, argument := range []string{strings.TrimSuffix(name, "s"), name} {
			if arguments[argument] != nil {
				return argument
			}
		}
	}
	return ""
}

// does returns the command for a change of an object by another system.
func (d *draw) does(to string) string {
	kind, address := evidence.KindOf(typeOf(to)), d.instance(to)
	name := kind.Name
	if name == evidence.Record {
		name = cmp.Or(strings.Trim(d.applied().blocks[to].values["collection"], `"`), "payables")
	}
	line := d.either(pickOne(d, foreigners[typeOf(to)]))
	return strings.NewReplacer("$path", kind.Path()+"/{"+address+".id}", "$", name+" "+address).Replace(line)
}

// resemble returns the command that creates an object which looks like that of a block; "" if it refers to other
// objects, or would be the same record.
func (d *draw) resemble(address string) string {
	kind, body := evidence.KindOf(typeOf(address)), object{}
	switch {
	case forEach(address):
		return ""
	case kind.Name == evidence.Customer:
		body["notes"] = "q7 another one"
	case kind.Name == evidence.Endpoint, kind.Name == evidence.Key:
		body["description"] = "q7 another one"
	default:
		return ""
	}
	for _, name := range []string{"name", "external_id", "document_number", "url"} {
		if text, isText := parsed([]byte(d.blocks[address].values[name])).(string); isText {
			body[name] = text
		}
	}
	return joined([]string{"call", "POST", kind.Path(), show(body)})
}

// lost is what makes the outcome of a request unknown.
const lost = "(drop=after|drop=before late=12s|drop=before late=12s|status=504 late=3m|status=504 late=3m|" +
	"status=503 after|truncate|latency=40s after)"

// run plans and applies; arguments may be known only after apply, and time may pass in between.
func (d *draw) run() { d.runs(d.misfortunes()) }

func (d *draw) runs(meets []string) {
	later := map[string][]string{}
	if d.chance(3) {
		for range 1 + d.IntN(2) {
			if address := d.block(d.blocks); address != "" {
				name := pickOne(d, slices.Sorted(maps.Keys(d.blocks[address].values)))
				d.turn(address, name)
				value := d.blocks[address].values[name]
				if strings.ContainsAny(value, "[{") && aText.MatchString(value) && d.chance(2) {
					name += "." // a part of it
				}
				later[address] = append(later[address], name)
			}
		}
	}
	if d.chance(6) || d.blocks["billing_api_key.k"].values["rotate_after_days"] == "1" && d.chance(2) {
		d.do("meanwhile", "clock", "advance", pickOne(d, []string{"25h", "1h"}))
	}
	var words []string
	if d.chance(3) {
		words = append(words, "-create-first")
	}
	if d.chance(8) {
		words = append(words, "-refresh=false")
	}
	if !d.calm && d.chance(20) {
		d.do("meanwhile", "organization", "other")
	} else if d.meet(meets); len(meets) > 0 && d.s.judge.appliedFile != "" && d.moved[0] == "" && d.chance(3) {
		words = append(words, "-settle="+d.s.judge.appliedFile)
	}
	d.apply(later, words...)
}

// turn sometimes changes an argument that is known only after apply.
func (d *draw) turn(address, name string) {
	if values := choices[typeOf(address)][name]; values != nil && d.chance(5) {
		b := d.blocks[address]
		b.values = maps.Clone(b.values)
		b.values[name] = named(pickOne(d, values), address)
		d.set(b)
	}
}

// meet sets what the next run meets.
func (d *draw) meet(all []string) {
	for _, line := range all {
		d.play(line)
	}
}

// misfortunes draws what a run meets.
func (d *draw) misfortunes() (all []string) {
	if d.calm || d.chance(3) {
		return nil
	}
	for range 1 + d.IntN(3) {
		line := d.either(pickOne(d, misfortunes))
		if strings.HasSuffix(line, " then") {
			address, then := d.block(d.blocks), ""
			if address != "" {
				then = d.does(address)
				if d.chance(8) {
					then = d.resemble(address)
				}
			}
			if then == "" {
				continue
			}
			line += " " + then
		}
		all = append(all, line)
	}
	address := d.block(d.blocks)
	if _, there := d.blocks["billing_customer.c"]; there && d.chance(2) {
		address = "billing_customer.c" // by its external_id, it may be taken for another one
	}
	if address == "" || d.s.drive != nil && d.s.drive.State(address) != nil || d.chance(4) {
		return all
	}
	// The creation is lost, and another system creates the object then, or shortly before.
	then := d.resemble(address)
	switch {
	case then == "":
		all = append(all, "at request 1 of write: drop=before")
	case d.chance(3):
		all = append(all, d.either("at request (1|2|3): then ")+then, "at request 1 of write: drop=before")
	default:
		all = append(all, "at request 1 of write: drop=before then "+then)
	}
	return all
}

// time advances the clock for a while, or past a date in the configuration.
func (d *draw) time() {
	all := []string{"1h", "25h", "200h", "800h"}
	passed := d.s.service.Sandbox.Clock().Now().Sub(d.start)
	for _, date := range aTime.FindAllStringSubmatch(fmt.Sprint(d.blocks), -1) { // in the order of the keys
		if until := duration(date[1]) - passed; until > 0 {
			all = append(all, (until + time.Hour).String())
		}
	}
	d.do("clock", "advance", pickOne(d, all))
}

func (d *draw) imports() {
	if address := d.block(d.applied().blocks); address != "" {
		if reflect.DeepEqual(d.blocks[address], d.applied().blocks[address]) {
			d.do("reimport", d.instance(address))
		}
		d.apply(nil)
	}
}

// rename changes the address of an object, or takes it out of the state.
func (d *draw) rename() {
	switch d.IntN(3) {
	case 0:
		d.keys()
		return
	case 1:
		d.release()
		return
	}
	names := []string{"billing_finance_record.r", "billing_finance_record.q"}
	for i, from := range names {
		if b, there := d.blocks[from]; there {
			delete(d.blocks, from)
			b.at = names[1-i]
			if d.blocks[b.at] = b; d.chance(2) {
				d.moved = [2]string{from, b.at}
			}
			d.run()
			return
		}
	}
}

// instance returns the address of a block, or of one of its instances.
func (d *draw) instance(address string) string {
	if keys := d.blocks[address].keys; len(keys) > 0 {
		return instance(address, pickOne(d, keys))
	}
	return address
}

func instance(address, key string) string { return fmt.Sprintf("%s[%q]", address, key) }

// keys adds a key to a block with for_each, removes one, or renames one, with or without a moved block.
func (d *draw) keys() {
	for _, address := range slices.Sorted(maps.Keys(d.blocks)) {
		if b := d.blocks[address]; forEach(address) {
			had := b.keys
			b.keys = pickOne(d, [][]string{nil, {"one"}, {"two"}, {"one", "two"}})
			if d.blocks[address] = b; len(had) == 1 && len(b.keys) == 1 && had[0] != b.keys[0] && d.chance(2) {
				d.moved = [2]string{instance(address, had[0]), instance(address, b.keys[0])}
			}
			d.run()
			return
		}
	}
}

// release removes a block and keeps its object. Sometimes the block comes back, and may import it.
func (d *draw) release() {
	address := d.block(d.blocks)
	if address == "" || d.needed(address) {
		return
	}
	b := d.blocks[address]
	delete(d.blocks, address)
	d.removed = address
	d.run()
	if _, there := d.blocks[address]; !there && d.chance(2) {
		d.blocks[address] = b
		d.adopt(address)
		d.run()
	}
}

// adopt sometimes imports the object with the external_id of a block, if there is one.
func (d *draw) adopt(address string) {
	if code := d.blocks[address].values["external_id"]; code != "" && !forEach(address) && d.chance(2) {
		d.do("adopt", address, strings.Trim(code, `"`))
	}
}

// needed reports whether another block refers to a block.
func (d *draw) needed(address string) bool {
	for _, other := range d.blocks {
		for _, value := range other.values {
			if referred.FindString(value) == address {
				return true
			}
		}
	}
	return false
}

func (d *draw) drawDefaults() {
	d.defaults = pickOne(d, []string{"", `{ team = "q7 one" }`, `{ team = "q7 two", a = "q7 default" }`})
}

// addOrRemove removes a block and those that refer to it, or adds one.
func (d *draw) addOrRemove() {
	address := d.address()
	if !only(address) {
		return
	}
	if _, there := d.blocks[address]; !there {
		d.add(address)
		if line := d.resemble(address); line != "" && !d.calm && d.chance(2) { // it may be there already
			d.play(line)
		}
		d.adopt(address)
		return
	}
	if !d.needed(address) {
		delete(d.blocks, address)
	}
}

// stranger plans with the token of another organization.
func (d *draw) stranger() { d.do("plan", "as", "another", "organization") }
