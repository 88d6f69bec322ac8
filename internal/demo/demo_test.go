// Package demo runs configurations as a user would: with real Terraform, the sandbox, and typed commands. make demo
// shows the steps of testdata/*.txtar one after the other; make test runs the scenarios in parallel.
package demo

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
)

var watch = flag.Bool("watch", false, "print a line for each step, and run one scenario after the other")

// scenarios lists the scripts of testdata, with their configurations, in the order of make demo.
var scenarios = []string{"customers", "subscriptions", "collections", "finance", "rehearsal"}

func TestDemo(t *testing.T) {
	acctest.Long(t)
	stage := prepare(t)
	for _, name := range scenarios {
		fmt.Fprintf(stage.out, "\n%s\n", strings.ToUpper(name))
		testscript.RunT(player{t}, testscript.Params{
			Files: []string{filepath.Join("testdata", name+".txtar")},
			Setup: stage.setUp,
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"step": step, "load": load, "let": let, "replace": replace,
				"terraform": terraform, "billing-sandbox": sandbox, "asked": asked, "key": key,
				"shown": shown, "arrives": arrives, "trust": trust, "received": received,
			},
			Condition: stage.condition,
		})
	}
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
	out       io.Writer
}

// prepare builds the provider and the sandbox, and installs the provider so that init finds it like a release.
func prepare(t *testing.T) *stage {
	t.Helper()
	s := &stage{dir: t.TempDir(), out: io.Discard}
	if *watch {
		s.out = os.Stdout
	}
	var err error
	s.root, err = filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	path, err := exec.LookPath(acctest.TerraformProgram())
	check(t, err)
	providers := filepath.Join(s.dir, "mirror")
	check(t, os.WriteFile(filepath.Join(s.dir, "terraform.tfrc"), mirror.Only(providers), 0o600))
	s.program, err = mirror.Inspect(t.Context(), path)
	check(t, err)
	fmt.Fprintf(s.out, "Terraform %s (%s)\n", s.program.Version, path)
	check(t, mirror.Build(t.Context(), s.root, ".", s.program.Executable(providers), s.program.Platform))
	s.sandbox = filepath.Join(s.dir, "bin", "billing-sandbox")
	if runtime.GOOS == "windows" {
		s.sandbox += ".exe"
	}
	check(t, mirror.Build(t.Context(), s.root, "./internal/cmd/sandbox", s.sandbox, ""))
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

	receiver *hook.Receiver // accepts every delivery, until trust
	arrived  int            // deliveries until the last arrives
	trusting bool

	steps int
	began time.Time // the current step
}

type sceneKey struct{}

func of(ts *testscript.TestScript) *scene { return ts.Value(sceneKey{}).(*scene) }

// setUp sets the environment of a user's shell.
func (s *stage) setUp(env *testscript.Env) error {
	c := &scene{stage: s, t: env.T().(player).T}
	env.Values[sceneKey{}] = c
	env.Defer(c.end)
	c.receiver = hook.Start(c.t)
	if err := os.WriteFile(filepath.Join(env.WorkDir, "receiver.pem"), c.receiver.PEM(), 0o600); err != nil {
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

// step TITLE prints the title of a step, and the duration of the previous one.
func step(ts *testscript.TestScript, _ bool, args []string) {
	c := of(ts)
	c.end()
	c.steps++
	c.began = time.Now()
	fmt.Fprintf(c.out, "%3d. %s: ", c.steps, strings.Join(args, " "))
}

// end prints the duration of a step, if there is one.
func (c *scene) end() {
	if c.steps > 0 {
		fmt.Fprintf(c.out, "%.1fs\n", time.Since(c.began).Seconds())
	}
}
