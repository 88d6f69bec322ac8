package finance

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// NewAccountsDataSource returns the data source of accounts.
func NewAccountsDataSource() datasource.DataSource {
	return newDataSource("accounts", (*finance.Service).ListAccounts)
}

// NewPayablesDataSource returns the data source of payables.
func NewPayablesDataSource() datasource.DataSource {
	return newDataSource("payables", (*finance.Service).ListPayables)
}

// NewReceivablesDataSource returns the data source of receivables.
func NewReceivablesDataSource() datasource.DataSource {
	return newDataSource("receivables", (*finance.Service).ListReceivables)
}

// newDataSource returns the data source of a list that has a path of its own.
func newDataSource(noun string,
	list func(*finance.Service, context.Context, finance.Query) iter.Seq2[finance.Record, error]) datasource.DataSource {
	return object.NewDataSource("billing_finance_"+noun, conn.Finance,
		func() schema.Schema {
			return schema.Schema{MarkdownDescription: "The " + noun + " of financial management. " + aboutItems,
				Attributes: listAttributes(noun)}
		},
		func(ctx context.Context, client *finance.Service, m *listModel, diags *diag.Diagnostics) {
			m.read(ctx, "finance "+noun, diags, func(query finance.Query) iter.Seq2[finance.Record, error] {
				return list(client, ctx, query)
			})
		})
}

// NewListDataSource returns the data source of the records of any collection.
func NewListDataSource() datasource.DataSource {
	return object.NewDataSource(typeName+"s", conn.Finance, listDataSchema, readMany)
}

// listModel is a list of the data source with a path of its own.
type listModel struct {
	Filters types.Map   `tfsdk:"filters"`
	Limit   types.Int64 `tfsdk:"limit"`
	Items   []itemModel `tfsdk:"items"`
}

// recordsModel is a list of any collection.
type recordsModel struct {
	listModel
	Collection types.String `tfsdk:"collection"`
}

type itemModel struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	JSON types.String `tfsdk:"json"`
}

func itemFromAPI(r *finance.Record) (itemModel, error) {
	return itemModel{ID: wire.TextOrNull(r.ID), Name: wire.TextOrNull(r.Name), JSON: wire.JSONText(r.Raw)}, nil
}

// listDataSchema describes the data source of any collection.
func listDataSchema() schema.Schema {
	attributes := listAttributes("records")
	attributes[attrCollection] = object.Collection(aboutCollection, "payables")
	return schema.Schema{
		MarkdownDescription: "The records of any collection of financial management. " + aboutItems,
		Attributes:          attributes,
	}
}

const aboutItems = "The service does not document the fields of its objects, so each is returned whole, as a JSON " +
	"string." + object.Filtered + object.Paged

// reserved names what belongs to the paging of financial management.
func reserved(name string) string {
	if !finance.Reserved(name) {
		return ""
	}
	return name + " is a paging parameter of the service, and the provider reads all pages automatically. Use the " +
		"argument limit for the largest number of items."
}

// listAttributes are what all lists have. noun names the items.
func listAttributes(noun string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"filters": object.Filters("Only "+noun+" that match all of these filters. The names are those of the "+
			"service: `company_id` with a UUID, `occurred_at[gte]` with a date, and others. A filter with the "+
			"value null is ignored; `limit` and `cursor` are not valid filters. An empty list takes one more request, "+
			"which finds misspelt fields.", reserved),
		"limit": object.Limit(noun),
		"items": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The " + noun + ", in the order of the " +
			"service.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id; null if there is none."},
				"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name; null if there is none."},
				"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole object as a JSON " +
					"string; decode it with `jsondecode`. Amounts in it are strings, always positive, such as " +
					"`\"10.50\"` (see the function `cents`)."},
			}}},
	}
}

// readMany lists the records of the collection.
func readMany(ctx context.Context, client *finance.Service, m *recordsModel, diags *diag.Diagnostics) {
	collection := m.Collection.ValueString()
	m.read(ctx, "finance records of "+collection, diags, func(query finance.Query) iter.Seq2[finance.Record, error] {
		return client.ListRecords(ctx, collection, query)
	})
}

// read lists the items that match the filters. noun is the plural for messages.
func (m *listModel) read(ctx context.Context, noun string, diags *diag.Diagnostics,
	list func(finance.Query) iter.Seq2[finance.Record, error]) {
	query := finance.Query{Filters: object.FilterValues(ctx, m.Filters, diags), Limit: int(m.Limit.ValueInt64())}
	if diags.HasError() {
		return
	}
	m.Items = filtered(list, query, m.Limit, noun, diags)
}

// sample is how many objects show the fields of a list that is empty with its filters: as many as one request returns.
const sample = 50

// filtered are the objects of a list, with a warning for each filter on a field that the service does not show. Where
// the filters leave nothing, a request without them shows the fields. noun is the plural for messages.
func filtered(list func(finance.Query) iter.Seq2[finance.Record, error], query finance.Query, limit types.Int64,
	noun string, diags *diag.Diagnostics) []itemModel {
	items := object.Many(list(query), limit, noun, itemFromAPI, diags)
	if diags.HasError() || len(query.Filters) == 0 {
		return items
	}
	if len(items) > 0 {
		warnUnknownFilters(query, items, "none of the items has", "If it is a typing error, the list is not filtered.", diags)
		return items
	}
	// An error is not reported: the list that was asked for is complete.
	all, err := object.Collect(list(finance.Query{Limit: sample}), types.Int64Value(sample), itemFromAPI)
	if err == nil {
		warnUnknownFilters(query, all, "the list is empty, and no object of the collection has",
			"If it is a typing error, the list is empty for that reason.", diags)
	}
	return items
}

// warnUnknownFilters reports filters on fields that none of the items has. The service ignores what it does not know,
// or finds nothing for it. Both are silent.
func warnUnknownFilters(query finance.Query, items []itemModel, found, effect string, diags *diag.Diagnostics) {
	fields := map[string]bool{}
	for _, item := range items {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(item.JSON.ValueString()), &object) != nil {
			return
		}
		for name := range object {
			fields[name] = true
		}
	}
	if len(fields) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range slices.Sorted(maps.Keys(query.Filters)) {
		field, _, _ := strings.Cut(name, "[")
		if fields[field] {
			continue
		}
		diags.AddAttributeWarning(path.Root("filters").AtMapKey(name), "The service may ignore a filter",
			fmt.Sprintf("filters: %s a field %q, so the service probably does not know the filter %q. %s Similar fields: %s.",
				found, field, name, effect, strings.Join(api.Nearest(field, names, 3), ", ")))
	}
}
