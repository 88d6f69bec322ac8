package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// Serve serves the provider to Terraform in this process, which it prepares for that, until Terraform ends it. address
// is the full address of the provider. debugging serves a debugger, and prints how Terraform reaches the process.
func Serve(address, version string, debugging bool) error {
	if err := Prepare(debugging); err != nil {
		return err
	}
	var options []tf6server.ServeOpt
	if debugging {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		endWithParent()
	}
	return tf6server.Serve(address, Server(version), options...)
}

// Server makes a server of the protocol, as Serve does.
func Server(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		p := &servedProvider{billingProvider: &billingProvider{version: version}}
		// The framework's server has all calls; a test of front holds that.
		framework, _ := providerserver.NewProtocol6(p)().(front.Framework)
		p.front = front.New(framework, p.billingProvider.Resources(context.Background()))
		return p.front
	}
}

// servedProvider is the provider behind a front.Server.
type servedProvider struct {
	*billingProvider
	front *front.Server
}

func (p *servedProvider) Resources(ctx context.Context) []func() resource.Resource {
	return front.Wrapped(p.billingProvider.Resources(ctx))
}

func (p *servedProvider) Configure(ctx context.Context, req provider.ConfigureRequest,
	resp *provider.ConfigureResponse) {
	p.billingProvider.Configure(ctx, req, resp)
	if !resp.Diagnostics.HasError() {
		p.front.Configured(resp.ResourceData, resp.Deferred != nil)
	}
}
