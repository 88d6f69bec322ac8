package conn

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// Resource is embedded by resources and list resources; it keeps the Conn that Configure hands out.
type Resource struct{ Conn *Conn }

// Run is what this run has refreshed and planned; nil while the provider is not configured.
func (r *Resource) Run() *run.Record {
	if r.Conn == nil {
		return nil
	}
	return &r.Conn.Run
}

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// DataSource is embedded by data sources.
type DataSource struct{ Conn *Conn }

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
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

// Action is embedded by actions.
type Action struct{ Conn *Conn }

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// Ephemeral is embedded by ephemeral resources.
type Ephemeral struct{ Conn *Conn }

// Configure takes the Conn. Terraform calls it without one while it only validates.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	e.Conn = from(req.ProviderData, &resp.Diagnostics)
}
