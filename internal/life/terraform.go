package life

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// terraform is the driver that runs Terraform itself, with the provider in its own process. It verifies core.Workspace.
type terraform struct {
	*acctest.Terraform

	t *testing.T
}

func newTerraform(t *testing.T, service *acctest.Service) *terraform {
	t.Helper()
	return &terraform{Terraform: acctest.NewTerraform(t).At(service), t: t}
}

// texts returns errors or warnings with their addresses.
func texts(all []acctest.Said) (texts []string) {
	for _, said := range all {
		texts = append(texts, said.String())
	}
	return texts
}

const versions = `terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
`

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
		d.Write("versions.tf", versions)
	}
	printed, _ := d.JSON(arguments(c)...)
	p := &core.Plan{Errors: texts(printed.Errors), Warnings: texts(printed.Warnings)}
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
	printed, _ := d.JSON("apply", "-input=false", "plan")
	return &core.Applied{Errors: texts(printed.Errors), Warnings: texts(printed.Warnings)}
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
