package life

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// expect checks the last run, the state or the service.
func (s *scenario) expect(words []string) {
	s.t.Helper()
	s.needs(words, 2, 100)
	what, rest := words[1], words[2:]
	if what == "no" && len(rest) > 0 {
		what, rest = "no "+rest[0], rest[1:]
	}
	does, known := s.expectations()[what]
	if !known {
		s.fatalf("unknown expectation %q", what)
	}
	if len(rest) < does.least || len(rest) > does.most {
		s.fatalf("expect %s accepts %d to %d words", what, does.least, does.most)
	}
	does.check(rest)
}

// expectation is a check of the words that follow, and their number.
type expectation struct {
	least, most int
	check       func(words []string)
}

// expectations lists the expectations by their words.
func (s *scenario) expectations() map[string]expectation {
	return map[string]expectation{
		"plan":      {1, 100, s.expectPlan},
		"planned":   {2, 2, s.expectPlanned},
		"unknown":   {1, 100, s.expectUnknown},
		"requests":  {2, 3, s.expectRequests},
		"sent":      {2, 2, s.expectSent},
		"no writes": {0, 0, s.expectWrites}, "writes": {1, 100, s.expectWrites},
		"messages": {1, 100, s.expectMessages},
		"no warnings": {0, 0, func([]string) {
			if len(s.last.Warnings) > 0 {
				s.errorf("%s", strings.Join(s.last.Warnings, "\n"))
			}
		}},
		"state": {1, 2, s.expectState},
		"no state": {1, 1, func(words []string) {
			if have := s.drive.State(words[0]); have != nil {
				s.errorf("the state has %s", show(have))
			}
		}},
		"changed": {1, 1, func(words []string) { s.expectChange(words[0], true) }},
		"kept":    {1, 1, func(words []string) { s.expectChange(words[0], false) }},
		"live": {2, 2, func(words []string) {
			if have := s.live(words[0]); strconv.Itoa(len(have)) != words[1] {
				s.errorf("%d exist: %s", len(have), show(have))
			}
		}},
		"remote": {3, 3, s.expectRemote},
		"secret": {1, 100, s.expectSecret},
	}
}

func (s *scenario) expectPlan(words []string) {
	s.t.Helper()
	want := map[string]string{}
	for _, word := range words {
		at := strings.LastIndex(word, "=")
		if word == "empty" {
			continue
		}
		if at < 0 {
			s.fatalf("%q is not ADDRESS=ACTION", word)
		}
		want[word[:at]] = word[at+1:]
	}
	if have := planActions(s.last.plan, want); show(have) != show(want) {
		s.errorf("the plan is %v:\n%s", have, changesOf(s.last.plan))
	}
}

func (s *scenario) expectPlanned(words []string) {
	s.t.Helper()
	address, path := s.attribute(words[0])
	change := s.last.plan.Of(address)
	if change == nil {
		s.errorf("the plan does not contain %s", address)
		return
	}
	s.holds(within(change.After, path), words[1])
}

// expectUnknown checks that exactly these attributes of an object are known only after apply.
func (s *scenario) expectUnknown(words []string) {
	s.t.Helper()
	change := s.last.plan.Of(words[0])
	if change == nil {
		s.errorf("the plan does not contain %s", words[0])
		return
	}
	var have []string
	for name, v := range change.After {
		if v == any(core.Unknown) {
			have = append(have, name)
		}
	}
	slices.Sort(have)
	if want := slices.Sorted(slices.Values(words[1:])); !slices.Equal(have, want) {
		s.errorf("known after apply: %v", have)
	}
}

// expectSent checks that an operation was sent once, with exactly this body.
func (s *scenario) expectSent(words []string) {
	s.t.Helper()
	var bodies []string
	for _, r := range s.last.sent {
		if r.Operation == words[0] {
			bodies = append(bodies, show(parsed(r.Body)))
		}
	}
	if want := show(parsed([]byte(words[1]))); !slices.Equal(bodies, []string{want}) {
		s.errorf("sent bodies: %v", bodies)
	}
}

// expectWrites checks that exactly these requests were sent in addition to reads, in this order.
func (s *scenario) expectWrites(words []string) {
	s.t.Helper()
	var have []string
	for _, r := range s.last.sent {
		if r.Method != http.MethodGet {
			have = append(have, r.Operation)
		}
	}
	if !slices.Equal(have, words) {
		s.errorf("the run sent:\n%s", lines(s.last.sent))
	}
}

// lines lists requests, one per line.
func lines(sent []sandbox.Request) string {
	var all []string
	for _, r := range sent {
		all = append(all, fmt.Sprintf("%s %s %d %s %s", r.Method, r.Path, r.Status, r.Operation, r.Body))
	}
	return strings.Join(all, "\n")
}

// glob compiles a pattern in which * matches anything except a separator and ** matches anything.
func glob(pattern, separator string) *regexp.Regexp {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*\*`, `.*`)
	return regexp.MustCompile(`^` + strings.ReplaceAll(quoted, `\*`, `[^`+separator+`]*`) + `$`)
}

func (s *scenario) expectRequests(words []string) {
	s.t.Helper()
	n := 0
	for _, r := range s.last.sent {
		if len(words) == 2 && glob(words[0], ".").MatchString(r.Operation) ||
			len(words) == 3 && glob(words[0], " ").MatchString(r.Method) && glob(words[1], "/").MatchString(r.Path) {
			n++
		}
	}
	if want := words[len(words)-1]; strconv.Itoa(n) != want {
		s.errorf("%d such requests, of all these:\n%s", n, lines(s.last.sent))
	}
}

// expectMessages checks that the messages are exactly those of these sections of the golden file. For Terraform
// itself it compares only their summaries.
func (s *scenario) expectMessages(words []string) {
	s.t.Helper()
	s.failed = ""
	if _, isCore := s.drive.(*core.Workspace); isCore {
		golden.SaidOf(s.t, strings.Join(words, " "), s.messages(), s.names())
		return
	}
	texts := strings.Join(slices.Concat(s.last.Errors, s.last.Warnings), "\n")
	for _, summary := range golden.Summaries(s.t, words) {
		if !regexp.MustCompile(summary).MatchString(texts) {
			s.errorf("no message is %s: %s", summary, texts)
		}
	}
}

// messages returns the messages of the last run.
func (s *scenario) messages() (all []golden.Message) {
	texts := slices.Concat(s.last.Errors, s.last.Warnings)
	for _, d := range s.last.Diagnostics {
		text := fmt.Sprintf(": %s: %s", d.Summary, d.Detail)
		at := slices.IndexFunc(texts, func(worded string) bool { return strings.HasSuffix(worded, text) })
		address := strings.TrimSuffix(texts[at], text)
		texts = slices.Delete(texts, at, at+1)
		if s.clockRuns {
			stable := *d
			stable.Detail = timestamp.ReplaceAllString(d.Detail, "<time>")
			d = &stable
		}
		all = append(all, golden.Message{Diagnostic: d, Address: address})
	}
	return all
}

var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// names maps ids to the names that messages use for them: as in the scenario, or the address that has the id in
// state.
func (s *scenario) names() map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, id := range uuid.FindAllString(s.source, -1) {
		names[id] = id
	}
	name := func(id, name string) {
		if _, named := names[id]; !named && uuid.MatchString(id) {
			if taken[name] {
				name += " new"
			}
			names[id], taken[name] = "<"+name+">", true
		}
	}
	for _, ofObject := range []bool{true, false} { // an object's own id before references to it
		for _, objects := range []map[string]object{s.last.before, s.objects()} {
			for _, address := range slices.Sorted(maps.Keys(objects)) {
				for _, attribute := range slices.Sorted(maps.Keys(objects[address])) {
					if id, _ := objects[address][attribute].(string); ofObject == (attribute == "id") {
						name(id, strings.TrimSuffix(address+"."+attribute, ".id"))
					}
				}
			}
		}
	}
	name(s.service.Sandbox.Organization().ID, "organization")
	name(s.otherID, "other organization")
	name(fmt.Sprint(s.called["id"]), "called")
	return names
}

func (s *scenario) expectState(words []string) {
	s.t.Helper()
	address, path := s.attribute(words[0])
	state := s.drive.State(address)
	switch {
	case state == nil:
		s.errorf("the state has only %v", s.drive.Addresses())
	case len(words) == 2:
		s.holds(within(state, path), words[1])
	case path != "":
		s.fatalf("the value is missing")
	}
}

// holds compares a value with text, JSON, null, unknown, or /REGEXP/.
func (s *scenario) holds(have any, want string) {
	s.t.Helper()
	text, isText := have.(string)
	if have == any(absent{}) {
		have = nil
	}
	pattern, isPattern := strings.CutPrefix(want, "/")
	pattern, ends := strings.CutSuffix(pattern, "/")
	switch {
	case isText && text == want, have == any(core.Unknown) && want == "unknown", show(have) == want:
	case isPattern && ends && len(want) > 1 && regexp.MustCompile(pattern).MatchString(strings.Trim(show(have), `"`)):
	case parsed([]byte(want)) != nil && show(parsed([]byte(want))) == show(have):
	default:
		s.errorf("the value is %s", show(have))
	}
}

func (s *scenario) expectChange(word string, changes bool) {
	s.t.Helper()
	address, path := s.attribute(word)
	before, now := within(s.last.before[address], path), within(s.drive.State(address), path)
	if (show(before) != show(now)) != changes {
		s.errorf("it was %s and is now %s", show(before), show(now))
	}
}

func (s *scenario) expectRemote(words []string) {
	s.t.Helper()
	status, response := s.service.Call(http.MethodGet, words[0], nil)
	if status != http.StatusOK {
		s.errorf("status %d: %s", status, show(response))
		return
	}
	s.holds(within(response["data"], words[1]), words[2])
}

// expectSecret checks that the secret of a key or an endpoint works, and who can read it in the state.
func (s *scenario) expectSecret(words []string) {
	s.t.Helper()
	state, name := s.drive.State(words[0]), "token"
	if typeOf(words[0]) == "billing_webhook_endpoint" {
		name = "secret"
	}
	secret, _ := state[name].(string)
	file, encrypted := state["encrypted_"+name].(string)
	if (secret == "") != encrypted || encrypted != (len(words) > 1) {
		s.errorf("the state has %s", show(state))
		return
	}
	for who, identity := range s.ages {
		if !encrypted {
			break
		}
		text := identity.Decrypt(file)
		if (text != "") != slices.Contains(words[1:], who) {
			s.errorf("%s can decrypt it: %t", who, text != "")
		}
		if text != "" {
			secret = text
		}
	}
	if encrypted && strings.Contains(show(state), secret) {
		s.errorf("the state has it in clear text")
	}
	id, _ := state["id"].(string)
	if name == "secret" {
		if right, err := s.service.Sandbox.EndpointSecret(id); err != nil || right != secret {
			s.errorf("the service signs with another secret (%v)", err)
		}
		return
	}
	if status, _ := s.service.CallWithKey(secret, http.MethodGet, "/api/v1/webhook-endpoints", nil); status != 200 {
		s.errorf("the token gets status %d", status)
	}
}
