// Package front is the server of the protocol that Terraform talks to. It passes calls on to the framework's server,
// and avoids what the framework's server spends on every object.
package front

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Framework is what the framework's server offers. terraform-plugin-go discovers all but the first by type assertion,
// so that a server that lacks one has no list resources or actions, without an error.
type Framework interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// Server is the framework's server with cheaper calls for single objects. What it does not redefine passes through.
type Server struct {
	Framework

	resources []func() resource.Resource
	kinds     kinds
	data      atomic.Pointer[any]
	compare   func(typeName string, ours, theirs any, err error)
}

// New makes a server in front of the framework's. resources are those of the provider.
func New(framework Framework, resources []func() resource.Resource) *Server {
	return &Server{Framework: framework, resources: resources}
}

// Compare has the framework carry out too what this server does itself, and hands both to compare: what a resource is
// asked, and what Terraform gets. It is for tests.
func (s *Server) Compare(compare func(typeName string, ours, theirs any, err error)) {
	s.compare = compare
}

// call passes a call on with a context that is released at its end.
func call[Q, A any](ctx context.Context, req *Q, next func(context.Context, *Q) (*A, error)) (*A, error) {
	ctx, release := releasable(ctx)
	defer release()
	return next(ctx, req)
}

// ValidateResourceConfig passes the call on. Where the resource itself says why a required argument is null, the
// framework's text, which asks for a value where a reference has none, is left out: one cause, one error.
func (s *Server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (
	*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := call(ctx, req, s.Framework.ValidateResourceConfig)
	if err != nil {
		return resp, err
	}
	all := slices.Clone(resp.Diagnostics)
	resp.Diagnostics = slices.DeleteFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
		return d.Summary == missingRequired && slices.ContainsFunc(all, func(other *tfprotov6.Diagnostic) bool {
			return other.Summary != missingRequired && other.Severity == d.Severity && d.Attribute.Equal(other.Attribute)
		})
	})
	return resp, nil
}

// missingRequired is how the framework calls a required argument that is null.
const missingRequired = "Missing Configuration for Required Attribute"

// UpgradeResourceState returns the state of the current version as it is: Terraform reads the JSON itself. The
// framework would decode and encode it, for the same result.
func (s *Server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (
	*tfprotov6.UpgradeResourceStateResponse, error) {
	k := s.kind(ctx, req.TypeName)
	if k == nil || req.Version != k.schema.Version || req.RawState == nil || len(req.RawState.JSON) == 0 {
		return call(ctx, req, s.Framework.UpgradeResourceState)
	}
	ours := &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}
	if s.compare != nil {
		theirs, err := call(ctx, req, s.Framework.UpgradeResourceState)
		s.compare(req.TypeName, ours, theirs, err)
	}
	return ours, nil
}

// UpgradeResourceIdentity passes the call on.
func (s *Server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (
	*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return call(ctx, req, s.Framework.UpgradeResourceIdentity)
}

// ReadResource handles an object that is as the state has it; the framework handles any other one.
func (s *Server) ReadResource(ctx context.Context,
	req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return call(ctx, req, s.read)
}

// PlanResourceChange handles an object that stays as it is; the framework handles any other one.
func (s *Server) PlanResourceChange(ctx context.Context,
	req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return call(ctx, req, s.plan)
}

// ApplyResourceChange passes the call on.
func (s *Server) ApplyResourceChange(ctx context.Context,
	req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return call(ctx, req, s.Framework.ApplyResourceChange)
}

// ImportResourceState passes the call on.
func (s *Server) ImportResourceState(ctx context.Context,
	req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, req, s.Framework.ImportResourceState)
}

// ValidateDataResourceConfig passes the call on.
func (s *Server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (
	*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return call(ctx, req, s.Framework.ValidateDataResourceConfig)
}

// ReadDataSource passes the call on.
func (s *Server) ReadDataSource(ctx context.Context,
	req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return call(ctx, req, s.Framework.ReadDataSource)
}

// CallFunction passes the call on.
func (s *Server) CallFunction(ctx context.Context,
	req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return call(ctx, req, s.Framework.CallFunction)
}
