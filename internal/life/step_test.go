package life

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The actions of a step.
const (
	doSet      = "set"      // sets a block: At, Values, Ignore
	doRemove   = "remove"   // removes a block: At
	doDefaults = "defaults" // sets default_custom_metadata: Values
	doForeign  = "foreign"  // another system changes the object: At, What, Body
	doTime     = "time"     // the service's clock advances: By
	doRun      = "run"      // plan and apply: Later, Turns, By between the two, CreateFirst
	doImport   = "import"   // the object is removed from the state and imported: At
	doRename   = "rename"   // the block is renamed, without a moved block: At, To
	doStranger = "stranger" // a plan with the token of another organization
	doCopy     = "copy"     // a plan against a copy of the organization
)

// step is one step of a life. Values may contain references, {"$ref": "billing_customer.c.id"}, and times, "@48h" after
// the start.
type step struct {
	Do          string   `json:"do"`
	At          string   `json:"at,omitempty"`
	To          string   `json:"to,omitempty"`
	What        string   `json:"what,omitempty"`
	Values      object   `json:"values,omitempty"`
	Ignore      []string `json:"ignore,omitempty"`
	CBD         bool     `json:"cbd,omitempty"`
	Body        object   `json:"body,omitempty"`
	By          string   `json:"by,omitempty"`
	Later       []string `json:"later,omitempty"`
	Turns       object   `json:"turns,omitempty"`
	CreateFirst bool     `json:"createFirst,omitempty"`
	Fault       string   `json:"fault,omitempty"` // active while a plan is applied
}

func (s step) String() string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// life returns the text of a failure, one step per line.
func life(steps []step) string {
	var lines []string
	for _, s := range steps {
		lines = append(lines, s.String())
	}
	return strings.Join(lines, "\n")
}

// readLife reads steps, one per line; other lines are comments.
func readLife(text string) ([]step, error) {
	var steps []step
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var s step
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// expression returns a value of a step as HCL.
func expression(v any, start time.Time) string {
	switch v := v.(type) {
	case object:
		if ref, isRef := v["$ref"].(string); isRef {
			return ref
		}
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, fmt.Sprintf("%q = %s", name, expression(v[name], start)))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case []any:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = expression(v[i], start)
		}
		return "[" + strings.Join(elements, ", ") + "]"
	default:
		return show(timed(v, start))
	}
}

// timed returns a value with absolute times.
func timed(v any, start time.Time) any {
	switch v := v.(type) {
	case object:
		all := object{}
		for name, inner := range v {
			all[name] = timed(inner, start)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = timed(v[i], start)
		}
		return all
	case string:
		if after, isTime := strings.CutPrefix(v, "@"); isTime {
			return start.Add(duration(after)).UTC().Format(time.RFC3339)
		}
	}
	return v
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

// refs returns the addresses that a value refers to.
func refs(v any) (all []string) {
	switch v := v.(type) {
	case object:
		if ref, isRef := v["$ref"].(string); isRef {
			return []string{ref[:strings.LastIndex(ref, ".")]}
		}
		for _, inner := range v {
			all = append(all, refs(inner)...)
		}
	case []any:
		for _, inner := range v {
			all = append(all, refs(inner)...)
		}
	}
	return all
}
