// Package settle is the old name of what object does in Write.Finish.
package settle

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// Onto is object.Onto.
var Onto = object.Onto

// Postpone is object.Postpone.
var Postpone = object.Postpone

// Warn reports which arguments the service stored in another form than it was asked to. object names the object.
// Computed attributes are not worth a warning: the next refresh shows them.
func Warn(differences []object.Difference, name string, arguments []string, diags *diag.Diagnostics) {
	for _, d := range differences {
		if slices.Contains(arguments, d.Attribute) {
			diags.AddAttributeWarning(path.Root(d.Attribute),
				fmt.Sprintf("The service stored another %s for %s", d.Attribute, name),
				fmt.Sprintf("The plan has %s, and the service returned %s. The next plan shows the difference: it "+
					"changes back what another system has changed meanwhile. Where the service changes the value itself, write "+
					"one that it accepts.", d.Planned, d.Responded))
		}
	}
}
