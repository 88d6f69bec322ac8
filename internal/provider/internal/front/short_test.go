package front_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

type (
	reading  = func(context.Context, resource.ReadRequest, *resource.ReadResponse)
	planning = func(context.Context, resource.ModifyPlanRequest, *resource.ModifyPlanResponse)
)

// scripted is a resource whose reads and plans a test writes. It counts them.
type scripted struct {
	read         reading
	plan         planning
	reads, plans int
}

func (*scripted) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "test_thing"
}

func (*scripted) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"name": schema.StringAttribute{Optional: true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"mode": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("soft")},
		"pause": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
			"mode": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("soft")}}},
	}}
}

func (*scripted) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest,
	resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true}}}
}

func (*scripted) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData != "configured" {
		resp.Diagnostics.AddError("Not configured", "")
	}
}

func (*scripted) ImportState(context.Context, resource.ImportStateRequest, *resource.ImportStateResponse) {
}
func (*scripted) MoveState(context.Context) []resource.StateMover                          { return nil }
func (*scripted) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (*scripted) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (*scripted) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (s *scripted) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	s.reads++
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), "1")...)
	if s.read != nil {
		s.read(ctx, req, resp)
	}
}

func (s *scripted) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	s.plans++
	if s.plan != nil {
		s.plan(ctx, req, resp)
	}
}

// configuredThings hands out what scripted needs.
type configuredThings struct {
	things
	front *front.Server
}

func (p *configuredThings) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = "configured"
	p.front.Configured("configured", false)
}

func (p *configuredThings) Resources(ctx context.Context) []func() resource.Resource {
	return front.Wrapped(p.things.Resources(ctx))
}

func (*configuredThings) DataSources(context.Context) []func() datasource.DataSource { return nil }

// object is a thing on the wire: nil is null.
func o(t *testing.T, values map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	pause := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"mode": tftypes.String}}
	as := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "name": tftypes.String,
		"mode": tftypes.String, "pause": pause}}
	v := tftypes.NewValue(as, nil)
	if values != nil {
		inner := tftypes.NewValue(pause, nil)
		if mode, has := values["pause"]; has {
			inner = tftypes.NewValue(pause, map[string]tftypes.Value{"mode": tftypes.NewValue(tftypes.String, mode)})
		}
		text := func(name string) tftypes.Value { return tftypes.NewValue(tftypes.String, values[name]) }
		v = tftypes.NewValue(as, map[string]tftypes.Value{"id": text("id"), "name": text("name"), "mode": text("mode"),
			"pause": inner})
	}
	encoded, err := tfprotov6.NewDynamicValue(as, v)
	if err != nil {
		t.Fatal(err)
	}
	return &encoded
}

func identity(t *testing.T, id any) *tfprotov6.ResourceIdentityData {
	t.Helper()
	as := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}
	encoded, err := tfprotov6.NewDynamicValue(as,
		tftypes.NewValue(as, map[string]tftypes.Value{"id": tftypes.NewValue(tftypes.String, id)}))
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &encoded}
}

// behind is a configured server of a scripted resource.
func behind(t *testing.T, s *scripted) *front.Server {
	t.Helper()
	p := &configuredThings{things: things{func() resource.Resource { return s }}}
	framework, _ := providerserver.NewProtocol6(p)().(front.Framework)
	p.front = front.New(framework, p.things.Resources(t.Context()))
	if _, err := p.front.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	return p.front
}

type values = map[string]any

var whole = values{"id": "1", "name": "a", "mode": "soft"}

// counted counts what the framework plans.
type counted struct {
	front.Framework
	plans int
}

func (c *counted) PlanResourceChange(ctx context.Context,
	req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if req.Config != req.ProposedNewState { // not the empty object, by which the server knows the defaults
		c.plans++
	}
	return c.Framework.PlanResourceChange(ctx, req)
}

// TestPlan: the server itself plans a plain new state, the framework plans anything else, and the resource plans once
// for each call. The server panics where the two differ.
func TestPlan(t *testing.T) {
	t.Parallel()
	set := func(name, value string) planning {
		return func(_ context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(context.Background(), path.Root(name), value)...)
		}
	}
	for name, c := range map[string]struct {
		config, prior, proposed values
		private, notes          string
		plan                    planning
		here                    bool
	}{
		"unchanged": {config: values{"name": "a"}, prior: whole, proposed: whole, here: true},
		"unchanged, default configured": {config: values{"name": "a", "mode": "soft"}, prior: whole,
			proposed: whole, here: true},
		"unchanged, other than the default": {config: values{"mode": "hard"}, prior: values{"id": "1", "mode": "hard"},
			proposed: values{"id": "1", "mode": "hard"}, here: true},
		"private state": {config: values{"name": "a"}, prior: whole, proposed: whole, private: `{"own":"eyJhIjoxfQ=="}`,
			here: true},
		"private state changes": {config: values{"name": "a"}, prior: whole, proposed: whole,
			private: `{"own":"eyJhIjoxfQ=="}`, here: true,
			plan: func(ctx context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				private.Set(ctx, resp.Private, "own", 2, &resp.Diagnostics)
			}},
		"another key of the private state": {config: values{"name": "a"}, prior: whole, proposed: whole,
			plan: func(ctx context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				private.Set(ctx, resp.Private, "other", 2, &resp.Diagnostics)
			}, here: true},
		"key of the framework": {config: values{"name": "a"}, prior: whole, proposed: whole,
			private: `{".import_before_read":"dHJ1ZQ=="}`},
		"unreadable private": {config: values{"name": "a"}, prior: whole, proposed: whole, private: `{"own":1}`},
		"changed": {config: values{"name": "b"}, prior: whole, proposed: values{"id": "1", "name": "b",
			"mode": "soft"}},
		"back to the default": {config: values{"name": "a"}, prior: values{"id": "1", "name": "a", "mode": "hard"},
			proposed: values{"id": "1", "name": "a", "mode": "hard"}, here: true},
		"changed, and not to be replaced": {config: values{"name": "a", "mode": "hard"}, prior: whole,
			proposed: values{"id": "1", "name": "a", "mode": "hard"}, here: true},
		"default further down": {config: values{"pause": nil}, prior: values{"id": "1", "mode": "soft", "pause": "hard"},
			proposed: values{"id": "1", "mode": "soft", "pause": "hard"}},
		"creation":                       {config: values{"name": "a"}, proposed: values{"name": "a"}, here: true},
		"creation, default further down": {config: values{"pause": nil}, proposed: values{"pause": nil}},
		"destruction":                    {prior: whole},
		"the resource changes": {config: values{"name": "a"}, prior: whole, proposed: whole, plan: set("id", "2"),
			here: true},
		"the resource warns": {config: values{"name": "a"}, prior: whole, proposed: whole,
			plan: func(ctx context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				private.Set(ctx, resp.Private, "own", 2, &resp.Diagnostics)
				resp.Diagnostics.AddWarning("w", "w")
			}, notes: `{"own":"Mg=="}`},
		"the resource fails": {config: values{"name": "a"}, prior: whole, proposed: whole,
			plan: func(_ context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				resp.Diagnostics.AddError("e", "e")
			}},
		"the resource replaces": {config: values{"name": "a"}, prior: whole, proposed: whole,
			plan: func(_ context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				resp.RequiresReplace = append(resp.RequiresReplace, path.Root("name"))
			}},
		"the resource defers": {config: values{"name": "a"}, prior: whole, proposed: whole,
			plan: func(_ context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonAbsentPrereq}
			}},
		"the identity changes": {config: values{"name": "a"}, prior: whole, proposed: whole,
			plan: func(_ context.Context, _ resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
				resp.Diagnostics.Append(resp.Identity.SetAttribute(context.Background(), path.Root("id"), "2")...)
			}},
	} {
		for _, compared := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, compared %t", name, compared), func(t *testing.T) {
				t.Parallel()
				s := &scripted{plan: c.plan}
				for _, known := range []*tfprotov6.ResourceIdentityData{identity(t, "1"), nil} {
					s.plans = 0
					req := &tfprotov6.PlanResourceChangeRequest{TypeName: "test_thing", Config: o(t, c.config),
						PriorState: o(t, c.prior), ProposedNewState: o(t, c.proposed), PriorPrivate: []byte(c.private),
						PriorIdentity: known}
					server := behind(t, s)
					framework := &counted{Framework: server.Framework}
					server.Framework = framework
					if compared {
						acctest.Compared(server)
					}
					resp, err := server.PlanResourceChange(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					if here := framework.plans == 0; here != c.here && !compared &&
						!(known == nil && name == "the identity changes") {
						t.Errorf("handled here: %t, want %t: %+v", here, c.here, resp.Diagnostics)
					}
					if s.plans != 1 && name != "unreadable private" {
						t.Errorf("the resource planned %d times", s.plans)
					}
					if c.notes != "" && string(resp.PlannedPrivate) != c.notes {
						t.Errorf("the private state is %s, want %s", resp.PlannedPrivate, c.notes)
					}
				}
			})
		}
	}
}

// TestRead: the server itself refreshes an unchanged object, the framework refreshes any other one, and the resource
// reads once.
func TestRead(t *testing.T) {
	t.Parallel()
	set := func(name, value string) reading {
		return func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.Diagnostics.Append(resp.State.SetAttribute(context.Background(), path.Root(name), value)...)
		}
	}
	for name, c := range map[string]struct {
		private string
		unknown bool // Terraform before 1.12 has no identity in the state
		read    reading
		here    bool
	}{
		"unchanged":            {here: true},
		"no identity yet":      {unknown: true, here: true},
		"set to what it was":   {read: set("name", "a"), here: true},
		"private state":        {private: `{"own":"eyJhIjoxfQ=="}`, here: true},
		"key of the framework": {private: `{".import_before_read":"dHJ1ZQ=="}`},
		"changed":              {read: set("name", "b")},
		"private state changes": {private: `{"own":"eyJhIjoxfQ=="}`, here: true,
			read: func(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
				private.Set(ctx, resp.Private, "own", 2, &resp.Diagnostics)
			}},
		"gone": {read: func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.State.RemoveResource(context.Background())
		}},
		"warning": {read: func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.Diagnostics.AddWarning("w", "w")
		}},
		"error": {read: func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.Diagnostics.AddError("e", "e")
		}},
		"deferred": {read: func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonAbsentPrereq}
		}},
		"another identity": {read: func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.Diagnostics.Append(resp.Identity.SetAttribute(context.Background(), path.Root("id"), "2")...)
		}},
		"identity lost": {read: func(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
			resp.Identity.Raw = tftypes.NewValue(resp.Identity.Raw.Type(), nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scripted{read: c.read}
			req := &tfprotov6.ReadResourceRequest{TypeName: "test_thing", CurrentState: o(t, whole),
				Private: []byte(c.private), CurrentIdentity: identity(t, "1")}
			if c.unknown {
				req.CurrentIdentity = nil
			}
			resp, err := acctest.Compared(behind(t, s)).ReadResource(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if here := resp.NewState == req.CurrentState; here != c.here || here && resp.NewIdentity == nil {
				t.Errorf("handled here: %t, want %t: %+v", here, c.here, resp)
			}
			if s.reads != 1 {
				t.Errorf("the resource read %d times", s.reads)
			}
		})
	}
}

// TestUnconfigured: a provider that is not configured is the framework's.
func TestUnconfigured(t *testing.T) {
	t.Parallel()
	s := &scripted{}
	framework := &counted{Framework: serverOf(t, s).Framework}
	resp, err := front.New(framework,
		[]func() resource.Resource{func() resource.Resource { return s }}).PlanResourceChange(
		t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: "test_thing", Config: o(t, values{"name": "a"}),
			PriorState: o(t, whole), ProposedNewState: o(t, whole)})
	if err != nil || framework.plans != 1 {
		t.Errorf("%d plans, %+v, %v", framework.plans, resp, err)
	}
}

// altered is a framework that plans something else.
type altered struct{ front.Framework }

func (a altered) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := a.Framework.PlanResourceChange(ctx, req)
	resp.PlannedPrivate = []byte(`{"own":"Mg=="}`)
	return resp, err
}

// TestComparedFindsDifferences: the other tests would notice what the framework does differently.
func TestComparedFindsDifferences(t *testing.T) {
	t.Parallel()
	server := behind(t, &scripted{})
	server.Framework = altered{server.Framework}
	defer func() {
		if recover() == nil {
			t.Error("a difference went unnoticed")
		}
	}()
	_, _ = acctest.Compared(server).PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "test_thing", Config: o(t, values{"name": "a"}), PriorState: o(t, whole), ProposedNewState: o(t, whole),
		PriorIdentity: identity(t, "1")})
}

// TestWrappedOffersAll: a wrapped resource type has every method of the resource type.
func TestWrappedOffersAll(t *testing.T) {
	t.Parallel()
	made := []func() resource.Resource{func() resource.Resource { return &scripted{} }}
	wrapped := reflect.TypeOf(front.Wrapped(made)[0]())
	for method := range reflect.TypeFor[*scripted]().Methods() {
		if _, ok := wrapped.MethodByName(method.Name); !ok {
			t.Errorf("%s is lost", method.Name)
		}
	}
}
