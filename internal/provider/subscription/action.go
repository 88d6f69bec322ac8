package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

type invoiceActionModel struct {
	SubscriptionID types.String `tfsdk:"subscription_id"`
	Reason         types.String `tfsdk:"reason"`
}

// NewInvoiceAction returns the action that invoices a subscription.
func NewInvoiceAction() action.Action {
	return object.NewAction("billing_subscription_invoice", conn.Billing, actionschema.Schema{
		MarkdownDescription: "Creates an invoice for a subscription immediately, in addition to the automatic ones. It " +
			"charges the customer: every invocation creates another invoice, and the provider cannot cancel it. The request " +
			"is never repeated; if its response is lost, the action fails and describes how to check the outcome. The data " +
			"source `billing_invoices` shows the result.\n\nRequires Terraform 1.14. With older versions and OpenTofu, " +
			"create invoices in the service's own interface.",
		Attributes: map[string]actionschema.Attribute{
			"subscription_id": actionschema.StringAttribute{Required: true, Validators: []validator.String{check.UUID()},
				MarkdownDescription: "Id of the subscription (the `id` of a `billing_subscription`)."},
			"reason": actionschema.StringAttribute{Optional: true,
				Validators: []validator.String{check.NotBlank()}, MarkdownDescription: "Reason to record with the invoice."},
		},
	}, invoice)
}

func invoice(ctx context.Context, client *billing.Service, config invoiceActionModel, resp *action.InvokeResponse) {
	id := config.SubscriptionID.ValueString()
	_, invoice, err := client.InvoiceSubscription(ctx, id, config.Reason.ValueString())
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, apidiag.Operation{Verb: "invoice", Object: "subscription " + id,
			Model: config})
		return
	}
	if invoice == "" {
		invoice = "(the service did not name it)"
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "invoice " + invoice + " was created for subscription " + id})
}
