package apikey

import (
	"context"
	"iter"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// NewDataSource returns the data source of one key.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI, func(ctx context.Context,
		client *collections.Service, k *collections.APIKey, _ tfsdk.Config, m *dataModel, _ *diag.Diagnostics) {
		m.Status = status(k, client.ServerTime(ctx))
	})
}

// NewListDataSource returns the data source of several keys.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

// dataModel is a key in a data source. It has the attributes that change with every use of the key, which in the
// resource would be noise in plans.
type dataModel struct {
	shared
	LastUsedAt types.String `tfsdk:"last_used_at"`
	RevokedAt  types.String `tfsdk:"revoked_at"`
	Status     types.String `tfsdk:"status"`
}

// dataFromAPI converts a key without its status, which needs the service's clock.
func dataFromAPI(k *collections.APIKey) (dataModel, error) {
	return dataModel{shared: fromAPI(k).shared, LastUsedAt: types.StringPointerValue(k.LastUsedAt),
		RevokedAt: types.StringPointerValue(k.RevokedAt)}, nil
}

// status returns the status of a key by the service's clock: now.
func status(k *collections.APIKey, now time.Time) types.String {
	switch {
	case k.RevokedAt != nil:
		return types.StringValue("revoked")
	case ended(k, now) != "":
		return types.StringValue("expired")
	}
	return types.StringValue("active")
}

func dataAttributes() object.Attributes {
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"id":         "Id of the key (UUID).",
		"expires_at": "When the key stops working: for a rotated key, the end of its grace period. Null if never.",
		"created_at": "When the key was created.",
	}, object.Attributes{
		"last_used_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was last used; null if " +
			"never."},
		"revoked_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When the key was revoked; null before."},
		"status": schema.StringAttribute{Computed: true, MarkdownDescription: "By the service's clock: `active` (also in a " +
			"grace period), `expired` or `revoked`."},
	})
}

func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One API key of the collections service, without its token, found by `id` or `name`. A " +
			"working key takes precedence over revoked and expired ones with the same name. No match and several matches are " +
			"errors, such as a rotated key in its grace period next to its successor. It takes one request by `id`; by " +
			"`name` it reads the whole list.",
		Attributes: dataAttributes().KeyIsUUID(),
	}
}

type listDataModel struct {
	Limit types.Int64 `tfsdk:"limit"`
	Keys  []dataModel `tfsdk:"keys"`
}

func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The API keys of the organization, revoked and expired ones included, oldest first, without " +
			"tokens. The service offers no filters.",
		Attributes: map[string]schema.Attribute{
			"limit": object.Limit("keys"),
			"keys": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The keys, oldest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		},
	}
}

func readMany(ctx context.Context, client *collections.Service, m *listDataModel, diags *diag.Diagnostics) {
	show := func(k *collections.APIKey) (dataModel, error) {
		shown, err := dataFromAPI(k)
		shown.Status = status(k, client.ServerTime(ctx))
		return shown, err
	}
	m.Keys = object.Many(client.ListAPIKeys(ctx), object.Ordering{Limit: m.Limit}, "API keys", show, diags)
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

// describe is a key in a list. Revoked and expired keys cannot be managed, so they are omitted.
func describe(ctx context.Context, client *collections.Service, k *collections.APIKey) (object.ListItem, bool) {
	return object.ListItem{Name: k.Name + " (" + k.KeyPrefix + ")", Resource: fromAPI(k)}, works(ctx, client, k)
}
