package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
)

// DataSource is the data source of one customer.
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

// dataModel is a customer that is only read.
type dataModel struct {
	ID                      types.String `tfsdk:"id"`
	PublicID                types.String `tfsdk:"public_id"`
	ExternalID              types.String `tfsdk:"external_id"`
	Name                    types.String `tfsdk:"name"`
	Nickname                types.String `tfsdk:"nickname"`
	LegalName               types.String `tfsdk:"legal_name"`
	DocumentType            types.String `tfsdk:"document_type"`
	DocumentNumber          types.String `tfsdk:"document_number"`
	Kind                    types.String `tfsdk:"kind"`
	Birthday                types.String `tfsdk:"birthday"`
	Email                   types.String `tfsdk:"email"`
	Phone                   types.String `tfsdk:"phone"`
	Notes                   types.String `tfsdk:"notes"`
	Addresses               types.List   `tfsdk:"addresses"`
	Phones                  types.List   `tfsdk:"phones"`
	Emails                  types.List   `tfsdk:"emails"`
	Websites                types.List   `tfsdk:"websites"`
	Tags                    types.Set    `tfsdk:"tags"`
	CustomMetadata          types.String `tfsdk:"custom_metadata"`
	EffectiveCustomMetadata types.String `tfsdk:"effective_custom_metadata"`
	Metadata                types.String `tfsdk:"metadata"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

// dataFromAPI is the customer as a data source shows it.
func dataFromAPI(c *billing.Customer) (dataModel, error) {
	m, err := fromAPI(c)
	return dataModel{
		ID: m.ID, PublicID: m.PublicID, ExternalID: m.ExternalID, Name: m.Name, Nickname: m.Nickname, LegalName: m.LegalName,
		DocumentType: m.DocumentType, DocumentNumber: m.DocumentNumber.StringValue, Kind: m.Kind, Birthday: m.Birthday,
		Email: m.Email, Phone: m.Phone, Notes: m.Notes, Addresses: m.Addresses, Phones: m.Phones, Emails: m.Emails,
		Websites: m.Websites, Tags: m.Tags, CustomMetadata: m.EffectiveCustomMetadata, EffectiveCustomMetadata: m.EffectiveCustomMetadata,
		Metadata: m.Metadata, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}, err
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes.Keys("customer", "id", "external_id", "document_number")
	attributes.KeyIsUUID()
	resp.Schema = schema.Schema{
		MarkdownDescription: "One customer, found by its `id`, its `external_id` or its `document_number`. No match, or more than one, is an error. By `id` this takes one request; otherwise it " +
			"reads the list of customers, which the service filters. What is read stands in the state.",
		Attributes: attributes,
	}
}

// ConfigValidators asks for exactly one way to find the customer.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(
		path.MatchRoot("id"), path.MatchRoot("external_id"), path.MatchRoot("document_number"))}
}

// Read finds the customer.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := d.Conn.Billing.For("data."+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	selector, query := config.wanted()
	found := finder(client, query).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	state, err := dataFromAPI(found)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable answer of the service", err.Error())
		return
	}
	if !config.DocumentNumber.IsNull() {
		// The number found may be masked in another way than the one asked for, and Terraform holds a data source to its configuration.
		state.DocumentNumber = config.DocumentNumber
	}
	if !config.ID.IsNull() {
		state.ID = config.ID // as it is written: the case of a UUID has no meaning
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// wanted says which customer the configuration asks for, and the query that answers it when that is not by its id.
func (m dataModel) wanted() (imports.Selector, billing.CustomerQuery) {
	if document := m.DocumentNumber.ValueString(); document != "" {
		return imports.Selector{Field: "document_number", Value: document}, billing.CustomerQuery{DocumentNumber: document}
	}
	selector := scheme.Selector(m.ID.ValueString(), m.ExternalID.ValueString())
	return selector, billing.CustomerQuery{ExternalID: selector.Value}
}

// dataAttributes are the attributes of a customer that is only read.
func dataAttributes() reading.Attributes {
	attributes := reading.Attributes{
		"email": schema.StringAttribute{Computed: true, MarkdownDescription: "Main e-mail address: the first of `emails`, null without one."},
		"phone": schema.StringAttribute{Computed: true, MarkdownDescription: "Main phone number: the first of `phones`, null without one."},
		"addresses": schema.ListNestedAttribute{Computed: true, MarkdownDescription: about["addresses"],
			NestedObject: schema.NestedAttributeObject{Attributes: part("address.", contact.AddressFields...)}},
		"tags": schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: about["tags"]},
	}
	attributes.Texts(about, "id", "public_id", "external_id", "name", "nickname", "legal_name", "document_type", "document_number",
		"kind", "birthday", "notes", "metadata", "created_at", "updated_at")
	attributes.CustomMetadata()
	for _, name := range []string{"emails", "phones", "websites"} {
		attributes[name] = schema.ListNestedAttribute{Computed: true, MarkdownDescription: about[name],
			NestedObject: schema.NestedAttributeObject{Attributes: part("item.", "kind", "value")}}
	}
	return attributes
}

// part are the texts of an item or an address; prefix leads to their descriptions in contact.About.
func part(prefix string, names ...string) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, name := range names {
		attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: contact.About[prefix+name]}
	}
	return attributes
}
