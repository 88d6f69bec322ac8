package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/apikey"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/billingaccount"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/customer"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/functions"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/organization"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/record"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/subscription"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/webhookendpoint"
)

// Resources lists the managed types, in alphabetical order.
func (p *billingProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		apikey.NewResource,
		billingaccount.NewResource,
		customer.NewResource,
		finance.NewResource,
		subscription.NewResource,
		webhookendpoint.NewResource,
	}
}

// DataSources lists the data sources, in alphabetical order.
func (p *billingProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		apikey.NewDataSource,
		apikey.NewListDataSource,
		billingaccount.NewDataSource,
		billingaccount.NewListDataSource,
		customer.NewDataSource,
		customer.NewListDataSource,
		finance.NewAccountsDataSource,
		finance.NewListDataSource,
		finance.NewOpenAPIDataSource,
		finance.NewPayablesDataSource,
		finance.NewReceivablesDataSource,
		organization.NewDataSource,
		record.NewDataSource,
		subscription.NewDataSource,
		subscription.NewInvoicesDataSource,
		subscription.NewListDataSource,
		webhookendpoint.NewDataSource,
		webhookendpoint.NewDeliveriesDataSource,
		webhookendpoint.NewListDataSource,
	}
}

// ListResources lists the list resources for `terraform query` (Terraform 1.14 and later), in alphabetical order.
func (p *billingProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		apikey.NewListResource,
		billingaccount.NewListResource,
		customer.NewListResource,
		subscription.NewListResource,
		webhookendpoint.NewListResource,
	}
}

// EphemeralResources lists the ephemeral resources (Terraform 1.10, OpenTofu 1.11 and later).
func (p *billingProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		apikey.NewEphemeral,
	}
}

// Actions lists the actions (Terraform 1.14 and later), in alphabetical order.
func (p *billingProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		subscription.NewInvoiceAction,
		webhookendpoint.NewRedeliveryAction,
		webhookendpoint.NewTestAction,
	}
}

// Functions lists the functions (Terraform 1.8, OpenTofu 1.7 and later), in alphabetical order.
func (p *billingProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		functions.NewDecrypt, // age_decrypt
		functions.NewCents,
		functions.NewDocumentType,
		functions.NewFormatCents,
		functions.NewFormatSubcents,
		functions.NewNormalizeDocument,
		functions.NewSignature,
		functions.NewSubcents,
		functions.NewVerifySignature,
	}
}
