package soak_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// driver is Terraform, or what stands in for it.
type driver interface {
	Plan(acctest.Configuration) *acctest.CorePlan
	Apply(p *acctest.CorePlan, createFirst bool) *acctest.CoreApplied
	State(address string) object
	Forget(address string)
}

// world is a sandbox, a configuration and a state.
type world struct {
	t       *testing.T
	service *acctest.Service
	drive   driver
	start   time.Time

	blocks          map[string]step
	defaults        object
	appliedBlocks   map[string]step
	appliedDefaults object
	imports         map[string]string
	// unapplied are the imported objects that no plan has changed since: their first update removes nothing.
	unapplied map[string]bool

	// dirty are the objects that another system has changed since the last apply, marks the keys that are another
	// system's.
	dirty  map[string]bool
	marks  map[string]object
	graces map[string]bool // ids of keys that another system has rotated
	// machine says that the clock of the service goes with that of the machine, a day behind.
	machine bool

	lived []step
	seen  uint64
	// caught says which broken promise ends the life; nil: any does.
	caught func(*violation) bool
}

// counts are what a soak has done.
var counts struct{ lives, real, steps, runs, refused, requests int }

// violation is a promise that was broken.
type violation struct{ what, detail string }

func (v *violation) String() string { return v.what + ": " + v.detail }

var volatile = regexp.MustCompile(`"[^"]*"|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+`)

// kind is the violation less what differs from life to life.
func (v *violation) kind() string {
	text, _, _ := strings.Cut(v.String(), "; it shows")
	if v.what == "bug" {
		text, _, _ = strings.Cut(text, ": was ")
	}
	text, _, _ = strings.Cut(text, "\n")
	text = volatile.ReplaceAllString(text, "…")
	return text[:min(len(text), 160)]
}

func broken(what, format string, arguments ...any) *violation {
	return &violation{what, fmt.Sprintf(format, arguments...)}
}

// do lives one step.
func (w *world) do(s step) *violation {
	return w.ends(w.survive(s))
}

// survive makes a panic of the provider, which runs in this process, a broken promise.
func (w *world) survive(s step) (bad *violation) {
	defer func() {
		if r := recover(); r != nil {
			bad = broken("panic", "%v\n%s", r, debug.Stack())
		}
	}()
	return w.live(s)
}

// ends is a violation that ends the life.
func (w *world) ends(bad *violation) *violation {
	if bad == nil || w.caught != nil && !w.caught(bad) {
		return nil
	}
	return bad
}

func (w *world) live(s step) *violation {
	w.lived = append(w.lived, s)
	counts.steps++
	switch s.Do {
	case doSet:
		w.blocks[s.At] = s
	case doRemove:
		delete(w.blocks, s.At)
	case doDefaults:
		w.defaults = s.Values
	case doForeign:
		w.foreign(s)
	case doTime:
		w.service.Sandbox.Clock().Advance(duration(s.By))
	case doRun:
		return w.run(s)
	case doImport:
		return w.importing(s)
	case doRename:
		if block, there := w.blocks[s.At]; there {
			delete(w.blocks, s.At)
			block.At = s.To
			w.blocks[s.To] = block
		}
	default:
		w.t.Fatalf("no such step: %s", s)
	}
	return nil
}

// rank puts the types in the order in which they refer to each other.
var rank = []string{"billing_customer", "billing_account", "billing_subscription", "billing_webhook_endpoint",
	"billing_api_key", "billing_finance_record"}

// configuration is the whole of it. A block that refers to one that is not there is left out.
func (w *world) configuration(run step) acctest.Configuration {
	c := acctest.Configuration{Defaults: w.defaults, Imports: map[string]string{}, Later: map[string]any{}}
	addresses := slices.SortedFunc(maps.Keys(w.blocks), func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(rank, typeOf(a)), slices.Index(rank, typeOf(b))), cmp.Compare(a, b))
	})
	for _, address := range addresses {
		block := w.blocks[address]
		values, _ := written(block.Values, w.start).(object)
		there := func(ref string) bool {
			return slices.ContainsFunc(c.Blocks, func(b acctest.Block) bool { return b.Address == ref })
		}
		if slices.ContainsFunc(refs(block.Values), func(ref string) bool { return !there(ref) }) {
			continue
		}
		if id, imported := w.imports[address]; imported {
			c.Imports[address] = id
		}
		c.Blocks = append(c.Blocks, acctest.Block{Address: address, Values: values, Ignore: block.Ignore,
			CreateBeforeDestroy: block.CBD})
	}
	for _, path := range run.Later {
		c.Later[path] = nil
	}
	for path, turned := range run.Turns {
		c.Later[path] = written(turned, w.start)
	}
	return c
}

// sent are the requests since it was last asked.
func (w *world) sent() []sandbox.Request {
	var fresh []sandbox.Request
	for _, r := range w.service.Sandbox.Requests() {
		if r.Sequence > w.seen {
			fresh = append(fresh, r)
			w.seen = r.Sequence
		}
	}
	counts.requests += len(fresh)
	return fresh
}

// planned makes a plan, which sends nothing but reads.
func (w *world) planned(c acctest.Configuration) (*acctest.CorePlan, *violation) {
	w.sent()
	p := w.drive.Plan(c)
	for _, r := range w.sent() {
		if r.Method != http.MethodGet {
			return p, broken("a plan changes something", "%s %s", r.Operation, r.Path)
		}
	}
	if at := slices.IndexFunc(p.Errors, isBug); at >= 0 {
		return p, broken("bug", "plan: %s", p.Errors[at])
	}
	return p, nil
}

func isBug(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"bug in the provider", "error in the provider", "inconsistent",
		"unexpected new value", "panic"},
		func(part string) bool { return strings.Contains(lower, part) })
}

// run plans and applies, and holds the one to the other.
func (w *world) run(s step) *violation {
	counts.runs++
	c := w.configuration(s)
	plan, bad := w.planned(c)
	if bad != nil {
		return bad
	}
	if len(plan.Errors) > 0 {
		return w.refused(plan)
	}
	if bad := cmp.Or(w.ends(w.needless(plan, c)), w.ends(w.faithful(plan))); bad != nil {
		return bad
	}
	a := applied{plan: plan, before: map[string]object{}, defaults: [2]object{w.appliedDefaults, w.defaults},
		newIDs: map[string]string{}}
	if s.By != "" {
		w.pass(s.By)
	}
	for _, change := range plan.Changes {
		if change.Action == acctest.Update {
			a.before[change.Address] = w.remote(change.Address, change.Before)
		}
	}
	w.sent()
	done := w.drive.Apply(plan, s.CreateFirst)
	if at := slices.IndexFunc(done.Errors, isBug); at >= 0 {
		return broken("bug", "apply: %s", done.Errors[at])
	}
	for _, b := range c.Blocks {
		if id, _ := w.drive.State(b.Address)["id"].(string); id != "" {
			a.newIDs[id] = b.Address
		}
	}
	requests := w.sent()
	for _, unexplained := range a.explain(requests) {
		if bad := w.ends(broken("not shown", "%s", unexplained)); bad != nil {
			return bad
		}
	}
	if bad := w.ends(w.graceKept(requests, plan)); bad != nil {
		return bad
	}
	if len(done.Errors) > 0 {
		for address := range w.marks {
			if change := plan.Of(address); change == nil || change.Action != acctest.NoOp && change.Action != acctest.Update {
				delete(w.marks, address) // it may be another object by now
			}
		}
		maps.DeleteFunc(w.imports, func(address, _ string) bool { return w.drive.State(address) != nil })
		return w.failed(s, done)
	}
	w.appliedBlocks, w.appliedDefaults = maps.Clone(w.blocks), w.defaults
	imported := w.imports
	w.dirty, w.imports = map[string]bool{}, map[string]string{}
	for address := range imported {
		w.unapplied[address] = true
	}
	// Deferred, because settled below still has to know them.
	defer maps.DeleteFunc(w.unapplied, func(address string, _ bool) bool {
		change := plan.Of(address)
		return change == nil || change.Action != acctest.NoOp
	})
	for path := range s.Turns {
		w.dirty[path[:strings.LastIndexByte(path, '.')]] = true // it has another value than the block says
	}
	return cmp.Or(w.ends(w.foreignKept(plan)), w.settled(s, plan, imported, done))
}

// pass lets time go by between a plan and its apply.
func (w *world) pass(by string) {
	w.service.Sandbox.Clock().Advance(duration(by))
	if w.machine && w.blocks["billing_api_key.k"].Values["rotate_after_days"] != nil {
		time.Sleep(time.Until(w.start.Add(24*time.Hour + 100*time.Millisecond)))
	}
}

// failed judges an apply that failed: nothing is wrong at the service, so only what was not foreseeable in the plan may
// fail.
func (w *world) failed(s step, done *acctest.CoreApplied) *violation {
	if s.By != "" || len(s.Turns) > 0 || failures.MatchString(done.Errors[0]) {
		return nil // The next run has to converge.
	}
	return broken("apply fails", "%s", strings.Join(done.Errors, "\n"))
}

// settled holds the configuration that was applied to an empty plan. The plan after the import of an API key may rotate
// it for its age. A record that existed already, which the apply warns of, may be that of another resource, whose
// import has lost the key.
func (w *world) settled(s step, applied *acctest.CorePlan, imported map[string]string,
	done *acctest.CoreApplied) *violation {
	if s.By != "" || len(s.Turns) > 0 {
		return nil
	}
	next, bad := w.planned(w.configuration(step{}))
	if bad != nil {
		return bad
	}
	if len(next.Errors) > 0 {
		return broken("next plan fails", "%s", strings.Join(next.Errors, "\n"))
	}
	for _, change := range next.Changes {
		due := imported[change.Address] != "" && w.blocks[change.Address].Values["rotate_after_days"] != nil
		fights := fight(next) && slices.Contains([]string{"billing_customer", "billing_account"}, typeOf(change.Address))
		shared := typeOf(change.Address) == "billing_finance_record" &&
			slices.ContainsFunc(done.Warnings, func(text string) bool {
				return strings.Contains(text, "The record existed already")
			})
		// The first apply after an import removes nothing, and that after it does.
		removes := w.unapplied[change.Address] && w.blocks[change.Address].Values["custom_metadata_mode"] == "replace"
		// An account that ignore_changes leaves with a customer that is deleted is closed with it.
		closed := typeOf(change.Address) == "billing_account" && change.Action == acctest.Create &&
			slices.ContainsFunc(applied.Changes, func(c *acctest.Change) bool {
				return typeOf(c.Address) == "billing_customer" && c.Action == acctest.Delete
			})
		// An account that was imported leaves its customer's data to the customer, which the same run changes.
		follows := typeOf(change.Address) == "billing_account" && imported[change.Address] != "" && followsCustomer(applied)
		if change.Action != acctest.NoOp && !due && !fights && !shared && !removes && !closed && !follows {
			shown := differences(change.Before, change.After, "")
			return broken("next plan is not empty", "%s %s: %s\n%v", change.Action, change.Address, top(shown), shown)
		}
	}
	return nil
}

// top names the arguments in which something differs.
func top(all []difference) string {
	names := map[string]bool{}
	for _, d := range all {
		name, _, _ := strings.Cut(d.path, ".")
		names[name] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// foreignKept looks after the keys that are another system's.
func (w *world) foreignKept(plan *acctest.CorePlan) *violation {
	for address, keys := range w.marks {
		change := plan.Of(address)
		if change == nil || change.Action != acctest.NoOp && change.Action != acctest.Update ||
			w.blocks[address].Values["custom_metadata_mode"] == "replace" {
			delete(w.marks, address)
			continue
		}
		now := w.remote(address, w.drive.State(address))
		for path, v := range keys {
			if !same(deep(now, path), v) {
				return broken("foreign key", "%s: %s was %s and is %s", address, path, show(v), show(deep(now, path)))
			}
		}
	}
	return nil
}
