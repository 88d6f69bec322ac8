package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

type knownStatus []string

// KnownStatus warns about a status that is not among those that the service describes. It may add others, so that is
// not an error.
func KnownStatus(values ...string) validator.String { return knownStatus(values) }

func (knownStatus) Description(context.Context) string { return "a status that the service describes" }

func (v knownStatus) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v knownStatus) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	status := req.ConfigValue.ValueString()
	// What is blank is rejected elsewhere.
	if strings.TrimSpace(status) == "" || slices.Contains(v, status) {
		return
	}
	resp.Diagnostics.AddAttributeWarning(req.Path, fmt.Sprintf("Unknown status %q", status),
		fmt.Sprintf("The statuses that this provider knows are %s. If it is a typing error, nothing ever matches.",
			strings.Join(v, ", ")))
}
