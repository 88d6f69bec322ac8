// Package front implements the server of Terraform's plugin protocol. It forwards calls to the framework's server, and
// avoids some of its costs per object.
package front

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Framework is the framework's server. terraform-plugin-go detects all interfaces but the first by type assertion. A
// server that lacks one has no list resources or actions, without an error.
type Framework interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// Server is the framework's server with cheaper calls for single objects. Other methods are promoted.
type Server struct {
	Framework

	resources []func() resource.Resource
	kinds     *kinds
	data      atomic.Pointer[any]
	// configured is true in a plan and an apply. Terraform validates the configuration before them in another process.
	configured atomic.Bool
	compare    func(typeName string, ours, theirs any, err error)
	after      atomic.Pointer[context.Context] // see callContext; nil before the configuration
}

// New returns a server in front of the framework's. resources are those of the provider.
func New(framework Framework, resources []func() resource.Resource) *Server {
	return &Server{Framework: framework, resources: resources, kinds: &kinds{}}
}

// Share makes the server use what another server of the same provider learns about the resource types. Tests do so that
// start thousands.
func (s *Server) Share(other *Server) { s.kinds = other.kinds }

// Compare also runs the calls that this server handles itself in the framework, and passes both requests to the
// resource and both responses to compare. It is for tests.
func (s *Server) Compare(compare func(typeName string, ours, theirs any, err error)) {
	s.compare = compare
}

// call forwards a call with a context that is released at its end.
func call[Q, A any](ctx context.Context, s *Server, req *Q, next func(context.Context, *Q) (*A, error)) (*A, error) {
	ctx, release := s.releasable(ctx)
	defer release()
	return next(ctx, req)
}

// ConfigureProvider forwards the call, whose context the framework keeps.
func (s *Server) ConfigureProvider(ctx context.Context,
	req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	after := canceled(context.WithoutCancel(ctx))
	s.after.Store(&after)
	return s.Framework.ConfigureProvider(ctx, req)
}

// ValidateResourceConfig forwards the call. If the resource itself explains why a required argument is null, it omits
// the framework's error, which would name the value of a reference: one cause, one error.
func (s *Server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (
	*tfprotov6.ValidateResourceConfigResponse, error) {
	own := &ownErrors{}
	if s.configured.Load() {
		ctx = check.Quiet(ctx)
	}
	resp, err := call(context.WithValue(ctx, ownErrorsKey{}, own), s, req, s.Framework.ValidateResourceConfig)
	if err != nil || len(resp.Diagnostics) == 0 {
		return resp, err
	}
	sortByArgument(resp.Diagnostics)
	k := s.kind(ctx, req.TypeName)
	if k == nil || len(own.all) == 0 {
		return resp, nil
	}
	resp.Diagnostics = slices.DeleteFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
		return d.Severity == tfprotov6.DiagnosticSeverityError && own.explain(k, req.Config, d)
	})
	return resp, nil
}

// sortByArgument sorts diagnostics by the names of their arguments, and those of one argument by their texts, which
// begin with the path. The framework validates attributes in a random order.
func sortByArgument(diags []*tfprotov6.Diagnostic) {
	slices.SortStableFunc(diags, func(a, b *tfprotov6.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Attribute.String(), b.Attribute.String()), cmp.Compare(a.Summary, b.Summary),
			cmp.Compare(a.Detail, b.Detail))
	})
}

// ownErrors are the errors of a resource about its own configuration.
type ownErrors struct{ all diag.Diagnostics }

type ownErrorsKey struct{}

// explain reports whether the resource itself has an error about the required argument that is null according to d.
func (o *ownErrors) explain(k *kind, config *tfprotov6.DynamicValue, d *tfprotov6.Diagnostic) bool {
	explained := false
	for _, own := range o.all.Errors() {
		if own.Summary() == d.Summary { // d is the resource's own error
			return false
		}
		located, ok := own.(diag.DiagnosticWithPath)
		if !ok {
			continue
		}
		name := located.Path().String()
		explained = explained || d.Attribute.Equal(tftypes.NewAttributePath().WithAttributeName(name)) &&
			k.lacks(config, name)
	}
	return explained
}

// lacks reports whether a required argument is null.
func (k *kind) lacks(config *tfprotov6.DynamicValue, name string) bool {
	attribute, values := k.schema.Attributes[name], map[string]tftypes.Value{}
	if attribute == nil || !attribute.IsRequired() {
		return false
	}
	whole, ok := k.decode(config)
	return ok && whole.As(&values) == nil && values[name].IsNull()
}

// UpgradeResourceState returns a state of the current version unchanged: Terraform reads the JSON itself. The framework
// would decode and encode it with the same result.
func (s *Server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (
	*tfprotov6.UpgradeResourceStateResponse, error) {
	k := s.kind(ctx, req.TypeName)
	if k == nil || req.Version != k.schema.Version || req.RawState == nil || len(req.RawState.JSON) == 0 {
		return call(ctx, s, req, s.Framework.UpgradeResourceState)
	}
	ours := &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}
	if s.compare != nil {
		theirs, err := call(ctx, s, req, s.Framework.UpgradeResourceState)
		s.compare(req.TypeName, ours, theirs, err)
	}
	return ours, nil
}

// UpgradeResourceIdentity forwards the call.
func (s *Server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (
	*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return call(ctx, s, req, s.Framework.UpgradeResourceIdentity)
}

// ReadResource handles refreshes of unchanged objects itself; the framework handles the others.
func (s *Server) ReadResource(ctx context.Context,
	req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return call(ctx, s, req, s.read)
}

// PlanResourceChange handles simple plans itself; the framework handles the others.
func (s *Server) PlanResourceChange(ctx context.Context,
	req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return call(ctx, s, req, s.plan)
}

// ApplyResourceChange forwards the call.
func (s *Server) ApplyResourceChange(ctx context.Context,
	req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return call(ctx, s, req, s.Framework.ApplyResourceChange)
}

// ImportResourceState forwards the call.
func (s *Server) ImportResourceState(ctx context.Context,
	req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, s, req, s.Framework.ImportResourceState)
}

// ValidateDataResourceConfig forwards the call, and sorts the errors.
func (s *Server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (
	*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp, err := call(ctx, s, req, s.Framework.ValidateDataResourceConfig)
	if err == nil {
		sortByArgument(resp.Diagnostics)
	}
	return resp, err
}

// ReadDataSource forwards the call.
func (s *Server) ReadDataSource(ctx context.Context,
	req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return call(ctx, s, req, s.Framework.ReadDataSource)
}

// CallFunction forwards the call.
func (s *Server) CallFunction(ctx context.Context,
	req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return call(ctx, s, req, s.Framework.CallFunction)
}

// callContext is the context of one call. The framework keeps the contexts of all calls until the end of the process,
// to cancel them when Terraform is interrupted. Each context refers to the loggers, the request and the stream of its
// call: 100 kB for each object of a plan. So a callContext drops these references after the call. Then it has the
// values of the configuration's context, so that a request that several objects share is still logged.
type callContext struct {
	current atomic.Pointer[context.Context]
}

func canceled(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

var ended = canceled(context.Background())

// releasable returns a context that is ctx until release is called, and then a canceled context.
func (s *Server) releasable(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := &callContext{}
	c.current.Store(&ctx)
	return c, func() {
		cancel()
		after := s.after.Load()
		if after == nil {
			after = &ended
		}
		c.current.Store(after)
	}
}

func (c *callContext) Deadline() (time.Time, bool) { return (*c.current.Load()).Deadline() }
func (c *callContext) Done() <-chan struct{}       { return (*c.current.Load()).Done() }
func (c *callContext) Err() error                  { return (*c.current.Load()).Err() }
func (c *callContext) Value(key any) any           { return (*c.current.Load()).Value(key) }

// result is what a resource has read or planned for this server, passed to the framework so that it does so only once.
type result struct {
	typeName string
	// blank keeps the framework's plan unchanged.
	blank       bool
	read        *resource.ReadResponse
	readRequest resource.ReadRequest
	plan        *resource.ModifyPlanResponse
	planRequest resource.ModifyPlanRequest
	had, notes  private.Map // the private state, before and after
	compare     func(typeName string, ours, theirs any, err error)
}

type resultKey struct{}

// with returns a context that passes a result to the framework.
func (s *Server) with(ctx context.Context, typeName string, a *result) context.Context {
	a.typeName, a.compare = typeName, s.compare
	return context.WithValue(ctx, resultKey{}, a)
}

// hand copies the notes to the framework's private state, and deletes the keys that the resource has removed.
func (a *result) hand(ctx context.Context, to private.State) {
	for key := range a.had {
		to.SetKey(ctx, key, a.notes[key])
	}
	for key, value := range a.notes {
		to.SetKey(ctx, key, value)
	}
}

// Wrapped wraps resource types so that they return to the framework the result that the Server already has. A type that
// does not implement object.Managed is not wrapped.
func Wrapped(all []func() resource.Resource) []func() resource.Resource {
	constructors := make([]func() resource.Resource, len(all))
	for i, constructor := range all {
		constructors[i] = func() resource.Resource {
			inner, ok := constructor().(object.Managed)
			if !ok {
				return constructor()
			}
			if validated, ok := inner.(validating); ok {
				return &wrappedValidated{wrapped{inner}, validated}
			}
			return &wrapped{inner}
		}
	}
	return constructors
}

// wrapped is a resource type that reads and plans only once.
type wrapped struct{ object.Managed }

// Read returns the result in the context, or reads.
func (r *wrapped) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	a, _ := ctx.Value(resultKey{}).(*result)
	if a == nil || a.read == nil {
		r.Managed.Read(ctx, req, resp)
		return
	}
	if a.compare != nil {
		a.compare(a.typeName, a.readRequest, req, nil)
	}
	notes := resp.Private
	*resp = *a.read
	resp.Private = notes
	a.hand(ctx, notes)
}

// ModifyPlan returns the result in the context, or plans.
func (r *wrapped) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	a, _ := ctx.Value(resultKey{}).(*result)
	if a != nil && a.blank {
		return
	}
	if a == nil || a.plan == nil {
		r.Managed.ModifyPlan(ctx, req, resp)
		return
	}
	if a.compare != nil {
		a.compare(a.typeName, a.planRequest, req, nil)
	}
	notes := resp.Private
	*resp = *a.plan
	resp.Private = notes
	a.hand(ctx, notes)
}

type validating interface {
	ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse)
}

type wrappedValidated struct {
	wrapped
	inner validating
}

// ValidateConfig also passes the resource's errors to the server.
func (r *wrappedValidated) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	r.inner.ValidateConfig(ctx, req, resp)
	if own, ok := ctx.Value(ownErrorsKey{}).(*ownErrors); ok {
		own.all = resp.Diagnostics
	}
}
