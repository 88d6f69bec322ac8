package life

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// world is a stage with a configuration whose blocks are added and removed.
type world struct {
	stage

	counts counts
	net    *network         // nil for Terraform itself
	here   *acctest.Service // with the provider's token
	start  time.Time
	// rewords is how the service stores texts otherwise than they are sent.
	rewords string

	blocks        map[string]step
	nowDefaults   object
	appliedBlocks map[string]step
	imports       map[string]string
	imported      map[string]bool // ids of objects that were imported: their secrets are unknown
	// unapplied lists imported objects without a change since: their first update removes nothing.
	unapplied map[string]bool

	// dirty lists the objects that another system has changed since the last apply.
	dirty      map[string]bool
	resembling map[string]string // objects of other systems that look like ours, by path, as they were created
	others     map[string]bool   // ids of objects that other systems have rotated or created
	graces     map[string]bool   // ids of keys that another system has rotated
	// contacts are the entries of lists that another system has added: address, list and value at the service.
	contacts map[string]map[string]string
	later    int // incremented by every run with a value that is known only after apply
	other    string
	// unbound is set when an apply could not determine the token's organization, so objects may lack theirs.
	unbound bool
	// calm is set while nothing has changed since an empty plan, at the service or in the configuration.
	calm bool
	// shared is set when a creation returned an existing record, as the apply has said. Both addresses of that record
	// change it, or its key belongs to another body, and the life ends.
	shared bool

	lived []step
	// caught selects the violations that end the life; nil: any.
	caught func(*violation) bool
}

// counts counts what a soak has done; runs are cycles of a plan and an apply.
type counts struct{ lives, real, steps, runs, refused, requests, copies, met int }

// total is the sum of all lives of a soak.
var total struct {
	sync.Mutex
	counts
}

func (c *counts) add(of counts) {
	c.lives, c.real, c.steps, c.runs = c.lives+of.lives, c.real+of.real, c.steps+of.steps, c.runs+of.runs
	c.refused, c.requests = c.refused+of.refused, c.requests+of.requests
	c.copies, c.met = c.copies+of.copies, c.met+of.met
}

func (c counts) String() string {
	return fmt.Sprintf("%d lives (%d through Terraform), %d steps, %d runs (%d refused), %d requests, %d misfortunes, "+
		"%d copies", c.lives, c.real, c.steps, c.runs, c.refused, c.requests, c.met, c.copies)
}

// do runs one step.
func (w *world) do(s step) *violation {
	if w.shared {
		return nil
	}
	return w.ends(w.survive(s))
}

// survive turns a panic of the provider, which runs in this process, into a violation.
func (w *world) survive(s step) (bad *violation) {
	defer func() {
		if r := recover(); r != nil {
			bad = broken("panic", "%v\n%s", r, debug.Stack())
		}
	}()
	return w.live(s)
}

// ends returns a violation if it ends the life.
func (w *world) ends(bad *violation) *violation {
	if bad == nil || w.caught != nil && !w.caught(bad) {
		return nil
	}
	return bad
}

func (w *world) live(s step) *violation {
	w.lived = append(w.lived, s)
	w.counts.steps++
	if s.Do != doRun && s.Do != doStranger && s.Do != doCopy {
		w.calm = false
	}
	switch s.Do {
	case doSet:
		w.blocks[s.At] = s
	case doRemove:
		delete(w.blocks, s.At)
	case doDefaults:
		w.nowDefaults = s.Values
	case doForeign:
		w.foreign(s)
	case doTime:
		w.pass(duration(s.By))
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
	case doStranger:
		return w.stranger()
	case doCopy:
		return w.copied()
	case doClock:
		w.service.Sandbox.Clock().Advance(duration(s.By))
		w.start = w.start.Add(duration(s.By))
	case doRewords: // the service does it from the start
	default:
		w.t.Fatalf("unknown step: %s", s)
	}
	return nil
}

// pass lets time pass. With Terraform itself, only the clock of the service goes on.
func (w *world) pass(d time.Duration) {
	if w.net != nil {
		w.net.pass(d)
		return
	}
	w.service.Sandbox.Clock().Advance(d)
}

// rank is the position of a type in the order of references.
func rank(typeName string) int {
	return slices.IndexFunc(evidence.Kinds(), func(k evidence.Kind) bool { return k.Type == typeName })
}

// configuration returns the whole configuration. A block with a reference to a missing one is omitted.
func (w *world) configuration(run step) acctest.Configuration {
	if len(run.Later)+len(run.Turns) > 0 {
		w.later++
	}
	text := fmt.Sprintf("resource \"terraform_data\" \"later\" {\n  input = \"%d\"\n}\n", w.later)
	if w.nowDefaults != nil {
		text += fmt.Sprintf("provider \"billing\" {\n  default_custom_metadata = %s\n}\n", expression(w.nowDefaults, w.start))
	}
	addresses := slices.SortedFunc(maps.Keys(w.blocks), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(typeOf(a)), rank(typeOf(b))), cmp.Compare(a, b))
	})
	written := map[string]bool{}
	for _, address := range addresses {
		block := w.blocks[address]
		if slices.ContainsFunc(refs(block.Values), func(ref string) bool { return !written[ref] }) {
			continue
		}
		written[address] = true
		text += w.block(block, run)
		if id, imported := w.imports[address]; imported {
			text += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, id)
		}
	}
	c, err := parse(text, nil)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, text)
	}
	if w.net != nil {
		c.Provider["retry_timeout"] = "5m" // the default; other tests have a shorter one
	}
	return c
}

// block returns a block of the configuration.
func (w *world) block(block step, run step) string {
	typeName, name, _ := strings.Cut(block.At, ".")
	text := fmt.Sprintf("resource %q %q {\n", typeName, name)
	for _, argument := range slices.Sorted(maps.Keys(block.Values)) {
		value := expression(block.Values[argument], w.start)
		path := block.At + "." + argument
		if turned, turns := run.Turns[path]; turns {
			value = `terraform_data.later.output == "" ? null : ` + expression(turned, w.start)
		} else if slices.Contains(run.Later, path) {
			value = `terraform_data.later.output == "" ? null : ` + value
		}
		text += fmt.Sprintf("  %s = %s\n", argument, value)
	}
	text += "  lifecycle {\n"
	if slices.Contains(block.Ignore, "all") {
		text += "    ignore_changes = all\n"
	} else if len(block.Ignore) > 0 {
		text += "    ignore_changes = [" + strings.Join(block.Ignore, ", ") + "]\n"
	}
	return text + fmt.Sprintf("    create_before_destroy = %t\n  }\n}\n", block.CBD)
}

// run plans and applies, and compares the two.
func (w *world) run(s step) *violation {
	w.counts.runs++
	w.pass(w.rest(s))
	c := w.configuration(s)
	existed := w.expect(s.Meets)
	defer w.expect(nil)
	plan, sent, bad := w.planned(c)
	w.counts.requests += len(sent)
	if bad = cmp.Or(bad, w.ends(w.forgotten(plan)), w.ends(w.quiet(plan, s))); bad != nil {
		return bad
	}
	if b := w.trouble(existed, s); b != nil && len(plan.Errors) > 0 {
		b.says(plan.Errors, plan.Warnings)
		return w.recover(b)
	} else if len(plan.Errors) > 0 {
		return w.refused(plan)
	} else if bad := cmp.Or(w.ends(w.needless(plan, s)), w.ends(w.faithful(plan, s))); b == nil && bad != nil {
		return bad
	}
	if s.By != "" {
		w.pass(duration(s.By))
	}
	if s.OtherToken {
		return w.mistaken(plan, s)
	}
	had := w.appliedBlocks
	before, keys := w.remotes(plan, "billing_subscription"), w.remotes(plan, "billing_api_key")
	for address, kept := range w.contacts { // this run may end before it can be judged
		maps.DeleteFunc(kept, func(list, _ string) bool {
			return w.blocks[address].Values[list] != nil || s.Turns[address+"."+list] != nil
		})
	}
	began, last := w.service.Sandbox.Clock().Now(), w.seen
	done, requests, all := w.disturbed(plan, s)
	w.counts.requests += len(requests)
	for _, bad := range all {
		switch bad := w.ends(bad); {
		case bad == nil:
		case bad.what == "bug" && w.killed(): // nobody sees what a killed run says
		case bad.what == "not shown" && overtaken(s.Meets):
		default:
			return bad
		}
	}
	if bad := w.ends(w.graceKept(requests, plan)); bad != nil {
		return bad
	}
	if b := w.trouble(existed, s); b != nil {
		for _, change := range plan.Changes {
			if mode := change.After["custom_metadata_mode"]; mode == "replace" || mode == any(acctest.Unknown) {
				delete(w.marks, change.Address) // the plan says that it removes the keys, perhaps late
			}
		}
		b.says(plan.Warnings)
		if !b.killed {
			b.says(done.Errors, done.Warnings)
		}
		b.had, b.since = w.states(), last
		if bad := w.ends(w.received(b, requests).after(b)); bad != nil {
			return bad
		}
		if w.finished(plan, done); w.shared {
			return nil
		}
		w.follow(b, done.Errors)
		return w.recover(b)
	}
	w.expect(nil) // the rest is not disturbed
	if bad := w.ends(w.stateHas(requests)); bad != nil {
		return bad
	}
	imported := w.finished(plan, done)
	if w.shared {
		return nil
	} else if len(done.Errors) > 0 {
		return w.failed(s, done, began)
	}
	// Deferred, because settled below still needs them.
	defer maps.DeleteFunc(w.unapplied, func(address string, _ bool) bool {
		change := plan.Of(address)
		return change == nil || change.Action != acctest.NoOp &&
			len(differences(change.Before["custom_metadata"], w.drive.State(address)["custom_metadata"], "")) > 0
	})
	w.turned(s)
	return cmp.Or(w.ends(w.foreignKept(plan)), w.ends(w.contactsKept(plan, had, s)), w.ends(w.oldKeys(plan, keys)),
		w.ends(w.linesKept(before, s)), w.settled(s, plan, imported))
}

// turned marks the objects for which a run had a value that differs from the block.
func (w *world) turned(run step) {
	for path := range run.Turns {
		w.dirty[path[:strings.LastIndexByte(path, '.')]] = true
	}
}

// rest is the time between two runs. In less than a minute, nothing proves that a record was deleted if its key is used
// again; but reads that lag show what another run has just written. What another system has just written can be lost.
func (w *world) rest(s step) time.Duration {
	isRecord := func(at string) bool { return typeOf(at) == "billing_finance_record" }
	if len(w.dirty) == 0 &&
		slices.ContainsFunc(s.Meets, func(m meeting) bool { return strings.HasPrefix(m.Fault, "lag=") }) &&
		!slices.ContainsFunc(slices.Concat(slices.Collect(maps.Keys(w.blocks)), w.drive.Addresses()), isRecord) {
		return time.Second
	}
	return time.Minute
}

// overtaken reports whether another system may change an object between a read that lags and a write.
func overtaken(meets []meeting) bool {
	return slices.ContainsFunc(meets, func(m meeting) bool { return m.Then != nil }) &&
		slices.ContainsFunc(meets, func(m meeting) bool { return strings.HasPrefix(m.Fault, "lag=") })
}

// killed reports whether the run was killed.
func (w *world) killed() bool {
	if w.net == nil {
		return false
	}
	_, killed := w.net.happened()
	return killed
}

// expect sets what the run meets, and returns the ids of the objects that exist before it.
func (w *world) expect(meets []meeting) map[string]bool {
	if w.net == nil {
		return nil
	}
	w.net.expect(meets)
	core, _ := w.drive.(*acctest.Core)
	core.Killed, core.Interrupted = w.net.killed, w.net.interrupt
	existed := map[string]bool{}
	if len(meets) > 0 {
		for id := range w.alive() {
			existed[id] = true
		}
	}
	return existed
}

// finished records the end of an apply, and returns the imports that it has made.
func (w *world) finished(plan *acctest.CorePlan, done *acctest.CoreApplied) (imported map[string]string) {
	w.shared = w.shared || slices.ContainsFunc(done.Warnings, func(text string) bool {
		return strings.Contains(text, "may already have existed")
	}) || slices.ContainsFunc(done.Errors, w.keyTaken)
	for address, id := range w.imports {
		w.imported[id] = w.drive.State(address) != nil
	}
	for address := range w.marks {
		if change := plan.Of(address); change == nil || change.Action != acctest.NoOp && change.Action != acctest.Update {
			delete(w.marks, address) // it may now be another object
		}
	}
	if len(done.Errors) > 0 {
		maps.DeleteFunc(w.imports, func(address, _ string) bool { return w.drive.State(address) != nil })
		for _, change := range plan.Changes {
			if change.Action != acctest.NoOp {
				w.dirty[change.Address] = true // part of the apply may have been done
			}
		}
		return nil
	}
	w.appliedBlocks, w.defaults = maps.Clone(w.blocks), w.nowDefaults
	imported = w.imports
	w.dirty, w.imports = map[string]bool{}, map[string]string{}
	for address := range imported {
		w.unapplied[address] = true
	}
	return imported
}

// disturbed applies a plan while the fault of a step is active.
func (w *world) disturbed(plan *acctest.CorePlan, s step) (*acctest.CoreApplied, []sandbox.Request, []*violation) {
	if w.unbound = w.unbound || s.Fault != ""; s.Fault != "" {
		fault, err := sandbox.ParseFault(s.Fault)
		if err != nil {
			w.t.Fatal(err)
		}
		w.service.Sandbox.AddFault(fault)
		defer w.service.Sandbox.ClearFaults()
	}
	done, sent, bad := w.carried(plan, w.nowDefaults, s.CreateFirst)
	if s.Fault == "" && done != nil && len(done.Errors) == 0 {
		w.unbound = false
	}
	return done, sent, bad
}

// failed checks an apply that failed: the service works, so only errors that the plan could not foresee are allowed.
func (w *world) failed(s step, done *acctest.CoreApplied, began time.Time) *violation {
	wrong := slices.ContainsFunc(done.Errors, func(text string) bool {
		return !failures.MatchString(text) && !w.heldBefore(text, began) && !w.movedLater(text, s) && !w.unsendable(text)
	})
	if !wrong || s.By != "" || len(s.Turns) > 0 || s.Fault != "" {
		return nil // The next run must converge.
	}
	return broken("apply fails", "%s", strings.Join(done.Errors, "\n"))
}

var takenBy = regexp.MustCompile(`the external_id is taken: Another object \(id (\S+)\)`)

// heldBefore reports whether an error says that an external_id is taken, by an object that is older than the apply: one
// that was abandoned, or runs to the end of its period.
func (w *world) heldBefore(text string, began time.Time) bool {
	found := takenBy.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	address := addressOf(text)
	created, _ := w.remote(address, object{"id": found[1]})["created_at"].(string)
	at, err := time.Parse(time.RFC3339, created)
	return err == nil && at.Before(began)
}

// settled checks that the plan after an apply is empty. After the import of an API key it may rotate the key because of
// its age. An existing record that a creation returned, with a warning, may belong to another resource whose import has
// lost the key.
func (w *world) settled(s step, applied *acctest.CorePlan, imported map[string]string) *violation {
	if s.By != "" || len(s.Turns) > 0 {
		return nil
	}
	next, sent, bad := w.planned(w.configuration(step{}))
	if bad = cmp.Or(bad, w.forgotten(next), w.frugal(next, sent)); bad != nil {
		return bad
	}
	for _, text := range next.Errors {
		// The next plan may reject a value that was unknown in the first.
		if len(s.Later) == 0 || !refusals.MatchString(text) && !w.keptBoth(text) {
			return broken("next plan fails", "%s", text)
		}
	}
	if len(next.Errors) > 0 {
		return nil
	}
	w.calm = true
	for _, change := range next.Changes {
		w.calm = w.calm && change.Action == acctest.NoOp
		values := w.blocks[change.Address].Values
		announced := slices.ContainsFunc(applied.Warnings, func(text string) bool {
			return strings.HasPrefix(text, change.Address+":") && strings.Contains(text, "The next plan creates it")
		})
		due := imported[change.Address] != "" && (values["rotate_after_days"] != nil || announced ||
			w.lifetime(change.Address))
		shared := typeOf(change.Address) == "billing_finance_record" && w.shared
		// The first apply after an import removes nothing, but the next one does.
		removes := w.unapplied[change.Address] && values["custom_metadata_mode"] == "replace"
		// If ignore_changes keeps an account with its deleted customer, it is closed with the customer.
		closed := typeOf(change.Address) == "billing_account" && change.Action == acctest.Create &&
			slices.ContainsFunc(applied.Changes, func(c *acctest.Change) bool {
				return typeOf(c.Address) == "billing_customer" && c.Action == acctest.Delete
			})
		if change.Action != acctest.NoOp && !due && !shared && !removes && !closed {
			shown := differences(change.Before, change.After, "")
			return broken("next plan is not empty", "%s %s: %s\n%v", change.Action, change.Address, top(shown), shown)
		}
	}
	return nil
}

// lifetime reports whether the key of a block may have a lifetime, which the service does not return.
func (w *world) lifetime(address string) bool {
	block := w.blocks[address]
	return block.Values["expires_after_days"] != nil || slices.Contains(block.Ignore, "expires_after_days")
}

// frugal checks the number of requests of a plan without changes: the guide on performance promises one per object, one
// for the items of a subscription, and three.
func (w *world) frugal(plan *acctest.CorePlan, sent []sandbox.Request) *violation {
	most := 3
	for _, change := range plan.Changes {
		if change.Action != acctest.NoOp {
			return nil
		}
		if previous, _ := change.Before["previous_keys"].([]any); typeOf(change.Address) != "terraform_data" {
			most += 1 + len(previous)
		}
		if typeOf(change.Address) == "billing_subscription" {
			most++
		}
	}
	if len(plan.Errors) > 0 || len(sent) <= most {
		return nil
	}
	var operations []string
	for _, r := range sent {
		operations = append(operations, r.Operation)
	}
	return broken("requests", "an empty plan sent %d, not at most %d: %v", len(sent), most, operations)
}

// stranger plans with the token of another organization. If the state has objects of recurring billing, that is one
// error that names both organizations. A plan that already fails does not report it.
func (w *world) stranger() *violation {
	right, _, bad := w.planned(w.configuration(step{}))
	if bad != nil || len(right.Errors) > 0 || len(w.imports) > 0 { // an import fails before the refresh
		return bad
	}
	bound := slices.ContainsFunc(w.drive.Addresses(), func(address string) bool {
		state := w.drive.State(address)
		return evidence.KindOf(typeOf(address)).Unique == "external_id" && w.remote(address, state) != nil
	})
	w.pass(acctest.ReadLag)
	back := w.elsewhere()
	plan, _, bad := w.planned(w.configuration(step{}))
	back()
	const says = "The token belongs to organization"
	switch {
	case bad != nil:
		return bad
	case bound && !w.unbound && (len(plan.Errors) != 1 || !strings.Contains(plan.Errors[0], says)):
		return broken("another organization", "%d errors: %s\n%v", len(plan.Errors), strings.Join(plan.Errors, "\n"),
			changesOf(plan))
	}
	return nil
}

// elsewhere gives the provider the token of another organization until back is called.
func (w *world) elsewhere() (back func()) {
	if w.other == "" {
		w.other, _ = w.service.OtherToken()
	}
	w.here.Token = w.other
	w.renew()
	return func() {
		w.here.Token = w.service.Token
		w.renew()
	}
}

// mistaken applies a plan with the token of another organization of recurring billing: nothing of this one changes, and
// nothing is lost. What the apply creates is in the other one; the user removes it from the state.
func (w *world) mistaken(plan *acctest.CorePlan, s step) *violation {
	b := &trouble{before: map[string]bool{}, since: w.seen, run: s}
	before := w.alive()
	for id := range before {
		b.before[id] = true
	}
	back := w.elsewhere()
	done, _, all := w.carried(plan, w.nowDefaults, s.CreateFirst)
	back()
	for _, bad := range all {
		if bad := w.ends(bad); bad != nil {
			return bad.after(b)
		}
	}
	b.says(plan.Warnings, done.Errors, done.Warnings)
	w.finished(plan, done)
	ofBilling := func(kind any) bool { return evidence.KindOf(fmt.Sprint(kind)).Service == "billing" }
	now := w.alive()
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if o := before[id]; ofBilling(o["kind"]) && !same(o, now[id]) {
			return w.ends(broken("another token", "%s was %s and is now %s", id, show(o), show(now[id])).after(b))
		}
	}
	for _, change := range plan.Changes {
		state := w.drive.State(change.Address)
		id, _ := state["id"].(string)
		switch had, _ := change.Before["id"].(string); {
		case !ofBilling(typeOf(change.Address)):
		case state == nil && had != "" && before[had] != nil && change.Before["deletion_policy"] != "abandon" && !w.unbound:
			return w.ends(broken("lost", "%s %s is not in the state: %s", change.Address, had, show(done.Errors)).after(b))
		case state != nil && !b.before[id]:
			w.drive.Forget(change.Address)
		}
	}
	return w.recover(b)
}

// renew sets the token for Terraform itself.
func (w *world) renew() {
	if genuine, isTerraform := w.drive.(*terraform); isTerraform {
		genuine.At(w.here)
	}
}

// foreign changes an object as another system does; the service may reject it.
func (w *world) foreign(s step) {
	if s.What == "resemble" {
		w.resemble(s.At)
		return
	}
	state := w.drive.State(s.At)
	if state == nil {
		return
	}
	path := pathOf(s.At, state)
	body, _ := timed(s.Body, w.start).(object)
	if s.Body == nil {
		body = object{}
	}
	method := http.MethodPost
	switch s.What {
	case "patch":
		method = http.MethodPatch
	case "delete":
		method = http.MethodDelete
	case "contact":
		method = http.MethodPatch
		for list, value := range body {
			before, _ := w.remote(s.At, state)[list].([]any)
			body = object{list: append(slices.Clone(before), object{"value": value})}
		}
	case "deepen":
		method = http.MethodPatch
		deep, _ := w.remote(s.At, state)["deep"].(object)
		if deep = maps.Clone(deep); deep == nil {
			deep = object{}
		}
		maps.Copy(deep, s.Body)
		body = object{"deep": deep}
	case "items":
		method, path = http.MethodPut, path+"/items"
		before, _ := w.remote(s.At, state)["items"].([]any)
		body = object{"items": append(wanted(before), body)}
	default:
		path += "/" + s.What
	}
	status, response := w.service.Call(method, path, body)
	if status/100 != 2 {
		return
	}
	if s.What == "delete" {
		delete(w.contacts, s.At)
	}
	w.dirty[s.At] = true
	if strings.HasPrefix(s.What, "rotate") {
		id, _ := within(response, "data.id").(string) // of the successor
		w.others[id], w.others[state["id"].(string)] = true, true
	}
	if s.What == "rotate" {
		w.graces[state["id"].(string)] = true
	}
	switch changed, _ := response["data"].(object); s.What {
	case "patch":
		w.mark(s.At, foreignKeys(body))
	case "deepen":
		w.mark(s.At, object{"deep": pick(changed["deep"].(object), slices.Collect(maps.Keys(s.Body)))})
	case "contact":
		for list := range body {
			if entries, _ := changed[list].([]any); len(entries) > 0 {
				w.markContacts(s.At, list, entries)
			}
		}
	}
}

// resemble creates an object of another system, or another workspace, that looks like that of a block.
func (w *world) resemble(address string) {
	block, kind := w.blocks[address], evidence.KindOf(typeOf(address))
	body := object{}
	switch kind.Name {
	case evidence.Customer:
		body["notes"] = "another one"
	case evidence.Endpoint, evidence.Key:
		body["description"] = "another one"
	default:
		return // it refers to other objects, or is the same record
	}
	for _, name := range []string{"name", "external_id", "document_number", "url"} {
		if text, isText := block.Values[name].(string); isText {
			body[name] = text
		}
	}
	status, response := w.service.Call(http.MethodPost, kind.Path(), body)
	if status != http.StatusCreated {
		return
	}
	for _, path := range []string{"data", "data.customer", "data.billing_account"} {
		if made, isObject := within(response, path).(object); isObject && made["id"] != nil {
			w.others[made["id"].(string)] = true
		}
	}
	made := within(response, "data")
	if customer, isCustomer := within(response, "data.customer").(object); isCustomer {
		made = customer
	}
	if kind.Name == evidence.Customer && block.Values["notes"] == nil && block.Values["external_id"] != nil {
		return // it equals the one that the block creates, which may adopt it
	}
	at := kind.Path() + "/" + made.(object)["id"].(string)
	w.resembling[at] = w.shown(at)
}

// shown returns an object at the service as text.
func (s *stage) shown(path string) string {
	_, response := s.service.Call(http.MethodGet, path, nil)
	return show(response["data"])
}

// foreignPrefix is the prefix of keys that no configuration contains.
const foreignPrefix = "x_"

// foreignKeys returns the keys of a body that no configuration contains.
func foreignKeys(body object) object {
	all := object{}
	for name, v := range body {
		if inner, isObject := v.(object); isObject && name == "custom_metadata" {
			all[name] = foreignKeys(inner)
		} else if strings.HasPrefix(name, foreignPrefix) {
			all[name] = v
		}
	}
	return all
}
