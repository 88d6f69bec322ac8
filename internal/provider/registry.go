package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/billingaccount"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/customer"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/organization"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/subscription"
)

// Resources lists the managed types, in alphabetical order.
func (p *billingProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		billingaccount.NewResource,
		customer.NewResource,
		subscription.NewResource,
	}
}

// DataSources lists the data sources, in alphabetical order.
func (p *billingProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		billingaccount.NewDataSource,
		billingaccount.NewListDataSource,
		customer.NewDataSource,
		customer.NewListDataSource,
		organization.NewDataSource,
		subscription.NewDataSource,
		subscription.NewInvoicesDataSource,
		subscription.NewListDataSource,
	}
}

// ListResources lists what `terraform query` can list (Terraform 1.14 and later), in alphabetical order.
func (p *billingProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		billingaccount.NewListResource,
		customer.NewListResource,
		subscription.NewListResource,
	}
}
