package fwtype

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
)

// PathName is a path as a message names it, such as addresses[0].country or items[*].quantity. Terraform points at the line of an
// argument only where it is written as such, so the message names it. The elements of a set have no name.
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
