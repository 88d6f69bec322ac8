package life

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// expect holds the last run, the state or the service to something.
func (s *scenario) expect(words []string) {
	s.t.Helper()
	s.needs(words, 2, 100)
	what, rest := words[1], words[2:]
	if what == "no" && len(rest) > 0 {
		what, rest = "no "+rest[0], rest[1:]
	}
	does, known := expectations[what]
	if !known {
		s.fatalf("nothing is expected by %q", what)
	}
	if len(rest) < does.least || len(rest) > does.most {
		s.fatalf("expect %s takes %d to %d words", what, does.least, does.most)
	}
	does.check(s, rest)
}

// expectations are the expectations by their words, with how many words follow.
var expectations map[string]struct {
	least, most int
	check       func(s *scenario, words []string)
}

func init() {
	type expectation = struct {
		least, most int
		check       func(s *scenario, words []string)
	}
	expectations = map[string]expectation{
		"plan":     {1, 100, (*scenario).expectPlan},
		"planned":  {2, 2, (*scenario).expectPlanned},
		"unknown":  {1, 100, (*scenario).expectUnknown},
		"requests": {2, 3, (*scenario).expectRequests},
		"sent":     {2, 2, (*scenario).expectSent},
		"no writes": {0, 0, func(s *scenario, _ []string) {
			for _, r := range s.last.sent {
				if r.Method != http.MethodGet {
					s.errorf("it was sent:\n%s", lines(s.last.sent))
				}
			}
		}},
		"writes": {1, 100, func(s *scenario, words []string) {
			var have []string
			for _, r := range s.last.sent {
				if r.Method != http.MethodGet {
					have = append(have, r.Operation)
				}
			}
			if !slices.Equal(have, words) {
				s.errorf("it was sent:\n%s", lines(s.last.sent))
			}
		}},
		"warning":  {1, 2, func(s *scenario, words []string) { s.expectText(s.last.warnings, words) }},
		"error":    {1, 2, func(s *scenario, words []string) { s.expectText(s.last.errors, words) }},
		"warnings": {1, 1, func(s *scenario, words []string) { s.expectTexts(s.last.warnings, words[0]) }},
		"errors": {1, 1, func(s *scenario, words []string) {
			s.expectTexts(s.last.errors, words[0])
			s.counted = true
		}},
		"no warnings": {0, 0, func(s *scenario, _ []string) { s.expectTexts(s.last.warnings, "0") }},
		"messages": {1, 1, func(s *scenario, words []string) {
			s.unnamed = nil
			if _, isCore := s.drive.(*acctest.Core); isCore {
				golden.Said(s.t, words[0], s.last.said)
				return
			}
			for _, summary := range golden.Summaries(s.t, words[0]) {
				s.expectText(slices.Concat(s.last.errors, s.last.warnings), []string{summary})
			}
		}},
		"state": {1, 2, (*scenario).expectState},
		"no state": {1, 1, func(s *scenario, words []string) {
			if have := s.drive.State(words[0]); have != nil {
				s.errorf("the state has %s", show(have))
			}
		}},
		"changed": {1, 1, func(s *scenario, words []string) { s.expectChange(words[0], true) }},
		"kept":    {1, 1, func(s *scenario, words []string) { s.expectChange(words[0], false) }},
		"live": {2, 2, func(s *scenario, words []string) {
			if have := s.live(words[0]); strconv.Itoa(len(have)) != words[1] {
				s.errorf("there are %d: %s", len(have), show(have))
			}
		}},
		"remote": {3, 4, (*scenario).expectRemote},
		"secret": {1, 100, (*scenario).expectSecret},
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
		s.errorf("the plan has no %s", address)
		return
	}
	s.holds(within(change.After, path), words[1])
}

// expectUnknown holds the attributes of an object that are only known after apply to exactly these.
func (s *scenario) expectUnknown(words []string) {
	s.t.Helper()
	change := s.last.plan.Of(words[0])
	if change == nil {
		s.errorf("the plan has no %s", words[0])
		return
	}
	var have []string
	for name, v := range change.After {
		if v == any(acctest.Unknown) {
			have = append(have, name)
		}
	}
	slices.Sort(have)
	if want := slices.Sorted(slices.Values(words[1:])); !slices.Equal(have, want) {
		s.errorf("they are %v", have)
	}
}

// expectSent holds the bodies that an operation was sent to exactly this one.
func (s *scenario) expectSent(words []string) {
	s.t.Helper()
	var bodies []string
	for _, r := range s.last.sent {
		if r.Operation == words[0] {
			bodies = append(bodies, show(parsed(r.Body)))
		}
	}
	if want := show(parsed([]byte(words[1]))); !slices.Equal(bodies, []string{want}) {
		s.errorf("it was sent %v", bodies)
	}
}

// lines words requests.
func lines(sent []sandbox.Request) string {
	var all []string
	for _, r := range sent {
		all = append(all, fmt.Sprintf("%s %s %d %s %s", r.Method, r.Path, r.Status, r.Operation, r.Body))
	}
	return strings.Join(all, "\n")
}

// glob is a pattern in which * is anything but a separator and ** is anything.
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
		s.errorf("there are %d:\n%s", n, lines(s.last.sent))
	}
}

// flat is a text in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// expectText looks for a text that matches, and for the argument that it is about. Of that, Terraform itself only shows
// the line.
func (s *scenario) expectText(all, words []string) {
	s.t.Helper()
	pattern, err := regexp.Compile(words[0])
	if err != nil {
		s.fatalf("%v", err)
	}
	if !slices.ContainsFunc(all, func(text string) bool { return pattern.MatchString(flat(text)) }) {
		s.errorf("it is none of %d:\n%s", len(all), strings.Join(all, "\n"))
	}
	s.unnamed = slices.DeleteFunc(s.unnamed, func(text string) bool { return pattern.MatchString(flat(text)) })
	if _, isCore := s.drive.(*acctest.Core); !isCore || len(words) == 1 {
		return
	}
	var about []string
	for _, d := range s.last.said {
		if pattern.MatchString(flat(d.Summary + ": " + d.Detail)) {
			about = append(about, golden.Argument(d))
		}
	}
	if !slices.Contains(about, words[1]) {
		s.errorf("it is about %q", about)
	}
}

func (s *scenario) expectTexts(all []string, n string) {
	s.t.Helper()
	different := slices.Compact(slices.Sorted(slices.Values(all)))
	if strconv.Itoa(len(different)) != n {
		s.errorf("there are %d:\n%s", len(different), strings.Join(different, "\n"))
	}
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
		s.fatalf("which value?")
	}
}

// holds compares a value with what is wanted: text, JSON, null, unknown, or /REGEXP/.
func (s *scenario) holds(have any, want string) {
	s.t.Helper()
	text, isText := have.(string)
	if have == any(absent{}) {
		have = nil
	}
	pattern, isPattern := strings.CutPrefix(want, "/")
	pattern, ends := strings.CutSuffix(pattern, "/")
	switch {
	case isText && text == want, have == any(acctest.Unknown) && want == "unknown", show(have) == want:
	case isPattern && ends && len(want) > 1 && regexp.MustCompile(pattern).MatchString(strings.Trim(show(have), `"`)):
	case parsed([]byte(want)) != nil && show(parsed([]byte(want))) == show(have):
	default:
		s.errorf("it is %s", show(have))
	}
}

func (s *scenario) expectChange(word string, changes bool) {
	s.t.Helper()
	address, path := s.attribute(word)
	before, now := within(s.last.before[address], path), within(s.drive.State(address), path)
	if (show(before) != show(now)) != changes {
		s.errorf("it was %s and is %s", show(before), show(now))
	}
}

func (s *scenario) expectRemote(words []string) {
	s.t.Helper()
	if words[0] == http.MethodGet {
		words = words[1:]
	}
	if len(words) != 3 {
		s.fatalf("say expect remote PATH FIELD VALUE")
	}
	status, response := s.service.Call(http.MethodGet, words[0], nil)
	if status != http.StatusOK {
		s.errorf("status %d: %s", status, show(response))
		return
	}
	s.holds(within(response["data"], words[1]), words[2])
}

// expectSecret holds a key or an endpoint to a secret that works, and to who can read it in the state.
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
			s.errorf("it is %t that %s can decrypt it", text != "", who)
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
			s.errorf("the service signs with another one (%v)", err)
		}
		return
	}
	if status, _ := s.service.CallWithKey(secret, http.MethodGet, "/api/v1/webhook-endpoints", nil); status != 200 {
		s.errorf("the token gets status %d", status)
	}
}
