package finance

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/reading"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// ListDataSource is a data source of one of the lists that have a path of their own: accounts, payables, receivables.
type ListDataSource struct {
	conn.DataSource
	noun string
	list func(*finance.Service, context.Context, finance.Query) iter.Seq2[finance.Record, error]
}

// RecordsDataSource is the data source of the records of any collection.
type RecordsDataSource struct{ conn.DataSource }

var (
	_ datasource.DataSourceWithConfigure = (*ListDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*RecordsDataSource)(nil)
)

// NewAccountsDataSource makes the data source of accounts.
func NewAccountsDataSource() datasource.DataSource {
	return &ListDataSource{noun: "accounts", list: (*finance.Service).ListAccounts}
}

// NewPayablesDataSource makes the data source of payables.
func NewPayablesDataSource() datasource.DataSource {
	return &ListDataSource{noun: "payables", list: (*finance.Service).ListPayables}
}

// NewReceivablesDataSource makes the data source of receivables.
func NewReceivablesDataSource() datasource.DataSource {
	return &ListDataSource{noun: "receivables", list: (*finance.Service).ListReceivables}
}

// NewRecordsDataSource makes the data source of any collection.
func NewRecordsDataSource() datasource.DataSource { return &RecordsDataSource{} }

// Metadata names the type.
func (d *ListDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "billing_finance_" + d.noun
}

// Metadata names the type.
func (d *RecordsDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName + "s"
}

// listModel is a list of the data source with a path of its own.
type listModel struct {
	Filters types.Map   `tfsdk:"filters"`
	Limit   types.Int64 `tfsdk:"limit"`
	Items   []itemModel `tfsdk:"items"`
}

// recordsModel is a list of any collection.
type recordsModel struct {
	Collection types.String `tfsdk:"collection"`
	Filters    types.Map    `tfsdk:"filters"`
	Limit      types.Int64  `tfsdk:"limit"`
	Items      []itemModel  `tfsdk:"items"`
}

type itemModel struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	JSON types.String `tfsdk:"json"`
}

func itemFromAPI(r *finance.Record) (itemModel, error) {
	return itemModel{ID: wire.TextOrNull(r.ID), Name: wire.TextOrNull(r.Name), JSON: wire.JSONText(r.Raw)}, nil
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The " + d.noun + " of financial management. " + aboutItems,
		Attributes:          listAttributes(d.noun),
	}
}

// Schema describes the data source.
func (d *RecordsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := listAttributes("records")
	attributes[attrCollection] = schema.StringAttribute{Required: true, Validators: []validator.String{pathSegment()}, MarkdownDescription: aboutCollection}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The records of any collection of financial management. " + aboutItems,
		Attributes:          attributes,
	}
}

const aboutItems = "The service does not document the fields of its objects, so each comes whole, as JSON text." + reading.Filtered + reading.Paged

// listAttributes are what all lists have. noun names the items.
func listAttributes(noun string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"filters": schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{filters{}},
			MarkdownDescription: "Only " + noun + " that match all of these, in the service's own words: `company_id` with a UUID, `occurred_at[gte]` with a date, and the like. A filter whose value is null is left out; `limit` and `cursor` are no filters."},
		"limit": reading.Limit(noun),
		"items": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The " + noun + ", in the order of the service.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id; null where there is none."},
				"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name; null where there is none."},
				"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole object as JSON text; read it with `jsondecode`. Money is text in it, always positive, such as `\"10.50\"` (see the function `cents`)."},
			}}},
	}
}

// Read lists the objects.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Finance.For("data.billing_finance_"+d.noun, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	state.Items = collect(ctx, d.noun, state.Filters, state.Limit, func(q finance.Query) iter.Seq2[finance.Record, error] {
		return d.list(client, ctx, q)
	}, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Read lists the records.
func (d *RecordsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state recordsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := d.Conn.Finance.For("data."+typeName+"s", &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	collection := state.Collection.ValueString()
	state.Items = collect(ctx, "records of "+collection, state.Filters, state.Limit, func(q finance.Query) iter.Seq2[finance.Record, error] {
		return client.ListRecords(ctx, collection, q)
	}, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// collect reads a list. noun names the items for an error.
func collect(ctx context.Context, noun string, filters types.Map, limit types.Int64, list func(finance.Query) iter.Seq2[finance.Record, error], diags *diag.Diagnostics) []itemModel {
	query := finance.Query{Filters: map[string]string{}, Limit: int(limit.ValueInt64())}
	values := map[string]types.String{}
	diags.Append(filters.ElementsAs(ctx, &values, false)...)
	if diags.HasError() {
		return nil
	}
	for name, value := range values {
		if !value.IsNull() {
			query.Filters[name] = value.ValueString()
		}
	}
	items, err := conn.Collect(list(query), limit, itemFromAPI)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Doing{Verb: "list", Object: "finance " + noun})
	}
	return items
}
