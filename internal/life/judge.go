package life

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// judge checks what always holds, in a scenario that may meet anything: what is in the configuration, the state and the
// service after each run, and what was done in between.
type judge struct {
	*scenario

	counts map[string]int // what is judged; runs are cycles of a plan and an apply

	file, appliedFile string             // of the last run, and of the last apply that succeeded
	written           core.Configuration // the file
	blocks, applied   map[string]block
	defaults          [2]object         // default_custom_metadata of both
	imports           map[string]string // the import blocks of the next run: addresses and ids
	imported          map[string]bool   // ids of objects that were imported: their secrets are unknown
	// unapplied lists imported objects without a change since: their first update removes nothing.
	unapplied map[string]bool

	// dirty lists the objects that another system has changed since the last apply.
	dirty      map[string]bool
	unread     bool              // the run does not refresh, so its next one must converge
	resembling map[string]string // objects of other systems that look like ours, by path, as they were created
	others     map[string]bool   // ids of objects that other systems have rotated or created
	graces     map[string]bool   // ids of keys that another system has rotated
	// contacts are the entries of lists that another system has added: address, list and value at the service.
	contacts map[string]map[string]string
	// running is set during a run. Nothing locks a list or an object that is sent whole, so what another system adds
	// between a read and a write may be lost.
	running bool
	// unbound is set when an apply could not determine the token's organization, so objects may lack theirs.
	unbound bool
	// calm is set while nothing has changed since an empty plan of the file.
	calm bool
	// over is set when the scenario ends without a result: Terraform's state is lost, or a creation returned an existing
	// record, as the apply has said. Both addresses of that record change it, or its key belongs to another body.
	over bool
}

func newJudge(s *scenario) *judge {
	return &judge{scenario: s, counts: map[string]int{}, imports: map[string]string{}, imported: map[string]bool{},
		unapplied: map[string]bool{}, dirty: map[string]bool{}, resembling: map[string]string{}, others: map[string]bool{},
		graces: map[string]bool{}, contacts: map[string]map[string]string{}}
}

// block is a resource block, as far as the judge looks at it. A reference is {"$ref": "billing_customer.c.id"}.
type block struct {
	at     string // the address
	values object
	later  []string // arguments that are known only after apply
	ignore []string // ignore_changes
	cbd    bool     // create_before_destroy
}

// same reports whether two blocks have the same arguments, whether they are known or not.
func (b block) same(other block) bool {
	return b.at == other.at && show(b.values) == show(other.values) && slices.Equal(b.ignore, other.ignore) &&
		b.cbd == other.cbd
}

// later is what a value, or a part of one, refers to that is known only after apply.
var later = &hcl.EvalContext{Variables: map[string]cty.Value{"terraform_data": cty.ObjectVal(map[string]cty.Value{
	"later": cty.ObjectVal(map[string]cty.Value{"output": cty.StringVal("1")}),
})}}

// blocksOf parses a configuration, and returns its blocks too. It reads values, references alone, and both behind the
// condition of an argument that is known only after apply.
func blocksOf(text string) (blocks map[string]block, parsed core.Configuration, err error) {
	parsed, err = core.Parse(text, nil)
	blocks = map[string]block{}
	for _, written := range parsed.Blocks {
		b := block{at: written.Address, values: object{}, ignore: written.Ignore, cbd: written.CreateBeforeDestroy}
		for name, attribute := range written.Arguments {
			expr := attribute.Expr
			if slices.ContainsFunc(expr.Variables(), func(to hcl.Traversal) bool { return to.RootName() == "terraform_data" }) {
				b.later = append(b.later, name)
			}
			if condition, isLater := expr.(*hclsyntax.ConditionalExpr); isLater {
				expr = condition.FalseResult
			}
			if reference, isReference := expr.(*hclsyntax.ScopeTraversalExpr); isReference {
				b.values[name] = object{"$ref": core.Spelled(reference.Traversal)}
				continue
			}
			in := later.NewChild()
			in.Variables = written.Each
			value, diags := expr.Value(in)
			if diags.HasErrors() {
				return nil, parsed, diags
			}
			b.values[name] = core.FromCty(value)
		}
		if typeOf(b.at) != "terraform_data" {
			blocks[b.at] = b
		}
	}
	return blocks, parsed, err
}

// refs returns the addresses that a value refers to.
func refs(v any) []string {
	fields, _ := v.(object)
	if ref, isRef := fields["$ref"].(string); isRef {
		return []string{ref[:strings.LastIndex(ref, ".")]}
	}
	return nil
}

// use takes a file as the configuration.
func (j *judge) use(file string) {
	j.t.Helper()
	blocks, parsed, err := blocksOf(j.files[file])
	if err != nil {
		j.fatalf("%v", err)
	}
	j.file, j.blocks, j.written = file, blocks, parsed
	j.defaults[0], _ = parsed.Provider["default_custom_metadata"].(object)
	j.used[file] = true
}

// configuration returns the configuration with its import blocks.
func (j *judge) configuration() core.Configuration {
	c := j.written
	c.Imports, c.Provider = maps.Clone(c.Imports), maps.Clone(c.Provider)
	for _, address := range slices.Sorted(maps.Keys(j.imports)) {
		if _, there := j.blocks[address]; there {
			c.Imports[address] = j.imports[address]
			c.Text += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, j.imports[address])
		}
	}
	if j.net != nil {
		c.Provider["retry_timeout"] = "5m" // the default; other tests have a shorter one
	}
	return c
}

// carried applies a plan, and knows the objects of moved blocks by their new addresses.
func (j *judge) carried(plan *core.Plan, createFirst bool) (*core.Applied, []sandbox.Request, []*violation) {
	for from, to := range j.written.Moved {
		if j.drive.State(from) == nil || j.drive.State(to) != nil {
			continue
		}
		rename(j.marks, from, to)
		rename(j.dirty, from, to)
		rename(j.contacts, from, to)
		rename(j.unapplied, from, to)
		rename(j.applied, from, to)
		if b, there := j.applied[to]; there {
			b.at = to
			j.applied[to] = b
		}
	}
	for address, kept := range j.contacts { // this apply may end before it can be judged
		maps.DeleteFunc(kept, func(list, _ string) bool { return j.blocks[address].values[list] != nil })
	}
	return j.scenario.carried(plan, createFirst)
}

// rename gives an entry another key.
func rename[V any](all map[string]V, from, to string) {
	if v, there := all[from]; there {
		delete(all, from)
		all[to] = v
	}
}

// noted notes a command.
func (j *judge) noted(name string) {
	j.counts["commands"]++
	if !slices.Contains([]string{"apply", "plan", "copy", "expect", "at", "meanwhile"}, name) {
		j.calm = false
	}
}

// run plans and applies a file, and compares the two. After a misfortune, the state is settled with the file settle,
// which may be another one.
func (j *judge) run(file, settle string, createFirst bool) *violation {
	j.counts["runs"]++
	meets, meanwhile := j.meets, j.meanwhile
	j.meets, j.meanwhile = nil, nil
	calm := j.calm && file == j.file
	j.calm = false
	had := j.applied
	j.use(file)
	j.pass(j.rest(meets))
	began := j.service.Sandbox.Clock().Now()
	j.expect(meets)
	defer j.expect(nil)
	before := j.objects()
	c := j.configuration()
	c.NoRefresh = j.unread
	plan, sent, bad := j.planned(c)
	j.last = planOnly(before, plan, sent)
	j.counts["requests"] += len(sent)
	if bad = cmp.Or(bad, j.forgotten(plan)); bad == nil && calm {
		bad = j.quiet(plan, meets)
	}
	if bad != nil {
		return bad
	}
	if b := j.trouble(began, settle); b != nil && len(plan.Errors) > 0 {
		b.says(plan.Errors, plan.Warnings)
		return j.recover(b)
	} else if len(plan.Errors) > 0 {
		return j.refused(plan)
	} else if bad := cmp.Or(j.needless(plan), j.faithful(plan)); b == nil && bad != nil {
		return bad
	}
	for _, does := range meanwhile {
		does()
	}
	if j.here.Token != j.service.Token {
		return j.mistaken(plan, createFirst)
	}
	subscriptions, keys := j.remotes(plan, "billing_subscription"), j.remotes(plan, "billing_api_key")
	planned, last := j.service.Sandbox.Clock().Now(), j.seen
	done, requests, all := j.carried(plan, createFirst)
	if program, genuine := j.drive.(*terraform); genuine && program.lost { // with any provider
		j.over = true
		return nil
	}
	if j.net != nil && !j.killed() && j.net.delayed() > longestGrace {
		return broken("slow interrupt", "the apply went on for %s", j.net.delayed())
	}
	j.unbound = j.unbound && len(done.Errors) > 0
	j.counts["requests"] += len(requests)
	j.last.add(done, requests)
	for _, bad := range all {
		switch {
		case bad.what == "bug" && j.killed(): // nobody sees what a killed run says
		case bad.what == "not shown" && overtaken(meets):
		default:
			return bad
		}
	}
	if bad := j.graceKept(requests, plan, had); bad != nil {
		return bad
	}
	if b := j.trouble(began, settle); b != nil {
		for _, change := range plan.Changes {
			if mode := change.After["custom_metadata_mode"]; mode == "replace" || mode == any(core.Unknown) {
				delete(j.marks, change.Address) // the plan says that it removes the keys, perhaps late
			}
		}
		b.says(plan.Warnings)
		if !b.killed {
			b.says(done.Errors, done.Warnings)
		}
		b.had, b.since, b.keys = j.states(), last, keys
		if bad := j.received(b, requests).after(b); bad != nil {
			return bad
		}
		if j.finished(plan, done); j.over {
			return nil
		}
		j.follow(b, done.Errors)
		return j.recover(b)
	}
	j.expect(nil) // the rest is not disturbed
	if bad := j.stateHas(requests); bad != nil {
		return bad
	}
	imported := j.finished(plan, done)
	if j.over {
		return nil
	} else if len(done.Errors) > 0 {
		if len(meanwhile) > 0 || j.unread {
			return nil // the next run must converge
		}
		return j.failed(plan, done, planned)
	}
	// Deferred, because settled below still needs them.
	defer maps.DeleteFunc(j.unapplied, func(address string, _ bool) bool {
		change := plan.Of(address)
		return change == nil || change.Action != core.NoOp &&
			len(differences(change.Before["custom_metadata"], j.drive.State(address)["custom_metadata"], "")) > 0
	})
	if bad = cmp.Or(j.foreignKept(plan), j.contactsKept(had)); bad != nil || j.unread {
		return bad
	}
	if bad = cmp.Or(j.oldKeys(keys), j.linesKept(subscriptions)); bad != nil || len(meanwhile) > 0 {
		return bad
	}
	return j.settled(plan, imported)
}

// longestGrace is what an interrupted run leaves to a request under way, with pauses of the network before the request
// and the other objects.
const longestGrace = 8*time.Second + 5*longestPause

// rest is the time between two runs. In less than a minute, nothing proves that a record was deleted if its key is used
// again; but reads that lag show what another run has just written. What another system has just written can be lost.
func (j *judge) rest(meets []misfortune) time.Duration {
	isRecord := func(at string) bool { return typeOf(at) == "billing_finance_record" }
	if len(j.dirty) == 0 && slices.ContainsFunc(meets, misfortune.lags) &&
		!slices.ContainsFunc(slices.Concat(slices.Collect(maps.Keys(j.blocks)), j.drive.Addresses()), isRecord) {
		return time.Second
	}
	return time.Minute
}

// overtaken reports whether another system may change an object between a read and a write that sends it whole: if
// reads lag, or if it adds to a part of it.
func overtaken(meets []misfortune) bool {
	lags := slices.ContainsFunc(meets, misfortune.lags)
	return slices.ContainsFunc(meets, func(m misfortune) bool { return m.then != nil && (lags || m.then[0] == "add") })
}

// killed reports whether the run was killed.
func (j *judge) killed() bool {
	_, killed := j.mishaps.happened()
	return killed
}

// expect sets what the run meets.
func (j *judge) expect(meets []misfortune) {
	j.running = meets != nil
	j.disturb(meets)
}

// finished records the end of an apply, and returns the imports that it has made.
func (j *judge) finished(plan *core.Plan, done *core.Applied) (imported map[string]string) {
	j.over = j.over || slices.ContainsFunc(done.Warnings, func(text string) bool {
		return strings.Contains(text, "may already have existed")
	}) || slices.ContainsFunc(done.Errors, j.keyTaken)
	for address, id := range j.imports {
		j.imported[id] = j.drive.State(address) != nil
	}
	for _, address := range slices.AppendSeq(slices.Collect(maps.Keys(j.marks)), maps.Keys(j.contacts)) {
		if change := plan.Of(address); change == nil || change.Action != core.NoOp && change.Action != core.Update {
			delete(j.marks, address) // it may now be another object
			delete(j.contacts, address)
		}
	}
	if len(done.Errors) > 0 {
		maps.DeleteFunc(j.imports, func(address, _ string) bool {
			imported := j.drive.State(address) != nil
			j.unapplied[address] = j.unapplied[address] || imported
			return imported
		})
		for _, change := range plan.Changes {
			if change.Action != core.NoOp {
				j.dirty[change.Address] = true // part of the apply may have been done
			}
		}
		return nil
	}
	j.appliedFile, j.applied, j.defaults[1] = j.file, j.blocks, j.defaults[0]
	imported = j.imports
	j.imports = map[string]string{}
	if all, _ := j.mishaps.happened(); !j.unread && !slices.ContainsFunc(all, func(m met) bool { return m.then != nil }) {
		j.dirty = map[string]bool{}
	}
	for address := range imported {
		j.unapplied[address] = true
	}
	return imported
}

// failed checks an apply that failed: the service works, so only errors that the plan could not foresee are allowed.
func (j *judge) failed(plan *core.Plan, done *core.Applied, began time.Time) *violation {
	wrong := slices.ContainsFunc(done.Errors, func(text string) bool {
		return !failures.MatchString(text) && !j.heldBefore(text, plan, began) && !j.movedLater(text) && !j.unsendable(text)
	})
	if !wrong {
		return nil
	}
	return broken("apply fails", "%s", strings.Join(done.Errors, "\n"))
}

var takenBy = regexp.MustCompile(`the external_id is taken: Another object \(id (\S+)\)|It may be ([0-9a-f-]+)\.`)

// heldBefore reports whether an error says that an external_id is taken, by an object that is older than the apply: one
// that was abandoned, runs to the end of its period, or was destroyed by the apply, but later.
func (j *judge) heldBefore(text string, plan *core.Plan, began time.Time) bool {
	found := takenBy.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	id := cmp.Or(found[1], found[2])
	created, _ := j.remote(addressOf(text), object{"id": id})["created_at"].(string)
	at, err := time.Parse(time.RFC3339, created)
	return err == nil && at.Before(began) || slices.ContainsFunc(plan.Changes, func(c *core.Change) bool {
		return c.Action == core.Delete && c.Before["id"] == id
	})
}

// postponed matches warnings that leave a new object to the next plan.
var postponed = regexp.MustCompile(`he next plan (creates it|does|renews it|shows whether)`)

// settled checks that the plan after an apply is empty, except for what its warnings have announced. After the import
// of an API key it may rotate the key because of its age.
func (j *judge) settled(applied *core.Plan, imported map[string]string) *violation {
	next, sent, bad := j.planned(j.configuration())
	if bad = cmp.Or(bad, j.forgotten(next), j.frugal(next, sent)); bad != nil {
		return bad
	}
	for _, text := range next.Errors {
		// The next plan may reject a value that was unknown in the first, or that an import has not sent.
		if !j.unsettled() && imported[addressOf(text)] == "" || !j.refusal(text) {
			return broken("next plan fails", "%s", text)
		}
	}
	if len(next.Errors) > 0 {
		return nil
	}
	j.calm = true
	for _, change := range next.Changes {
		j.calm = j.calm && change.Action == core.NoOp
		values := j.blocks[change.Address].values
		announced := slices.ContainsFunc(applied.Warnings, func(text string) bool {
			return strings.HasPrefix(text, change.Address+":") && postponed.MatchString(text)
		})
		due := announced || imported[change.Address] != "" && (values["rotate_after_days"] != nil ||
			j.lifetime(change.Address))
		// The first apply after an import removes nothing, but the next one does.
		removes := j.unapplied[change.Address] && values["custom_metadata_mode"] == "replace"
		// If ignore_changes keeps an account with its deleted customer, it is closed with the customer.
		closed := typeOf(change.Address) == "billing_account" && change.Action == core.Create &&
			slices.ContainsFunc(applied.Changes, func(c *core.Change) bool {
				return typeOf(c.Address) == "billing_customer" && c.Action == core.Delete
			})
		if due && change.Action != core.NoOp {
			j.dirty[change.Address] = true // the new key is still to come
		}
		if change.Action != core.NoOp && !due && !removes && !closed {
			shown := differences(change.Before, change.After, "")
			return broken("next plan is not empty", "%s %s: %s\n%v", change.Action, change.Address, top(shown), shown)
		}
	}
	return nil
}

// lifetime reports whether the key of a block may have a lifetime, which the service does not return.
func (j *judge) lifetime(address string) bool {
	block := j.blocks[address]
	return block.values["expires_after_days"] != nil || slices.Contains(block.ignore, "expires_after_days")
}

// frugal checks the number of requests of a plan without changes: the guide on performance promises one per object, one
// for the items of a subscription, and three.
func (j *judge) frugal(plan *core.Plan, sent []sandbox.Request) *violation {
	most := 3
	for _, change := range plan.Changes {
		if change.Action != core.NoOp {
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

// ofStranger is in the error of a plan with the token of another organization.
const ofStranger = "The token belongs to organization"

// stranger plans with the token of another organization. If the state has objects of recurring billing, that is one
// error that names both organizations. A plan that already fails does not report it.
func (j *judge) stranger() *violation {
	right, _, bad := j.planned(j.configuration())
	if bad != nil || len(right.Errors) > 0 || len(j.imports) > 0 { // an import fails before the refresh
		return bad
	}
	bound := slices.ContainsFunc(j.drive.Addresses(), func(address string) bool {
		state := j.drive.State(address)
		return evidence.KindOf(typeOf(address)).Unique == "external_id" && j.remote(address, state) != nil
	})
	j.pass(acctest.ReadLag)
	j.belong("other")
	plan, _, bad := j.planned(j.configuration())
	j.belong("own")
	if bad == nil && bound && !j.unbound && (len(plan.Errors) != 1 || !strings.Contains(plan.Errors[0], ofStranger)) {
		return broken("another organization", "%d errors: %s\n%v", len(plan.Errors), strings.Join(plan.Errors, "\n"),
			changesOf(plan))
	}
	return bad
}

// mistaken applies a plan with the token of another organization of recurring billing: nothing of this one changes, and
// nothing is lost. What the apply creates is in the other one; the user removes it from the state.
func (j *judge) mistaken(plan *core.Plan, createFirst bool) *violation {
	b := &trouble{began: j.service.Sandbox.Clock().Now(), since: j.seen, file: j.file, settle: j.file}
	before := j.alive()
	done, _, all := j.carried(plan, createFirst)
	j.belong("own") // the user has noticed it
	if len(all) > 0 {
		return all[0].after(b)
	}
	b.says(plan.Warnings, done.Errors, done.Warnings)
	j.finished(plan, done)
	ofBilling := func(kind any) bool { return evidence.KindOf(fmt.Sprint(kind)).Service == "billing" }
	now := j.alive()
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if o := before[id]; ofBilling(o["kind"]) && !same(o, now[id]) {
			return broken("another token", "%s was %s and is now %s", id, show(o), show(now[id])).after(b)
		}
	}
	for _, change := range plan.Changes {
		state := j.drive.State(change.Address)
		id, _ := state["id"].(string)
		switch had, _ := change.Before["id"].(string); {
		case !ofBilling(typeOf(change.Address)), change.Action == core.Forget:
		case state == nil && had != "" && before[had] != nil && change.Before["deletion_policy"] != "abandon" && !j.unbound:
			return broken("lost", "%s %s is not in the state: %s", change.Address, had, show(done.Errors)).after(b)
		case state != nil && before[id] == nil:
			j.drive.Forget(change.Address)
		}
	}
	return j.recover(b)
}

// noticed remembers what another system has done: to the object at an address, or, without one, a creation.
func (j *judge) noticed(at, path string, body, made object) {
	if at == "" {
		j.resembled(path, body, made)
		return
	}
	j.dirty[at] = true
	id, _ := j.drive.State(at)["id"].(string)
	if strings.Contains(path, "/rotate") {
		successor, _ := made["id"].(string)
		j.others[successor], j.others[id] = true, true
		j.graces[id] = j.graces[id] || strings.HasSuffix(path, "/rotate")
	}
	if j.running {
		delete(j.marks, at)
		return
	}
	j.mark(at, foreignKeys(body))
}

// resembled remembers the object that another system, or another workspace, has created.
func (j *judge) resembled(path string, body, made object) {
	for _, name := range []string{"", "customer", "billing_account"} {
		one := made
		if name != "" {
			one, _ = made[name].(object)
		}
		if id, has := one["id"].(string); has {
			j.others[id] = true
		}
	}
	if customer, isCustomer := made["customer"].(object); isCustomer {
		made = customer
	}
	equal := func(b block) bool { // it equals the one that the block creates, which may adopt it
		return typeOf(b.at) == "billing_customer" && b.values["external_id"] == body["external_id"] &&
			b.values["notes"] == nil
	}
	id, has := made["id"].(string)
	if !has || body["external_id"] != nil && slices.ContainsFunc(slices.Collect(maps.Values(j.blocks)), equal) {
		return
	}
	j.resembling[path+"/"+id] = j.displayed(path + "/" + id)
}

// added remembers what another system has added to a field that is sent whole.
func (j *judge) added(at, field string, value any, made object) {
	j.dirty[at] = true
	entries, isList := made[field].([]any)
	deep, isObject := made[field].(object)
	addition, _ := value.(object)
	switch {
	case j.running:
		delete(j.contacts, at)
		delete(j.marks, at)
	case isObject:
		j.mark(at, object{field: pick(deep, slices.Collect(maps.Keys(foreignKeys(addition))))})
	case isList && len(entries) > 0 && typeOf(at) == "billing_customer":
		j.markContacts(at, field, entries)
	}
}

// displayed returns an object at the service as text.
func (s *scenario) displayed(path string) string {
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
