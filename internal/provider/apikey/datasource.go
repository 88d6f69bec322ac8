package apikey

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// NewDataSource returns the data source of one key.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI)
}

// NewListDataSource returns the data source of many keys.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
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
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"id": "Id of the key (UUID).",
		"expires_at": "When the key stops working. Null if it never expires. For a key that was rotated, the end " +
			"of its grace period.",
		"created_at": "When the key was created.",
	}, object.Attributes{
		"last_used_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was last used, ISO " +
			"8601; null if never. It shows whether an old key is still in use."},
		"revoked_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was revoked; " +
			"null if it is not."},
	})
}

// dataSchema describes the data source of one.
func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One API key of the collections service, found by its `id` or its `name`. A key that " +
			"works takes precedence over revoked and expired ones with the same name; no match, or more than " +
			"one, is an error, also because of a rotated key that still works next to its successor. Its token " +
			"is never shown. By `id` this takes one request; by `name` it reads the whole list of keys, for " +
			"which the service has no filter.",
		Attributes: dataAttributes().KeyIsUUID(),
	}
}

// listDataModel is the data source of many keys.
type listDataModel struct {
	Limit types.Int64 `tfsdk:"limit"`
	Keys  []dataModel `tfsdk:"keys"`
}

// listDataSchema describes the data source of many.
func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The API keys of the organization, oldest first, revoked and expired ones included. Their " +
			"tokens are never shown, and the service offers no filters.",
		Attributes: map[string]schema.Attribute{
			"limit": object.Limit("keys"),
			"keys": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The keys, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

// readMany lists the keys.
func readMany(ctx context.Context, client *collections.Service, m *listDataModel, diags *diag.Diagnostics) {
	m.Keys = object.Many(client.ListAPIKeys(ctx), object.Ordering{Limit: m.Limit}, "API keys", dataFromAPI, diags)
}

type lists = object.ListResource[*collections.Service, collections.APIKey, struct{}]

// ListResource lists keys for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource. The service offers no filters.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the API keys of the organization that are neither revoked nor expired, oldest first, " +
			"for `terraform query`, without tokens. The service offers no filters." + object.ListNeeds("billing_api_keys"),
		Query: func(ctx context.Context, client *collections.Service, _ struct{}) iter.Seq2[collections.APIKey, error] {
			return client.ListAPIKeys(ctx)
		}}}
}

// describe is a key in a listing. Revoked and expired ones cannot be managed, so they are left out.
func describe(ctx context.Context, client *collections.Service, k *collections.APIKey) (object.Item, bool) {
	return object.Item{Name: k.Name + " (" + k.KeyPrefix + ")", Resource: fromAPI(k)}, works(ctx, client, k)
}
