package soak_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// terraform is the driver that is Terraform itself, with the provider in its own processes: what stands in for it
// could be wrong.
type terraform struct {
	*acctest.Terraform

	t     *testing.T
	later int // grows with every plan that has something that is only known later
}

func TestMain(m *testing.M) { acctest.RunTests(m) }

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
		} else {
			warnings = append(warnings, text)
		}
	}
	if err != nil && len(errs) == 0 {
		errs = append(errs, fmt.Sprintf("terraform %s: %v %s", arguments[0], err, stderr.Bytes()))
	}
	return out, errs, warnings
}

// Plan implements driver.
func (d *terraform) Plan(c acctest.Configuration) *acctest.CorePlan {
	d.t.Helper()
	if len(c.Later) > 0 {
		d.later++
	}
	d.Write("main.tf.json", string(d.configuration(c)))
	p := &acctest.CorePlan{}
	if _, p.Errors, p.Warnings = d.run("plan", "-json", "-input=false", "-out=plan"); len(p.Errors) > 0 {
		return p
	}
	document, errs, _ := d.run("show", "-json", "plan")
	if len(errs) > 0 {
		d.t.Fatal(errs)
	}
	var read struct {
		ResourceChanges []struct {
			Address string
			Change  struct {
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
		if !strings.HasPrefix(r.Address, "billing_") {
			continue
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

// State implements driver.
func (d *terraform) State(address string) object {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.Dir, "terraform.tfstate"))
	if err != nil {
		return nil
	}
	var state struct {
		Resources []struct {
			Type, Name string
			Instances  []struct{ Attributes object }
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&state); err != nil {
		d.t.Fatal(err)
	}
	for _, r := range state.Resources {
		if r.Type+"."+r.Name == address && len(r.Instances) == 1 {
			attributes, _ := bare(r.Instances[0].Attributes).(object)
			return attributes
		}
	}
	return nil
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
