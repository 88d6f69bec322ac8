package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
)

// DataSource is the data source of one billing account.
type DataSource struct{ conn.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
)

// NewDataSource makes the data source.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the type.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName
}

// dataModel is an account that is only read.
type dataModel struct {
	ID                      types.String `tfsdk:"id"`
	PublicID                types.String `tfsdk:"public_id"`
	ExternalID              types.String `tfsdk:"external_id"`
	CustomerID              types.String `tfsdk:"customer_id"`
	Name                    types.String `tfsdk:"name"`
	Currency                types.String `tfsdk:"currency"`
	BillingEmail            types.String `tfsdk:"billing_email"`
	PaymentTermsDays        types.Int64  `tfsdk:"payment_terms_days"`
	AutoCollection          types.Bool   `tfsdk:"auto_collection"`
	BalanceCents            types.Int64  `tfsdk:"balance_cents"`
	Status                  types.String `tfsdk:"status"`
	SuspendedAt             types.String `tfsdk:"suspended_at"`
	SuspensionReason        types.String `tfsdk:"suspension_reason"`
	TaxExempt               types.Bool   `tfsdk:"tax_exempt"`
	TaxExemptionCertificate types.String `tfsdk:"tax_exemption_certificate"`
	CustomerTaxType         types.String `tfsdk:"customer_tax_type"`
	Metadata                types.String `tfsdk:"metadata"`
	CustomMetadata          types.String `tfsdk:"custom_metadata"`
	EffectiveCustomMetadata types.String `tfsdk:"effective_custom_metadata"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

// dataFromAPI is the account as a data source shows it.
func dataFromAPI(a *billing.BillingAccount) (dataModel, error) {
	m, err := fromAPI(a)
	return dataModel{
		ID: m.ID, PublicID: m.PublicID, ExternalID: m.ExternalID, CustomerID: m.CustomerID, Name: m.Name, Currency: m.Currency,
		BillingEmail: m.BillingEmail, PaymentTermsDays: m.PaymentTermsDays, AutoCollection: m.AutoCollection, BalanceCents: m.BalanceCents,
		Status: m.Status, SuspendedAt: m.SuspendedAt, SuspensionReason: m.SuspensionReason, TaxExempt: m.TaxExempt,
		TaxExemptionCertificate: m.TaxExemptionCertificate, CustomerTaxType: m.CustomerTaxType, Metadata: m.Metadata,
		CustomMetadata: m.EffectiveCustomMetadata, EffectiveCustomMetadata: m.EffectiveCustomMetadata, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}, err
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes.Keys("account", "id", "external_id")
	attributes.KeyIsUUID()
	resp.Schema = schema.Schema{
		MarkdownDescription: "One billing account, found by its `id` or its `external_id`. An account that is not closed is preferred to a closed one with the same " +
			"`external_id`; no match, or more than one, is an error. By `id` this takes one request; otherwise it reads the list of accounts, which the service filters.",
		Attributes: attributes,
	}
}

// ConfigValidators asks for exactly one way to find the account.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("external_id"))}
}

// Read finds the account.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := d.Conn.Billing.For("data."+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	selector := scheme.Selector(config.ID.ValueString(), config.ExternalID.ValueString())
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	if found.Customer == nil && selector.ID == "" {
		// It comes from a list, which may leave the customer out.
		found = finder(client, "").One(ctx, found.ID, imports.Selector{ID: found.ID}, &resp.Diagnostics)
		if found == nil {
			return
		}
	}
	state, err := dataFromAPI(found)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable answer of the service", err.Error())
		return
	}
	if !config.ID.IsNull() {
		state.ID = config.ID // as it is written: the case of a UUID has no meaning
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// dataAttributes are the attributes of an account that is only read.
func dataAttributes() reading.Attributes {
	attributes := reading.Attributes{
		"name":               schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the customer that the account belongs to."},
		"payment_terms_days": schema.Int64Attribute{Computed: true, MarkdownDescription: about["payment_terms_days"]},
		"balance_cents":      schema.Int64Attribute{Computed: true, MarkdownDescription: about["balance_cents"]},
		"auto_collection":    schema.BoolAttribute{Computed: true, MarkdownDescription: about["auto_collection"]},
		"tax_exempt":         schema.BoolAttribute{Computed: true, MarkdownDescription: about["tax_exempt"]},
	}
	attributes.Texts(about, "external_id", "billing_email", "status")
	attributes.Texts(about, computedTexts...)
	attributes.CustomMetadata()
	return attributes
}
