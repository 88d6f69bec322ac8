// Package provider is the Terraform side: the provider block and the list of everything that it offers. Each object of
// the billing platform has its folder below; what two of them need is in internal.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

type billingProvider struct{ version string }

var (
	_ provider.Provider                       = (*billingProvider)(nil)
	_ provider.ProviderWithActions            = (*billingProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*billingProvider)(nil)
	_ provider.ProviderWithFunctions          = (*billingProvider)(nil)
	_ provider.ProviderWithListResources      = (*billingProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*billingProvider)(nil)
)

// New makes the provider; version is the release it belongs to and part of the User-Agent.
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

// ValidateConfig finds what is wrong in the provider block itself, so that terraform validate finds it too. The
// environment is only looked at when the provider is configured.
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

// Configure builds the clients. A value that is not known yet fails only what needs it.
func (p *billingProvider) Configure(ctx context.Context, req provider.ConfigureRequest,
	resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, diags := p.connection(ctx, req, resp, config)
	if diags.HasError() && unconfigured(req.Config.Raw) {
		c, diags = conn.Refusing(diags), nil
	}
	resp.Diagnostics.Append(diags...)
	if c != nil {
		share(c, resp)
	}
}

// connection is the connection to the services, as the configuration and the environment describe it. The guards have
// been asked.
func (p *billingProvider) connection(ctx context.Context, req provider.ConfigureRequest,
	resp *provider.ConfigureResponse, config providerModel) (*conn.Conn, diag.Diagnostics) {
	settings, diags := resolve(ctx, config, environment)
	if diags.HasError() {
		return nil, diags
	}
	if len(settings.unknown) > 0 && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	agent := "terraform-provider-billing/" + p.version + " Terraform/" + req.TerraformVersion
	c := settings.connect(agent, &diags)
	if !diags.HasError() {
		settings.guard(ctx, c, &diags)
	}
	return c, diags
}

// unconfigured reports whether the provider block is missing or has no arguments, so that the environment alone counts.
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

func share(c *conn.Conn, resp *provider.ConfigureResponse) {
	resp.ResourceData = c
	resp.DataSourceData = c
	resp.ListResourceData = c
	resp.EphemeralResourceData = c
	resp.ActionData = c
}
