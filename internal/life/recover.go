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

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// trouble is what is known since a run met a misfortune, until the state is settled again.
type trouble struct {
	began  time.Time // of the run, by the service's clock
	met    []met
	since  uint64 // the last request before the apply, if there was one
	killed bool
	// file is that of the run, and settle that of the runs after it.
	file, settle string
	refused      bool              // the plan after the run, so nothing has looked for what it has created
	said         string            // the messages that a user has seen
	had          string            // all states since
	keys         map[string]object // API keys at the service before the apply, by address
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
func (j *judge) trouble(began time.Time, settle string) *trouble {
	all, killed := j.mishaps.happened()
	j.counts["misfortunes"] += len(all)
	j.unbound = j.unbound || len(all) > 0 // the organization may have been unknown for too long
	if len(all) <= mostPromised && !slices.ContainsFunc(all, func(m met) bool { return !m.promised() }) {
		return nil
	}
	j.unbound = true
	return &trouble{began: began, met: all, since: j.seen, killed: killed, file: j.file, settle: settle}
}

// mostPromised is a number of misfortunes that a run survives within retry_timeout.
const mostPromised = 4

// back reports whether the configuration of the run is taken back.
func (b *trouble) back() bool { return b.settle != b.file }

// meddled reports whether another system or a wrong date was among the misfortunes.
func (b *trouble) meddled() bool {
	return slices.ContainsFunc(b.met, func(m met) bool { return m.date != "" || m.then != nil })
}

// older reports whether an object was created before the run.
func (b *trouble) older(o object) bool {
	for _, name := range []string{"created_at", "createdAt"} {
		text, _ := o[name].(string)
		if at, is := moment(text); is {
			return at.Before(b.began)
		}
	}
	return false
}

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
func (s *scenario) alive() map[string]object {
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
func (s *scenario) states() string {
	var all strings.Builder
	for _, address := range s.drive.Addresses() {
		all.WriteString(show(s.drive.State(address)) + "\n")
	}
	return all.String()
}

// recover ends the misfortune, and checks that the state settles as promised, and what is true then.
func (j *judge) recover(b *trouble) *violation {
	j.expect(nil)
	for j.service.Sandbox.Late() > 0 {
		j.pass(time.Second)
	}
	bad := j.once(b)
	if !b.killed {
		bad = cmp.Or(bad, j.secrets(true)) // one that may have been rotated is not in the state any more
	}
	if bad != nil {
		return bad.after(b)
	}
	if b.back() && !b.killed { // after a kill, only the configuration shows what was begun
		j.use(b.settle)
	}
	j.pass(acctest.ReadLag)
	var failed []string
	for range b.rounds() {
		plan, bad := j.replanned(b)
		if bad != nil {
			return bad
		}
		if len(plan.Errors) > 0 && b.killed { // what was created without a state cannot be found by another configuration
			return j.refused(plan)
		} else if len(plan.Errors) > 0 {
			b.refused = true
			return cmp.Or(j.refused(plan), j.accounted(b))
		}
		j.counts["runs"]++
		began := j.service.Sandbox.Clock().Now()
		done, _, all := j.carried(plan, false)
		if len(all) > 0 {
			return all[0].after(b)
		}
		b.says(done.Errors, done.Warnings)
		b.had += j.states()
		imported := j.finished(plan, done)
		if j.over {
			return nil
		}
		if failed = done.Errors; len(failed) == 0 {
			settled := j.settled(plan, imported)
			bad := cmp.Or(j.foreignKept(plan), settled, j.accounted(b), j.secrets(false))
			if !b.killed && !b.back() && !b.meddled() {
				bad = cmp.Or(bad, j.oldKeys(b.keys))
			}
			return bad.after(b)
		}
		j.follow(b, done.Errors)
		// Abandoned objects may hold what is needed, as without a misfortune.
		failed = slices.DeleteFunc(slices.Clone(failed), func(text string) bool {
			return failures.MatchString(text) || j.heldBefore(text, plan, began) || j.unsendable(text)
		})
	}
	if len(failed) > 0 {
		return broken("stuck", "after %d applies: %s", b.rounds(), strings.Join(failed, "\n")).after(b)
	}
	return j.accounted(b)
}

// replanned plans again, with the import blocks that messages suggest.
func (j *judge) replanned(b *trouble) (*core.Plan, *violation) {
	for {
		plan, _, bad := j.planned(j.configuration())
		bad = cmp.Or(bad, j.forgotten(plan))
		b.says(plan.Errors, plan.Warnings)
		if bad != nil || !j.follow(b, slices.Concat(plan.Warnings, plan.Errors)) {
			return plan, bad
		}
	}
}

// follow adopts the import blocks in messages for objects that exist only since the misfortune, and reports whether
// there are any.
func (j *judge) follow(b *trouble, messages []string) (more bool) {
	for _, text := range messages {
		blocks := suggested(addressOf(text), text)
		if len(blocks) > 1 {
			continue // the user has to compare them
		}
		for id, address := range blocks {
			_, exists := j.blocks[address]
			_, imported := j.imports[address]
			bare := id[strings.LastIndexByte(id, '/')+1:]
			collection, _, _ := strings.Cut(id, "/")
			managed := slices.Contains(slices.Collect(maps.Values(j.imports)), id) || strings.Contains(j.states(), bare)
			if !exists || imported || managed || j.others[bare] || j.drive.State(address) != nil {
				continue
			}
			if o := j.remote(address, object{"id": bare, "collection": collection}); o != nil && !b.older(o) {
				j.imports[address], j.dirty[address], more = id, true, true
			}
		}
	}
	return more
}

var importBlock = regexp.MustCompile(`import\s*\{\s*to\s*=\s*(\S+)\s*id\s*=\s*"([^"]+)"\s*\}`)

// suggested returns the import blocks in a message about an address: ids, and the addresses to import them to.
func suggested(about, text string) map[string]string {
	blocks := map[string]string{}
	for _, block := range importBlock.FindAllStringSubmatch(text, -1) {
		address, id := block[1], block[2]
		if kind, label, _ := strings.Cut(address, "."); label == "this" && strings.HasPrefix(about, kind+".") {
			address = about
		}
		blocks[id] = address
	}
	return blocks
}

// openOutcome matches messages which say that an object may exist that no lookup has found.
var openOutcome = regexp.MustCompile("may or may not|may exist anyway|was created is unknown")

// accounted checks that every object that exists since the misfortune is in the state, or that a message has named it.
// After a kill, only objects that can be recognized are named.
func (j *judge) accounted(b *trouble) *violation {
	state := j.states()
	alive := j.alive()
	for _, id := range slices.Sorted(maps.Keys(alive)) {
		o := alive[id]
		if strings.HasPrefix(j.service.CollectionsKey, fmt.Sprint(o["keyPrefix"])) {
			continue // the sandbox began with it, before its clock was set
		}
		if b.older(o) || j.others[id] || strings.Contains(state+b.had, id) || strings.Contains(b.said, id) ||
			b.killed && !j.recognizable(o) {
			continue
		}
		ofCustomer, _ := within(o, "customer.id").(string)
		if o["kind"] == evidence.Account && ofCustomer != "" && (strings.Contains(b.said, ofCustomer) ||
			strings.Contains(b.said, "The billing account of a customer is unknown") && strings.Contains(state, ofCustomer)) {
			continue // each refresh looks for it, or a message names the customer with which it came
		}
		if o["kind"] == evidence.Key && j.misjudged(b, o) {
			continue
		}
		unclear := openOutcome.MatchString(b.said)
		late := slices.ContainsFunc(b.met, func(m met) bool { return strings.Contains(m.fault, "late=") })
		if b.back() && (late || unclear) || unclear && (late || strings.Contains(b.said, "The lookup failed")) {
			continue // it was carried out after the lookups, or they could not see it
		}
		if unclear && b.refused && slices.Contains(collections, fmt.Sprint(o["kind"])) {
			continue // a creation with its key would return it
		}
		if unclear && !j.recognizable(o) && (o["kind"] == evidence.Account || o["kind"] == evidence.Subscription) {
			continue
		}
		return broken("lost", "no state has the %s %s, and no message names it: %s", o["kind"], id, show(o)).after(b)
	}
	for _, path := range slices.Sorted(maps.Keys(j.resembling)) {
		if was, now := j.resembling[path], j.displayed(path); now != was {
			return broken("another system's object", "%s was %s and is now %s", path, was, now).after(b)
		}
	}
	return j.secrets(true).after(b)
}

// misjudged reports whether a wrong Date hides a key whose creation was lost: it was due only by that Date, and created
// after the lookups, without them or before a kill, or it has ended by that Date.
func (j *judge) misjudged(b *trouble, key object) bool {
	text, _ := key["expiresAt"].(string)
	end, err := time.Parse(time.RFC3339, text)
	late := slices.ContainsFunc(b.met, func(m met) bool { return strings.Contains(m.fault, "late=") })
	return slices.ContainsFunc(b.met, func(m met) bool { return strings.HasSuffix(m.date, "26h") }) &&
		(b.killed || late || openOutcome.MatchString(b.said) ||
			err == nil && end.Before(j.service.Sandbox.Clock().Now().Add(26*time.Hour)))
}

// received checks that a run that was not killed has kept what the service has shown to it.
func (j *judge) received(b *trouble, sent []sandbox.Request) *violation {
	if b.killed || b.meddled() {
		return nil
	}
	return cmp.Or(j.stateHas(slices.DeleteFunc(slices.Clone(sent), func(r sandbox.Request) bool {
		return creates(r) && !arrives(r.Fault)
	})), j.secrets(true))
}

// forgotten checks that a plan keeps or ends each object of the state that exists.
func (j *judge) forgotten(plan *core.Plan) *violation {
	if len(plan.Errors) > 0 {
		return nil
	}
	for _, address := range j.drive.Addresses() {
		if change := plan.Of(cmp.Or(j.written.Moved[address], address)); change != nil && change.Action != core.Create {
			continue
		}
		if now := j.remote(address, j.drive.State(address)); now != nil && !j.ended(now) {
			return broken("forgotten", "the plan removes %s from the state without deleting it: %s", address, show(now))
		}
	}
	return nil
}

// unsettled reports whether a value is known only after apply.
func (j *judge) unsettled() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(j.blocks)), func(b block) bool { return len(b.later) > 0 })
}

// quiet checks that a plan shows nothing if nothing has changed since an empty plan, whatever it has met.
func (j *judge) quiet(plan *core.Plan, meets []misfortune) *violation {
	foreign := slices.ContainsFunc(meets, func(m misfortune) bool { return m.then != nil })
	misdated := slices.ContainsFunc(meets, func(m misfortune) bool { return m.date != "" })
	if foreign || len(plan.Errors) > 0 {
		return nil
	}
	for _, change := range plan.Changes {
		due := misdated && typeOf(change.Address) == "billing_api_key" // by a wrong date
		if change.Action != core.NoOp && !due {
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
func (j *judge) once(b *trouble) *violation {
	carried := map[string]int{}
	for _, r := range j.service.Sandbox.RequestsSince(b.since) {
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
func (j *judge) recognizable(o object) bool {
	switch o["kind"] {
	case evidence.Key: // ignore_changes may have kept another name
		for _, block := range j.blocks {
			if block.values["name"] == o["name"] {
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

// secrets checks that the state has the secrets that the service shows only once, or, if they may be lost, none. Those
// of imported objects are unknown.
func (j *judge) secrets(lost bool) *violation {
	for _, address := range j.drive.Addresses() {
		state := j.drive.State(address)
		id, _ := state["id"].(string)
		for _, name := range []string{"secret", "token"} {
			value, has := state[name]
			if has && value == nil && state["encrypted_"+name] == nil && !lost && !j.others[id] && !j.imported[id] {
				return broken("secret", "%s has no %s", address, name)
			}
		}
		secret, isEndpoint := state["secret"].(string)
		token, isKey := state["token"].(string)
		if !isEndpoint && !isKey || j.others[id] || j.remote(address, state) == nil {
			continue
		}
		right, err := j.service.Sandbox.EndpointSecret(id)
		prefix, _ := state["key_prefix"].(string)
		if isEndpoint && (err != nil || secret != right) || isKey && !strings.HasPrefix(token, prefix) {
			return broken("secret", "the state of %s has another secret than the service (%v)", address, err)
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
