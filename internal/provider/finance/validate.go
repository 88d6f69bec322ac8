package finance

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// check is a validator of one text: it answers what is wrong and what to write instead, or "".
type check struct {
	description, summary string
	wrong                func(string) string
}

func (c check) Description(context.Context) string         { return c.description }
func (c check) MarkdownDescription(context.Context) string { return c.description }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if wrong := c.wrong(req.ConfigValue.ValueString()); wrong != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.summary, wrong)
	}
}

var segment = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

// pathSegment requires the name of a collection: one segment of a path that needs no escaping.
func pathSegment() validator.String {
	return check{"the name of a collection, one segment of a path", "Invalid collection", func(s string) string {
		if segment.MatchString(s) {
			return ""
		}
		return fmt.Sprintf("%q is not the name of a collection. Write the one segment that stands for it in the service's paths, such as payables: "+
			"letters, digits, dashes, underscores and dots, and no slash.", s)
	}}
}

// uuidV4 requires an idempotency key.
func uuidV4() validator.String {
	return check{"a UUID of version 4", "Invalid idempotency key", func(s string) string {
		if finance.IsKey(s) {
			return ""
		}
		return fmt.Sprintf("%q is no UUID of version 4. Take the result of a random_uuid resource, or write one such as 6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11.", s)
	}}
}

type filters struct{}

func (filters) Description(context.Context) string {
	return "filters other than limit and cursor, with values that are not blank"
}

func (v filters) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateMap refuses names that no filter has, and values that narrow nothing: an empty filter would mean everything.
func (filters) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, value := range req.ConfigValue.Elements() {
		at := req.Path.AtMapKey(name)
		if text, ok := value.(types.String); ok {
			var checked validator.StringResponse
			validate.NotBlank().ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &checked)
			resp.Diagnostics.Append(checked.Diagnostics...)
		}
		switch {
		case name == "":
			resp.Diagnostics.AddAttributeError(at, "Invalid filter", "A filter has no name. Write it as the service does, such as company_id or \"occurred_at[gte]\".")
		case finance.Reserved(name):
			resp.Diagnostics.AddAttributeError(at, "Invalid filter", fmt.Sprintf("%s belongs to the paging of the service, which the provider does by itself. "+
				"Use the argument limit for the largest number of items.", name))
		}
	}
}
