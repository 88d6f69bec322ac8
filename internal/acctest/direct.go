package acctest

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Direct is one object of a resource, driven over the provider's protocol without a Terraform in between: warnings and
// unknown values can be held there, and a step takes milliseconds. It stands in for Terraform's part as far as a single
// object needs it, and holds the provider to what Terraform demands: what is planned and known is the result.
type Direct struct {
	t        *testing.T
	server   tfprotov6.ProviderServer
	typeName string
	schema   *tfprotov6.Schema
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData

	noWriteOnly bool
	schemas     *tfprotov6.GetProviderSchemaResponse
	// planned says that a creation with an external_id was planned and not applied. In one run Terraform plans it once.
	planned bool
	service *Service
	// applying says that a plan is the one that Terraform makes inside the apply.
	applying bool
}

// Direct prepares an object of a resource type at this service.
func (s *Service) Direct(typeName string) *Direct {
	s.t.Helper()
	server, schemas := s.provider()
	d := &Direct{t: s.t, server: server, typeName: typeName, schema: schemas.ResourceSchemas[typeName],
		schemas: schemas, service: s}
	if d.schema == nil {
		s.t.Fatalf("no resource type %s", typeName)
	}
	d.state = tftypes.NewValue(d.schema.ValueType(), nil)
	return d
}

// provider is a provider that is configured for this service.
func (s *Service) provider() (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse) {
	s.t.Helper()
	server, err := Factories["billing"]()
	if err != nil {
		s.t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(s.ctx(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.configure(server, schemas)
	return server, schemas
}

// configure configures a provider for this service, as Terraform does at the beginning of each plan and each apply.
func (s *Service) configure(server tfprotov6.ProviderServer, schemas *tfprotov6.GetProviderSchemaResponse) {
	s.t.Helper()
	config := JSON{}
	for _, argument := range s.arguments() {
		config[argument.name] = argument.value
	}
	response, err := server.ConfigureProvider(s.ctx(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: encode(s.t, object(s.t, schemas.Provider, config))})
	if err != nil {
		s.t.Fatal(err)
	}
	if text := Errors(response.Diagnostics); text != "" {
		s.t.Fatal(text)
	}
}

func (s *Service) ctx() context.Context { return context.WithoutCancel(s.t.Context()) }

func (d *Direct) ctx() context.Context { return context.WithoutCancel(d.t.Context()) }

// Planned is the response to a plan.
type Planned struct {
	// Config and Value are the configuration and the planned object.
	Config, Value tftypes.Value
	// Prior is the state that it was planned from.
	Prior tftypes.Value
	// Replaces are the attributes that ask for another object.
	Replaces []string
	// Diagnostics hold those of the validation too.
	Diagnostics []*tfprotov6.Diagnostic

	private []byte
}

// Plan validates the configuration and plans it; nil is a configuration without the object.
func (d *Direct) Plan(config JSON) Planned {
	d.t.Helper()
	if d.state.IsNull() && config["external_id"] != nil {
		if d.planned {
			d.service.configure(d.server, d.schemas)
		}
		d.planned = true
	}
	p := Planned{Config: tftypes.NewValue(d.schema.ValueType(), nil), Prior: d.state}
	proposed := p.Config
	if config != nil {
		p.Config = object(d.t, d.schema, config)
		proposed = d.proposed(p.Config)
		validated, err := d.server.ValidateResourceConfig(d.ctx(),
			&tfprotov6.ValidateResourceConfigRequest{TypeName: d.typeName, Config: d.encode(p.Config),
				ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{
					WriteOnlyAttributesAllowed: !d.noWriteOnly}})
		if err != nil {
			d.t.Fatal(err)
		}
		p.Diagnostics = validated.Diagnostics
		if Errors(p.Diagnostics) != "" {
			return p
		}
	}
	response, err := d.server.PlanResourceChange(d.ctx(), &tfprotov6.PlanResourceChangeRequest{TypeName: d.typeName,
		Config: d.encode(p.Config), PriorState: d.encode(d.state), ProposedNewState: d.encode(proposed),
		PriorPrivate: d.private, PriorIdentity: d.identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: d.applying}})
	if err != nil {
		d.t.Fatal(err)
	}
	p.Value, p.private = d.decode(response.PlannedState), response.PlannedPrivate
	p.Diagnostics = append(p.Diagnostics, response.Diagnostics...)
	for _, at := range response.RequiresReplace {
		if name, ok := at.Steps()[0].(tftypes.AttributeName); ok {
			p.Replaces = append(p.Replaces, string(name))
		}
	}
	d.planIsValid(p)
	d.holdsNoWriteOnly(p.Value)
	return p
}

// Apply carries a plan out and keeps what becomes of the object, also where that is an error.
func (d *Direct) Apply(p Planned) []*tfprotov6.Diagnostic {
	d.t.Helper()
	if text := Errors(p.Diagnostics); text != "" {
		d.t.Fatalf("apply of a plan with errors: %s", text)
	}
	response, err := d.server.ApplyResourceChange(d.ctx(), &tfprotov6.ApplyResourceChangeRequest{TypeName: d.typeName,
		Config: d.encode(p.Config), PriorState: d.encode(d.state), PlannedState: d.encode(p.Value), PlannedPrivate: p.private,
		PlannedIdentity: d.identity})
	if err != nil {
		d.t.Fatal(err)
	}
	d.state, d.private, d.identity, d.planned = d.decode(response.NewState), response.Private, response.NewIdentity, false
	d.holdsNoWriteOnly(d.state)
	if Errors(response.Diagnostics) == "" {
		d.resultIsAsPlanned(p)
	}
	return response.Diagnostics
}

// Set plans a configuration and applies it, which has to succeed; it returns the warnings of both.
func (d *Direct) Set(config JSON) string {
	d.t.Helper()
	p := d.Plan(config)
	if text := Errors(p.Diagnostics); text != "" {
		d.t.Fatalf("plan: %s", text)
	}
	applied := d.Apply(p)
	if text := Errors(applied); text != "" {
		d.t.Fatalf("apply: %s", text)
	}
	return Warnings(append(p.Diagnostics, applied...))
}

// Refresh reads the object, as every plan begins.
func (d *Direct) Refresh() []*tfprotov6.Diagnostic {
	d.t.Helper()
	response, err := d.server.ReadResource(d.ctx(), &tfprotov6.ReadResourceRequest{TypeName: d.typeName,
		CurrentState: d.encode(d.state), Private: d.private, CurrentIdentity: d.identity})
	if err != nil {
		d.t.Fatal(err)
	}
	d.state, d.private, d.identity = d.decode(response.NewState), response.Private, response.NewIdentity
	return response.Diagnostics
}

// Import takes an object over by its import id, and reads it.
func (d *Direct) Import(id string) []*tfprotov6.Diagnostic {
	d.t.Helper()
	d.service.configure(d.server, d.schemas)
	response, err := d.server.ImportResourceState(d.ctx(),
		&tfprotov6.ImportResourceStateRequest{TypeName: d.typeName, ID: id})
	if err != nil {
		d.t.Fatal(err)
	}
	if len(response.ImportedResources) != 1 {
		return response.Diagnostics
	}
	imported := response.ImportedResources[0]
	d.state, d.private, d.identity = d.decode(imported.State), imported.Private, imported.Identity
	return append(response.Diagnostics, d.Refresh()...)
}
