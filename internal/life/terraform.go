package life

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// terraform is the driver that is Terraform itself, with the provider in its own processes: what stands in for it
// could be wrong.
type terraform struct {
	*acctest.Terraform

	t *testing.T
}

func newTerraform(t *testing.T, service *acctest.Service) *terraform {
	t.Helper()
	return &terraform{Terraform: acctest.NewTerraform(t).At(service), t: t}
}

// run returns what Terraform prints, and its diagnostics.
func (d *terraform) run(arguments ...string) (out []byte, errs, warnings []string) {
	d.t.Helper()
	cmd := d.Command(arguments...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	for line := range bytes.Lines(out) {
		var message struct {
			Diagnostic struct{ Severity, Summary, Detail, Address string }
		}
		if json.Unmarshal(line, &message) != nil || message.Diagnostic.Severity == "" {
			continue
		}
		said := message.Diagnostic
		text := fmt.Sprintf("%s: %s: %s", said.Address, said.Summary, said.Detail)
		if said.Severity == "error" {
			errs = append(errs, text)
		} else if said.Summary != "Provider development overrides are in effect" { // which is how the test installs it
			warnings = append(warnings, text)
		}
	}
	if err != nil && len(errs) == 0 {
		errs = append(errs, fmt.Sprintf("terraform %s: %v %s", arguments[0], err, stderr.Bytes()))
	}
	return out, errs, warnings
}

const versions = `terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
`

// arguments are those of terraform plan.
func arguments(c acctest.Configuration) []string {
	all := []string{"plan", "-json", "-input=false", "-out=plan"}
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
func (d *terraform) Plan(c acctest.Configuration) *acctest.CorePlan {
	d.t.Helper()
	d.Write("main.tf", c.Text)
	if !strings.Contains(c.Text, "required_providers") {
		d.Write("versions.tf", versions)
	}
	p := &acctest.CorePlan{}
	if _, p.Errors, p.Warnings = d.run(arguments(c)...); len(p.Errors) > 0 {
		return p
	}
	document, errs, _ := d.run("show", "-json", "plan")
	if len(errs) > 0 {
		d.t.Fatal(errs)
	}
	var read struct {
		ResourceChanges []struct {
			Address, Deposed string
			Change           struct {
				Actions       []string
				Before, After object
				AfterUnknown  object  `json:"after_unknown"`
				ReplacePaths  [][]any `json:"replace_paths"`
			}
		} `json:"resource_changes"`
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		d.t.Fatal(err)
	}
	for _, r := range read.ResourceChanges {
		if !strings.HasPrefix(r.Address, "billing_") && !strings.HasPrefix(r.Address, "terraform_data.") {
			continue
		}
		if r.Deposed != "" {
			r.Address += " (deposed)"
		}
		change := &acctest.Change{Address: r.Address, Action: strings.Join(r.Change.Actions, ""), Before: r.Change.Before}
		if len(r.Change.Actions) == 2 {
			change.Action = acctest.Replace
		}
		change.After, _ = withUnknown(r.Change.After, r.Change.AfterUnknown).(object)
		for _, path := range r.Change.ReplacePaths {
			if name, isName := path[0].(string); isName && !slices.Contains(change.Replaces, name) {
				change.Replaces = append(change.Replaces, name)
			}
		}
		p.Changes = append(p.Changes, change)
	}
	return p
}

// withUnknown is a planned value in which what is not known is Unknown.
func withUnknown(v, unknown any) any {
	if unknown == true {
		return acctest.Unknown
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

// Apply implements driver. The order is Terraform's own.
func (d *terraform) Apply(*acctest.CorePlan, bool) *acctest.CoreApplied {
	d.t.Helper()
	done := &acctest.CoreApplied{}
	_, done.Errors, done.Warnings = d.run("apply", "-json", "-input=false", "plan")
	return done
}

// objects are those of the state, by address.
func (d *terraform) objects() map[string]object {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.Dir, "terraform.tfstate"))
	if err != nil {
		return nil
	}
	var state struct {
		Resources []struct {
			Mode, Type, Name string
			Instances        []struct {
				Attributes object
				Deposed    string
				IndexKey   any `json:"index_key"`
			}
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&state); err != nil {
		d.t.Fatal(err)
	}
	all := map[string]object{}
	for _, r := range state.Resources {
		for _, instance := range r.Instances {
			address := r.Type + "." + r.Name
			if instance.IndexKey != nil {
				address += "[" + show(instance.IndexKey) + "]"
			}
			if instance.Deposed != "" {
				address += " (deposed)"
			}
			if r.Mode == "managed" {
				all[address], _ = bare(instance.Attributes).(object)
			}
		}
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

// bare is a value of the state file without the types that stand next to free-form values.
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

// Forget implements driver.
func (d *terraform) Forget(address string) {
	d.t.Helper()
	if _, errs, _ := d.run("state", "rm", address); len(errs) > 0 {
		d.t.Fatal(errs)
	}
}

// Move implements driver.
func (d *terraform) Move(from, to string) {
	d.t.Helper()
	if _, errs, _ := d.run("state", "mv", from, to); len(errs) > 0 {
		d.t.Fatal(errs)
	}
}
