//go:build linux

package bench_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// usage is what a provider's process reports at its end.
type usage struct {
	CPU  time.Duration
	Peak int64 // bytes
}

// wrapped runs the provider that BENCH_PROVIDER names in place of this process, and writes its usage to BENCH_USAGE.
// The provider "empty" is the empty one.
func wrapped(program string) error {
	child := exec.Command(program)
	if program == "empty" {
		child = exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "BENCH_PROVIDER=", "BENCH_EMPTY=1")
	}
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := child.Run()
	state := child.ProcessState
	if state == nil {
		return err
	}
	spent, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("no resource usage on this system")
	}
	text, err := json.Marshal(usage{state.UserTime() + state.SystemTime(), spent.Maxrss * 1024})
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv("BENCH_USAGE"), text, 0o600)
}

func serveEmpty() error {
	return tf6server.Serve("example.com/bench/empty", providerserver.NewProtocol6(emptyProvider{}))
}

// variant is a way to plan or apply.
type variant struct {
	name string
	// program is the provider's, "empty", or "" for terraform_data, which is built into Terraform.
	program   string
	env       map[string]string
	arguments []string // of Terraform
}

// run is a plan or an apply that was measured.
type run struct {
	Variant  string
	Objects  int
	Requests int
	Wall     time.Duration
	// CPU and Peak are the provider's, All is the CPU time of Terraform and the provider.
	CPU, All time.Duration
	Peak     int64
}

// world is a configuration of so many objects, and the state that follows from it.
type world struct {
	t       *testing.T
	objects int
	sandbox *sandbox.Server // nil for the providers without a service
	runner  *acctest.Terraform
	wrapper string
}

// latency is that of the service.
const latency = 50 * time.Millisecond

// blockSize is the number of instances of a block. Terraform evaluates all of them for each reference to one.
const blockSize = 10

// billing is a world of customers, and of an account and a subscription for each, that are still to be created.
func billing(t *testing.T, objects int) *world {
	t.Helper()
	s := acctest.Start(t, func(o *sandbox.Options) { o.MaxPerPage = 0 })
	w := newWorld(t, objects)
	w.sandbox = s.Sandbox
	w.runner.At(s)
	w.write(`billing = { source = "recurring-billing/billing" }`, func(block, count, _ int) string {
		set, text := block/3, ""
		switch block % 3 {
		case 0:
			text = `
resource "billing_customer" "b%[1]d" {
  count                  = %[2]d
  name                   = "Customer ${count.index}"
  external_id            = "c-%[1]d-${count.index}"
  email                  = "c${count.index}@customers.example"
  create_billing_account = false
}
`
		case 1:
			text = `
resource "billing_account" "b%[1]d" {
  count       = %[2]d
  customer_id = billing_customer.b%[1]d[count.index].id
  external_id = "a-%[1]d-${count.index}"
}
`
		case 2:
			text = `
resource "billing_subscription" "b%[1]d" {
  count              = %[2]d
  billing_account_id = billing_account.b%[1]d[count.index].id
  external_id        = "s-%[1]d-${count.index}"
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`
		}
		return fmt.Sprintf(text, set, count)
	})
	return w
}

// things are a world of objects without a service.
func things(t *testing.T, objects int, source, typeName, arguments string) *world {
	t.Helper()
	w := newWorld(t, objects)
	w.write(source, func(block, count, _ int) string {
		return fmt.Sprintf("resource %q \"b%d\" {\n  count = %d\n%s}\n", typeName, block, count, arguments)
	})
	return w
}

func newWorld(t *testing.T, objects int) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, objects: objects, runner: acctest.NewTerraform(t), wrapper: dir}
	w.runner.Env["TF_CLI_ARGS"] = "-no-color"
	for _, name := range []string{"terraform-provider-billing", "terraform-provider-empty"} {
		script := "#!/bin/sh\nexec '" + os.Args[0] + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	w.runner.Write("cli.tfrc",
		fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"recurring-billing/billing\" = %q\n    "+
			"\"bench/empty\" = %q\n  }\n  direct {}\n}\n",
			dir, dir))
	built, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	w.use(variant{program: filepath.Join(built, "terraform-provider-billing")})
	return w
}

func (w *world) use(v variant) {
	w.runner.Env["BENCH_PROVIDER"], w.runner.Env["BENCH_USAGE"] = v.program, filepath.Join(w.runner.Dir, "usage.json")
	for name, value := range v.env {
		w.runner.Env[name] = value
	}
}

func (w *world) write(source string, block func(block, count, first int) string) {
	var text strings.Builder
	if source != "" {
		text.WriteString("terraform {\n  required_providers {\n    " + source + "\n  }\n}\n")
	}
	for first := 0; first < w.objects; first += blockSize {
		text.WriteString(block(first/blockSize, min(blockSize, w.objects-first), first))
	}
	w.runner.Write("main.tf", text.String())
}

func (w *world) decode(name string, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.runner.Read(name)), into); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(arguments ...string) *exec.Cmd {
	w.t.Helper()
	command := w.runner.Command(arguments...)
	out, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		w.t.Fatalf("terraform %v: %v\n%s%s", arguments, err, out, exit.Stderr)
	}
	return command
}

// measure plans or applies. A plan that is not one of creations has to be empty: -detailed-exitcode holds that.
func (w *world) measure(v variant) run {
	w.t.Helper()
	r := run{Variant: v.name, Objects: w.objects}
	w.use(v)
	if w.sandbox != nil {
		w.sandbox.ClearFaults()
		w.sandbox.AddFault(sandbox.Fault{Latency: latency})
		w.sandbox.ResetRequests()
	}
	_ = os.Remove(w.runner.Env["BENCH_USAGE"])
	began := time.Now()
	command := w.must(v.arguments...)
	r.Wall = time.Since(began)
	r.All = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if w.sandbox != nil {
		r.Requests = len(w.sandbox.Requests())
	}
	if v.program != "" {
		// Terraform plans in one process of the provider and applies in the next; validation has one of its own before.
		var u usage
		w.decode("usage.json", &u)
		r.CPU, r.Peak = u.CPU, u.Peak
	}
	for name := range v.env {
		delete(w.runner.Env, name)
	}
	w.t.Logf("%-28s %5d objects: %5d requests, %6.2f s, provider %6.2f s, all %6.2f s, %3d MB", v.name, r.Objects,
		r.Requests, r.Wall.Seconds(), r.CPU.Seconds(), r.All.Seconds(), r.Peak>>20)
	return r
}

var (
	planCreations = []string{"plan", "-out=plan"}
	applyPlan     = []string{"apply", "plan"}
	planSettled   = []string{"plan", "-detailed-exitcode"}
)

// TestPlans (make bench) creates objects through a real Terraform, plans them when they do not change, and writes the
// guide's table.
func TestPlans(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("takes minutes; make bench runs it")
	}
	built, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(built, "terraform-provider-billing")
	variants := [][]variant{{
		{name: create, program: program, arguments: planCreations},
		{name: apply, program: program, arguments: applyPlan},
		{name: bulk, program: program, arguments: planSettled},
		{name: single, program: program, env: map[string]string{"BILLING_BULK_REFRESH": "false"}, arguments: planSettled},
		{name: unread, program: program, arguments: append(planSettled, "-refresh=false")},
	}}
	if folder := os.Getenv("BENCH_BASELINE"); folder != "" {
		old := filepath.Join(folder, "terraform-provider-billing")
		variants = append(variants, []variant{
			{name: create + byBaseline, program: old, arguments: planCreations},
			{name: apply + byBaseline, program: old, arguments: applyPlan},
			{name: bulk + byBaseline, program: old, arguments: planSettled},
		})
	}
	without := func(program, name string) []variant {
		return []variant{
			{name: name + ", " + create, program: program, arguments: planCreations},
			{name: name + ", " + apply, program: program, arguments: applyPlan},
			{name: name, program: program, arguments: planSettled},
		}
	}
	var all []run
	for _, objects := range sizes(t) {
		for _, ofProgram := range variants {
			w := billing(t, objects)
			for i, v := range ofProgram {
				if i == 2 { // what was written shortly before is read by its id
					w.sandbox.Clock().Advance(time.Minute)
				}
				all = append(all, w.measure(v))
			}
		}
		flat := "  a0 = \"some text\"\n"
		for i := 1; i < 29; i++ {
			flat += fmt.Sprintf("  a%d = \"some text\"\n", i)
		}
		e := things(t, objects, `empty = { source = "bench/empty" }`, "empty_thing", flat)
		for _, v := range without("empty", empty) {
			all = append(all, e.measure(v))
		}
		d := things(t, objects, "", "terraform_data", "  input = \"some text\"\n")
		for _, v := range without("", builtIn) {
			all = append(all, d.measure(v))
		}
	}
	report(t, all)
}

// sizes are the numbers of objects: BENCH_OBJECTS, such as "100,1000".
func sizes(t *testing.T) []int {
	t.Helper()
	given := os.Getenv("BENCH_OBJECTS")
	if given == "" {
		given = "100,1000,5000"
	}
	var all []int
	for text := range strings.SplitSeq(given, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}
