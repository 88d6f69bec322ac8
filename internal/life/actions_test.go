package life

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// block draws one of the blocks; "" if there are none.
func (d *draw) block(of map[string]block) string {
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
		} else if !slices.Contains(required[typeOf(address)], name) {
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
		b.values["customer_id"] = object{"$ref": pickOne(d, customers) + ".id"}
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
	"billing_customer":     {"custom_metadata", "external_id"},
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
	others := slices.DeleteFunc(slices.Clone(choices[typeOf(address)][name]), func(v any) bool {
		return show(v) == "{}" || show(named(v, address)) == show(b.values[name])
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
	counts := name == "plan_id" || name == "rotate_secret_when_changed" // each repetition of its request has an effect
	if !d.calm && (counts || d.chance(2)) {
		nth := d.IntN(3) / 2 // sometimes the second step of an apply
		if typeOf(address) == "billing_api_key" {
			nth = 1 - nth // a new key usually has one
		}
		meets = append([]misfortune{{of: ofWrite, nth: nth, times: 1 + d.IntN(2), fault: pickOne(d, lost)}}, meets...)
	}
	d.runs(meets)
	if !d.calm && d.chance(2) {
		d.meet([]misfortune{{nth: d.IntN(2), times: 1000, fault: "lag=9s"}})
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

// foreigners lists changes by another system, by type. $ is the kind and the address of the object, and $path its path.
var foreigners = map[string][]string{
	"billing_customer": {"edit $ notes='q7 foreign'", "edit $ birthday=2000-01-01 nickname='q7 foreign'", "delete $",
		"edit $ external_id=foreign", `add $ emails {"value":"x_1.q7@example.com"}`,
		`add $ emails {"value":"x_2.q7@example.com"}`, `add $ emails {"value":"x_3.q7@example.com"}`,
		`add $ emails {"value":"x_4.q7@example.com"}`, `add $ phones '{"value":"+55 21 700771"}'`,
		`add $ phones '{"value":"+55 21 700772"}'`},
	"billing_account": {"edit $ payment_terms_days:=60", "call POST $path/suspend {}", "call POST $path/reactivate {}",
		"call POST $path/close {}", "edit $ external_id=foreign"},
	"billing_subscription": {"edit $ notes='q7 foreign'", "edit $ discount_percent:=50",
		"add $ items " + encoded(item(1, 50)), "add $ items " + encoded(item(0, 7)),
		`call POST $path/cancel '{"reason":"q7 foreign"}'`, `call POST $path/cancel {"cancel_at_period_end":true}`,
		"call POST $path/pause {}", "call POST $path/resume {}",
		"call POST $path/change-plan " + encoded(object{"plan_id": uuids[3]})},
	"billing_webhook_endpoint": {"edit $ description='q7 foreign'", "edit $ active:=false",
		"call POST $path/rotate-secret {}", "delete $",
		`edit $ authentication:={"name":"X-Foreign","type":"header","value":"v"}`},
	"billing_api_key": {`call POST $path/rotate {"graceDays":5}`, "delete $"},
	"billing_finance_record": {"edit $ amount=999.00", "edit $ note='q7 foreign'", "delete $",
		`add $ deep '{"x_3":"q7 foreign"}'`, `add $ deep '{"x_4":"q7 foreign"}'`, `add $ deep '{"x_1":"q7 foreign"}'`,
		`add $ deep '{"x_1":"q7 other"}'`, `add $ deep '{"x_2":"q7 foreign"}'`, `add $ deep '{"x_1":"q7 1","x_2":"q7 2"}'`},
}

// foreign is a change by another system: to its own keys, to ours, or to the object itself.
func (d *draw) foreign() { d.foreignTo(d.block(d.applied().blocks)) }

var wordPattern = regexp.MustCompile(`[a-z_]+`)

// foreignTo returns the argument that the change affects, or that shares a list with it, if any.
func (d *draw) foreignTo(address string) (about string) {
	if address == "" {
		return ""
	}
	all, arguments := foreigners[typeOf(address)], choices[typeOf(address)]
	n := d.IntN(len(all) + 4)
	line := all[0]
	switch {
	case n < len(all):
		line = all[n]
	case arguments["custom_metadata"] != nil && n%2 == 0:
		line = fmt.Sprintf(`edit $ custom_metadata:={"%s%d":%d} custom_metadata_mode=merge`, foreignPrefix, d.IntN(3), d.IntN(5))
	case arguments["custom_metadata"] != nil:
		line = `edit $ custom_metadata:='{"a":"q7 foreign","b":{"c":"q7 foreign","x_in":"q7 foreign"}}' custom_metadata_mode=merge`
	case typeOf(address) == "billing_finance_record":
		line = fmt.Sprintf("edit $ %s%d:=%d", foreignPrefix, d.IntN(3), d.IntN(5))
	}
	words := d.does(line, address)
	d.do(words...)
	for _, name := range wordPattern.FindAllString(strings.Join(words, " ")+" body", -1) {
		for _, argument := range []string{strings.TrimSuffix(name, "s"), name} {
			if arguments[argument] != nil {
				return argument
			}
		}
	}
	return ""
}

// does returns the command for a change of an object.
func (d *draw) does(line, of string) []string {
	kind, address := evidence.KindOf(typeOf(of)), d.one(of)
	name := kind.Name
	if name == evidence.Record {
		name, _ = d.applied().blocks[of].values["collection"].(string)
		name = cmp.Or(name, "payables")
	}
	words, err := split(strings.NewReplacer("$path", kind.Path()+"/{"+address+".id}", "$", name+" "+address).Replace(line))
	if err != nil {
		panic(err)
	}
	return words
}

// resemble returns the command that creates an object which looks like that of a block; nil if it refers to other
// objects, or would be the same record.
func (d *draw) resemble(address string) []string {
	kind, body := evidence.KindOf(typeOf(address)), object{}
	if forEach(address) {
		return nil
	}
	switch kind.Name {
	case evidence.Customer:
		body["notes"] = "q7 another one"
	case evidence.Endpoint, evidence.Key:
		body["description"] = "q7 another one"
	default:
		return nil
	}
	for _, name := range []string{"name", "external_id", "document_number", "url"} {
		if text, isText := d.blocks[address].values[name].(string); isText {
			body[name] = text
		}
	}
	return []string{"call", "POST", kind.Path(), encoded(body)}
}

// lost lists what makes the outcome of a request unknown.
var lost = []string{"drop=after", "drop=before,late=12s", "drop=before,late=12s", "status=504,late=3m",
	"status=504,late=3m", "status=503,after", "truncate", slow + "40s"}

// run plans and applies; arguments may be known only after apply, and time may pass in between.
func (d *draw) run() { d.runs(d.misfortunes()) }

func (d *draw) runs(meets []misfortune) {
	later := map[string][]string{}
	if d.chance(3) {
		for range 1 + d.IntN(2) {
			if address := d.block(d.blocks); address != "" {
				name := pickOne(d, slices.Sorted(maps.Keys(d.blocks[address].values)))
				later[address] = append(later[address], name)
				d.turn(address, name)
			}
		}
	}
	if d.chance(6) || d.blocks["billing_api_key.k"].values["rotate_after_days"] == 1 && d.chance(2) {
		d.do("meanwhile", "clock", "advance", pickOne(d, []string{"25h", "1h"}))
	}
	var words []string
	if d.chance(3) {
		words = append(words, "-create-first")
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
func (d *draw) meet(all []misfortune) {
	for _, m := range all {
		d.do(m.words()...)
	}
}

// misfortunes draws those of a run.
func (d *draw) misfortunes() (all []misfortune) {
	if d.calm || d.chance(3) {
		return nil
	}
	for range 1 + d.IntN(3) {
		all = append(all, d.misfortune())
	}
	address := d.block(d.blocks)
	if _, there := d.blocks["billing_customer.c"]; there && d.chance(2) {
		address = "billing_customer.c" // by its external_id, it may be taken for another one
	}
	if address == "" || d.s.drive != nil && d.s.drive.State(address) != nil || d.chance(4) {
		return all
	}
	// The creation is lost, and another system creates the object then, or shortly before.
	m := misfortune{of: ofWrite, fault: "drop=before", then: d.resemble(address)}
	if m.then != nil && d.chance(3) {
		all, m.then = append(all, misfortune{nth: d.IntN(3), then: m.then}), nil
	}
	return append(all, m)
}

// requests is the number of requests that most runs have.
const requests = 6

// misfortune draws one of a run.
func (d *draw) misfortune() misfortune {
	nth, nthWrite := d.IntN(requests), d.IntN(2)
	switch d.IntN(20) {
	case 0:
		return misfortune{nth: nth, kill: true}
	case 1:
		return misfortune{of: ofWrite, nth: nthWrite, kill: true}
	case 2:
		return misfortune{of: ofWrite, nth: nthWrite, interrupt: true,
			fault: pickOne(d, []string{"", "latency=3s", "latency=20s", slow + "3s", slow + "40s", "status=503,after"})}
	case 3, 10:
		return misfortune{of: ofWrite, nth: nthWrite,
			fault: pickOne(d, []string{"status=504,late=3m", "drop=before,late=12s"})}
	case 4:
		return misfortune{nth: nth, times: 1 + d.IntN(8), fault: pickOne(d, []string{"status=429,retry-after=7",
			"status=429", "status=429,retry-after=date:30s"})}
	case 5:
		return misfortune{nth: nth, times: 1 + d.IntN(20), fault: pickOne(d, []string{"lag=2s", "lag=9s"})}
	case 6:
		if address := d.block(d.blocks); address != "" {
			words := d.does(pickOne(d, foreigners[typeOf(address)]), address)
			if d.chance(8) {
				words = d.resemble(address)
			}
			if words != nil {
				return misfortune{nth: nth, then: words}
			}
		}
	case 7:
		return misfortune{of: ofWrite, nth: nthWrite, twice: true} // as a proxy repeats it
	case 8:
		return misfortune{nth: nth, times: 1000, fault: "status=401,code=invalid_token"} // the token is revoked
	case 13:
		return misfortune{of: ofWrite, nth: nthWrite, interrupt: true, fault: slow + "3s"}
	case 11:
		return misfortune{nth: nth, fault: pickOne(d, []string{slow + "3s", slow + "40s"})}
	case 12:
		return misfortune{of: ofRead, nth: nth, times: 1 + d.IntN(2), fault: "other"}
	case 9:
		dates := []string{"none", "31s", "-31s", "26h", "-26h"}
		return misfortune{nth: nth, times: 1 + d.IntN(20), date: pickOne(d, dates)}
	}
	fault := d.fault(ofWrite, pickOne(d, []string{ofRead, pickOne(d, reads)}))
	m := misfortune{of: fault.Operation, nth: fault.Skip % requests, times: fault.Times}
	if m.of == ofWrite {
		m.nth = nthWrite
	}
	fault.Operation, fault.Skip, fault.Times = "", 0, 0
	m.fault = fault.String()
	return m
}

// reads lists operations that a plan or an apply reads with.
var reads = []string{"me.get", "customers.get", "billing_accounts.get", "subscriptions.get", "webhook_endpoints.get",
	"api_keys.get", "finance.records.get", "customers.list", "api_keys.list", "webhook_endpoints.list",
	"finance.records.list"}

// fault draws a fault of a write or of a read.
func (d *draw) fault(write, read string) sandbox.Fault {
	pick := d.IntN
	foreign, tenths := sandbox.ForeignKinds()[pick(5)], time.Duration(1+pick(10))*time.Minute/10
	failing := []int{500, 502, 503, 504}[pick(4)]
	f := sandbox.Fault{Operation: write, Skip: pick(2), Times: 1 + pick(2)}
	switch pick(16) {
	case 0, 1:
		f.DropAfter = true
	case 2:
		f.DropBefore = true
	case 3:
		f.Status, f.After = failing, true
	case 4:
		f.Status = failing
	case 5:
		f.TruncateBody = true
	case 6:
		f.Times, f.Status, f.Foreign, f.After = 1, 200, "html", true
	case 7:
		f.Operation, f.Status = read, 503
	case 8:
		f.Operation, f.Times, f.Other = read, 1, true
	case 9:
		f.Operation, f.Times, f.Foreign = read, 1, foreign
	case 10:
		f.Times, f.Foreign = 1, foreign
	case 11:
		f = sandbox.Fault{Skip: pick(40), Silent: true}
	case 12:
		f = sandbox.Fault{Skip: pick(40), Outage: tenths, Status: []int{0, 503}[pick(2)]}
	case 13: // without the organization nothing is sent, and created objects are not lost
		f.Operation, f.Times, f.Status = "me.get", 1+pick(8), []int{403, 500, 503}[pick(3)]
	case 14:
		f.Operation, f.Latency = "me.get", tenths
	default:
		f.Latency = time.Duration(pick(1000)) * time.Millisecond
	}
	return f
}

// time advances the clock for a while, or past a date in the configuration.
func (d *draw) time() {
	all := []string{"1h", "25h", "200h", "800h"}
	passed := d.s.service.Sandbox.Clock().Now().Sub(d.start)
	for _, address := range slices.Sorted(maps.Keys(d.blocks)) {
		for _, date := range dates(d.blocks[address].values) {
			if until := date - passed; until > 0 {
				all = append(all, (until + time.Hour).String())
			}
		}
	}
	d.do("clock", "advance", pickOne(d, all))
}

// dates returns the dates in a value, as durations since the start.
func dates(v any) (all []time.Duration) {
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, dates(v[name])...)
		}
	case string:
		if after, isDate := strings.CutPrefix(v, "@"); isDate {
			all = append(all, duration(after))
		}
	}
	return all
}

func (d *draw) imports() {
	if address := d.block(d.applied().blocks); address != "" {
		if d.blocks[address].same(d.applied().blocks[address]) {
			d.do("reimport", d.one(address))
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

// one returns the address of a block, or of one of its instances.
func (d *draw) one(address string) string {
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
	if code, has := d.blocks[address].values["external_id"].(string); has && !forEach(address) && d.chance(2) {
		d.do("adopt", address, code)
	}
}

// needed reports whether another block refers to a block.
func (d *draw) needed(address string) bool {
	for _, other := range d.blocks {
		for _, v := range other.values {
			if slices.Contains(refs(v), address) {
				return true
			}
		}
	}
	return false
}

func (d *draw) drawDefaults() {
	d.defaults = pickOne(d, []object{nil, {"team": "q7 one"}, {"team": "q7 two", "a": "q7 default"}})
}

// addOrRemove removes a block and those that refer to it, or adds one.
func (d *draw) addOrRemove() {
	address := d.address()
	if !only(address) {
		return
	}
	if _, there := d.blocks[address]; !there {
		d.add(address)
		if words := d.resemble(address); words != nil && !d.calm && d.chance(2) { // it may be there already
			d.do(words...)
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
