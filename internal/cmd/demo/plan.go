package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// plan is what Terraform would do.
type plan struct {
	text    string // as Terraform prints it
	empty   bool   // neither a resource nor an output would change
	changes map[string]change
	outputs map[string]any            // planned values of the outputs that would change
	found   map[string]map[string]any // what is in the state after the refresh, data sources too
}

// change is what Terraform would do with one resource.
type change struct {
	action   string // create, update, delete, replace; no-op when it is only imported
	imported bool
	before   map[string]any
	after    map[string]any
	unknown  map[string]any // attributes known only after the apply
}

// readPlan reads the JSON form of a plan. Resources that stay as they are,
// and data sources, are left out.
func readPlan(document []byte) (*plan, error) {
	var read struct {
		ResourceChanges []struct {
			Address string
			Mode    string
			Change  struct {
				Actions       []string
				Importing     *struct{}
				Before, After map[string]any
				AfterUnknown  map[string]any `json:"after_unknown"`
			}
		} `json:"resource_changes"`
		OutputChanges map[string]struct {
			Actions []string
			After   any
		} `json:"output_changes"`
		PriorState struct {
			Values struct {
				RootModule struct {
					Resources []struct {
						Address string
						Values  map[string]any
					}
				} `json:"root_module"`
			}
		} `json:"prior_state"`
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	p := &plan{changes: map[string]change{}, outputs: map[string]any{}, found: map[string]map[string]any{}}
	for _, r := range read.PriorState.Values.RootModule.Resources {
		p.found[r.Address] = r.Values
	}
	for _, r := range read.ResourceChanges {
		c := change{action: action(r.Change.Actions), imported: r.Change.Importing != nil,
			before: r.Change.Before, after: r.Change.After, unknown: r.Change.AfterUnknown}
		if r.Mode == "managed" && (c.imported || c.action != "no-op") {
			p.changes[r.Address] = c
		}
	}
	for name, output := range read.OutputChanges {
		if !slices.Equal(output.Actions, []string{"no-op"}) {
			p.outputs[name] = output.After
		}
	}
	return p, nil
}

// action names what happens in one word: Terraform writes a replacement as two.
func action(written []string) string {
	if len(written) == 2 {
		return "replace"
	}
	return strings.Join(written, "")
}

// expect fails unless the plan does exactly the given action with exactly the
// given resources.
func (p *plan) expect(action string, addresses ...string) error {
	slices.Sort(addresses)
	if planned := slices.Sorted(maps.Keys(p.changes)); !slices.Equal(planned, addresses) {
		return fmt.Errorf("the plan is about %v, not about %v:\n%s", planned, addresses, p.text)
	}
	for address, c := range p.changes {
		if c.action != action {
			return fmt.Errorf("the plan would %s %s, not %s it:\n%s", c.action, address, action, p.text)
		}
	}
	return nil
}

// expectAttributes fails unless an update touches exactly the given
// attributes.
func (p *plan) expectAttributes(address string, names ...string) error {
	slices.Sort(names)
	if touched := p.changes[address].touched(); !slices.Equal(touched, names) {
		return fmt.Errorf("the plan changes %v of %s, not %v:\n%s", touched, address, names, p.text)
	}
	return nil
}

// expectFound fails unless the state has these values after the refresh. nil
// stands for null.
func (p *plan) expectFound(address string, wanted object) error {
	resource, ok := p.found[address]
	if !ok {
		return fmt.Errorf("the state has no %s", address)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if found, ok := resource[name]; !ok || !reflect.DeepEqual(found, wanted[name]) {
			return fmt.Errorf("%s of %s is %v, not %v", name, address, found, wanted[name])
		}
	}
	return nil
}

// touched are the attributes that differ after the change or may differ.
func (c change) touched() []string {
	var names []string
	all := maps.Clone(c.before)
	maps.Copy(all, c.after)
	maps.Copy(all, c.unknown)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if hasUnknown(c.unknown[name]) || !reflect.DeepEqual(c.before[name], c.after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// hasUnknown finds a true in after_unknown, which has the shape of the value.
func hasUnknown(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		return slices.ContainsFunc(v, hasUnknown)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasUnknown)
	default:
		return false
	}
}

// headlines are the lines that say which resource would be changed and how.
func (p *plan) headlines() []string {
	return p.lines(isHeadline)
}

// details are the headlines with what would change in each resource. Data
// sources, which change nothing, are left out.
func (p *plan) details() []string {
	inside := false
	return p.lines(func(line string) bool {
		inside = isHeadline(line) || inside && !strings.HasPrefix(line, "# data.")
		return inside
	})
}

func isHeadline(line string) bool {
	return strings.HasPrefix(line, "# ") && (strings.Contains(line, " will be ") || strings.Contains(line, " must be ")) &&
		!strings.HasPrefix(line, "# data.")
}

// lines picks lines of the plan, and its last sentence in any case.
func (p *plan) lines(pick func(trimmed string) bool) []string {
	var picked []string
	for line := range strings.Lines(p.text) {
		line = strings.TrimRight(line, "\r\n ")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "Plan: "), strings.HasPrefix(trimmed, "No changes."):
			return append(picked, trimmed)
		case trimmed != "" && pick(trimmed):
			picked = append(picked, line)
		}
	}
	return picked
}

// warning picks a warning out of what Terraform prints, by the end of its title, which begins with an object: the
// title, and the sentences below it. It is empty when there is none.
func warning(text, title string) []string {
	var picked []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		switch {
		case strings.HasPrefix(line, "Warning: "):
			inside = strings.HasSuffix(line, title) && picked == nil
		case strings.HasPrefix(line, "─"), strings.HasPrefix(line, "Saved the plan"),
			strings.HasPrefix(line, "Apply complete!"):
			inside = false
		}
		// What is indented says where in the configuration.
		if inside && line != "" && !strings.HasPrefix(line, " ") {
			picked = append(picked, line)
		}
	}
	return picked
}
