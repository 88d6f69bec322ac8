package life

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

type object = acctest.JSON

// driver is Terraform, or core.Workspace in its place.
type driver interface {
	Plan(core.Configuration) *core.Plan
	Apply(p *core.Plan, createFirst bool) *core.Applied
	State(address string) object
	Addresses() []string
	Forget(address string)
	Taint(address string)
}

// violation is a broken invariant.
type violation struct{ what, detail string }

func (v *violation) String() string { return v.what + ": " + v.detail }

var volatile = regexp.MustCompile(`"[^"]*"|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+`)

// kind returns the violation without the parts that differ between lives.
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

// sent returns the provider's requests since the last call.
func (s *scenario) sent() []sandbox.Request {
	var fresh []sandbox.Request
	for _, r := range s.service.Sandbox.RequestsSince(s.seen) {
		s.seen = r.Sequence
		if fromProvider(r) {
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// fromProvider reports whether the provider has sent a request.
func fromProvider(r sandbox.Request) bool {
	return strings.HasPrefix(r.Client, "terraform-provider-billing")
}

// canary is in each write-only value of random lives, and must not be in any file or message.
const canary = "canary-write-only-7f3a9c"

// private matches the values in random lives that may be sensitive: a message names an object, and quotes none of them.
var private = regexp.MustCompile(`(?i)q7|11\D{0,2}70077|123\.?456\.?789|19\d\d-0\d-0\d`)

// secretsOf returns what must not be anywhere, and in addition what only a state and a plan may contain, by name.
func secretsOf(service *acctest.Service, states map[string]object) (everywhere, shown map[string]string) {
	everywhere = map[string]string{"write-only credential": canary}
	for name, token := range map[string]string{"token": service.Token, "finance_token": service.FinanceToken,
		"collections_api_key": service.CollectionsKey} {
		everywhere[name] = token[strings.LastIndex(token, ".")+1:] // the signature of a JWT
	}
	shown = maps.Clone(everywhere)
	for address, state := range states {
		for _, name := range []string{"token", "secret"} {
			if value, _ := state[name].(string); value != "" {
				shown[name+" of "+address] = value
			}
		}
	}
	return everywhere, shown
}

// held returns the name of a secret in a text; "" if there is none.
func held(text string, secrets map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if strings.Contains(text, secrets[name]) {
			return name
		}
	}
	return ""
}

// revealed reports a secret, or a value that may be sensitive, in a message.
func (s *scenario) revealed(messages ...[]string) *violation {
	all := slices.Concat(messages...)
	if len(all) == 0 {
		return nil
	}
	_, shown := secretsOf(s.service, s.objects())
	for _, text := range all {
		if name := held(text, shown); name != "" {
			return broken("secret in a message", "%s: %s", name, text)
		}
		if private.MatchString(text) {
			return broken("value in a message", "%s", text)
		}
	}
	return nil
}

// planned makes a plan, and checks that it only reads.
func (s *scenario) planned(c core.Configuration) (*core.Plan, []sandbox.Request, *violation) {
	s.sent()
	p := s.drive.Plan(c)
	sent := s.sent()
	if s.witness != nil {
		s.witness(p, sent)
	}
	for _, r := range sent {
		if r.Method != http.MethodGet {
			return p, sent, broken("the plan sends a write", "%s %s", r.Operation, r.Path)
		}
	}
	if at := slices.IndexFunc(p.Errors, isBug); at >= 0 {
		return p, sent, broken("bug", "plan: %s", p.Errors[at])
	}
	return p, sent, s.revealed(p.Errors, p.Warnings)
}

func isBug(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"bug in the provider", "error in the provider", "inconsistent",
		"unexpected new value", "panic"},
		func(part string) bool { return strings.Contains(lower, part) })
}

// carried applies a plan, and compares the requests with it.
func (s *scenario) carried(plan *core.Plan, createFirst bool) (*core.Applied, []sandbox.Request, []*violation) {
	a := applied{plan: plan, before: map[string]object{}, newIDs: map[string]string{}}
	for _, change := range plan.Changes {
		if change.Action == core.Update {
			a.before[change.Address] = s.remote(change.Address, change.Before)
		}
	}
	s.sent()
	done := s.drive.Apply(plan, createFirst)
	requests := s.sent()
	if s.witness != nil {
		s.witness(nil, requests)
	}
	if at := slices.IndexFunc(done.Errors, isBug); at >= 0 {
		return done, requests, []*violation{broken("bug", "apply: %s", done.Errors[at])}
	}
	for _, address := range s.drive.Addresses() {
		if id, _ := s.drive.State(address)["id"].(string); id != "" {
			a.newIDs[id] = address
		}
	}
	var all []*violation
	if bad := s.revealed(done.Errors, done.Warnings); bad != nil {
		all = append(all, bad)
	}
	for _, unexplained := range a.explain(requests) {
		all = append(all, broken("not shown", "%s", unexplained))
	}
	return done, requests, all
}

// foreignKept checks that keys of another system stay, in objects that the plan keeps.
func (s *scenario) foreignKept(plan *core.Plan) *violation {
	for _, address := range slices.Sorted(maps.Keys(s.marks)) {
		keys := s.marks[address]
		change := plan.Of(address)
		state := s.drive.State(address)
		if change == nil || change.Action != core.NoOp && change.Action != core.Update ||
			change.After["custom_metadata_mode"] == "replace" || state["custom_metadata_mode"] == "replace" {
			delete(s.marks, address)
			continue
		}
		now := s.remote(address, state)
		if now == nil && s.judge != nil && s.judge.unread {
			delete(s.marks, address) // the plan has not seen that another system has deleted it
			continue
		}
		for path, v := range keys {
			top := path
			if typeOf(address) == "billing_finance_record" {
				top = "body." + path
			}
			if ours := within(state, top); ours != any(absent{}) || within(change.Before, top) != any(absent{}) {
				delete(keys, path) // it is also in the configuration, or was
				continue
			}
			if !same(within(now, path), v) {
				return broken("foreign key", "%s: %s was %s and is now %s", address, path, show(v), show(within(now, path)))
			}
		}
	}
	return nil
}

// top names the arguments with differences.
func top(all []difference) string {
	var names []string
	for _, d := range all {
		if name, _, _ := strings.Cut(d.path, "."); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
