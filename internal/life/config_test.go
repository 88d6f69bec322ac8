package life

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// config is a configuration of a life. Its times are "@48h", after the start.
type config struct {
	blocks   map[string]block
	defaults object
	moved    [2]string // of a moved block; "": none
	removed  string    // the resource of a removed block; "": none
}

// rank is the position of a type in the order of references.
func rank(typeName string) int {
	return slices.IndexFunc(evidence.Kinds(), func(k evidence.Kind) bool { return k.Type == typeName })
}

// text returns the file of a configuration. A block with a reference to a missing one is left out. later is the input
// of the resource that values which are known only after apply refer to; 0 for none.
func (c config) text(start time.Time, later int) string {
	text := ""
	if c.defaults != nil {
		text += fmt.Sprintf("provider \"billing\" {\n  default_custom_metadata = %s\n}\n", expression(c.defaults))
	}
	addresses := slices.SortedFunc(maps.Keys(c.blocks), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(typeOf(a)), rank(typeOf(b))), cmp.Compare(a, b))
	})
	written := map[string]bool{}
	for _, address := range addresses {
		if c.complete(address, written) {
			written[address] = true
			text += c.blocks[address].text(start)
		}
	}
	if c.moved[0] != "" {
		text += fmt.Sprintf("moved {\n  from = %s\n  to = %s\n}\n", c.moved[0], c.moved[1])
	}
	if c.removed != "" {
		text += fmt.Sprintf("removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", c.removed)
	}
	if later > 0 {
		text += fmt.Sprintf("resource \"terraform_data\" \"later\" {\n  input = \"%d\"\n}\n", later)
	}
	return text
}

// complete reports whether the blocks to which one refers are written.
func (c config) complete(address string, written map[string]bool) bool {
	for _, v := range c.blocks[address].values {
		if slices.ContainsFunc(refs(v), func(ref string) bool { return !written[ref] }) {
			return false
		}
	}
	return true
}

func (b block) text(start time.Time) string {
	typeName, name, _ := strings.Cut(b.at, ".")
	text := fmt.Sprintf("resource %q %q {\n", typeName, name)
	if forEach(b.at) {
		text += fmt.Sprintf("  for_each = toset(%s)\n", encoded(append([]string{}, b.keys...)))
	}
	for _, argument := range slices.Sorted(maps.Keys(b.values)) {
		value := expression(timed(b.values[argument], start))
		if slices.Contains(b.later, argument) {
			value = `terraform_data.later.output == "" ? null : ` + value
		}
		text += fmt.Sprintf("  %s = %s\n", argument, value)
	}
	if len(b.ignore) == 1 && b.ignore[0] == "all" {
		text += "  lifecycle {\n    ignore_changes = all\n  }\n"
	} else if len(b.ignore) > 0 {
		text += "  lifecycle {\n    ignore_changes = [" + strings.Join(b.ignore, ", ") + "]\n  }\n"
	}
	return text + "}\n"
}

// forEach reports whether a block has for_each: by its name.
func forEach(address string) bool { return strings.HasSuffix(address, ".g") }

// expression returns a value as HCL.
func expression(v any) string {
	switch v := v.(type) {
	case object:
		if ref, isRef := v["$ref"].(string); isRef {
			return ref
		}
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key := name
			if !hclsyntax.ValidIdentifier(name) {
				key = show(name)
			}
			fields = append(fields, key+" = "+expression(v[name]))
		}
		if len(fields) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(fields, ", ") + " }"
	case []any:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = expression(v[i])
		}
		return "[" + strings.Join(elements, ", ") + "]"
	default:
		return encoded(v)
	}
}

// encoded returns a value as JSON that a person reads.
func encoded(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// timed returns a value with absolute times.
func timed(v any, start time.Time) any {
	return withTexts(v, func(text string) string {
		if after, isTime := strings.CutPrefix(text, "@"); isTime {
			return start.Add(duration(after)).UTC().Format(time.RFC3339)
		}
		return text
	})
}

// withTexts returns a value with other texts, at any depth.
func withTexts(v any, text func(string) string) any {
	switch v := v.(type) {
	case object:
		all := object{}
		for name, inner := range v {
			all[name] = withTexts(inner, text)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = withTexts(v[i], text)
		}
		return all
	case string:
		return text(v)
	}
	return v
}
