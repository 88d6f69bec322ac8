package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// NewInvoicesDataSource returns the data source of invoices.
func NewInvoicesDataSource() datasource.DataSource {
	return object.NewDataSource("billing_invoices", conn.Billing, invoicesSchema, readInvoices)
}

type invoicesModel struct {
	object.Ordering
	SubscriptionID   types.String   `tfsdk:"subscription_id"`
	BillingAccountID types.String   `tfsdk:"billing_account_id"`
	UpdatedAtGTE     types.String   `tfsdk:"updated_at_gte"`
	Invoices         []invoiceModel `tfsdk:"invoices"`
}

type invoiceModel struct {
	ID               types.String `tfsdk:"id"`
	SubscriptionID   types.String `tfsdk:"subscription_id"`
	BillingAccountID types.String `tfsdk:"billing_account_id"`
	JSON             types.String `tfsdk:"json"`
}

func invoiceFromAPI(i *billing.Invoice) (invoiceModel, error) {
	return invoiceModel{ID: value.TextOrNull(i.ID), SubscriptionID: value.TextOrNull(i.SubscriptionID),
		BillingAccountID: value.TextOrNull(i.BillingAccountID), JSON: value.JSONText(i.Raw)}, nil
}

func invoicesSchema() schema.Schema {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "The invoices of the organization, oldest first unless `sort_by` and `sort_order` " +
			"are set. The service does not document the fields of an invoice, so each is returned whole.",
		Attributes: object.Ordered("invoices", "due_date", object.Attributes{
			"subscription_id":    object.FilterByID("Only invoices of the subscription with this id."),
			"billing_account_id": object.FilterByID("Only invoices of the billing account with this id."),
			"updated_at_gte":     object.UpdatedSince("invoices"),
			"invoices": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The invoices, in the requested order.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":                 text("Id of the invoice."),
					"subscription_id":    text("Id of the invoiced subscription; null if the service does not return it."),
					"billing_account_id": text("Id of the invoiced billing account; null if the service does not return it."),
					"json":               text("The whole invoice as a JSON string."),
				}}},
		}),
	}
}

func readInvoices(ctx context.Context, client *billing.Service, m *invoicesModel, diags *diag.Diagnostics) {
	query := billing.InvoiceQuery{ListOptions: m.ListOptions(), SubscriptionID: m.SubscriptionID.ValueString(),
		BillingAccountID: m.BillingAccountID.ValueString(), UpdatedAtGTE: m.UpdatedAtGTE.ValueString()}
	m.Invoices = object.Many(client.ListInvoices(ctx, query), m.Ordering, "invoices", invoiceFromAPI, diags)
}
