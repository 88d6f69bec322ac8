package billingaccount

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// NewDataSource returns the data source of one billing account.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI)
}

// NewListDataSource returns the data source of several billing accounts.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

type dataModel struct {
	shared
	CustomMetadata types.String `tfsdk:"custom_metadata"`
}

func dataFromAPI(a *billing.BillingAccount) (dataModel, error) {
	m, err := fromAPI(a)
	return dataModel{shared: m.shared, CustomMetadata: m.EffectiveCustomMetadata}, err
}

func dataAttributes() object.Attributes {
	own := object.Attributes{}
	own.CustomMetadata()
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"status": "`active`, `suspended` or `closed` (final).",
	}, own)
}

func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One billing account, found by `id`, `external_id` or `customer_id`. By `customer_id`, it is the " +
			"customer's only account that is not closed. An open account takes precedence over closed ones with the same " +
			"`external_id`; no match and several matches are errors. It takes one request by `id`, otherwise the filtered list.",
		Attributes: dataAttributes().KeyIsUUID(argCustomerID),
	}
}

type filters struct {
	ExternalID   types.String `tfsdk:"external_id"`
	CustomerID   types.String `tfsdk:"customer_id"`
	Status       types.String `tfsdk:"status"`
	UpdatedAtGTE types.String `tfsdk:"updated_at_gte"`
}

func (f filters) query() billing.BillingAccountQuery {
	return billing.BillingAccountQuery{ExternalID: f.ExternalID.ValueString(), CustomerID: f.CustomerID.ValueString(),
		Status: f.Status.ValueString(), UpdatedAtGTE: f.UpdatedAtGTE.ValueString()}
}

type listDataModel struct {
	filters
	object.Ordering
	Accounts []dataModel `tfsdk:"accounts"`
}

func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The billing accounts of the organization, closed ones included, oldest first unless " +
			"`sort_by` and `sort_order` are set.",
		Attributes: object.Ordered("accounts", "updated_at", object.Attributes{
			"external_id": object.Filter("Only accounts with this `external_id`, closed ones too."),
			"customer_id": object.FilterByID("Only accounts of the customer with this id."),
			"status": object.Filter("Only accounts with this status: `active`, `suspended` or `closed`.",
				check.KnownStatus(statusActive, statusSuspended, statusClosed)),
			"updated_at_gte": object.UpdatedSince("accounts"),
			"accounts": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The billing accounts, in the " +
				"requested order.", NestedObject: schema.NestedAttributeObject{Attributes: dataAttributes()}},
		}),
	}
}

func readMany(ctx context.Context, client *billing.Service, m *listDataModel, diags *diag.Diagnostics) {
	query := m.query()
	query.ListOptions = m.ListOptions()
	m.Accounts = object.Many(client.ListWholeAccounts(ctx, query), m.Ordering, "billing accounts", dataFromAPI, diags)
}

type lists = object.ListResource[*billing.Service, billing.BillingAccount, filters]

// ListResource lists billing accounts for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the billing accounts of the organization that are not closed, oldest first, for " +
			"`terraform query`." + object.ListNeeds("billing_accounts"),
		Filters: object.Attributes{
			"external_id": object.Filter("Only the account with this `external_id`."),
			"customer_id": object.FilterByID("Only accounts of the customer with this id."),
			"status": object.Filter("Only accounts with this status: `active` or `suspended`.",
				check.KnownStatus(statusActive, statusSuspended, statusClosed)),
			"updated_at_gte": object.UpdatedSince("accounts"),
		},
		Query: func(ctx context.Context, client *billing.Service, m filters) iter.Seq2[billing.BillingAccount, error] {
			return client.ListWholeAccounts(ctx, m.query())
		}}}
}

// describe is an account in a list. Closed accounts cannot be managed, so they are omitted.
func describe(_ context.Context, _ *billing.Service, a *billing.BillingAccount) (object.ListItem, bool) {
	if a.Status == statusClosed {
		return object.ListItem{}, false
	}
	m, err := fromAPI(a)
	name := "account " + a.ID
	if a.Customer != nil && a.Customer.Name != "" {
		name = a.Customer.Name
	}
	if a.ExternalID != nil {
		name += " (" + *a.ExternalID + ")"
	}
	return object.ListItem{Name: name, Resource: m, Err: err}, true
}
