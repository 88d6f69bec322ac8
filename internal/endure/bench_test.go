//go:build unix

package endure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestBench (make bench) creates objects through real Terraform, plans them without changes, also during an outage, and
// logs the table of internal/README.md and its ratios. It also measures terraform_data, which is built into Terraform.
func TestBench(t *testing.T) {
	if *objects == "" {
		t.Skip("takes minutes; make bench runs it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("this system reports memory in another unit")
	}
	built, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	for text := range strings.SplitSeq(*objects, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, build := range [][2]string{{"", built}, {byBaseline, *baseline}} {
			suffix, folder := build[0], build[1]
			if folder == "" {
				continue
			}
			b := beginBench(t, n, filepath.Join(folder, "terraform-provider-billing"))
			all = append(all, b.run(planOfCreations+suffix, "plan", "-out=plan"), b.run(apply+suffix, "apply", "plan"))
			b.sandbox.Clock().Advance(time.Minute) // recently written objects are read by id
			all = append(all, b.run(plan+suffix, settled...))
			if suffix == "" {
				all = append(all, b.outages(all[len(all)-1].requests)...)
				b.terraform.Env["BILLING_BULK_REFRESH"] = "false"
				all = append(all, b.run("plan, bulk_refresh = false", settled...))
				delete(b.terraform.Env, "BILLING_BULK_REFRESH")
				all = append(all, b.run(unread, append(settled, "-refresh=false")...))
			}
		}
		b := beginBench(t, n, "")
		all = append(all, b.run(floor+", "+planOfCreations, "plan", "-out=plan"), b.run(floor+", "+apply, "apply", "plan"),
			b.run(floor, settled...))
	}
	t.Log("\n" + table(all) + ratios(all))
}

// Names of the measurements.
const (
	planOfCreations = "plan of creations"
	apply           = "apply"
	plan            = "plan"
	unread          = "plan -refresh=false"
	byBaseline      = ", baseline"
	floor           = "terraform_data"
)

// settled is a plan that must be empty: with this flag it fails otherwise.
var settled = []string{"plan", "-detailed-exitcode"}

// row is a measured plan or apply.
type row struct {
	variant           string
	objects, requests int
	wall, all         time.Duration // all is the CPU time of Terraform and the provider
	provider          used
}

// used is the resource usage of a provider's process, reported at its end.
type used struct {
	CPU  time.Duration
	Peak int64 // bytes
}

// measure runs a provider as a child process, and writes its resource usage to a file.
func measure(program, file string) error {
	child := exec.CommandContext(context.Background(), program) // Terraform ends it
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
	text, err := json.Marshal(used{state.UserTime() + state.SystemTime(), spent.Maxrss * 1024})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// bench is a configuration with a number of objects, and its state.
type bench struct {
	t         *testing.T
	objects   int
	sandbox   *sandbox.Server // nil for terraform_data
	fault     *sandbox.Fault  // of the next runs, in addition to the latency; nil: none
	terraform *acctest.Terraform
}

// latency is the latency of the service.
const latency = 50 * time.Millisecond

// blockSize is the number of instances of a block. Terraform evaluates all of them for each reference to one.
const blockSize = 10

// customers is the configuration of customers, accounts and subscriptions.
var customers = []string{`
resource "billing_customer" "b%[1]d" {
  count                  = %[2]d
  name                   = "Customer ${count.index}"
  external_id            = "c-%[1]d-${count.index}"
  email                  = "c${count.index}@customers.example"
  create_billing_account = false
}
`, `
resource "billing_account" "b%[1]d" {
  count       = %[2]d
  customer_id = billing_customer.b%[1]d[count.index].id
  external_id = "a-%[1]d-${count.index}"
}
`, `
resource "billing_subscription" "b%[1]d" {
  count              = %[2]d
  billing_account_id = billing_account.b%[1]d[count.index].id
  external_id        = "s-%[1]d-${count.index}"
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`}

var builtIn = []string{"resource \"terraform_data\" \"b%[1]d\" {\n  count = %[2]d\n  input = \"some text\"\n}\n"}

// beginBench prepares objects that the provider, or Terraform itself, will create.
func beginBench(t *testing.T, objects int, program string) *bench {
	t.Helper()
	b := &bench{t: t, objects: objects, terraform: acctest.NewTerraform(t)}
	b.terraform.Env["TF_CLI_ARGS"] = "-no-color"
	b.terraform.Env["BILLING_RETRY_TIMEOUT"] = "5m" // the default; -measured is this program, in which tests use less
	text, blocks := "", builtIn
	if program != "" {
		s := acctest.Start(t, func(o *sandbox.Options) { o.MaxPerPage = 0 })
		b.sandbox = s.Sandbox
		b.terraform.At(s)
		text, blocks = acctest.Versions, customers
		b.measures(program)
	}
	for first := 0; first < objects; first += blockSize {
		n := first / blockSize
		text += fmt.Sprintf(blocks[n%len(blocks)], n/len(blocks), min(blockSize, objects-first))
	}
	b.terraform.Write("main.tf", text)
	return b
}

// measures makes Terraform run the provider through this program, which records its resource usage.
func (b *bench) measures(program string) {
	b.t.Helper()
	dir := b.t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' -measured='%s' -usage='%s'\n", os.Args[0], program,
		filepath.Join(b.terraform.Dir, "usage.json"))
	if err := os.WriteFile(filepath.Join(dir, "terraform-provider-billing"), []byte(script), 0o700); err != nil {
		b.t.Fatal(err)
	}
	b.terraform.Provider(dir)
}

// outages plans while the service fails from a third of a plan's requests on, for the time of -outage.
func (b *bench) outages(requests int) (all []row) {
	b.t.Helper()
	for what, status := range map[string]int{"503": http.StatusServiceUnavailable, "broken connections": 0} {
		b.fault = &sandbox.Fault{Skip: requests / 3, Outage: *outage, Status: status}
		r := b.run(fmt.Sprintf("%s, %v of %s", plan, *outage, what), settled...)
		if most := max(2000, 2*b.objects); r.requests <= requests || r.requests > most {
			b.t.Errorf("%s: %d requests, want more than the %d of a plan, and at most %d", r.variant, r.requests, requests, most)
		}
		all = append(all, r)
	}
	b.fault = nil
	return all
}

// run runs a plan or an apply.
func (b *bench) run(variant string, arguments ...string) row {
	b.t.Helper()
	r := row{variant: variant, objects: b.objects}
	if b.sandbox != nil {
		b.sandbox.ClearFaults()
		if b.fault != nil { // before the latency, because a request meets the first one that fits
			b.sandbox.AddFault(*b.fault)
		}
		b.sandbox.AddFault(sandbox.Fault{Latency: latency})
		b.sandbox.ResetRequests()
	}
	command, began := b.terraform.Command(arguments...), time.Now()
	if out, err := command.CombinedOutput(); err != nil {
		b.t.Fatalf("terraform %v: %v\n%s", arguments, err, out)
	}
	r.wall, r.all = time.Since(began), command.ProcessState.UserTime()+command.ProcessState.SystemTime()
	if b.sandbox != nil {
		r.requests = len(b.sandbox.Requests())
		// Terraform plans in one process of the provider and applies in the next; an earlier one validates.
		if err := json.Unmarshal([]byte(b.terraform.Read("usage.json")), &r.provider); err != nil {
			b.t.Fatal(err)
		}
	}
	b.t.Logf("%-28s %5d objects: %5d requests, %6.2f s, provider %6.2f s, all %6.2f s, %3d MB", variant, r.objects,
		r.requests, r.wall.Seconds(), r.provider.CPU.Seconds(), r.all.Seconds(), r.provider.Peak>>20)
	return r
}

// table returns the measurements as a table, one row each.
func table(all []row) string {
	var table strings.Builder
	fmt.Fprintf(&table, "Measured on %s, %d cores, with a service that responds after %v.\n\n| objects | | requests | "+
		"time | CPU of the provider | total CPU | memory of the provider |\n|--:|---|--:|--:|--:|--:|--:|\n", runtime.GOARCH,
		runtime.NumCPU(), latency)
	for _, r := range all {
		peak, cpu := "–", "–"
		if r.provider.Peak > 0 {
			peak, cpu = fmt.Sprintf("%d MB", r.provider.Peak>>20), seconds(r.provider.CPU)
		}
		fmt.Fprintf(&table, "| %d | `%s` | %d | %s | %s | %s | %s |\n", r.objects, r.variant, r.requests, seconds(r.wall),
			cpu, seconds(r.all), peak)
	}
	return table.String() + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// ratios returns the ratios that are compared with limits.
func ratios(all []row) string {
	var lines strings.Builder
	for _, r := range all {
		against := func(variant, does string) {
			for _, other := range all {
				if other.variant == variant && other.objects == r.objects {
					fmt.Fprintf(&lines, " time %.2f, total CPU %.2f%s;", r.wall.Seconds()/other.wall.Seconds(),
						r.all.Seconds()/other.all.Seconds(), does)
					if other.provider.Peak > 0 {
						fmt.Fprintf(&lines, " CPU of the provider %.2f, memory %.2f%s;",
							r.provider.CPU.Seconds()/other.provider.CPU.Seconds(),
							float64(r.provider.Peak)/float64(other.provider.Peak), does)
					}
				}
			}
		}
		if r.variant != plan && r.variant != planOfCreations && r.variant != apply {
			continue
		}
		fmt.Fprintf(&lines, "- `%s`, %d objects:", r.variant, r.objects)
		if r.variant == plan {
			against(unread, " of `"+unread+"`")
		}
		against(r.variant+byBaseline, " of the baseline")
		fmt.Fprintf(&lines, " %.2f ms of the provider's CPU per object.\n",
			r.provider.CPU.Seconds()*1000/float64(r.objects))
	}
	return lines.String()
}
