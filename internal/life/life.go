// Package life plays scenarios: a sandbox, a configuration, and events. A scenario is a text file in the txtar format:
// commands first, then configurations:
//
//	# A description that is removed is cleared, and nothing else is sent.
//	apply
//	expect plan billing_webhook_endpoint.e=create
//	apply without.tf
//	expect plan billing_webhook_endpoint.e=update
//	expect requests PATCH /api/v1/webhook-endpoints/* 1
//	expect state billing_webhook_endpoint.e.description null
//	-- main.tf --
//	resource "billing_webhook_endpoint" "e" {
//	  url         = "https://example.com/hook"
//	  description = "first"
//	}
//	-- without.tf --
//	resource "billing_webhook_endpoint" "e" {
//	  url = "https://example.com/hook"
//	}
//
// The external test package of a resource plays its scenarios with one line:
//
//	func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
//
// A scenario runs in this process, on core.Workspace, and in virtual time: no wait takes time. With LIFE_TERRAFORM=1
// (and terraform in PATH or TF_ACC_TERRAFORM_PATH) the same file runs through Terraform itself, with the same
// expectations.
//
// The invariants need no command: a plan only reads; the plan explains every request of its apply; the provider follows
// Terraform's rules ("inconsistent result"); the plan after a successful apply is empty; keys of custom_metadata and of
// a record that another system has set stay.
//
// # Commands
//
// One command per line. # starts a comment. Words with spaces are in single quotes; two single quotes inside them are
// one. A leading ! means that Terraform must fail, and "expect messages" must follow. Use ! plan and ! plan -destroy if
// the plan fails, and ! apply and ! destroy if the plan succeeds and its apply fails. In every word,
// {billing_customer.c.id} is an attribute in state, {called.id} a field of the object that the last call returned, and
// {called} all of it. {age.ana} is the age recipient of an identity of that name, and {age.ana.key} its private key.
//
// Terraform. FILE defaults to main.tf. The state stays between commands.
//
//	apply [FLAG...] [FILE]     plans and applies
//	plan [FLAG...] [FILE]      plans
//	destroy [FLAG...] [FILE]   destroys everything; FILE is for its provider block
//	import ADDRESS ID [FILE]   plans and applies FILE with an import block in addition
//	forget ADDRESS             terraform state rm
//	taint ADDRESS              terraform taint
//
// NAME.ARGUMENT=EXPRESSION sets an argument of the block of that name in FILE, and NAME.ARGUMENT= removes it:
// apply s.notes="n" s.pause=
//
// Flags: -destroy (of a plan), -replace=ADDRESS, -target=ADDRESS, -refresh=false, -parallelism=N, -var=NAME=VALUE, and
// -next=ADDRESS=ACTION if the plan after the apply is not empty.
//
// FILE may contain resource, data, variable, locals, import, moved, removed and provider blocks, for_each,
// ignore_changes, create_before_destroy and prevent_destroy, and references. It needs neither a terraform block nor the
// arguments of the provider that connect it to the sandbox. The output of a terraform_data is known only after apply if
// its input changes.
//
// With judge, apply accepts -refresh=false, -create-first, which decides an order that Terraform leaves open, and
// -settle=FILE: with that configuration the state is settled after a misfortune. Further commands for judged scenarios:
//
//	plan as another organization  the token belongs to another organization
//	reimport ADDRESS              terraform state rm; the next apply imports the object
//	adopt ADDRESS CODE            the next apply imports the object with the external_id CODE, if there is one
//	copy                          plans against a copy of the organization: the plan is the same
//
// The service. KIND is customer, account, subscription, endpoint or key, or a collection of finance records, such as
// payables. WHERE is an address in state, external_id=CODE, url=URL, name=NAME, or the id.
//
//	edit KIND WHERE FIELD=TEXT...  another system changes an object; FIELD:=JSON for values other than text, and a dot
//	                               to change one key: custom_metadata.crm.score:=7 leaves the others
//	add KIND ADDRESS FIELD JSON    another system adds an entry to a list, or keys to an object, that it sends whole
//	delete KIND WHERE              another system deletes it
//	call METHOD PATH [JSON]        any other request: call POST /v1/subscriptions/{billing_subscription.s.id}/resume {}
//	clock advance 46d              also 90m, 2h; the clock is stopped, at 2026-03-14T12:00:00Z initially
//	clock set TIME                 an RFC 3339 time
//	fault OPERATION KEY=VALUE...   as for `billing-sandbox fault add`: fault customers.create status=503 times=1;
//	                               drop=after loses the response, "latency=5s after" delays it, "status=504 late=3s"
//	                               processes the request 3 s later, before the command ends; OPERATION is optional
//	fault clear                    removes all faults
//	at request N [of OPERATION] [xTIMES]: EFFECT...
//	                               what the Nth request of the next run meets, and those after it up to TIMES; OPERATION
//	                               may be read or write. An EFFECT is a fault as above; kill; interrupt; twice, as a
//	                               proxy repeats it; date -26h or date none, a wrong Date of the response; or then
//	                               COMMAND, by another system after it. A run that is killed or
//	                               interrupted fails: ! apply. Terraform itself only meets outage=2s, "kill PROCESS" and
//	                               "interrupt PROCESS", 120ms after the request with "delay 120ms"; PROCESS is provider,
//	                               terraform or both. With anything else, the scenario is skipped
//	meanwhile COMMAND              the command runs between the plan and the apply of the next apply
//	shown KIND FIELD=TEXT...       from now on the service shows objects of a kind to the provider with these fields;
//	                               FIELD:=JSON for values other than text, -FIELD to omit it; no field: unchanged again
//	listed KIND FIELD=TEXT...      like shown, but only in lists: reads by id are unchanged
//	organization other|own         the provider's token belongs to another organization, or to its own again
//	terraform 1.12                 through an older Terraform, the scenario is skipped
//	sandbox tolerance=NAMES        how the sandbox differs, as for `billing-sandbox serve`; only as the first command
//	sandbox rewords=KINDS          the sandbox stores texts otherwise than they were sent, as for `serve --rewords`; only
//	                               as the first command
//	sandbox clock=now              the sandbox uses the machine's clock, or clock=26h: it is ahead; only as the first
//	                               command
//	seed N                         everything that happens at the same time happens in an order that N decides; only as
//	                               the first command
//	judge                          after seed: checks after each run what always holds, whatever has happened: every
//	                               object that exists is in the state or in a message, nothing was done twice, other
//	                               systems lost nothing, secrets work, and after at most two applies the plan is empty.
//	                               Errors need no !, and a change of an object that does not exist is left out
//
// Expectations about the last command that ran Terraform:
//
//	expect plan empty                    no changes
//	expect plan ADDRESS=ACTION...        exactly these: create, update, replace, delete; no-op for an unchanged object
//	expect planned ADDRESS.ATTR VALUE    the planned value; unknown if it is known only after apply
//	expect unknown ADDRESS [ATTR...]     exactly these attributes are known only after apply
//	expect requests METHOD PATH N        the provider's, including those of the plan; * is anything but a /, ** anything
//	expect requests OPERATION N          by operation of the wire contract: expect requests customers.* 2
//	expect sent OPERATION JSON           one request of the operation, with this body
//	expect no writes                     only GET requests
//	expect writes OPERATION...           exactly these requests in addition to GET, in this order
//	expect no warnings
//	expect messages NAME...              all errors and warnings are exactly those of these sections of
//	                                     testdata/messages.txt; UPDATE_MESSAGES=1 writes those missing in the others to
//	                                     the first one. An id is replaced by the name of the object that has it in
//	                                     state. Each section must be used. Through Terraform itself, only summaries count
//	expect state ADDRESS.ATTR VALUE      text, JSON, null, or /REGEXP/; ATTR may be a path: a.b.0.c
//	expect state ADDRESS                 it is in the state; expect no state ADDRESS
//	expect changed ADDRESS.ATTR          the value in state differs from before the command; expect kept ADDRESS.ATTR
//	expect live KIND N                   the number of objects of a kind at the service that have not ended; the API key
//	                                     of the provider is one
//	expect remote PATH FIELD VALUE       the field in the response to GET PATH
//	expect secret ADDRESS [NAME...]      the token of a key or the secret of an endpoint works; the state has it in
//	                                     clear text, or, with names, encrypted for exactly these identities
package life

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Run plays the scenarios whose files match a pattern, each as a separate test.
func Run(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario matches %s: %v", pattern, err)
	}
	for _, path := range files {
		if filepath.Base(path) == "messages.txt" {
			continue // the golden file, see package golden
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			play(t, path, string(text))
		})
	}
}

// scenario is a scenario that is being played.
type scenario struct {
	t       *testing.T
	service *acctest.Service
	drive   driver

	path             string
	source, commands string // the whole file, and its commands
	line             int
	text             string // of the line
	files            map[string]string
	used             map[string]bool
	options          []acctest.Option
	end              func()
	here             *acctest.Service // with the provider's token, which may be another organization's
	otherID          string           // that organization's id
	otherToken       string           // its token; "" until it is needed
	genuine          bool             // through Terraform itself
	judge            *judge           // nil: the scenario is not judged
	// marks are the keys of free-form objects that another system has set: address, path and value.
	marks map[string]object
	seen  uint64 // the last request that was looked at
	// witness gets each plan, and each apply with nil, with the requests; nil: nobody looks.
	witness func(p *core.Plan, sent []sandbox.Request)
	bad     *violation    // what the judge has found
	seed    *uint64       // decides the order of what happens at the same time; nil: one by one
	mishaps mishaps       // brings misfortunes about
	net     *network      // carries the requests of a scenario with a seed; nil through Terraform itself
	heard   atomic.Value  // func(sandbox.Request), through Terraform itself
	ahead   time.Duration // how far the service's clock is ahead
	tick    time.Duration // passes before each command
	rewords bool          // the service stores texts otherwise than they are sent
	quiet   bool          // the scenario may be malformed: fatalf panics
	called  object        // the response to the last call
	ages    map[string]*acctest.Identity
	last    run

	fails     bool         // the command begins with !
	failed    string       // the line of the last failure, until its messages are expected
	clockRuns bool         // times in messages differ between runs
	changes   []string     // to the file of the run
	meanwhile []func()     // happens between the next plan and its apply
	meets     []misfortune // of the next run
}

// run holds the results of the last command that ran Terraform.
type run struct {
	plan      *core.Plan
	core.Said // Terraform itself returns only texts
	sent      []sandbox.Request
	before    map[string]object // the state before the run
}

// planOnly returns the results of a plan.
func planOnly(before map[string]object, plan *core.Plan, sent []sandbox.Request) run {
	return run{before: before, plan: plan, Said: plan.Said, sent: sent}
}

// add adds the results of the apply.
func (r *run) add(done *core.Applied, sent []sandbox.Request) {
	r.Errors, r.Warnings = done.Errors, slices.Concat(r.Warnings, done.Warnings)
	r.sent, r.Diagnostics = append(r.sent, sent...), slices.Concat(r.Diagnostics, done.Diagnostics)
}

// play plays a scenario, in virtual time unless it runs through Terraform itself.
func play(t *testing.T, path, text string) {
	t.Helper()
	genuine := os.Getenv("LIFE_TERRAFORM") == "1"
	inside(t, genuine, func(t *testing.T) {
		s := newScenario(t, path, text)
		s.genuine = genuine
		defer func() { s.end() }()
		if s.playAll(); s.bad != nil {
			s.fatalf("%s", s.bad)
		}
		s.finish()
	})
}

// mishaps bring about what a run meets.
type mishaps interface {
	expect(meets []misfortune)
	happened() (all []met, killed bool)
}

// inside runs a test, in virtual time unless it is genuine.
func inside(t *testing.T, genuine bool, run func(t *testing.T)) {
	t.Helper()
	if genuine {
		run(t)
		return
	}
	acctest.Virtually(t, run)
}

// newScenario returns a scenario before its first command.
func newScenario(t *testing.T, path, text string) *scenario {
	t.Helper()
	archive := txtar.Parse([]byte(text))
	s := &scenario{t: t, marks: map[string]object{}, path: path, source: text,
		commands: string(archive.Comment), files: map[string]string{}, used: map[string]bool{},
		ages: map[string]*acctest.Identity{}, end: func() {}, last: run{plan: &core.Plan{}}}
	for _, file := range archive.Files {
		s.files[file.Name] = string(file.Data)
	}
	return s
}

// playAll plays the commands until the judge finds something.
func (s *scenario) playAll() {
	s.t.Helper()
	for line := range strings.Lines(s.commands) {
		if s.play(line); s.bad != nil {
			return
		}
	}
}

// play plays a line.
func (s *scenario) play(line string) {
	s.t.Helper()
	s.line, s.text = s.line+1, strings.TrimSpace(line)
	words, err := split(s.text)
	if err != nil {
		s.fatalf("%v", err)
	}
	if len(words) == 0 || s.judge != nil && s.judge.over {
		return
	}
	if s.fails = words[0] == "!"; s.fails {
		words = words[1:]
		if len(words) == 0 || !slices.Contains([]string{"apply", "plan", "destroy", "import"}, words[0]) {
			s.fatalf("only apply, plan, destroy and import can be expected to fail")
		}
	}
	if words[0] != "expect" {
		s.named()
	}
	if s.tick > 0 && s.service != nil {
		s.pass(s.tick)
	}
	s.command(words)
}

// finish checks that everything was used.
func (s *scenario) finish() {
	s.t.Helper()
	s.named()
	switch {
	case s.judge != nil && s.judge.over:
		return
	case len(s.meanwhile) > 0:
		s.errorf("meanwhile without an apply after it")
	case len(s.meets) > 0:
		s.errorf("at without a run after it")
	}
	for name := range s.files {
		if !s.used[name] {
			s.t.Errorf("%s: %s is not used", s.path, name)
		}
	}
}

// named checks that the messages of a failure were expected.
func (s *scenario) named() {
	s.t.Helper()
	if s.failed != "" {
		s.t.Fatalf("%s\nadd the reason: expect messages NAME. The errors are:\n%s", s.failed,
			strings.Join(s.last.Errors, "\n"))
	}
}

func (s *scenario) where() string { return fmt.Sprintf("%s:%d: %s", s.path, s.line, s.text) }

func (s *scenario) fatalf(format string, arguments ...any) {
	s.t.Helper()
	if s.quiet {
		panic(malformed(fmt.Sprintf(format, arguments...)))
	}
	s.t.Fatalf("%s\n%s", s.where(), fmt.Sprintf(format, arguments...))
}

func (s *scenario) errorf(format string, arguments ...any) {
	s.t.Helper()
	if s.quiet {
		panic(malformed(fmt.Sprintf(format, arguments...)))
	}
	s.t.Errorf("%s\n%s", s.where(), fmt.Sprintf(format, arguments...))
}

// split splits a line into words.
func split(line string) (words []string, err error) {
	var word strings.Builder
	begun, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte(c)
			i++
		case c == '\'':
			quoted, begun = !quoted, true
		case quoted:
			word.WriteByte(c)
		case c == '#' && !begun:
			return words, nil
		case c == ' ' || c == '\t':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("unclosed quote")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// start starts the sandbox.
func (s *scenario) start() {
	s.t.Helper()
	s.service, s.end = acctest.Open(s.t, append([]acctest.Option{func(o *sandbox.Options) {
		o.NoExampleData, o.NoListeners = true, !s.genuine
		o.OnRequest = func(r sandbox.Request) {
			if heard, _ := s.heard.Load().(func(sandbox.Request)); heard != nil {
				heard(r)
			}
		}
		if s.seed != nil {
			o.MaxPerPage, o.Start = 0, time.Time{} // its clock goes on
		}
	}}, s.options...)...)
	if s.seed != nil {
		defer func() { s.service.Sandbox.Clock().Set(acctest.Epoch.Add(s.ahead)) }()
	}
	if s.genuine {
		if err := os.Setenv("TF_ACC", "1"); err != nil {
			s.t.Fatal(err)
		}
		here := *s.service
		s.here = &here
		program := newTerraform(s.t, s.here)
		s.drive, s.mishaps, program.traced = program, program, s.seed != nil && *s.seed%4 == 0
		s.heard.Store(program.heard)
		return
	}
	// Without a seed, the clock of this machine is after that of the sandbox, and within a second, as it usually is.
	at, seed := acctest.Epoch.AddDate(1, 0, 0).Add(time.Second/2), uint64(0)
	if s.seed != nil {
		at, seed = acctest.Epoch, *s.seed // reads that lag show what is there from the start
	}
	time.Sleep(time.Until(at))
	s.net = &network{sandbox: s.service.Sandbox, seed: seed, random: rand.New(rand.NewPCG(seed, 48)), then: s.overtake}
	s.mishaps = s.net
	s.net.expect(nil)
	s.t.Cleanup(s.net.begin())
	s.service.Dial, s.service.Random, s.service.Uncompared = s.net.dial, s.net.number, s.seed != nil
	here := *s.service
	workspace := here.Core()
	if s.here, s.drive = &here, workspace; s.seed != nil {
		workspace.Turn = s.net.turn
	}
}

var reference = regexp.MustCompile(`\{((?:billing_|terraform_data\.|called|age\.)[^{}]*)\}`)

// malformed is the panic that fatalf causes in a scenario which may be wrong.
type malformed string

// command runs one line.
func (s *scenario) command(words []string) {
	s.t.Helper()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case malformed:
			panic(r)
		default:
			if s.judge == nil {
				s.errorf("panic: %v\n%s", r, debug.Stack())
				s.t.FailNow()
			}
			s.found(broken("panic", "%v\n%s", r, debug.Stack()))
		}
	}()
	if slices.Contains([]string{"sandbox", "seed", "judge"}, words[0]) {
		s.setting(words)
		return
	}
	if s.drive == nil {
		s.start()
	}
	if s.judge != nil {
		s.judge.noted(words[0])
		if s.impossible(words) {
			return
		}
	}
	if words[0] != "at" { // what happens then has other values
		for i, word := range words {
			words[i] = reference.ReplaceAllStringFunc(word, func(ref string) string { return s.value(strings.Trim(ref, "{}")) })
		}
	}
	does := map[string]func(words []string){
		"apply": s.apply, "plan": s.apply, "destroy": s.apply, "import": s.apply, "edit": s.edit, "add": s.add,
		"delete": s.edit, "call": s.call, "clock": s.clock, "fault": s.fault,
		"organization": s.organization, "expect": s.expect, "shown": s.shown, "listed": s.shown, "at": s.at,
		"terraform": s.terraform, "forget": s.forget, "taint": s.taint, "reimport": s.underJudge, "copy": s.underJudge,
		"adopt": s.underJudge,
		"meanwhile": func(words []string) {
			s.needs(words, 2, 100)
			s.meanwhile = append(s.meanwhile, func() { s.command(words[1:]) })
		},
	}[words[0]]
	if does == nil {
		s.fatalf("unknown command %q", words[0])
	}
	does(words)
}

// overtake runs a command of another system during a run. A malformed one does nothing.
func (s *scenario) overtake(words []string) {
	defer endMalformed()
	s.command(words)
}

// endMalformed is deferred where a malformed scenario just ends.
func endMalformed() {
	r := recover()
	if _, isMalformed := r.(malformed); r != nil && !isMalformed {
		panic(r)
	}
}

// impossible reports whether a command is about an object that does not exist. In a judged scenario it is left out.
func (s *scenario) impossible(words []string) bool {
	if !slices.Contains([]string{"edit", "delete", "add", "call", "reimport"}, words[0]) {
		return false
	}
	about := slices.Clone(words[1:min(len(words), 3)])
	for _, word := range words {
		for _, ref := range reference.FindAllStringSubmatch(word, -1) {
			about = append(about, ref[1])
		}
	}
	return slices.ContainsFunc(about, func(word string) bool {
		found := attributePattern.FindStringSubmatch(word)
		return found != nil && s.drive.State(found[1]) == nil
	})
}

// underJudge runs a command of a judged scenario.
func (s *scenario) underJudge(words []string) {
	s.t.Helper()
	if s.judge == nil {
		s.fatalf("%s needs judge", words[0])
	}
	file, settle, createFirst := "main.tf", "", false
	switch words[0] {
	case "reimport":
		s.needs(words, 2, 2)
		s.judge.importing(words[1])
		return
	case "adopt":
		s.needs(words, 3, 3)
		s.judge.adopting(words[1], words[2])
		return
	case "copy":
		s.found(s.judge.copied())
		return
	case "plan":
		if !slices.Equal(words[1:], []string{"as", "another", "organization"}) {
			s.fatalf("usage: plan as another organization")
		}
		s.found(s.judge.stranger())
		return
	case "destroy", "import":
		s.fatalf("with judge, apply another file, or reimport an object")
	}
	for _, word := range words[1:] {
		if to, settles := strings.CutPrefix(word, "-settle="); settles {
			settle = to
		} else if word == "-create-first" {
			createFirst = true
		} else if word != "-refresh=false" {
			file = word
		}
	}
	s.judge.unread = slices.Contains(words, "-refresh=false")
	for _, name := range []string{file, settle} {
		if _, there := s.files[name]; !there && name != "" {
			s.fatalf("file %s does not exist", name)
		}
		s.used[name] = true
	}
	s.found(s.judge.run(file, cmp.Or(settle, file), createFirst))
}

// found notes the first violation that ends the scenario.
func (s *scenario) found(bad *violation) {
	s.bad = cmp.Or(s.bad, bad)
}

// at sets what requests of the next run meet.
func (s *scenario) at(words []string) {
	s.t.Helper()
	s.needs(words, 4, 100)
	m, err := misfortuneOf(words[2:])
	if err != nil {
		s.fatalf("%v", err)
	}
	if s.genuine && m.target == "" && !strings.HasPrefix(m.fault, "outage=") {
		s.t.Skip("needs virtual time")
	}
	s.meets = append(s.meets, m)
}

// setting is a first command.
func (s *scenario) setting(words []string) {
	s.t.Helper()
	if s.drive != nil {
		s.fatalf("the sandbox is already running")
	}
	switch words[0] {
	case "judge":
		if s.seed == nil {
			s.fatalf("judge needs seed before it")
		}
		s.judge = newJudge(s)
	case "seed":
		s.needs(words, 2, 2)
		n, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			s.fatalf("%v", err)
		}
		s.seed = &n
	default:
		s.sandbox(words[1:])
	}
}

// needs checks a command's number of words.
func (s *scenario) needs(words []string, least, most int) {
	s.t.Helper()
	if len(words) < least || len(words) > most {
		s.fatalf("%q accepts %d to %d words", words[0], least-1, most-1)
	}
}

func (s *scenario) sandbox(words []string) {
	s.t.Helper()
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "tolerance", "rewords":
			rules, err := bend.Parse(bend.Flags[name], value)
			if err != nil {
				s.fatalf("%v", err)
			}
			s.rewords = s.rewords || name == "rewords"
			s.options = append(s.options, func(o *sandbox.Options) { o.Bend = append(o.Bend, rules...) })
		case "clock":
			var err error
			if value == "now" {
				s.options, s.clockRuns = append(s.options, acctest.RunningClock), true
			} else if s.ahead, err = time.ParseDuration(value); err != nil {
				s.fatalf("%v", err)
			}
		default:
			s.fatalf("usage: sandbox tolerance=NAMES, rewords=KINDS, clock=now or clock=DURATION")
		}
	}
}

func (s *scenario) forget(words []string) {
	s.t.Helper()
	s.held(words)
	s.drive.Forget(words[1])
}

func (s *scenario) taint(words []string) {
	s.t.Helper()
	s.held(words)
	s.drive.Taint(words[1])
}

// held ends the scenario unless the address is in the state.
func (s *scenario) held(words []string) {
	s.t.Helper()
	s.needs(words, 2, 2)
	if s.drive.State(words[1]) == nil {
		s.fatalf("%s is not in the state", words[1])
	}
}

func (s *scenario) clock(words []string) {
	s.t.Helper()
	s.needs(words, 3, 3)
	clock := s.service.Sandbox.Clock()
	switch words[1] {
	case "advance":
		by, err := sandbox.ParseDuration(words[2])
		if err != nil {
			s.fatalf("%v", err)
		}
		s.pass(by)
	case "set":
		at, err := time.Parse(time.RFC3339, words[2])
		if err != nil {
			s.fatalf("%v", err)
		}
		clock.Set(at)
	default:
		s.fatalf("usage: clock advance DURATION or clock set TIME")
	}
}

func (s *scenario) fault(words []string) {
	s.t.Helper()
	if slices.Equal(words[1:], []string{"clear"}) {
		s.service.Sandbox.ClearFaults()
		return
	}
	words = slices.Clone(words[1:])
	if len(words) > 0 && !strings.Contains(words[0], "=") && strings.Contains(words[0], ".") {
		words[0] = "operation=" + words[0]
	}
	fault, err := sandbox.ParseFault(strings.Join(words, ","))
	if err != nil {
		s.fatalf("%v", err)
	}
	s.service.Sandbox.AddFault(fault)
}

// terraform skips a scenario if Terraform is older than the required version.
func (s *scenario) terraform(words []string) {
	s.t.Helper()
	s.needs(words, 2, 2)
	program, isProgram := s.drive.(*terraform)
	if !isProgram {
		return
	}
	var has int
	if _, err := fmt.Sscanf(program.Run("version"), "Terraform v1.%d.", &has); err != nil {
		return // OpenTofu numbers its versions differently, and supports everything that scenarios need
	}
	var least int
	if _, err := fmt.Sscanf(words[1], "1.%d", &least); err != nil {
		s.fatalf("%q is not a version such as 1.12", words[1])
	}
	if has < least {
		s.t.Skipf("needs Terraform %s", words[1])
	}
}

// shown changes how the provider sees objects, or only their lists.
func (s *scenario) shown(words []string) {
	s.t.Helper()
	s.needs(words, 2, 100)
	at := pathOfKind(words[1])
	var none, set []string
	for _, word := range words[2:] {
		if name, without := strings.CutPrefix(word, "-"); without {
			none = append(none, name)
		} else {
			set = append(set, word)
		}
	}
	fields := s.fields(sandbox.ParseFields, set)
	s.service.Shows(func(x *bend.Exchange) {
		if !strings.HasPrefix(x.Path, at) || words[0] == "listed" && x.Path != at {
			return
		}
		bend.Data(func(o object) {
			maps.Copy(o, fields)
			for _, name := range none {
				delete(o, name)
			}
		})(x)
	})
}

// pass lets time pass: with a seed also that of the local clock.
func (s *scenario) pass(d time.Duration) {
	if s.net != nil && s.seed != nil {
		s.net.pass(d)
		return
	}
	s.service.Sandbox.Clock().Advance(d)
}

// organization changes the token of the provider.
func (s *scenario) organization(words []string) {
	s.t.Helper()
	s.needs(words, 2, 2)
	s.belong(words[1])
	if words[1] == "other" && s.judge == nil {
		s.pass(acctest.ReadLag)
	}
}

// belong gives the provider the token of another organization, or its own one.
func (s *scenario) belong(to string) {
	s.t.Helper()
	if s.here.Token = s.service.Token; to == "other" {
		if s.otherToken == "" {
			s.otherToken, s.otherID = s.service.OtherToken()
		}
		s.here.Token = s.otherToken
	}
	s.renewed()
}

// renewed gives Terraform itself the addresses and tokens of the service.
func (s *scenario) renewed() {
	if genuine, isTerraform := s.drive.(*terraform); isTerraform {
		genuine.At(s.here)
	}
}
