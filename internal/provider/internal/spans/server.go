package spans

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// typeKey is the key of a type in the context of a call.
type typeKey struct{}

// Server adds the resource types of a server's calls to spans: a resource's address begins with its type.
func Server(server front.Framework) front.Framework { return typing{server} }

// typing forwards all calls; to those that can send requests it adds the type.
type typing struct{ front.Framework }

func call[Q, A any](ctx context.Context, typeName string, req Q, next func(context.Context, Q) (A, error)) (A, error) {
	return next(context.WithValue(ctx, typeKey{}, typeName), req)
}

func (s typing) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (
	*tfprotov6.ReadResourceResponse, error) {
	return call(ctx, req.TypeName, req, s.Framework.ReadResource)
}

func (s typing) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	return call(ctx, req.TypeName, req, s.Framework.PlanResourceChange)
}

func (s typing) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (
	*tfprotov6.ApplyResourceChangeResponse, error) {
	return call(ctx, req.TypeName, req, s.Framework.ApplyResourceChange)
}

func (s typing) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (
	*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, req.TypeName, req, s.Framework.ImportResourceState)
}

func (s typing) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (
	*tfprotov6.ReadDataSourceResponse, error) {
	return call(ctx, "data."+req.TypeName, req, s.Framework.ReadDataSource)
}

func (s typing) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (
	*tfprotov6.OpenEphemeralResourceResponse, error) {
	return call(ctx, "ephemeral."+req.TypeName, req, s.Framework.OpenEphemeralResource)
}

func (s typing) RenewEphemeralResource(ctx context.Context, req *tfprotov6.RenewEphemeralResourceRequest) (
	*tfprotov6.RenewEphemeralResourceResponse, error) {
	return call(ctx, "ephemeral."+req.TypeName, req, s.Framework.RenewEphemeralResource)
}

func (s typing) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (
	*tfprotov6.CloseEphemeralResourceResponse, error) {
	return call(ctx, "ephemeral."+req.TypeName, req, s.Framework.CloseEphemeralResource)
}

func (s typing) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (
	*tfprotov6.ListResourceServerStream, error) {
	return call(ctx, "list."+req.TypeName, req, s.Framework.ListResource)
}

func (s typing) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (
	*tfprotov6.PlanActionResponse, error) {
	return call(ctx, "action."+req.ActionType, req, s.Framework.PlanAction)
}

func (s typing) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (
	*tfprotov6.InvokeActionServerStream, error) {
	return call(ctx, "action."+req.ActionType, req, s.Framework.InvokeAction)
}
