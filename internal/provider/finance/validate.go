package finance

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
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

// uuidV4 requires an idempotency key.
func uuidV4() validator.String {
	return check{"a UUID of version 4", "Invalid idempotency key", func(s string) string {
		if finance.IsKey(s) {
			return ""
		}
		return fmt.Sprintf("%q is no UUID of version 4. Take the result of a random_uuid resource, or write one such as 6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11.", s)
	}}
}
