// Package provider implements the provider: its configuration block, and the list of resources, data sources, actions
// and functions. Each object of the billing platform has its own folder; shared code is in internal.
package provider

import (
	"context"
	"net/http"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

type billingProvider struct {
	version string
	// transport and random replace the network and chance in tests; nil: the real ones.
	transport http.RoundTripper
	random    func() float64
	// getenv replaces the environment; nil: that of the process.
	getenv func(string) string
}

var (
	_ provider.Provider                       = (*billingProvider)(nil)
	_ provider.ProviderWithActions            = (*billingProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*billingProvider)(nil)
	_ provider.ProviderWithFunctions          = (*billingProvider)(nil)
	_ provider.ProviderWithListResources      = (*billingProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*billingProvider)(nil)
)

// New returns the provider; version is its release, which is part of the User-Agent.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &billingProvider{version: version} }
}

func (p *billingProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "billing"
	resp.Version = p.version
}

func (p *billingProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// ValidateConfig validates the provider block itself, so that terraform validate reports its errors. Environment
// variables are read only when the provider is configured.
func (p *billingProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest,
	resp *provider.ValidateConfigResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	_, diags := resolve(ctx, config, func(string) string { return "" })
	resp.Diagnostics.Append(diags...)
}

// Configure builds the clients. An unknown value is an error only for objects that need it.
func (p *billingProvider) Configure(ctx context.Context, req provider.ConfigureRequest,
	resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, diags := p.connection(ctx, req, resp, config)
	if diags.HasError() && unconfigured(req.Config.Raw) {
		c, diags = conn.NewInvalid(diags), nil
	}
	resp.Diagnostics.Append(diags...)
	if c != nil {
		resp.ResourceData, resp.DataSourceData, resp.ListResourceData = c, c, c
		resp.EphemeralResourceData, resp.ActionData = c, c
	}
}

// connection connects to the services according to the configuration and the environment, and runs the guard.
func (p *billingProvider) connection(ctx context.Context, req provider.ConfigureRequest,
	resp *provider.ConfigureResponse, config providerModel) (*conn.Conn, diag.Diagnostics) {
	getenv := p.getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	settings, diags := resolve(ctx, config, getenv)
	if diags.HasError() {
		return nil, diags
	}
	if len(settings.unknown) > 0 && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	agent := "terraform-provider-billing/" + p.version + " Terraform/" + req.TerraformVersion
	c := settings.connect(agent, p, &diags)
	if !diags.HasError() {
		settings.guard(ctx, c, &diags)
	}
	return c, diags
}

// unconfigured reports whether the provider block is missing or has no arguments, so that only the environment is used.
func unconfigured(config tftypes.Value) bool {
	var arguments map[string]tftypes.Value
	if err := config.As(&arguments); err != nil {
		return false
	}
	for _, argument := range arguments {
		if !argument.IsNull() {
			return false
		}
	}
	return true
}
