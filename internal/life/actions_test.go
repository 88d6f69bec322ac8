package life

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// block draws one of the blocks; "" if there are none.
func (d *draw) block(of map[string]step) string {
	all := slices.Sorted(maps.Keys(of))
	if len(all) == 0 {
		return ""
	}
	return pickOne(d, all, "block")
}

// often lists arguments that many others depend on. They are drawn more often.
var often = []string{"body", "cancel_at_period_end", "cancellation_reason", "collection_method", "custom_metadata",
	"expires_at", "grace_period_days", "items", "nfe_issuance_policy", "notes", "pause", "plan_id", "rotate_after_days"}

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
	for range 1 + d.index(3, "changes") {
		name := pickOne(d, names, "argument")
		from := choices[typeOf(address)][name]
		n := d.index(len(from)+1, name)
		if n < len(from) {
			s.Values[name] = named(from[n], address)
		} else if !slices.Contains(required[typeOf(address)], name) {
			delete(s.Values, name)
		}
	}
	if typeOf(address) == "billing_subscription" && d.chance(5, "another pricing") {
		delete(s.Values, "plan_id")
		delete(s.Values, "items")
		name := pickOne(d, []string{"plan_id", "items"}, "pricing")
		s.Values[name] = choices[typeOf(address)][name][1]
	}
	if typeOf(address) == "billing_account" && d.chance(4, "reference") {
		customers := []string{"billing_customer.c"}
		if _, there := d.w.blocks["billing_customer.d"]; there {
			customers = append(customers, "billing_customer.d")
		}
		s.Values["customer_id"] = object{"$ref": pickOne(d, customers, "customer") + ".id"}
	}
	if d.chance(4, "other ignore_changes") {
		s.Ignore = d.ignore(address)
	}
	d.set(s)
}

func (d *draw) changeAndRun() {
	d.change()
	d.run()
}

func (d *draw) foreignChangeAndRun() {
	address := d.block(d.w.appliedBlocks)
	about := d.foreignTo(address)
	if d.chance(3, "see it first") {
		d.run()
	}
	if s, there := d.w.blocks[address]; there && about != "" && d.chance(2, "the same argument") {
		s.Values = maps.Clone(s.Values)
		s.Values[about] = named(pickOne(d, choices[typeOf(address)][about], about), address)
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
		{What: "patch", Body: object{"note": "foreign"}}, {What: "delete"}},
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
	n := d.index(len(all)+4, "foreign")
	var s step
	switch {
	case n < len(all):
		s = all[n]
	case metadata && n%2 == 0:
		s = step{What: "patch",
			Body: object{"custom_metadata": object{foreignPrefix + fmt.Sprint(d.index(3, "key")): d.index(5, "value")},
				"custom_metadata_mode": "merge"}}
	case metadata:
		s = step{What: "patch",
			Body: object{"custom_metadata": object{"a": "foreign", "b": object{"c": "foreign", foreignPrefix + "in": "foreign"}},
				"custom_metadata_mode": "merge"}}
	case typeOf(address) == "billing_finance_record":
		s = step{What: "patch", Body: object{foreignPrefix + fmt.Sprint(d.index(3, "key")): d.index(5, "value")}}
	default:
		s = all[0]
	}
	s.Do, s.At = doForeign, address
	d.do(s)
	names := append(slices.Sorted(maps.Keys(s.Body)), s.What, "body")
	at := slices.IndexFunc(names, func(name string) bool { return choices[typeOf(address)][name] != nil })
	if at < 0 {
		return ""
	}
	return names[at]
}

// run plans and applies; arguments may be known only after apply, and time may pass in between.
func (d *draw) run() {
	s := step{Do: doRun, CreateFirst: d.chance(3, "create first")}
	if d.chance(3, "later") {
		for range 1 + d.index(2, "how many") {
			address := d.block(d.w.blocks)
			if address == "" {
				break
			}
			values := d.w.blocks[address].Values
			name := pickOne(d, slices.Sorted(maps.Keys(values)), "later argument")
			if d.chance(5, "turns") && choices[typeOf(address)][name] != nil {
				s.Turns = object{address + "." + name: named(pickOne(d, choices[typeOf(address)][name], name), address)}
			} else {
				s.Later = append(s.Later, address+"."+name)
			}
		}
	}
	if d.chance(6, "time between") || d.w.blocks["billing_api_key.k"].Values["rotate_after_days"] == 1 &&
		d.chance(2, "until it is due") {
		s.By = pickOne(d, []string{"25h", "1h"}, "by")
	}
	if d.chance(8, "fault") {
		s.Fault = pickOne(d, runFaults, "which fault")
	} else {
		s.Meets = d.meetings()
	}
	d.do(s)
}

// meetings draws the misfortunes of a run.
func (d *draw) meetings() (all []meeting) {
	if d.w.net == nil || d.chance(3, "no misfortune") {
		return nil
	}
	for range 1 + d.index(3, "misfortunes") {
		all = append(all, d.meeting())
	}
	return all
}

// requests is the number of requests that most runs have.
const requests = 10

// meeting draws a misfortune of a run.
func (d *draw) meeting() meeting {
	nth, ours := d.index(requests, "request"), writes
	if address := d.block(d.w.blocks); address != "" {
		create := evidence.KindOf(typeOf(address)).Create
		family := strings.TrimSuffix(create, "create")
		ours = slices.DeleteFunc(slices.Clone(writes), func(name string) bool { return !strings.HasPrefix(name, family) })
		if d.w.drive.State(address) == nil {
			ours = []string{create}
		}
	}
	write := pickOne(d, ours, "write")
	switch d.index(16, "misfortune") {
	case 0:
		return meeting{Nth: nth, Kill: true}
	case 1:
		return meeting{Of: write, Nth: d.index(2, "request"), Kill: true}
	case 2:
		return meeting{Of: write, Interrupt: true, Fault: pickOne(d, []string{"", "latency=20s", "status=503,after"}, "and")}
	case 3:
		return meeting{Of: write, Fault: pickOne(d, []string{"status=504,late=3m", "drop=before,late=12s"}, "later")}
	case 4:
		return meeting{Nth: nth, Times: 1 + d.index(8, "storm"), Fault: pickOne(d, []string{"status=429,retry-after=7",
			"status=429", "status=429,retry-after=date:30s"}, "429")}
	case 5:
		return meeting{Nth: nth, Times: 1 + d.index(20, "requests"), Fault: pickOne(d, []string{"lag=2s", "lag=9s"}, "lag")}
	case 6:
		if address := d.block(d.w.blocks); address != "" {
			foreign := pickOne(d, append([]step{{What: "resemble"}}, foreigners[typeOf(address)]...), "foreign")
			foreign.Do, foreign.At = doForeign, address
			return meeting{Nth: nth, Then: &foreign}
		}
	case 7:
		return meeting{Of: write, Twice: slices.Contains(repeated, write)}
	case 8:
		return meeting{Nth: nth, Times: 1000, Fault: "status=401,code=invalid_token"} // the token is revoked
	case 9:
		return meeting{Nth: nth, Times: 1 + d.index(20, "requests"),
			Date: pickOne(d, []string{"none", "31s", "-31s", "26h", "-26h"}, "date")}
	}
	fault := acctest.Misfortune(d.IntN, write, pickOne(d, acctest.Reads, "read"), time.Minute)
	m := meeting{Of: fault.Operation, Nth: fault.Skip % requests, Times: fault.Times}
	fault.Operation, fault.Skip, fault.Times = "", 0, 0
	m.Fault = fault.String()
	return m
}

// writes lists the operations that change something. repeated are those that a proxy may repeat.
var writes, repeated = func() (all, again []string) {
	for _, o := range sandbox.Operations() {
		if o.Method != http.MethodGet {
			all = append(all, o.Name)
		}
		if o.Method == http.MethodPatch || o.Method == http.MethodPut || o.Method == http.MethodDelete {
			again = append(again, o.Name)
		}
	}
	return all, again
}()

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
	d.do(step{Do: doTime, By: pickOne(d, all, "by")})
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
	d.do(step{Do: doDefaults, Values: pickOne(d, all, "defaults")})
}

// addOrRemove removes a block and those that refer to it, or adds one.
func (d *draw) addOrRemove() {
	address := pickOne(d, addresses, "block")
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
