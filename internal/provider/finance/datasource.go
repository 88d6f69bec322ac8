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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
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

type listModel struct {
	Filter types.Map            `tfsdk:"filter"`
	Limit  types.Int64          `tfsdk:"limit"`
	Items  []object.RecordModel `tfsdk:"items"`
}

type recordsModel struct {
	listModel
	Collection types.String `tfsdk:"collection"`
}

func listDataSchema() schema.Schema {
	attributes := listAttributes("records")
	attributes[attrCollection] = object.Collection(aboutCollection, "payables")
	return schema.Schema{
		MarkdownDescription: "The records of any collection of financial management. " + aboutItems,
		Attributes:          attributes,
	}
}

const aboutItems = "The service does not document their fields, so each is returned whole."

// reserved rejects the paging parameters of financial management.
func reserved(name string) string {
	if !finance.Reserved(name) {
		return ""
	}
	return name + " is a paging parameter of the service, but the provider reads all pages automatically. Use the " +
		"argument limit for the maximum number of items."
}

// listAttributes are the attributes of all lists. noun names the items.
func listAttributes(noun string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"filter": object.Filters("Only "+noun+" that match all of these query parameters of the service, such as "+
			"`company_id` with a UUID, or `occurred_at[gte]` with a date.", reserved),
		"limit": object.Limit(noun),
		"items": object.Items(noun),
	}
}

func readMany(ctx context.Context, client *finance.Service, m *recordsModel, diags *diag.Diagnostics) {
	collection := m.Collection.ValueString()
	warnCollection(m.Collection, diags)
	m.read(ctx, "finance records of "+collection, diags, func(query finance.Query) iter.Seq2[finance.Record, error] {
		return client.ListRecords(ctx, collection, query)
	})
}

// read lists the items that match the filter. noun is the plural for messages.
func (m *listModel) read(ctx context.Context, noun string, diags *diag.Diagnostics,
	list func(finance.Query) iter.Seq2[finance.Record, error]) {
	query := finance.Query{Filters: object.FilterValues(ctx, m.Filter, diags), Limit: int(m.Limit.ValueInt64())}
	if diags.HasError() {
		return
	}
	m.Items = object.Many(list(query), object.Ordering{Limit: m.Limit}, noun, object.RecordFromAPI, diags)
	if !diags.HasError() {
		warnUnknownFilters(query.Filters, m.Items, noun, diags)
	}
}

// warnUnknownFilters reports filters on fields that are in no item: the service silently ignores unknown filters. noun
// is the plural for messages.
func warnUnknownFilters(filters map[string]string, items []object.RecordModel, noun string, diags *diag.Diagnostics) {
	fields := map[string]bool{}
	for _, item := range items {
		var whole map[string]json.RawMessage
		if json.Unmarshal([]byte(item.JSON.ValueString()), &whole) != nil {
			return
		}
		for name := range whole {
			fields[name] = true
		}
	}
	if len(fields) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		field, _, _ := strings.Cut(name, "[")
		if fields[field] {
			continue
		}
		diags.AddAttributeWarning(path.Root("filter").AtMapKey(name),
			fmt.Sprintf("The service may ignore the filter %q of %s", name, noun),
			fmt.Sprintf("No item has a field %q. If it is a typo, the list is not filtered. Similar "+
				"fields: %s.", field, strings.Join(api.Nearest(field, names, 3), ", ")))
	}
}

// NewOpenAPIDataSource returns the data source of the service's OpenAPI description.
func NewOpenAPIDataSource() datasource.DataSource {
	return object.NewDataSource("billing_finance_openapi", conn.Finance, openAPISchema, readOpenAPI)
}

type openAPIModel struct {
	Raw types.String `tfsdk:"raw"`
}

func openAPISchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The current OpenAPI description of financial management: the collections, and the fields of " +
			"their records. It takes one request in every plan, and is stored in state.",
		Attributes: map[string]schema.Attribute{
			"raw": schema.StringAttribute{Computed: true, MarkdownDescription: "The description as a YAML " +
				"string, exactly as the service returns it."},
		},
	}
}

func readOpenAPI(ctx context.Context, client *finance.Service, m *openAPIModel, diags *diag.Diagnostics) {
	raw, err := client.OpenAPIYAML(ctx)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "read", Object: "the description of financial management"})
		return
	}
	*m = openAPIModel{Raw: types.StringValue(raw)}
}
