package finance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// OpenAPIDataSource is the data source of the service's description of itself.
type OpenAPIDataSource struct{ conn.DataSource }

var _ datasource.DataSourceWithConfigure = (*OpenAPIDataSource)(nil)

// NewOpenAPIDataSource makes the data source.
func NewOpenAPIDataSource() datasource.DataSource { return &OpenAPIDataSource{} }

const openAPIName = "billing_finance_openapi"

// Metadata names the type.
func (d *OpenAPIDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest,
	resp *datasource.MetadataResponse) {
	resp.TypeName = openAPIName
}

type openAPIModel struct {
	JSON types.String `tfsdk:"json"`
	Raw  types.String `tfsdk:"raw"`
}

// Schema describes the data source.
func (d *OpenAPIDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
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

// Read reads both forms.
func (d *OpenAPIDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	client, ready := d.Conn.Finance.For("data."+openAPIName, &resp.Diagnostics)
	if !ready {
		return
	}
	operation := apidiag.Operation{Verb: "read", Object: "the description of financial management"}
	parsed, err := client.OpenAPIJSON(ctx)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, operation)
		return
	}
	raw, err := client.OpenAPIYAML(ctx)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, operation)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, openAPIModel{JSON: wire.JSONText(parsed), Raw: types.StringValue(raw)})...)
}
