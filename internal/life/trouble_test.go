package life

import (
	"cmp"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// trouble is what is known since a run met a misfortune, until the state is settled again.
type trouble struct {
	before map[string]bool // ids of the objects at the service before the run
	met    []met
	since  uint64 // the last request before the apply, if there was one
	killed bool
	run    step
	said   string // the messages that a user has seen
	had    string // all states since
}

// rounds is how many applies settle the state once misfortune has ended. After a kill, the conflicts of customers,
// accounts and subscriptions that the state lacks occur one after the other.
func (b *trouble) rounds() int {
	if b.killed {
		return 4
	}
	return 2
}

// trouble returns what the run has met; nil if nothing that may show.
func (w *world) trouble(before map[string]bool, run step) *trouble {
	if w.net == nil {
		return nil
	}
	all, killed := w.net.happened()
	w.counts.met += len(all)
	w.unbound = w.unbound || len(all) > 0 // the organization may have been unknown for too long
	if len(all) <= mostPromised && !slices.ContainsFunc(all, func(m met) bool { return !m.promised() }) {
		return nil
	}
	w.unbound = true
	return &trouble{before: before, met: all, since: w.seen, killed: killed, run: run}
}

// mostPromised is a number of misfortunes that a run survives within retry_timeout.
const mostPromised = 4

// says records messages that the user has seen.
func (b *trouble) says(all ...[]string) {
	b.said += strings.Join(slices.Concat(all...), "\n") + "\n"
}

// collections are those of the records that a life has.
var collections = []string{"payables", "receivables"}

// kinds of objects that a life has.
var lived = append([]string{evidence.Customer, evidence.Account, evidence.Subscription, evidence.Endpoint,
	evidence.Key}, collections...)

// alive returns the objects at the service that have not ended, by id, with their kinds.
func (s *stage) alive() map[string]object {
	all := map[string]object{}
	for _, kind := range lived {
		for _, o := range s.live(kind) {
			if id, _ := o["id"].(string); id != "" {
				o["kind"] = kind
				all[id] = o
			}
		}
	}
	return all
}

// states returns all objects in the state as text.
func (s *stage) states() string {
	var all strings.Builder
	for _, address := range s.drive.Addresses() {
		all.WriteString(show(s.drive.State(address)) + "\n")
	}
	return all.String()
}

// recover ends the misfortune, and checks that the state settles as promised, and what is true then.
func (w *world) recover(b *trouble) *violation {
	w.expect(nil)
	for w.service.Sandbox.Late() > 0 {
		w.net.pass(time.Second)
	}
	bad := w.ends(w.once(b))
	if !b.killed {
		bad = cmp.Or(bad, w.ends(w.secrets())) // one that may have been rotated is not in the state any more
	}
	if bad != nil {
		return bad.after(b)
	}
	if b.run.Back && !b.killed { // after a kill, only the configuration shows what was begun
		w.blocks, w.nowDefaults = maps.Clone(w.appliedBlocks), w.defaults
	}
	w.net.pass(acctest.ReadLag)
	var failed []string
	for range b.rounds() {
		plan, bad := w.replanned(b)
		if bad != nil {
			return bad
		}
		if len(plan.Errors) > 0 && b.killed { // what was created without a state cannot be found by another configuration
			return w.refused(plan)
		} else if len(plan.Errors) > 0 {
			return cmp.Or(w.refused(plan), w.accounted(b))
		}
		w.counts.runs++
		began := w.service.Sandbox.Clock().Now()
		done, _, all := w.carried(plan, w.nowDefaults, false)
		for _, bad := range all {
			if bad := w.ends(bad); bad != nil {
				return bad.after(b)
			}
		}
		b.says(done.Errors, done.Warnings)
		b.had += w.states()
		imported := w.finished(plan, done)
		if w.shared {
			return nil
		}
		if failed = done.Errors; len(failed) == 0 {
			w.turned(b.run)
			settled := w.settled(step{Turns: b.run.Turns}, plan, imported)
			return cmp.Or(w.ends(w.foreignKept(plan)), w.ends(settled), w.accounted(b), w.ends(w.secretLost())).after(b)
		}
		w.follow(b, done.Errors)
		// Abandoned objects may hold what is needed, as without a misfortune.
		failed = slices.DeleteFunc(slices.Clone(failed), func(text string) bool {
			return failures.MatchString(text) || w.heldBefore(text, began) || w.unsendable(text)
		})
	}
	if len(failed) > 0 {
		return broken("stuck", "after %d applies: %s", b.rounds(), strings.Join(failed, "\n")).after(b)
	}
	return w.accounted(b)
}

// replanned plans again, with the import blocks that messages suggest.
func (w *world) replanned(b *trouble) (*acctest.CorePlan, *violation) {
	for {
		plan, _, bad := w.planned(w.configuration(step{}))
		bad = cmp.Or(bad, w.ends(w.forgotten(plan)))
		b.says(plan.Errors, plan.Warnings)
		if bad != nil || !w.follow(b, slices.Concat(plan.Warnings, plan.Errors)) {
			return plan, bad
		}
	}
}

// follow adopts the import blocks in messages for objects that exist only since the misfortune, and reports whether
// there are any.
func (w *world) follow(b *trouble, messages []string) (more bool) {
	for _, text := range messages {
		suggested := acctest.Suggested(addressOf(text), text)
		if len(suggested) > 1 {
			continue // the user has to compare them
		}
		for id, address := range suggested {
			_, exists := w.blocks[address]
			_, imported := w.imports[address]
			bare := id[strings.LastIndexByte(id, '/')+1:]
			managed := slices.Contains(slices.Collect(maps.Values(w.imports)), id) || strings.Contains(w.states(), bare)
			if exists && !imported && !managed && !b.before[bare] && !w.others[bare] && w.drive.State(address) == nil {
				w.imports[address], w.dirty[address], more = id, true, true
			}
		}
	}
	return more
}

// openOutcome matches messages which say that an object may exist that no lookup has found.
var openOutcome = regexp.MustCompile("may or may not|may exist anyway|was created is unknown")

// accounted checks that every object that exists since the misfortune is in the state, or that a message has named it.
// After a kill, only objects that can be recognized are named.
func (w *world) accounted(b *trouble) *violation {
	state := w.states()
	alive := w.alive()
	for _, id := range slices.Sorted(maps.Keys(alive)) {
		o := alive[id]
		if len(b.run.Turns) > 0 { // a value differed from the block: the object cannot be recognized by it
			break
		}
		if b.before[id] || w.others[id] || strings.Contains(state+b.had, id) || strings.Contains(b.said, id) ||
			b.killed && !w.recognizable(o) {
			continue
		}
		ofCustomer, _ := within(o, "customer.id").(string)
		if o["kind"] == evidence.Account && ofCustomer != "" && (strings.Contains(b.said, ofCustomer) ||
			strings.Contains(b.said, "The billing account of a customer is unknown") && strings.Contains(state, ofCustomer)) {
			continue // each refresh looks for it, or a message names the customer with which it came
		}
		unclear := openOutcome.MatchString(b.said)
		late := slices.ContainsFunc(b.met, func(m met) bool { return strings.Contains(m.Fault, "late=") })
		if b.run.Back && (late || unclear) || unclear && (late || strings.Contains(b.said, "The lookup failed")) {
			continue // it was carried out after the lookups, or they could not see it
		}
		if unclear && !w.recognizable(o) && (o["kind"] == evidence.Account || o["kind"] == evidence.Subscription) {
			continue
		}
		return broken("lost", "no state has the %s %s, and no message names it: %s", o["kind"], id, show(o)).after(b)
	}
	for _, path := range slices.Sorted(maps.Keys(w.resembling)) {
		if was, now := w.resembling[path], w.shown(path); now != was {
			return broken("another system's object", "%s was %s and is now %s", path, was, now).after(b)
		}
	}
	if b.killed && len(b.run.Turns) > 0 { // a rotation that only the value of that run has asked for
		return nil
	}
	return w.ends(w.secrets().after(b))
}

// received checks that a run that was not killed has kept what the service has shown to it.
func (w *world) received(b *trouble, sent []sandbox.Request) *violation {
	if b.killed || slices.ContainsFunc(b.met, func(m met) bool { return m.Date != "" || m.Then != nil }) {
		return nil
	}
	return cmp.Or(w.stateHas(slices.DeleteFunc(slices.Clone(sent), func(r sandbox.Request) bool {
		return creates(r) && !arrives(r.Fault)
	})), w.secrets())
}

// forgotten checks that a plan keeps or ends each object of the state that exists.
func (w *world) forgotten(plan *acctest.CorePlan) *violation {
	if len(plan.Errors) > 0 {
		return nil
	}
	for _, address := range w.drive.Addresses() {
		if change := plan.Of(address); change != nil && change.Action != acctest.Create {
			continue
		}
		if now := w.remote(address, w.drive.State(address)); now != nil && !w.ended(now) {
			return broken("forgotten", "the plan removes %s from the state without deleting it: %s", address, show(now))
		}
	}
	return nil
}

// quiet checks that a plan shows nothing if nothing has changed since an empty plan, whatever it has met.
func (w *world) quiet(plan *acctest.CorePlan, run step) *violation {
	was := w.calm
	w.calm = false
	foreign := slices.ContainsFunc(run.Meets, func(m meeting) bool { return m.Then != nil })
	misdated := slices.ContainsFunc(run.Meets, func(m meeting) bool { return m.Date != "" })
	if !was || foreign || len(plan.Errors) > 0 || len(run.Later) > 0 || len(run.Turns) > 0 {
		return nil
	}
	for _, change := range plan.Changes {
		due := misdated && typeOf(change.Address) == "billing_api_key" // by a wrong date
		if change.Action != acctest.NoOp && !due {
			shown := differences(change.Before, change.After, "")
			return broken("not quiet", "nothing has changed, but %s %s: %s\n%v", change.Action, change.Address, top(shown),
				shown)
		}
	}
	return nil
}

// lateClient is the client of a request that the sandbox carries out late.
const lateClient = "late"

// once checks that no request whose every repetition is billed, or ends a secret, was carried out twice in an apply, at
// once or late.
func (w *world) once(b *trouble) *violation {
	carried := map[string]int{}
	for _, r := range w.service.Sandbox.RequestsSince(b.since) {
		if !fromProvider(r) && r.Client != lateClient {
			continue
		}
		counts := r.Operation == "subscriptions.change_plan" || r.Operation == "webhook_endpoints.rotate_secret"
		if r.Status != http.StatusOK || !counts {
			continue
		}
		what := r.Operation + " " + r.Path + " " + string(r.Body)
		if carried[what]++; carried[what] > 1 {
			return broken("twice", "%s was carried out twice in one apply", what)
		}
	}
	return nil
}

// recognizable reports whether a plan or an apply after a kill recognizes an object that the state lacks.
func (w *world) recognizable(o object) bool {
	switch o["kind"] {
	case evidence.Key: // ignore_changes may have kept another name
		for _, block := range w.blocks {
			if block.Values["name"] == o["name"] {
				return true
			}
		}
		return false
	case evidence.Customer:
		return o["external_id"] != nil || o["document_number"] != nil
	case evidence.Account, evidence.Subscription:
		return o["external_id"] != nil
	}
	return true
}

// secrets checks that the state has the secrets that the service shows only once, or none.
func (w *world) secrets() *violation {
	for _, address := range w.drive.Addresses() {
		state := w.drive.State(address)
		id, _ := state["id"].(string)
		secret, isEndpoint := state["secret"].(string)
		token, isKey := state["token"].(string)
		if !isEndpoint && !isKey || w.others[id] || w.remote(address, state) == nil {
			continue
		}
		right, err := w.service.Sandbox.EndpointSecret(id)
		prefix, _ := state["key_prefix"].(string)
		if isEndpoint && (err != nil || secret != right) || isKey && !strings.HasPrefix(token, prefix) {
			return broken("secret", "the state of %s has another secret than the service (%v)", address, err)
		}
	}
	return nil
}

// secretLost checks that the state has each secret, except of objects that were imported.
func (w *world) secretLost() *violation {
	for _, address := range w.drive.Addresses() {
		state := w.drive.State(address)
		id, _ := state["id"].(string)
		for _, name := range []string{"secret", "token"} {
			value, has := state[name]
			if has && value == nil && state["encrypted_"+name] == nil && !w.others[id] && !w.imported[id] {
				return broken("secret", "%s has no %s", address, name)
			}
		}
	}
	return nil
}

// after adds what the run has met.
func (v *violation) after(b *trouble) *violation {
	if v == nil {
		return nil
	}
	for _, m := range b.met {
		if line := "\nafter " + m.String(); !strings.Contains(v.detail, line) {
			v = &violation{v.what, v.detail + line}
		}
	}
	return v
}
