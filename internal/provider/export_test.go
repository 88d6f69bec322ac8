package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// ServedResources are the resource types as a server serves them.
func ServedResources(ctx context.Context) []func() resource.Resource {
	return (&servedProvider{billingProvider: &billingProvider{}}).Resources(ctx)
}
