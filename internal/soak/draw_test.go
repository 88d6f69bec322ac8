package soak_test

import (
	"maps"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// draw makes up a life while it is lived.
type draw struct {
	*rapid.T
	w   *world
	bad *violation
}

func (d *draw) index(n int, label string) int { return rapid.IntRange(0, n-1).Draw(d.T, label) }

// chance is true once in n; it shrinks to false.
func (d *draw) chance(n int, label string) bool { return d.index(n, label) == n-1 }

func pickOne[V any](d *draw, from []V, label string) V { return from[d.index(len(from), label)] }

// addresses are the blocks that a life may have.
var addresses = []string{"billing_customer.c", "billing_account.a", "billing_subscription.s",
	"billing_webhook_endpoint.e", "billing_api_key.k", "billing_finance_record.r", "billing_customer.d"}

// only are the types that SOAK_ONLY names; all without it.
func only(address string) bool {
	types := os.Getenv("SOAK_ONLY")
	return types == "" || slices.Contains(strings.Split(types, ","), typeOf(address))
}

// begin draws the configuration that a life begins with, and applies it.
func (d *draw) begin() {
	for _, address := range addresses {
		if only(address) && d.chance(2, "with "+address) {
			d.add(address)
		}
	}
	d.do(step{Do: doRun})
}

// add draws a block, and those that it needs.
func (d *draw) add(address string) {
	if _, there := d.w.blocks[address]; there {
		return
	}
	values := object{}
	for _, name := range slices.Sorted(maps.Keys(choices[typeOf(address)])) {
		if slices.Contains(required[typeOf(address)], name) {
			values[name] = named(choices[typeOf(address)][name][0], address)
		} else if slices.Contains(often, name) && d.chance(2, name) || d.chance(4, name) {
			values[name] = named(pickOne(d, choices[typeOf(address)][name], name), address)
		}
	}
	switch typeOf(address) {
	case "billing_account":
		d.add("billing_customer.c")
		values["customer"] = d.customer("billing_customer.c")
	case "billing_subscription":
		d.add("billing_account.a")
		values["billing_account_id"] = object{"$ref": "billing_account.a.id"}
	}
	d.set(step{Do: doSet, At: address, Values: values, Ignore: d.ignore(address)})
}

// customer draws how an account names its customer.
func (d *draw) customer(address string) object {
	names := []string{"id"}
	for _, name := range []string{"external_id", "document_number"} {
		if d.w.blocks[address].Values[name] != nil {
			names = append(names, name)
		}
	}
	name := pickOne(d, names, "reference")
	return object{name: object{"$ref": address + "." + name}}
}

// ignore draws ignore_changes.
func (d *draw) ignore(address string) []string {
	if d.chance(2, "nothing ignored") {
		return nil
	}
	if d.chance(8, "all") {
		return []string{"all"}
	}
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(choices[typeOf(address)])) {
		if name == "deletion_policy" {
			continue
		}
		paths = append(paths, name)
		for range 4 { // That is where others work.
			paths = append(paths, ignorable[name]...)
		}
	}
	return []string{pickOne(d, paths, "ignored")}
}

// set writes a block after it is made possible: what the service documents as impossible is not asked for.
func (d *draw) set(s step) {
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
		d.agree(v)
	case "billing_customer":
		if v["create_billing_account"] == false {
			for _, name := range []string{"billing_email", "payment_terms_days", "auto_collection"} {
				delete(v, name)
			}
		}
		for _, ref := range refs(d.w.blocks["billing_account.a"].Values["customer"]) {
			fields, _ := d.w.blocks["billing_account.a"].Values["customer"].(object)
			for name := range fields {
				if ref == s.At && name != "id" && v[name] == nil {
					v[name] = named(choices["billing_customer"][name][0], s.At)
				}
			}
		}
	}
	d.do(s)
	if account, there := d.w.blocks["billing_account.a"]; there &&
		slices.Contains(refs(account.Values["customer"]), s.At) {
		account.Values = maps.Clone(account.Values)
		d.agree(account.Values)
		if show(account.Values) != show(d.w.blocks[account.At].Values) {
			d.do(account)
		}
	}
}

// agree lets an account say of its customer what the customer's own block says, where both say something.
func (d *draw) agree(v object) {
	for _, address := range refs(v["customer"]) {
		customer := d.w.blocks[address].Values
		for name, list := range map[string]string{"name": "", "email": "emails", "phone": "phones", "address": "addresses"} {
			says := customer[name]
			if all, given := customer[list].([]any); given && says == nil {
				first := append(slices.Clone(all), any(nil))[0]
				says = first
				if contact, isObject := first.(object); isObject && name != "address" {
					says = contact["value"]
				}
				if says == nil {
					delete(v, name)
				}
			}
			if v[name] != nil && says != nil {
				v[name] = says
			}
		}
	}
}

// over ends a life whose promise is broken.
type over struct{}

func (d *draw) do(s step) {
	if d.bad = d.w.do(s); d.bad != nil {
		panic(over{})
	}
}

// live draws steps until one breaks a promise.
func (d *draw) live() (bad *violation) {
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(over); !mine {
				panic(r)
			}
			bad = d.bad
		}
	}()
	d.begin()
	d.Repeat(map[string]func(*rapid.T){
		"change": d.change, "change and run": d.changeAndRun, "foreign": d.foreign,
		"foreign, change and run": d.foreignChangeAndRun, "run": d.run, "time": d.time, "import": d.imports,
		"rename": d.rename, "defaults": d.defaults, "add or remove": d.addOrRemove,
	})
	d.do(step{Do: doRun})
	return nil
}
