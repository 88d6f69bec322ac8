package life

import (
	"cmp"
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
	met    []string
	killed bool
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

// promised matches misfortunes that must not show: reads that lag, and a service that asks to slow down.
var promised = regexp.MustCompile(`"fault":"(lag=|status=429)`)

// trouble returns what the run has met; nil if nothing that may show.
func (w *world) trouble(before map[string]bool) *trouble {
	if w.net == nil {
		return nil
	}
	met, killed := w.net.happened()
	w.counts.met += len(met)
	if !slices.ContainsFunc(met, func(text string) bool { return !promised.MatchString(text) }) {
		return nil
	}
	w.unbound = true
	return &trouble{before: before, met: met, killed: killed}
}

// says records messages that the user has seen.
func (b *trouble) says(all ...[]string) { b.said += strings.Join(slices.Concat(all...), "\n") + "\n" }

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
	w.service.Sandbox.ClearFaults()
	for w.service.Sandbox.Late() > 0 {
		time.Sleep(time.Second)
	}
	time.Sleep(acctest.ReadLag)
	var failed []string
	for range b.rounds() {
		plan, bad := w.replanned(b)
		if bad != nil {
			return bad
		}
		if len(plan.Errors) > 0 {
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
		if failed = done.Errors; len(failed) == 0 {
			return cmp.Or(w.ends(w.foreignKept(plan)), w.ends(w.settled(step{}, plan, imported)), w.accounted(b)).after(b)
		}
		w.follow(b, done.Errors)
		// Abandoned objects may hold what is needed, as without a misfortune.
		failed = slices.DeleteFunc(slices.Clone(failed), func(text string) bool {
			return failures.MatchString(text) || w.heldBefore(text, began)
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
			if exists && !imported && !b.before[bare] && !w.others[bare] && w.drive.State(address) == nil {
				w.imports[address], more = id, true
			}
		}
	}
	return more
}

// accounted checks that every object that exists since the misfortune is in the state, or that a message has named it.
// After a kill, only objects that can be recognized are named.
func (w *world) accounted(b *trouble) *violation {
	state := w.states()
	for id, o := range w.alive() {
		if b.before[id] || w.others[id] || strings.Contains(state+b.had, id) || strings.Contains(b.said, id) ||
			b.killed && !recognizable(o) {
			continue
		}
		unclear := strings.Contains(b.said, "may or may not")
		late := slices.ContainsFunc(b.met, func(text string) bool { return strings.Contains(text, "late=") })
		if unclear && (late || strings.Contains(b.said, "The lookup failed")) {
			continue // it was carried out after the lookups, or they could not see it
		}
		if unclear && !recognizable(o) && (o["kind"] == evidence.Account || o["kind"] == evidence.Subscription) {
			continue
		}
		return broken("lost", "no state has the %s %s, and no message names it: %s", o["kind"], id, show(o)).after(b)
	}
	for path, was := range w.resembling {
		if now := w.shown(path); now != was {
			return broken("another system's object", "%s was %s and is now %s", path, was, now).after(b)
		}
	}
	return w.ends(w.secrets().after(b))
}

// once checks that no request whose every repetition is billed, or ends a secret, was carried out twice.
func (w *world) once(sent []sandbox.Request) *violation {
	carried := map[string]int{}
	for _, r := range sent {
		what := r.Operation + " " + r.Path
		counts := r.Operation == "subscriptions.change_plan" || r.Operation == "webhook_endpoints.rotate_secret"
		if len(r.Changes) == 0 || !counts {
			continue
		}
		if carried[what]++; carried[what] > 1 {
			return broken("twice", "%s was carried out twice in one apply", what)
		}
	}
	return nil
}

// recognizable reports whether a plan or an apply after a kill recognizes an object that the state lacks.
func recognizable(o object) bool {
	switch o["kind"] {
	case evidence.Customer:
		return o["external_id"] != nil || o["document_number"] != nil
	case evidence.Account, evidence.Subscription:
		return o["external_id"] != nil
	}
	return true
}

// secrets checks that the state has the secrets that the service shows only once.
func (w *world) secrets() *violation {
	for _, address := range w.drive.Addresses() {
		state := w.drive.State(address)
		id, _ := state["id"].(string)
		if typeOf(address) != "billing_webhook_endpoint" || w.others[id] || w.remote(address, state) == nil {
			continue
		}
		secret, _ := state["secret"].(string)
		right, err := w.service.Sandbox.EndpointSecret(id)
		if secret != "" && (err != nil || secret != right) {
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
	return &violation{v.what, v.detail + "\nafter " + strings.Join(b.met, "\n")}
}
