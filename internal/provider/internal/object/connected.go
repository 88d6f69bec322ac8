package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Connected is embedded by resources and list resources; it keeps the Conn that Configure hands out.
type Connected struct{ Conn *Conn }

// Run is what this run has refreshed and planned; nil while the provider is not configured.
func (r *Connected) Run() *Run {
	if r.Conn == nil {
		return nil
	}
	return &r.Conn.Run
}

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (r *Connected) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// ConnectedDataSource is embedded by data sources.
type ConnectedDataSource struct{ Conn *Conn }

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (d *ConnectedDataSource) Configure(_ context.Context, req datasource.ConfigureRequest,
	resp *datasource.ConfigureResponse) {
	d.Conn = from(req.ProviderData, &resp.Diagnostics)
}

func from(data any, diags *diag.Diagnostics) *Conn {
	if data == nil {
		return nil
	}
	c, ok := data.(*Conn)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("This is a mistake in the provider, please report it: got %T.",
			data))
	}
	return c
}

// ConnectedAction is embedded by actions.
type ConnectedAction struct{ Conn *Conn }

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (a *ConnectedAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// ConnectedEphemeral is embedded by ephemeral resources.
type ConnectedEphemeral struct{ Conn *Conn }

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (e *ConnectedEphemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest,
	resp *ephemeral.ConfigureResponse) {
	e.Conn = from(req.ProviderData, &resp.Diagnostics)
}
