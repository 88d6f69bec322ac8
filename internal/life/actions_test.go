package life

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// block draws one of the blocks; "" if there are none.
func (d *draw) block(of map[string]step) string {
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

// change changes one to three arguments of a block.
func (d *draw) change() { d.changeOf(d.block(d.w.blocks)) }

func (d *draw) changeOf(address string) {
	s, there := d.w.blocks[address]
	if !there {
		return
	}
	s.Values = maps.Clone(s.Values)
	names := argumentNames(address)
	for range 1 + d.IntN(3) {
		name := pickOne(d, names)
		from := choices[typeOf(address)][name]
		n := d.IntN(len(from) + 1)
		if n < len(from) {
			s.Values[name] = named(from[n], address)
		} else if !slices.Contains(required[typeOf(address)], name) {
			delete(s.Values, name)
		}
	}
	if typeOf(address) == "billing_subscription" && d.chance(5) {
		delete(s.Values, "plan_id")
		delete(s.Values, "items")
		name := pickOne(d, []string{"plan_id", "items"})
		s.Values[name] = choices[typeOf(address)][name][1]
	}
	if typeOf(address) == "billing_account" && d.chance(4) {
		customers := []string{"billing_customer.c"}
		if _, there := d.w.blocks["billing_customer.d"]; there {
			customers = append(customers, "billing_customer.d")
		}
		s.Values["customer_id"] = object{"$ref": pickOne(d, customers) + ".id"}
	}
	if d.chance(4) {
		s.Ignore = d.ignore(address)
	}
	d.set(s)
}

func (d *draw) changeAndRun() {
	d.change()
	d.run()
}

// operations lists the arguments whose change is an operation of its own, or a new object.
var operations = map[string][]string{
	"billing_customer":     {"custom_metadata", "external_id"},
	"billing_account":      {"status", "custom_metadata"},
	"billing_subscription": {"plan_id", "plan_id", "plan_id", "plan_id", "pause", "cancel_at_period_end", "items"},
	"billing_webhook_endpoint": {"rotate_secret_when_changed", "rotate_secret_when_changed", "rotate_secret_when_changed",
		"url"},
	"billing_api_key":        {"rotate_when_changed", "name", "name"},
	"billing_finance_record": {"body", "collection"},
}

// operate changes such an argument; its request often meets a misfortune. Often it looks at once afterwards, while
// reads lag.
func (d *draw) operate() {
	var all [][2]string
	for _, address := range slices.Sorted(maps.Keys(d.w.appliedBlocks)) {
		for _, name := range operations[typeOf(address)] {
			all = append(all, [2]string{address, name})
		}
	}
	if len(all) == 0 {
		return
	}
	chosen := pickOne(d, all)
	address, name := chosen[0], chosen[1]
	s, there := d.w.blocks[address]
	if !there {
		return
	}
	s.Values = maps.Clone(s.Values)
	others := slices.DeleteFunc(slices.Clone(choices[typeOf(address)][name]), func(v any) bool {
		return show(v) == "{}" || show(named(v, address)) == show(s.Values[name])
	})
	if len(others) == 0 {
		return
	}
	s.Values[name] = named(pickOne(d, others), address)
	d.set(s)
	meets := d.meetings()
	counts := name == "plan_id" || name == "rotate_secret_when_changed" // each repetition of its request has an effect
	if d.w.net != nil && (counts || d.chance(2)) {
		nth := d.IntN(2) // the second step of an apply, if there is one
		if counts {
			nth = d.IntN(3) / 2
		}
		meets = append([]meeting{{Of: ofWrite, Nth: nth, Times: 1 + d.IntN(2), Fault: pickOne(d, lost)}}, meets...)
	}
	d.runs(meets)
	if d.chance(2) {
		d.do(step{Do: doRun, Meets: []meeting{{Nth: d.IntN(2), Times: 1000, Fault: "lag=9s"}}})
	}
}

func (d *draw) foreignChangeAndRun() {
	address := d.block(d.w.appliedBlocks)
	about := d.foreignTo(address)
	if d.chance(3) {
		d.run()
	}
	if s, there := d.w.blocks[address]; there && about != "" && !d.chance(4) {
		s.Values = maps.Clone(s.Values)
		s.Values[about] = named(pickOne(d, choices[typeOf(address)][about]), address)
		d.set(s)
	} else {
		d.changeOf(address)
	}
	d.run()
}

// foreigners lists changes by another system, by type.
var foreigners = map[string][]step{
	"billing_customer": {
		{What: "patch", Body: object{"notes": "foreign"}},
		{What: "patch", Body: object{"nickname": "foreign", "birthday": "2000-01-01"}}, {What: "delete"},
		{What: "patch", Body: object{"external_id": "foreign"}},
		{What: "contact", Body: object{"emails": "x_1@example.com"}},
		{What: "contact", Body: object{"emails": "x_2@example.com"}},
		{What: "contact", Body: object{"emails": "x_3@example.com"}},
		{What: "contact", Body: object{"emails": "x_4@example.com"}},
		{What: "contact", Body: object{"phones": "+55 21 1"}}, {What: "contact", Body: object{"phones": "+55 21 2"}},
	},
	"billing_account": {
		{What: "patch", Body: object{"payment_terms_days": 60}}, {What: "suspend"}, {What: "reactivate"}, {What: "close"},
		{What: "patch", Body: object{"external_id": "foreign"}},
	},
	"billing_subscription": {
		{What: "patch", Body: object{"notes": "foreign"}}, {What: "patch", Body: object{"discount_percent": 50}},
		{What: "items", Body: item(1, 50)}, {What: "items", Body: item(0, 7)},
		{What: "cancel", Body: object{"reason": "foreign"}}, {What: "cancel", Body: object{"cancel_at_period_end": true}},
		{What: "pause"}, {What: "resume"}, {What: "change-plan", Body: object{"plan_id": uuids[3]}},
	},
	"billing_webhook_endpoint": {
		{What: "patch", Body: object{"description": "foreign"}}, {What: "patch", Body: object{"active": false}},
		{What: "rotate-secret"}, {What: "delete"},
		{What: "patch", Body: object{"authentication": object{"type": "header", "name": "X-Foreign", "value": "v"}}},
	},
	"billing_api_key": {{What: "rotate", Body: object{"graceDays": 5}}, {What: "delete"}},
	"billing_finance_record": {{What: "patch", Body: object{"amount": "999.00"}},
		{What: "patch", Body: object{"note": "foreign"}}, {What: "delete"},
		{What: "deepen", Body: object{"x_3": "foreign"}}, {What: "deepen", Body: object{"x_4": "foreign"}},
		{What: "deepen", Body: object{"x_1": "foreign"}}, {What: "deepen", Body: object{"x_1": "other"}},
		{What: "deepen", Body: object{"x_2": "foreign"}}, {What: "deepen", Body: object{"x_1": "1", "x_2": "2"}}},
}

// foreign is a change by another system: to its own keys, to ours, or to the object itself.
func (d *draw) foreign() { d.foreignTo(d.block(d.w.appliedBlocks)) }

// foreignTo returns the argument that the change affects, if any.
func (d *draw) foreignTo(address string) (about string) {
	if address == "" {
		return ""
	}
	all := foreigners[typeOf(address)]
	metadata := choices[typeOf(address)]["custom_metadata"] != nil
	n := d.IntN(len(all) + 4)
	var s step
	switch {
	case n < len(all):
		s = all[n]
	case metadata && n%2 == 0:
		s = step{What: "patch",
			Body: object{"custom_metadata": object{foreignPrefix + fmt.Sprint(d.IntN(3)): d.IntN(5)},
				"custom_metadata_mode": "merge"}}
	case metadata:
		s = step{What: "patch",
			Body: object{"custom_metadata": object{"a": "foreign", "b": object{"c": "foreign", foreignPrefix + "in": "foreign"}},
				"custom_metadata_mode": "merge"}}
	case typeOf(address) == "billing_finance_record":
		s = step{What: "patch", Body: object{foreignPrefix + fmt.Sprint(d.IntN(3)): d.IntN(5)}}
	default:
		s = all[0]
	}
	s.Do, s.At = doForeign, address
	d.do(s)
	names := append(slices.Sorted(maps.Keys(s.Body)), s.What, "body")
	if s.What == "contact" { // what shares the list with it
		names = []string{strings.TrimSuffix(names[0], "s")}
	}
	at := slices.IndexFunc(names, func(name string) bool { return choices[typeOf(address)][name] != nil })
	if at < 0 {
		return ""
	}
	return names[at]
}

// lost lists what makes the outcome of a request unknown.
var lost = []string{"drop=after", "drop=before,late=12s", "drop=before,late=12s", "status=504,late=3m",
	"status=504,late=3m", "status=503,after", "truncate", slow + "40s"}

// run plans and applies; arguments may be known only after apply, and time may pass in between.
func (d *draw) run() { d.runs(d.meetings()) }

func (d *draw) runs(meets []meeting) {
	s := step{Do: doRun, CreateFirst: d.chance(3)}
	if d.chance(3) {
		for range 1 + d.IntN(2) {
			address := d.block(d.w.blocks)
			if address == "" {
				break
			}
			values := d.w.blocks[address].Values
			name := pickOne(d, slices.Sorted(maps.Keys(values)))
			if d.chance(5) && choices[typeOf(address)][name] != nil {
				s.Turns = object{address + "." + name: named(pickOne(d, choices[typeOf(address)][name]), address)}
			} else {
				s.Later = append(s.Later, address+"."+name)
			}
		}
	}
	if d.chance(6) || d.w.blocks["billing_api_key.k"].Values["rotate_after_days"] == 1 && d.chance(2) {
		s.By = pickOne(d, []string{"25h", "1h"})
	}
	if d.chance(8) {
		s.Fault = pickOne(d, runFaults)
	} else if d.w.net != nil && d.chance(20) {
		s.OtherToken = true
	} else {
		s.Meets = meets
		s.Back = len(s.Meets) > 0 && d.chance(3)
	}
	d.do(s)
}

// meetings draws the misfortunes of a run.
func (d *draw) meetings() (all []meeting) {
	if d.w.net == nil || d.chance(3) {
		return nil
	}
	for range 1 + d.IntN(3) {
		all = append(all, d.meeting())
	}
	address := d.block(d.w.blocks)
	if _, there := d.w.blocks["billing_customer.c"]; there && d.chance(2) {
		address = "billing_customer.c" // by its external_id, it may be taken for another one
	}
	if address != "" && d.w.drive.State(address) == nil && !d.chance(4) {
		// The creation is lost, and another system has created the object meanwhile.
		all = append(all, meeting{Nth: d.IntN(3), Then: &step{Do: doForeign, What: "resemble", At: address}},
			meeting{Of: ofWrite, Fault: "drop=before"})
	}
	return all
}

// requests is the number of requests that most runs have.
const requests = 6

// meeting draws a misfortune of a run.
func (d *draw) meeting() meeting {
	nth, nthWrite := d.IntN(requests), d.IntN(2)
	switch d.IntN(20) {
	case 0:
		return meeting{Nth: nth, Kill: true}
	case 1:
		return meeting{Of: ofWrite, Nth: nthWrite, Kill: true}
	case 2:
		return meeting{Of: ofWrite, Nth: nthWrite, Interrupt: true,
			Fault: pickOne(d, []string{"", "latency=3s", "latency=20s", slow + "3s", slow + "40s", "status=503,after"})}
	case 3, 10:
		return meeting{Of: ofWrite, Nth: nthWrite, Fault: pickOne(d, []string{"status=504,late=3m", "drop=before,late=12s"})}
	case 4:
		return meeting{Nth: nth, Times: 1 + d.IntN(8), Fault: pickOne(d, []string{"status=429,retry-after=7",
			"status=429", "status=429,retry-after=date:30s"})}
	case 5:
		return meeting{Nth: nth, Times: 1 + d.IntN(20), Fault: pickOne(d, []string{"lag=2s", "lag=9s"})}
	case 6:
		if address := d.block(d.w.blocks); address != "" {
			foreign := pickOne(d, append([]step{{What: "resemble"}}, foreigners[typeOf(address)]...))
			foreign.Do, foreign.At = doForeign, address
			return meeting{Nth: nth, Then: &foreign}
		}
	case 7:
		return meeting{Of: ofWrite, Nth: nthWrite, Twice: true} // as a proxy repeats it
	case 8:
		return meeting{Nth: nth, Times: 1000, Fault: "status=401,code=invalid_token"} // the token is revoked
	case 13:
		return meeting{Of: ofWrite, Nth: nthWrite, Interrupt: true, Fault: slow + "3s"}
	case 11:
		return meeting{Nth: nth, Fault: pickOne(d, []string{slow + "3s", slow + "40s"})}
	case 12:
		return meeting{Of: ofRead, Nth: nth, Times: 1 + d.IntN(2), Fault: "other"}
	case 9:
		dates := []string{"none", "31s", "-31s", "26h", "-26h"}
		if _, ages := d.w.blocks["billing_api_key.k"]; ages { // its age is judged by Date, in the plan and in the apply
			dates = dates[:3]
		}
		return meeting{Nth: nth, Times: 1 + d.IntN(20), Date: pickOne(d, dates)}
	}
	fault := d.fault(ofWrite, pickOne(d, []string{ofRead, pickOne(d, reads)}))
	m := meeting{Of: fault.Operation, Nth: fault.Skip % requests, Times: fault.Times}
	if m.Of == ofWrite {
		m.Nth = nthWrite
	}
	fault.Operation, fault.Skip, fault.Times = "", 0, 0
	m.Fault = fault.String()
	return m
}

// reads lists operations that a plan or an apply reads with.
var reads = []string{"me.get", "customers.get", "billing_accounts.get", "subscriptions.get", "webhook_endpoints.get",
	"api_keys.get", "finance.records.get", "customers.list", "api_keys.list", "webhook_endpoints.list",
	"finance.records.list"}

// fault draws a fault of a write or of a read.
func (d *draw) fault(write, read string) sandbox.Fault {
	pick := d.IntN
	statuses := []int{500, 502, 503, 504}
	foreign := sandbox.ForeignKinds()
	tenths := func() time.Duration { return time.Duration(1+pick(10)) * time.Minute / 10 }
	skip, times := pick(2), 1+pick(2)
	switch pick(16) {
	case 0, 1:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, DropAfter: true}
	case 2:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, DropBefore: true}
	case 3:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, Status: statuses[pick(4)], After: true}
	case 4:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, Status: statuses[pick(4)]}
	case 5:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, TruncateBody: true}
	case 6:
		return sandbox.Fault{Operation: write, Skip: skip, Times: 1, Status: 200, Foreign: "html", After: true}
	case 7:
		return sandbox.Fault{Operation: read, Skip: skip, Times: times, Status: 503}
	case 8:
		return sandbox.Fault{Operation: read, Skip: skip, Times: 1, Other: true}
	case 9:
		return sandbox.Fault{Operation: read, Skip: skip, Times: 1, Foreign: foreign[pick(5)]}
	case 10:
		return sandbox.Fault{Operation: write, Skip: skip, Times: 1, Foreign: foreign[pick(5)]}
	case 11:
		return sandbox.Fault{Skip: pick(40), Silent: true}
	case 12:
		return sandbox.Fault{Skip: pick(40), Outage: tenths(), Status: []int{0, 503}[pick(2)]}
	case 13: // without the organization nothing is sent, and created objects are not lost
		return sandbox.Fault{Operation: "me.get", Skip: skip, Times: 1 + pick(8), Status: []int{403, 500, 503}[pick(3)]}
	case 14:
		return sandbox.Fault{Operation: "me.get", Skip: skip, Times: times, Latency: tenths()}
	default:
		delay := time.Duration(pick(1000)) * time.Millisecond
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, Latency: delay}
	}
}

// runFaults are active while a plan is applied: the request for the token's organization fails or is slow.
var runFaults = []string{"operation=me.get,latency=50ms", "operation=me.get,status=503,times=1",
	"operation=me.get,drop=before,times=2", "operation=me.get,status=403", "operation=me.get,status=200,foreign=html"}

// time advances the clock for a while, or past a date in the configuration.
func (d *draw) time() {
	all := []string{"1h", "25h", "200h", "800h"}
	passed := d.w.service.Sandbox.Clock().Now().Sub(d.w.start)
	for _, address := range slices.Sorted(maps.Keys(d.w.blocks)) {
		for _, date := range dates(d.w.blocks[address].Values) {
			if until := date - passed; until > 0 {
				all = append(all, (until + time.Hour).String())
			}
		}
	}
	d.do(step{Do: doTime, By: pickOne(d, all)})
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
	if address := d.block(d.w.appliedBlocks); address != "" {
		d.do(step{Do: doImport, At: address})
		d.do(step{Do: doRun})
	}
}

// rename renames a record's block, without a moved block.
func (d *draw) rename() {
	names := []string{"billing_finance_record.r", "billing_finance_record.q"}
	for i, from := range names {
		to := names[1-i]
		if _, there := d.w.blocks[from]; there {
			d.do(step{Do: doRename, At: from, To: to})
			d.run()
			return
		}
	}
}

func (d *draw) defaults() {
	all := []object{nil, {"team": "one"}, {"team": "two", "a": "default"}}
	d.do(step{Do: doDefaults, Values: pickOne(d, all)})
}

// addOrRemove removes a block and those that refer to it, or adds one.
func (d *draw) addOrRemove() {
	address := pickOne(d, addresses)
	if !only(address) {
		return
	}
	if _, there := d.w.blocks[address]; !there {
		d.add(address)
		return
	}
	for _, other := range slices.Sorted(maps.Keys(d.w.blocks)) {
		if slices.Contains(refs(d.w.blocks[other].Values), address) {
			return
		}
	}
	d.do(step{Do: doRemove, At: address})
}

// stranger plans with the token of another organization.
func (d *draw) stranger() { d.do(step{Do: doStranger}) }
