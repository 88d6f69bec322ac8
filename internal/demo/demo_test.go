// Package demo runs configurations as a user would: with real Terraform, the sandbox, and typed commands. make demo
// shows the steps of testdata/*.txtar one after the other; make test runs the scenarios in parallel.
package demo

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
)

var watch = flag.Bool("watch", false, "print a line for each step, and run one scenario after the other")

// scenarios lists the scripts of testdata, with their configurations, in the order of make demo.
var scenarios = []string{"customers", "subscriptions", "collections", "finance", "rehearsal"}

func TestDemo(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("needs Terraform: run make demo")
	}
	stage := prepare(t)
	stage.opened = time.Now()
	go stage.sumWhenInterrupted()
	for _, name := range scenarios {
		fmt.Fprintf(stage.out, "\n%s\n", strings.ToUpper(name))
		testscript.RunT(player{t}, testscript.Params{
			Files: []string{filepath.Join("testdata", name+".txtar")},
			Setup: stage.setUp,
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"step": step, "skipped": skipped, "load": load, "let": let, "replace": replace,
				"terraform": terraform, "billing-sandbox": sandbox, "asked": asked, "key": key,
				"shown": shown, "arrives": arrives, "trust": trust, "received": received,
			},
			Condition: stage.condition,
		})
	}
	fmt.Fprintf(stage.out, "\n%s\n", stage.sum())
}

// player runs the scenarios in parallel, or in order with -watch.
type player struct{ *testing.T }

func (p player) Run(name string, f func(testscript.T)) {
	p.T.Run(name, func(t *testing.T) { f(player{t}) })
}

func (p player) Parallel() {
	if !*watch {
		p.T.Parallel()
	}
}

func (p player) Verbose() bool { return testing.Verbose() }

// stage is the state that all scenarios share.
type stage struct {
	root, dir string
	program   mirror.Program
	sandbox   string // the path of billing-sandbox
	out       *os.File

	mu     sync.Mutex // guards the fields below and out
	tally  tally
	opened time.Time
}

// prepare builds the provider and the sandbox, and installs the provider so that init finds it like a release.
func prepare(t *testing.T) *stage {
	t.Helper()
	s := &stage{dir: t.TempDir(), out: os.Stdout}
	var err error
	if !*watch {
		s.out, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	check(t, err)
	s.root, err = filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	path, err = exec.LookPath(path)
	check(t, err)
	providers := filepath.Join(s.dir, "mirror")
	check(t, os.WriteFile(filepath.Join(s.dir, "terraform.tfrc"), mirror.Only(providers), 0o600))
	s.program, err = mirror.Inspect(t.Context(), path)
	check(t, err)
	fmt.Fprintf(s.out, "Terraform %s (%s)\n", s.program.Version, path)
	ticker := time.NewTicker(5 * time.Second) // as in the makefile
	defer fmt.Fprintln(s.out)
	defer ticker.Stop()
	go func() {
		for range ticker.C {
			fmt.Fprint(s.out, ".")
		}
	}()
	check(t, mirror.Build(t.Context(), s.root, ".", s.program.Executable(providers), s.program.Platform))
	s.sandbox = filepath.Join(s.dir, "bin", "billing-sandbox")
	if runtime.GOOS == "windows" {
		s.sandbox += ".exe"
	}
	check(t, mirror.Build(t.Context(), s.root, "./internal/cmd/sandbox", s.sandbox, ""))
	for _, name := range scenarios {
		script, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
		check(t, err)
		s.tally.all += len(regexp.MustCompile(`(?m)^step `).FindAll(script, -1))
	}
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// condition evaluates [actions]: Terraform before 1.14 rejects action blocks.
func (s *stage) condition(name string) (bool, error) {
	if name != "actions" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return s.program.AtLeast(14), nil
}

// scene is the state that the commands of one scenario share.
type scene struct {
	*stage
	t       *testing.T
	applied int // requests before the last apply

	receiver *receiver

	// The current step.
	title, result string
	began         time.Time
}

type sceneKey struct{}

func of(ts *testscript.TestScript) *scene { return ts.Value(sceneKey{}).(*scene) }

// setUp sets the environment of a user's shell.
func (s *stage) setUp(env *testscript.Env) error {
	c := &scene{stage: s, t: env.T().(player).T}
	env.Values[sceneKey{}] = c
	env.Defer(func() { c.end() })
	var err error
	if c.receiver, err = startReceiver(c.t, filepath.Join(env.WorkDir, "receiver.pem")); err != nil {
		return err
	}
	env.Setenv("PATH", filepath.Join(s.dir, "bin")+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("RECEIVER", strings.TrimPrefix(c.receiver.At("hooks.example.com"), "https://"))
	for _, pair := range [][2]string{
		{"TF_CLI_CONFIG_FILE", filepath.Join(s.dir, "terraform.tfrc")}, {"TERRAFORM", s.program.Path},
		{"ROOT", s.root}, {"CHECKPOINT_DISABLE", "1"}, {"TF_INPUT", "0"}, {"TF_IN_AUTOMATION", "1"}, {"TF_CLI_ARGS", "-no-color"},
	} {
		env.Setenv(pair[0], pair[1])
	}
	return nil
}

// tally counts the steps of a demo.
type tally struct{ all, passed, skipped, failed int }

func (s *stage) sum() string {
	y := s.tally
	text := fmt.Sprintf("%d steps: %d passed", y.all, y.passed)
	for _, other := range []struct {
		count int
		what  string
	}{{y.skipped, "skipped"}, {y.failed, "failed"}, {y.all - y.passed - y.skipped - y.failed, "not run"}} {
		if other.count > 0 {
			text += fmt.Sprintf(", %d %s", other.count, other.what)
		}
	}
	return fmt.Sprintf("%s, in %.1fs.", text, time.Since(s.opened).Seconds())
}

// sumWhenInterrupted prints the summary on Ctrl-C, which also ends the programs of the step.
func (s *stage) sumWhenInterrupted() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	<-interrupts
	s.mu.Lock() // never unlocked: the step fails now, and must not print
	fmt.Fprintf(s.out, "interrupted\n\n%s\n", s.sum())
	os.Exit(1)
}

// step TITLE starts a step, and ends the previous one.
func step(ts *testscript.TestScript, _ bool, args []string) {
	c := of(ts)
	if !*watch {
		return
	}
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.title, c.result, c.began = strings.Join(args, " "), "ok", time.Now()
	fmt.Fprintf(c.out, "%3d. %s: ", c.tally.passed+c.tally.skipped+c.tally.failed+1, c.title)
}

// skipped REASON marks the step as skipped, because this Terraform does not support it.
func skipped(ts *testscript.TestScript, _ bool, args []string) {
	of(ts).result = "skipped, " + strings.Join(args, " ")
}

// end counts the current step, if there is one.
func (c *scene) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !*watch || c.title == "":
		return
	case c.t.Failed():
		c.result = "FAILED"
		c.tally.failed++
	case c.result == "ok":
		c.tally.passed++
	default:
		c.tally.skipped++
	}
	fmt.Fprintf(c.out, "%s, %.1fs\n", c.result, time.Since(c.began).Seconds())
	c.title = ""
}
