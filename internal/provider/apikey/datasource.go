package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// DataSource is the data source of one key.
type DataSource struct{ conn.DataSource }

// ListDataSource is the data source of many keys.
type ListDataSource struct{ conn.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigure        = (*ListDataSource)(nil)
)

// NewDataSource returns the data source of one key.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// NewListDataSource returns the data source of many keys.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

// Metadata names the type.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName
}

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

// dataModel is a key that is only read. What changes with every use of the key is here, and not in the resource,
// where it would be noise in plans.
type dataModel struct {
	shared
	LastUsedAt types.String `tfsdk:"last_used_at"`
	RevokedAt  types.String `tfsdk:"revoked_at"`
}

// dataFromAPI is the key as a data source shows it.
func dataFromAPI(k *collections.APIKey) (dataModel, error) {
	return dataModel{shared: fromAPI(k).shared, LastUsedAt: types.StringPointerValue(k.LastUsedAt),
		RevokedAt: types.StringPointerValue(k.RevokedAt)}, nil
}

// dataAttributes are the attributes of a key that is only read.
func dataAttributes() object.Attributes {
	attributes := object.Attributes{
		"id":     schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the key (UUID)."},
		"scopes": schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: about["scopes"]},
		"last_used_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was last used, ISO " +
			"8601; null if never. It shows whether an old key is still in use."},
		"revoked_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was revoked, ISO 8601; " +
			"null if it is not."},
		"expires_at": schema.StringAttribute{Computed: true, CustomType: fwtype.DateTimeType{},
			MarkdownDescription: about["expires_at"] + " Null if it never expires. For a key that was rotated, " +
				"the end of its grace period."},
	}
	attributes.Texts(about, "name", "description", "key_prefix", "source", "created_at")
	return attributes
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes.Keys(scheme.Noun, scheme.Keys()...)
	attributes.KeyIsUUID()
	resp.Schema = schema.Schema{
		MarkdownDescription: "One API key of the collections service, found by its `id` or its `name`. A key that " +
			"works takes precedence over revoked and expired ones with the same name; no match, or more than " +
			"one, is an error, also because of a rotated key that still works next to its successor. Its token " +
			"is never shown. By `id` this takes one request; by `name` it reads the whole list of keys, for " +
			"which the service has no filter.",
		Attributes: attributes,
	}
}

// ConfigValidators requires exactly one way to find the key.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return scheme.ConfigValidators()
}

// Read finds the key.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	object.ReadOne(ctx, scheme, d.Conn.Collections, req, resp, dataFromAPI)
}

// listDataModel is the data source of many keys.
type listDataModel struct {
	Limit types.Int64 `tfsdk:"limit"`
	Keys  []dataModel `tfsdk:"keys"`
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The API keys of the organization, oldest first, revoked and expired ones included. Their " +
			"tokens are never shown, and the service offers no filters." + object.Paged,
		Attributes: map[string]schema.Attribute{
			"limit": object.Limit("keys"),
			"keys": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The keys, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// Read lists the keys.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	object.ReadMany(ctx, d.Conn.Collections, typeName+"s", req, resp,
		func(client *collections.Service, m *listDataModel, diags *diag.Diagnostics) {
			m.Keys = object.Many(client.ListAPIKeys(ctx), m.Limit, "API keys", dataFromAPI, diags)
		})
}
