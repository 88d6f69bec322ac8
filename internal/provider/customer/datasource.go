package customer

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// NewDataSource returns the data source of one customer.
func NewDataSource() datasource.DataSource {
	return object.NewSingularDataSource(scheme, dataSchema, dataFromAPI)
}

// NewListDataSource returns the data source of many customers.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

// dataModel is a customer that is only read.
type dataModel struct {
	shared
	CustomMetadata types.String `tfsdk:"custom_metadata"`
}

// dataFromAPI is the customer as a data source shows it.
func dataFromAPI(c *billing.Customer) (dataModel, error) {
	m, err := fromAPI(c)
	return dataModel{shared: m.shared, CustomMetadata: m.EffectiveCustomMetadata}, err
}

// dataAttributes are the attributes of a customer that is only read.
func dataAttributes() object.Attributes {
	own := object.Attributes{}
	own.CustomMetadata()
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"email": "Main e-mail address: the first of `emails`, null without one.",
		"phone": "Main phone number: the first of `phones`, null without one.",
	}, own)
}

// dataSchema describes the data source of one.
func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One customer, found by its `id`, its `external_id` or its `document_number`. No " +
			"match, or more than one, is an error. By `id` this takes one request; otherwise it reads the list " +
			"of customers, which the service filters. The result is stored in state.",
		Attributes: dataAttributes().KeyIsUUID(),
	}
}

// filters narrow the listings of customers.
type filters struct {
	Search       types.String `tfsdk:"search"`
	UpdatedAtGTE types.String `tfsdk:"updated_at_gte"`
}

func (f filters) query() billing.CustomerQuery {
	return billing.CustomerQuery{Listing: billing.Listing{Search: f.Search.ValueString()},
		UpdatedAtGTE: f.UpdatedAtGTE.ValueString()}
}

// listDataModel is the data source of many customers.
type listDataModel struct {
	object.Ordering
	UpdatedAtGTE types.String `tfsdk:"updated_at_gte"`
	Customers    []dataModel  `tfsdk:"customers"`
}

// listDataSchema describes the data source of many.
func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The customers of the organization, oldest first unless `sort_by` and `sort_order` are set.",
		Attributes: object.Ordered("customers", "name", object.Attributes{
			"updated_at_gte": object.UpdatedSince("customers"),
			"customers": schema.ListNestedAttribute{Computed: true,
				MarkdownDescription: "The customers, in the requested order.",
				NestedObject:        schema.NestedAttributeObject{Attributes: dataAttributes()}},
		}),
	}
}

// readMany lists the customers.
func readMany(ctx context.Context, client *billing.Service, m *listDataModel, diags *diag.Diagnostics) {
	query := billing.CustomerQuery{Listing: m.Listing(), UpdatedAtGTE: m.UpdatedAtGTE.ValueString()}
	m.Customers = object.Many(client.ListCustomers(ctx, query), m.Ordering, "customers", dataFromAPI, diags)
}

// listModel are the filters of the list resource.
type listModel struct {
	filters
	ExternalID     types.String `tfsdk:"external_id"`
	DocumentNumber types.String `tfsdk:"document_number"`
}

type lists = object.ListResource[*billing.Service, billing.Customer, listModel]

// ListResource lists customers for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the customers of the organization, oldest first, for `terraform query`." +
			object.ListNeeds("billing_customers"),
		Filters: object.Attributes{
			"search":          object.Filter(object.AboutSearch("customers")),
			"external_id":     object.Filter("Only the customer with this `external_id`."),
			"document_number": object.Filter("Only customers with this tax number, whatever its mask."),
			"updated_at_gte":  object.UpdatedSince("customers"),
		},
		Query: func(ctx context.Context, client *billing.Service, m listModel) iter.Seq2[billing.Customer, error] {
			query := m.query()
			query.ExternalID, query.DocumentNumber = m.ExternalID.ValueString(), m.DocumentNumber.ValueString()
			return client.ListCustomers(ctx, query)
		}}}
}

// describe is a customer in a listing. Generated configuration writes every optional argument, and email and phone
// only repeat an item of emails and phones, so they are left out.
func describe(_ context.Context, _ *billing.Service, c *billing.Customer) (object.Item, bool) {
	m, err := fromAPI(c)
	m.Email, m.Phone = types.StringNull(), types.StringNull()
	name := c.Name
	if c.ExternalID != nil {
		name += " (" + *c.ExternalID + ")"
	}
	return object.Item{Name: name, Resource: m, Err: err}, true
}
