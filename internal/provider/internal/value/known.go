package value

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

type knownStatus []string

// KnownStatus warns about a status that is not among those that the service describes. It may add others, so that is
// not an error.
func KnownStatus(values ...string) validator.String { return knownStatus(values) }

func (knownStatus) Description(context.Context) string { return "a status that the service describes" }

func (v knownStatus) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// Advisor is a validator that only warns. Terraform validates the configuration of a data source several times and
// reads it once, so its reading asks for the advice.
type Advisor interface {
	Advise(at path.Path, value string, diags *diag.Diagnostics)
}

func (v knownStatus) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if _, isRead := req.Config.Schema.(schema.Schema); !isRead {
		v.Advise(req.Path, req.ConfigValue.ValueString(), &resp.Diagnostics)
	}
}

// Advise implements Advisor.
func (v knownStatus) Advise(at path.Path, status string, diags *diag.Diagnostics) {
	// What is blank is rejected elsewhere.
	if strings.TrimSpace(status) == "" || slices.Contains(v, status) {
		return
	}
	diags.AddAttributeWarning(at, fmt.Sprintf("Unknown status %q", status),
		fmt.Sprintf("The statuses that this provider knows are %s. If it is a typing error, nothing ever matches.",
			strings.Join(v, ", ")))
}
