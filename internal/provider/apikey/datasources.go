package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
)

// DataSource is the data source of one key.
type DataSource struct{ conn.DataSource }

// ListDataSource is the data source of all keys.
type ListDataSource struct{ conn.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigure        = (*ListDataSource)(nil)
)

// NewDataSource makes the data source of one key.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// NewListDataSource makes the data source of all keys.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

// Metadata names the type.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName
}

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

// dataModel is a key that is only read. What changes with every use of the key stands here, and not in the resource, where it would be
// noise in plans.
type dataModel struct {
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	KeyPrefix   types.String `tfsdk:"key_prefix"`
	Source      types.String `tfsdk:"source"`
	Scopes      types.Set    `tfsdk:"scopes"`
	LastUsedAt  types.String `tfsdk:"last_used_at"`
	ExpiresAt   types.String `tfsdk:"expires_at"`
	RevokedAt   types.String `tfsdk:"revoked_at"`
	CreatedAt   types.String `tfsdk:"created_at"`
}

func dataFromAPI(k *collections.APIKey) (dataModel, error) {
	m := fromAPI(k)
	return dataModel{ID: m.ID, Name: m.Name, Description: m.Description, KeyPrefix: m.KeyPrefix, Source: m.Source, Scopes: m.Scopes,
		LastUsedAt: types.StringPointerValue(k.LastUsedAt), ExpiresAt: m.ExpiresAt.StringValue, RevokedAt: types.StringPointerValue(k.RevokedAt),
		CreatedAt: m.CreatedAt}, nil
}

func dataAttributes() reading.Attributes {
	attributes := reading.Attributes{
		"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the key (UUID)."},
		"scopes":       schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: about["scopes"]},
		"last_used_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was last used, ISO 8601; null when never. It tells whether an old key may go."},
		"revoked_at":   schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was revoked, ISO 8601; null while it is not."},
		"expires_at":   schema.StringAttribute{Computed: true, MarkdownDescription: about["expires_at"] + " Null: never. For a key that was rotated, the end of its grace."},
	}
	attributes.Texts(about, "name", "description", "key_prefix", "source", "created_at")
	return attributes
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes.Keys("key", "id", "name")
	attributes.KeyIsUUID()
	resp.Schema = schema.Schema{
		MarkdownDescription: "One API key of the collections service, found by its `id` or its `name`. A key that works is preferred to revoked and expired ones of the same " +
			"name; no match, or more than one, is an error, and a key whose grace runs counts beside its successor. Its token is never shown. By `id` this takes one " +
			"request; by `name` it reads the whole list of keys, for which the service has no filter.",
		Attributes: attributes,
	}
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The API keys of the organization, oldest first, revoked and expired ones included. Their tokens are never shown, and the service offers no filters." + reading.Paged,
		Attributes: map[string]schema.Attribute{
			"limit": reading.Limit("keys"),
			"keys": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The keys, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// ConfigValidators asks for exactly one way to find the key.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))}
}

// Read finds the key.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := d.Conn.Collections.For("data."+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	selector := scheme.Selector(config.ID.ValueString(), config.Name.ValueString())
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	state, _ := dataFromAPI(found)
	if !config.ID.IsNull() {
		state.ID = config.ID // as it is written: the case of a UUID has no meaning
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

type listDataModel struct {
	Limit types.Int64 `tfsdk:"limit"`
	Keys  []dataModel `tfsdk:"keys"`
}

// Read lists the keys.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state listDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Collections.For("data."+typeName+"s", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	items, err := conn.Collect(client.ListAPIKeys(ctx), state.Limit, dataFromAPI)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Doing{Verb: "list", Object: "API keys"})
		return
	}
	state.Keys = items
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
