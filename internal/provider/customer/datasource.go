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

// NewListDataSource returns the data source of several customers.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", scheme.Service, listDataSchema, readMany)
}

type dataModel struct {
	shared
	CustomMetadata types.String `tfsdk:"custom_metadata"`
}

func dataFromAPI(c *billing.Customer) (dataModel, error) {
	m, err := fromAPI(c)
	m.Email, m.Phone = first(c.Emails), first(c.Phones)
	return dataModel{shared: m.shared, CustomMetadata: m.EffectiveCustomMetadata}, err
}

func dataAttributes() object.Attributes {
	own := object.Attributes{}
	own.CustomMetadata()
	return object.DataAttributes[dataModel](&Resource{}, map[string]string{
		"email": "Main e-mail address: the first of `emails`; null if none.",
		"phone": "Main phone number: the first of `phones`; null if none.",
	}, own)
}

// first returns the value of the first entry of a list, or null.
func first(list []billing.Contact) types.String {
	if len(list) == 0 {
		return types.StringNull()
	}
	return types.StringValue(list[0].Value)
}

func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One customer, found by `id`, `external_id` or `document_number`. No match and several " +
			"matches are errors. To find its billing account, use `billing_account` with `customer_id`. It takes one request by " +
			"`id`, otherwise the filtered list. The result is stored in state.",
		Attributes: dataAttributes().KeyIsUUID(),
	}
}

type filters struct {
	Search         types.String `tfsdk:"search"`
	ExternalID     types.String `tfsdk:"external_id"`
	DocumentNumber types.String `tfsdk:"document_number"`
	UpdatedAtGTE   types.String `tfsdk:"updated_at_gte"`
}

func (f filters) query() billing.CustomerQuery {
	return billing.CustomerQuery{Search: f.Search.ValueString(), ExternalID: f.ExternalID.ValueString(),
		DocumentNumber: f.DocumentNumber.ValueString(), UpdatedAtGTE: f.UpdatedAtGTE.ValueString()}
}

// filterAttributes adds the arguments of filters to others.
func filterAttributes(attributes object.Attributes) object.Attributes {
	attributes["search"] = object.Filter("Only customers with this text in one of the fields that the service searches.")
	attributes["external_id"] = object.Filter("Only the customer with this `external_id`.")
	attributes["document_number"] = object.Filter("Only customers with this tax number, whatever its mask.")
	attributes["updated_at_gte"] = object.UpdatedSince("customers")
	return attributes
}

type listDataModel struct {
	object.Ordering
	filters
	Customers []dataModel `tfsdk:"customers"`
}

func listDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The customers of the organization, oldest first unless `sort_by` and `sort_order` are set.",
		Attributes: object.Ordered("customers", "name", filterAttributes(object.Attributes{
			"customers": schema.ListNestedAttribute{Computed: true,
				MarkdownDescription: "The customers, in the requested order.",
				NestedObject:        schema.NestedAttributeObject{Attributes: dataAttributes()}},
		})),
	}
}

func readMany(ctx context.Context, client *billing.Service, m *listDataModel, diags *diag.Diagnostics) {
	query := m.query()
	query.ListOptions = m.ListOptions()
	m.Customers = object.Many(client.ListCustomers(ctx, query), m.Ordering, "customers", dataFromAPI, diags)
}

type lists = object.ListResource[*billing.Service, billing.Customer, filters]

// ListResource lists customers for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the customers of the organization, oldest first, for `terraform query`." +
			object.ListNeeds("billing_customers"),
		Filters: filterAttributes(object.Attributes{}),
		Query: func(ctx context.Context, client *billing.Service, m filters) iter.Seq2[billing.Customer, error] {
			return client.ListCustomers(ctx, m.query())
		}}}
}

// describe is a customer in a list.
func describe(_ context.Context, _ *billing.Service, c *billing.Customer) (object.ListItem, bool) {
	m, err := fromAPI(c)
	name := c.Name
	if c.ExternalID != nil {
		name += " (" + *c.ExternalID + ")"
	}
	return object.ListItem{Name: name, Resource: m, Err: err}, true
}
