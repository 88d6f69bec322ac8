package life

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// config is a configuration of a life. Its times are "@48h", after the start.
type config struct {
	blocks   map[string]written
	defaults string    // default_custom_metadata; "": none
	moved    [2]string // of a moved block; "": none
	removed  string    // the resource of a removed block; "": none
}

// written is a resource block with the texts of its arguments.
type written struct {
	at     string // the address
	values map[string]string
	later  []string // arguments that are known only after apply
	ignore []string // ignore_changes
	keys   []string // for_each
}

// rank is the position of a type in the order of references.
func rank(typeName string) int {
	return slices.IndexFunc(evidence.Kinds(), func(k evidence.Kind) bool { return k.Type == typeName })
}

// text returns the file of a configuration. A block with a reference to a missing one is left out. later is the input
// of the resource that values which are known only after apply refer to; 0 for none.
func (c config) text(start time.Time, later int) string {
	text := ""
	if c.defaults != "" {
		text += fmt.Sprintf("provider \"billing\" {\n  default_custom_metadata = %s\n}\n", c.defaults)
	}
	addresses := slices.SortedFunc(maps.Keys(c.blocks), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(typeOf(a)), rank(typeOf(b))), cmp.Compare(a, b))
	})
	there := map[string]bool{}
	for _, address := range addresses {
		if c.complete(address, there) {
			there[address] = true
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

// complete reports whether the blocks to which one refers are there.
func (c config) complete(address string, there map[string]bool) bool {
	for _, value := range c.blocks[address].values {
		if ref := referred.FindString(value); ref != "" && !there[ref] {
			return false
		}
	}
	return true
}

// referred matches the address in a reference, which is all of a value, and aTime the times in a value.
var referred, aTime = regexp.MustCompile(`^billing_\w+\.\w+`), regexp.MustCompile(`"@(\w+)"`)

// unknown is before a value, or a part of one, that is known only after apply; aText matches such a part.
const unknown = `terraform_data.later.output == "" ? null : `

var aText = regexp.MustCompile(`"[^"]*"`)

func (b written) text(start time.Time) string {
	typeName, name, _ := strings.Cut(b.at, ".")
	text := fmt.Sprintf("resource %q %q {\n", typeName, name)
	if forEach(b.at) {
		text += fmt.Sprintf("  for_each = toset(%s)\n", show(append([]string{}, b.keys...)))
	}
	for _, argument := range slices.Sorted(maps.Keys(b.values)) {
		value := aTime.ReplaceAllStringFunc(b.values[argument], func(at string) string {
			return show(start.Add(duration(strings.Trim(at, `"@`))).UTC().Format(time.RFC3339))
		})
		if slices.Contains(b.later, argument) {
			value = unknown + value
		} else if slices.Contains(b.later, argument+".") {
			texts := aText.FindAllStringIndex(value, -1)
			at := texts[len(value)%len(texts)][0]
			value = value[:at] + unknown + value[at:]
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
