package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

// NewAction returns an action made of a schema and the code to invoke, which receives the configuration as a model.
func NewAction[S, M any](typeName string, service func(*conn.Conn) conn.Service[S], described schema.Schema,
	invoke func(ctx context.Context, client S, config M, resp *action.InvokeResponse)) action.Action {
	return &configuredAction[S, M]{typeName: typeName, service: service, schema: described, invoke: invoke}
}

type configuredAction[S, M any] struct {
	conn.ConnectedAction
	typeName string
	service  func(*conn.Conn) conn.Service[S]
	schema   schema.Schema
	invoke   func(ctx context.Context, client S, config M, resp *action.InvokeResponse)
}

var _ action.ActionWithConfigure = (*configuredAction[any, any])(nil)

func (a *configuredAction[S, M]) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = a.typeName
}

func (a *configuredAction[S, M]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = a.schema
}

func (a *configuredAction[S, M]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ready := a.service(a.Conn).For(a.typeName, &resp.Diagnostics)
	if ready && !resp.Diagnostics.HasError() {
		a.invoke(ctx, client, config, resp)
	}
}
