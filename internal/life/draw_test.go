package life

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// draw generates a life while it runs.
type draw struct {
	*rand.Rand
	w   *world
	bad *violation
}

// chance is true once in n draws.
func (d *draw) chance(n int) bool { return d.IntN(n) == n-1 }

func pickOne[V any](d *draw, from []V) V { return from[d.IntN(len(from))] }

// addresses lists the blocks that a life may have.
var addresses = []string{"billing_customer.c", "billing_account.a", "billing_subscription.s",
	"billing_webhook_endpoint.e", "billing_api_key.k", "billing_finance_record.r", "billing_customer.d"}

// only reports whether -only includes a block.
func only(address string) bool {
	return *soakOnly == "" || slices.Contains(strings.Split(*soakOnly, ","), typeOf(address))
}

// begin draws the first configuration of a life, and applies it.
func (d *draw) begin() {
	for range 1 + d.IntN(3) { // a misfortune concerns few objects, and small lives are fast
		if address := pickOne(d, addresses); only(address) {
			d.add(address)
		}
	}
	d.do(step{Do: doRun, Meets: d.meetings()})
}

// add draws a block, and those it refers to.
func (d *draw) add(address string) {
	if _, there := d.w.blocks[address]; there {
		return
	}
	values := object{}
	for _, name := range slices.Sorted(maps.Keys(choices[typeOf(address)])) {
		if slices.Contains(required[typeOf(address)], name) {
			values[name] = named(choices[typeOf(address)][name][0], address)
		} else if slices.Contains(often, name) && d.chance(2) || d.chance(4) {
			values[name] = named(pickOne(d, choices[typeOf(address)][name]), address)
		}
	}
	switch typeOf(address) {
	case "billing_account":
		d.add("billing_customer.c")
		values["customer_id"] = object{"$ref": "billing_customer.c.id"}
	case "billing_subscription":
		d.add("billing_account.a")
		values["billing_account_id"] = object{"$ref": "billing_account.a.id"}
	}
	d.set(step{Do: doSet, At: address, Values: values, Ignore: d.ignore(address)})
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
func (d *draw) set(s step) {
	if d.w.rewords != "" {
		s.Values, _ = wordy(s.Values).(object)
	}
	v := s.Values
	switch typeOf(s.At) {
	case "billing_subscription":
		items, _ := v["items"].([]any)
		if v["plan_id"] == nil && len(items) == 0 {
			v["plan_id"] = uuids[0]
		}
		if v["trial_end"] != nil {
			delete(v, "trial_period_days")
		}
	case "billing_account":
		if v["status"] == nil {
			delete(v, "status_reason")
		}
	case "billing_customer":
		if v["create_billing_account"] == false {
			for _, name := range []string{"billing_email", "payment_terms_days", "auto_collection"} {
				delete(v, name)
			}
		}
		for one, list := range map[string]string{"email": "emails", "phone": "phones"} {
			if v[list] != nil {
				delete(v, one)
			}
		}
	case "billing_api_key":
		if v["expires_after_days"] != nil {
			delete(v, "expires_at")
			if v["grace_period_days"] == nil {
				v["grace_period_days"] = 3 // the default is longer than the shortest lifetime
			}
		}
	}
	d.do(s)
}

// lifeLength is the number of actions of a life.
const lifeLength = 14

// over ends a life after a violation.
type over struct{}

func (d *draw) do(s step) {
	if d.bad = d.w.do(s); d.bad != nil {
		panic(over{})
	}
}

// live draws steps until one violates an invariant.
func (d *draw) live(clock string) (bad *violation) {
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(over); !mine {
				panic(r)
			}
			bad = d.bad
		}
	}()
	if clock != "" && d.w.net != nil {
		d.do(step{Do: doClock, By: clock})
	}
	d.begin()
	actions := []func(){d.change, d.changeAndRun, d.operate, d.operate, d.operate, d.foreign, d.foreignChangeAndRun,
		d.run, d.time, d.imports, d.rename, d.defaults, d.addOrRemove, d.stranger}
	for range lifeLength {
		pickOne(d, actions)()
	}
	if d.chance(2) {
		d.do(step{Do: doCopy})
	}
	d.do(step{Do: doRun})
	return nil
}
