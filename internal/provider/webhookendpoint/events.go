package webhookendpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// catalog are the event names that the service describes (Collections §6). It says that new ones appear without notice, so a name that
// is not here is no error.
var catalog = []string{"webhook.test", "charge.paid", "api_key.rotated", "api_key.status_changed", "api_key.revoked"}

type eventName struct{}

// knownEvent warns about names that the service does not describe, which are most often typing mistakes.
func knownEvent() validator.String { return eventName{} }

func (eventName) Description(context.Context) string { return "an event name" }

func (v eventName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (eventName) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	name := req.ConfigValue.ValueString()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || slices.Contains(catalog, name) {
		return
	}
	resp.Diagnostics.AddAttributeWarning(req.Path, "Unknown event name",
		fmt.Sprintf("%q is not among the events that this provider knows (%s). The service adds events without notice, so this may be right; "+
			"if it is a typing mistake, the event never comes.", name, strings.Join(catalog, ", ")))
}
