package value

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
)

// PathName is a path as a message names it, such as addresses[0].country or items[*].quantity. Terraform points at the
// line of an argument only where it is written as such, so the message names it. The elements of a set have no name.
func PathName(at path.Path) string {
	var name strings.Builder
	for i, step := range at.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			if i > 0 {
				name.WriteString(".")
			}
			name.WriteString(string(step))
		case path.PathStepElementKeyValue:
			name.WriteString("[*]")
		default:
			name.WriteString(step.String())
		}
	}
	return name.String()
}

// Line is the path by which Terraform finds the line of an argument: that of the top-level attribute. For the path of a
// part of it, Terraform points at the beginning of the whole block.
func Line(at path.Path) path.Path {
	if first, _ := at.Steps().NextStep(); first != nil {
		if name, ok := first.(path.PathStepAttributeName); ok {
			return path.Root(string(name))
		}
	}
	return at
}
