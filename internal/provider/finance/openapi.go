package finance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// NewOpenAPIDataSource returns the data source of the service's description of itself.
func NewOpenAPIDataSource() datasource.DataSource {
	return object.NewDataSource("billing_finance_openapi", conn.Finance, openAPISchema, readOpenAPI)
}

type openAPIModel struct {
	JSON types.String `tfsdk:"json"`
	Raw  types.String `tfsdk:"raw"`
}

// openAPISchema describes the data source.
func openAPISchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The current machine-readable description (OpenAPI) of financial management: the " +
			"collections, and the fields of their records. Reading it takes two requests, one per format, in " +
			"every plan. Both are stored in state.",
		Attributes: map[string]schema.Attribute{
			"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The description as a JSON string " +
				"with sorted keys; decode it with `jsondecode`."},
			"raw": schema.StringAttribute{Computed: true, MarkdownDescription: "The description as a YAML " +
				"string, exactly as the service returns it."},
		},
	}
}

// readOpenAPI reads both forms.
func readOpenAPI(ctx context.Context, client *finance.Service, m *openAPIModel, diags *diag.Diagnostics) {
	operation := apidiag.Operation{Verb: "read", Object: "the description of financial management"}
	parsed, err := client.OpenAPIJSON(ctx)
	if err != nil {
		apidiag.Add(diags, err, operation)
		return
	}
	raw, err := client.OpenAPIYAML(ctx)
	if err != nil {
		apidiag.Add(diags, err, operation)
		return
	}
	*m = openAPIModel{JSON: wire.JSONText(parsed), Raw: types.StringValue(raw)}
}
