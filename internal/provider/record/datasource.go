// Package record implements the data source for records of any recurring-billing collection, such as plans, products
// and prices.
package record

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

const typeName = "billing_records"

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource {
	return object.NewDataSource(typeName, conn.Billing, dataSchema, readMany)
}

type model struct {
	object.Ordering
	Collection types.String         `tfsdk:"collection"`
	Filter     types.Map            `tfsdk:"filter"`
	Items      []object.RecordModel `tfsdk:"items"`
}

// known are the collections in the service description or referenced by a subscription (Recurring billing §2, §4).
const known = "`plans`, `products`, `prices`, `companies`, `discount_codes`, `customers`, `subscriptions` or `invoices`"

var documented = strings.Split(strings.NewReplacer("`", "", " or ", ", ").Replace(known), ", ")

func dataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The records of any collection of recurring billing, such as plans, products and prices, " +
			"oldest first unless `sort_by` and `sort_order` are set. Use it to find ids by name. The service does not " +
			"document the fields of most collections, so records are returned whole.",
		Attributes: object.Ordered("records", "name", object.Attributes{
			"collection": object.Collection("Name of the collection, as in the paths of the service after `/v1/`, such as "+
				known+". An unknown name is an error.", "plans"),
			"filter": object.Filters("Only records that match all of these query parameters of the service, such as "+
				"`status`. The service may reject or ignore unknown fields. Null values are not sent.", reserved),
			"items": object.Items("records"),
		}),
	}
}

// reserved returns the argument that replaces a parameter of every collection.
func reserved(name string) string {
	if !billing.ReservedFilter(name) {
		return ""
	}
	switch name {
	case "page", "per_page":
		return "The provider reads all pages automatically. Use the argument limit for the maximum number of records."
	case "search":
		return "The service documents a search for customers only: use the data source billing_customers."
	}
	return "Use the argument " + name + "."
}

func readMany(ctx context.Context, client *billing.Service, m *model, diags *diag.Diagnostics) {
	query := billing.RecordQuery{ListOptions: m.ListOptions(), Filters: object.FilterValues(ctx, m.Filter, diags)}
	collection := m.Collection.ValueString()
	var err error
	m.Items, err = object.Collect(client.ListRecords(ctx, collection, query), m.Ordering, object.RecordFromAPI)
	found := "no collection with this name"
	if api.IsNotList(err) {
		found = "something other than a collection under this name"
	}
	e, ok := api.AsError(err)
	if api.IsNotList(err) || ok && e.Missing() && e.Structured {
		diags.AddAttributeError(path.Root("collection"), "No such collection",
			fmt.Sprintf("The service has %s. Write the part of its path after /v1/, such as plans, discount_codes or "+
				"billing-accounts. If its path does not end there, set the provider argument operations for records.list."+
				"\n\n%s", found, apidiag.Text(err)))
		return
	}
	if meant := check.NearMiss(collection, documented); meant != "" && ok && e.Status == http.StatusForbidden {
		diags.AddAttributeError(path.Root("collection"), "No permission to read the collection",
			fmt.Sprintf("The service documents %q: if you mean that one, correct the name; reading it needs the scope "+
				"%s:read.\n\n%s", meant, meant, apidiag.Text(err)))
		return
	}
	object.AddListError(diags, err, m.Ordering, "records")
}
