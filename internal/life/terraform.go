package life

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// terraform is the driver that runs Terraform itself, with the provider in its own process. It verifies core.Workspace,
// and is the only one that shows what a killed process leaves behind.
type terraform struct {
	*acctest.Terraform

	t       *testing.T
	service *acctest.Service
	traced  bool // Terraform logs at the level TRACE
	lost    bool // a signal has interrupted Terraform while it wrote its state file, which it does in place

	encounters
	mu     sync.Mutex
	when   chan struct{} // closed when the run is to be killed
	faults []string      // of the run, by id
	outage time.Duration // that they last
}

func newTerraform(t *testing.T, service *acctest.Service) *terraform {
	t.Helper()
	return &terraform{Terraform: acctest.NewTerraform(t).At(service), t: t, service: service}
}

// heard counts a request.
func (d *terraform) heard(r sandbox.Request) {
	if !fromProvider(r) {
		return
	}
	m := d.meet(r.Operation, r.Method, r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.kill || m.interrupt {
		stop(d.when)
	} else if fault, err := sandbox.ParseFault(m.fault); err == nil { // the next request begins it
		d.faults, d.outage = append(d.faults, d.service.Sandbox.AddFault(fault)), fault.Outage
	}
}

// expect sets what the next run meets.
func (d *terraform) expect(meets []misfortune) {
	d.encounters.expect(meets)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.when = make(chan struct{})
}

// recovered ends an outage: the judge asks the service too.
func (d *terraform) recovered() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, fault := range d.faults {
		d.service.Sandbox.RemoveFault(fault)
	}
	time.Sleep(d.outage)
	d.faults, d.outage = nil, 0
}

// run runs Terraform with -json, and kills it if it meets that.
func (d *terraform) run(arguments ...string) acctest.Printed {
	d.t.Helper()
	if d.traced {
		d.Env["TF_LOG"], d.Env["TF_LOG_PATH"] = "TRACE", filepath.Join(d.Dir, "trace.log")
	}
	kill := slices.IndexFunc(d.meets, func(m misfortune) bool { return m.kill || m.interrupt })
	var printed acctest.Printed
	var out []byte
	if kill < 0 {
		printed, out = d.JSON(arguments...)
	} else {
		d.Supervise()
		m := d.meets[kill]
		k := acctest.Kill{Interrupt: m.interrupt, Target: m.target, Delay: m.delay}
		held := len(d.objects()) > 0
		printed, out = d.Killed(k, d.when, d.quiet, slices.Insert(slices.Clone(arguments), 1, "-json")...)
		text, err := os.ReadFile(filepath.Join(d.Dir, "terraform.tfstate"))
		if d.lost = err == nil && !json.Valid(text) && (len(text) > 0 || held); d.lost {
			d.Write("terraform.tfstate", "")
		}
	}
	d.recovered()
	objects := d.objects()
	for i, text := range printed.Errors { // Terraform has no address for an object without a block
		for address, o := range objects {
			if id, has := o["id"].(string); has && strings.HasPrefix(text, ": ") && strings.Contains(text, id) {
				printed.Errors[i] = address + text
			}
		}
	}
	if leak := d.leak(string(out), objects); leak != "" {
		printed.Errors = append(printed.Errors, ": error in the provider: "+leak)
	}
	return printed
}

// quiet returns when the service has received no request for a short time: a provider whose Terraform has died
// completes its request.
func (d *terraform) quiet() {
	for before := -1; ; time.Sleep(50 * time.Millisecond) {
		now := len(d.service.Sandbox.Requests())
		if now == before {
			return
		}
		before = now
	}
}

// leak finds secrets in places where they must not be.
func (d *terraform) leak(output string, objects map[string]object) string {
	d.t.Helper()
	everywhere, shown := secretsOf(d.service, objects)
	texts := map[string]string{"the output": output}
	for _, name := range []string{"trace.log", "terraform.tfstate", "terraform.tfstate.backup"} {
		text, _ := os.ReadFile(filepath.Join(d.Dir, name)) // not all exist
		texts[name] = string(text)
	}
	if archive, err := zip.OpenReader(filepath.Join(d.Dir, "plan")); err == nil {
		for _, file := range archive.File {
			content, err := file.Open()
			if err != nil {
				d.t.Fatal(err)
			}
			text, _ := io.ReadAll(content)
			if !strings.HasPrefix(file.Name, "tfconfig/") { // the configuration has them
				texts["terraform plan"] += string(text)
			}
		}
		_ = archive.Close()
	}
	for where, text := range texts {
		secrets := shown
		if strings.HasPrefix(where, "terraform") {
			secrets = everywhere
		}
		if name := held(text, secrets); name != "" {
			return fmt.Sprintf("%s contains the %s", where, name)
		}
	}
	return ""
}

// arguments returns the arguments of terraform plan.
func arguments(c core.Configuration) []string {
	all := []string{"plan", "-input=false", "-out=plan"}
	for _, address := range c.Replace {
		all = append(all, "-replace="+address)
	}
	for _, address := range c.Target {
		all = append(all, "-target="+address)
	}
	for name, value := range c.Variables {
		all = append(all, "-var="+name+"="+value)
	}
	if c.Destroy {
		all = append(all, "-destroy")
	}
	if c.NoRefresh {
		all = append(all, "-refresh=false")
	}
	if c.Parallelism > 0 {
		all = append(all, "-parallelism="+strconv.Itoa(c.Parallelism))
	}
	return all
}

// Plan implements driver.
func (d *terraform) Plan(c core.Configuration) *core.Plan {
	d.t.Helper()
	d.Write("main.tf", c.Text)
	if !strings.Contains(c.Text, "required_providers") {
		d.Write("versions.tf", acctest.Versions)
	}
	printed := d.run(arguments(c)...)
	p := &core.Plan{Said: printed.Said}
	if len(p.Errors) > 0 {
		return p
	}
	for _, r := range d.Terraform.Plan("plan").ResourceChanges {
		if !strings.HasPrefix(r.Address, "billing_") && !strings.HasPrefix(r.Address, "terraform_data.") {
			continue
		}
		if r.DeposedKey != "" {
			r.Address += " (deposed)"
		}
		change := &core.Change{Address: r.Address, Action: string(r.Change.Actions[0])}
		change.Before, _ = r.Change.Before.(object)
		if r.Change.Actions.Replace() {
			change.Action = core.Replace
		}
		change.After, _ = withUnknown(r.Change.After, r.Change.AfterUnknown).(object)
		for _, path := range r.Change.ReplacePaths {
			steps, _ := path.([]any)
			if name, isName := steps[0].(string); isName && !slices.Contains(change.Replaces, name) {
				change.Replaces = append(change.Replaces, name)
			}
		}
		p.Changes = append(p.Changes, change)
	}
	return p
}

// withUnknown replaces the unknown parts of a planned value with Unknown.
func withUnknown(v, unknown any) any {
	if unknown == true {
		return core.Unknown
	}
	switch where := unknown.(type) {
	case object:
		fields, _ := v.(object)
		all := maps.Clone(fields)
		for name, inner := range where {
			if all == nil {
				all = object{}
			}
			all[name] = withUnknown(fields[name], inner)
		}
		if all == nil {
			return v
		}
		return all
	case []any:
		elements, _ := v.([]any)
		all := slices.Clone(elements)
		for i := range where {
			if i < len(all) {
				all[i] = withUnknown(all[i], where[i])
			}
		}
		if elements == nil {
			return v
		}
		return all
	default:
		return v
	}
}

// Apply implements driver. Terraform itself determines the order.
func (d *terraform) Apply(*core.Plan, bool) *core.Applied {
	d.t.Helper()
	printed := d.run("apply", "-input=false", "plan")
	return &core.Applied{Said: printed.Said}
}

// objects returns the objects in the state by address.
func (d *terraform) objects() map[string]object {
	d.t.Helper()
	all := map[string]object{}
	for _, instance := range d.Terraform.State() {
		if instance.Deposed != "" {
			instance.Address += " (deposed)"
		}
		all[instance.Address], _ = bare(instance.Attributes).(object)
	}
	return all
}

// State implements driver.
func (d *terraform) State(address string) object {
	d.t.Helper()
	return d.objects()[address]
}

// Addresses implements driver.
func (d *terraform) Addresses() []string {
	d.t.Helper()
	return slices.Sorted(maps.Keys(d.objects()))
}

// bare removes the types that the state file adds to free-form values.
func bare(v any) any {
	fields, isObject := v.(object)
	if !isObject {
		return v
	}
	if _, typed := fields["type"]; typed && len(fields) == 2 && fields["value"] != nil {
		return fields["value"]
	}
	all := object{}
	for name, inner := range fields {
		all[name] = bare(inner)
	}
	return all
}

// Taint implements driver.
func (d *terraform) Taint(address string) { d.Run("taint", address) }

// Forget implements driver.
func (d *terraform) Forget(address string) { d.Run("state", "rm", address) }
