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

// variant is a way to plan.
type variant struct {
	name string
	// program is the provider's, "empty", or "" for terraform_data, which is built into Terraform.
	program   string
	env       map[string]string
	arguments []string
}

// run is a plan that was measured.
type run struct {
	Variant   string
	Objects   int
	LatencyMS int
	Requests  int
	Wall      time.Duration
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

const blockSize = 100 // Terraform's own cost grows faster than the number of instances of one block

// customers are a world of customers, created at the service directly.
func customers(t *testing.T, objects int) *world {
	t.Helper()
	s := acctest.Start(t, func(o *sandbox.Options) { o.MaxPerPage = 0 })
	w := newWorld(t, objects)
	w.sandbox = s.Sandbox
	w.runner.At(s)
	w.write(`billing = { source = "recurring-billing/billing" }`, func(block, count, first int) string {
		return fmt.Sprintf(`
resource "billing_customer" "b%d" {
  count                  = %d
  name                   = "Customer ${count.index + %d}"
  external_id            = "c-${count.index + %d}"
  create_billing_account = false
}
`, block, count, first, first)
	})
	// One object through Terraform is the pattern of the others.
	w.must("apply", "-auto-approve", "-target=billing_customer.b0[0]")
	w.clone(func(i int, attributes map[string]any) {
		name, code := fmt.Sprintf("Customer %d", i), fmt.Sprintf("c-%d", i)
		var c acctest.JSON
		if i > 0 {
			response := s.Must("POST", "/v1/customers", acctest.JSON{"name": name, "external_id": code,
				"create_billing_account": false})
			c, _ = response["customer"].(acctest.JSON)
			attributes["id"], attributes["public_id"] = c["id"], c["public_id"]
			attributes["name"], attributes["external_id"] = name, code
			attributes["created_at"], attributes["updated_at"] = c["created_at"], c["updated_at"]
		}
	})
	// What was written shortly before is read by its id.
	s.Sandbox.Clock().Advance(time.Minute)
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

// clone makes a state of all objects from that of the first.
func (w *world) clone(change func(i int, attributes map[string]any)) {
	w.t.Helper()
	var state map[string]any
	w.decode("terraform.tfstate", &state)
	first, _ := state["resources"].([]any)[0].(map[string]any)
	pattern, err := json.Marshal(first["instances"].([]any)[0])
	if err != nil {
		w.t.Fatal(err)
	}
	var resources []any
	for begin := 0; begin < w.objects; begin += blockSize {
		resource := map[string]any{}
		for key, value := range first {
			resource[key] = value
		}
		resource["name"] = "b" + strconv.Itoa(begin/blockSize)
		var instances []any
		for i := begin; i < min(begin+blockSize, w.objects); i++ {
			var instance map[string]any
			if err := json.Unmarshal(pattern, &instance); err != nil {
				w.t.Fatal(err)
			}
			instance["index_key"] = i - begin
			attributes, _ := instance["attributes"].(map[string]any)
			change(i, attributes)
			instances = append(instances, instance)
		}
		resource["instances"] = instances
		resources = append(resources, resource)
	}
	state["resources"] = resources
	text, err := json.Marshal(state)
	if err != nil {
		w.t.Fatal(err)
	}
	w.runner.Write("terraform.tfstate", string(text))
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
	if arguments[0] == "plan" && !strings.Contains(string(out), "No changes") {
		w.t.Errorf("the plan is not empty:\n%.2000s", out)
	}
	return command
}

// plan measures a plan that changes nothing.
func (w *world) plan(v variant, latency time.Duration) run {
	w.t.Helper()
	r := run{Variant: v.name, Objects: w.objects, LatencyMS: int(latency.Milliseconds())}
	w.use(v)
	if w.sandbox != nil {
		w.sandbox.ClearFaults()
		if latency > 0 {
			w.sandbox.AddFault(sandbox.Fault{Latency: latency})
		}
		w.sandbox.ResetRequests()
	}
	_ = os.Remove(w.runner.Env["BENCH_USAGE"])
	began := time.Now()
	command := w.must(append([]string{"plan"}, v.arguments...)...)
	r.Wall = time.Since(began)
	r.All = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if w.sandbox != nil {
		r.Requests = len(w.sandbox.Requests())
	}
	if v.program != "" {
		// Terraform plans in one process of the provider; validation has one of its own, which ends before.
		var u usage
		w.decode("usage.json", &u)
		r.CPU, r.Peak = u.CPU, u.Peak
	}
	for name := range v.env {
		delete(w.runner.Env, name)
	}
	w.t.Logf("%-28s %5d objects, %2d ms: %5d requests, %6.2f s, provider %6.2f s, all %6.2f s, %3d MB", v.name, r.Objects,
		r.LatencyMS, r.Requests, r.Wall.Seconds(), r.CPU.Seconds(), r.All.Seconds(), r.Peak>>20)
	return r
}

// TestPlans (make bench) plans objects that do not change through a real Terraform, and writes the guide's table and
// plots.
func TestPlans(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("takes minutes; make bench runs it")
	}
	built, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(built, "terraform-provider-billing")
	variants := []variant{
		{name: bulk, program: program},
		{name: single, program: program, env: map[string]string{"BILLING_BULK_REFRESH": "false"}},
		{name: unread, program: program, arguments: []string{"-refresh=false"}},
	}
	if folder := os.Getenv("BENCH_BASELINE"); folder != "" {
		variants = append(variants, variant{name: baseline, program: filepath.Join(folder, "terraform-provider-billing")})
	}
	var all []run
	for _, objects := range sizes(t) {
		w := customers(t, objects)
		for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
			for _, v := range variants {
				all = append(all, w.plan(v, latency))
			}
		}
		flat := "  a0 = \"some text\"\n"
		for i := 1; i < 29; i++ {
			flat += fmt.Sprintf("  a%d = \"some text\"\n", i)
		}
		e := things(t, objects, `empty = { source = "bench/empty" }`, "empty_thing", flat)
		e.use(variant{program: "empty"})
		e.must("apply", "-auto-approve", "-parallelism=2")
		all = append(all, e.plan(variant{name: empty, program: "empty"}, 0))
		d := things(t, objects, "", "terraform_data", "  input = \"some text\"\n")
		d.must("apply", "-auto-approve")
		all = append(all, d.plan(variant{name: builtIn}, 0))
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
