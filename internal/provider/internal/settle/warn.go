package settle

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Warn reports which arguments the service stored in another form than it was asked to. object names the object.
// Computed attributes are not worth a warning: the next refresh shows them.
func Warn(differences []Difference, object string, arguments []string, diags *diag.Diagnostics) {
	for _, d := range differences {
		if slices.Contains(arguments, d.Attribute) {
			diags.AddAttributeWarning(path.Root(d.Attribute),
				fmt.Sprintf("The service stored another %s for %s", d.Attribute, object),
				fmt.Sprintf("The plan has %s, and the service returned %s. The next plan shows the difference: it "+
					"changes back what another system has changed meanwhile. Where the service changes the value itself, write "+
					"one that it accepts.", d.Planned, d.Responded))
		}
	}
}

// Postpone turns the errors of a step that follows a creation into warnings.
//
// Terraform marks a new object for replacement when its creation ends in an error. Where the object exists and is
// billed, replacing it would do more harm than the missing step, which the next plan shows and the next apply does.
func Postpone(failed diag.Diagnostics, diags *diag.Diagnostics) {
	for _, d := range failed {
		detail := d.Detail() + "\n\nThe object itself exists and is in the state. The next plan shows what is " +
			"missing, and the next apply does it."
		diags.AddWarning("Created, but not finished: "+d.Summary(), detail)
	}
}
