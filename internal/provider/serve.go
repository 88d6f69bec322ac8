package provider

import (
	"context"
	"net/http"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// Serve prepares this process and serves the provider until Terraform ends it. address is the full address of the
// provider. With debugging, it serves a debugger, and prints how Terraform reaches the process.
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

// Server returns the protocol server that Serve uses.
func Server(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(&billingProvider{version: version}) }
}

// ServerIn returns a protocol server that takes getenv for its environment.
func ServerIn(version string, getenv func(string) string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(&billingProvider{version: version, getenv: getenv}) }
}

// Simulated returns a protocol server that sends its requests through a transport, and whose random delays come from
// random, in [0, 1).
func Simulated(version string, transport http.RoundTripper, random func() float64) tfprotov6.ProviderServer {
	server := newServer(&billingProvider{version: version, transport: transport, random: random})
	server.Share(simulated())
	return server
}

var simulated = sync.OnceValue(func() *front.Server { return newServer(&billingProvider{}) })

func newServer(served *billingProvider) *front.Server {
	p := &servedProvider{billingProvider: served}
	// The framework's server implements all calls; a test of front checks that.
	framework, _ := providerserver.NewProtocol6(p)().(front.Framework)
	p.front = front.New(framework, served.Resources(context.Background()))
	return p.front
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
