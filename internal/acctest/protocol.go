package acctest

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Read reads a data source over the provider's protocol, without Terraform, so that every request belongs to this read.
// It returns the result as JSON, nil if there are errors, and the diagnostics, including those of the validation.
func (s *Service) Read(typeName string, config JSON) (result JSON, diagnostics []*tfprotov6.Diagnostic) {
	s.t.Helper()
	server, schemas := s.provider()
	schema := schemas.DataSourceSchemas[typeName]
	if schema == nil {
		s.t.Fatalf("no data source %s", typeName)
	}
	return readSource(s.t, server, schemas, typeName, object(schema, config))
}

func readSource(t *testing.T, server tfprotov6.ProviderServer, schemas typesByName,
	typeName string, config tftypes.Value) (result JSON, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	ctx, encoded := context.WithoutCancel(t.Context()), encode(config)
	validated := ok(server.ValidateDataResourceConfig(ctx,
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: typeName, Config: encoded}))
	if Errors(validated.Diagnostics) != "" {
		return nil, validated.Diagnostics
	}
	response := ok(server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: encoded}))
	diagnostics = append(validated.Diagnostics, response.Diagnostics...)
	if Errors(diagnostics) != "" {
		return nil, diagnostics
	}
	return view(decode(response.State, schemas.DataSourceSchemas[typeName].ValueType())), diagnostics
}

// List queries a list resource over the provider's protocol, with the whole resource if include is set. It returns the
// resources by display name, and the diagnostics.
func (s *Service) List(typeName string, config JSON,
	include bool) (resources map[string]JSON, diagnostics []*tfprotov6.Diagnostic) {
	s.t.Helper()
	provider, schemas := s.provider()
	server, able := provider.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // deprecated, because the next version moves it into ProviderServer
	if !able {
		s.t.Fatal("the provider has no list resources")
	}
	schema := schemas.ListResourceSchemas[typeName]
	if schema == nil {
		s.t.Fatalf("no list resource %s", typeName)
	}
	stream := ok(server.ListResource(s.ctx(), &tfprotov6.ListResourceRequest{TypeName: typeName,
		Config: encode(object(schema, config)), IncludeResource: include, Limit: 1000}))
	resources = map[string]JSON{}
	for result := range stream.Results {
		diagnostics = append(diagnostics, result.Diagnostics...)
		if result.DisplayName == "" {
			continue
		}
		resources[result.DisplayName] = nil
		if include && result.Resource != nil {
			resources[result.DisplayName] = view(decode(result.Resource,
				schemas.ResourceSchemas[typeName].ValueType()))
		}
	}
	return resources, diagnostics
}

// Invoke runs an action over the provider's protocol, without Terraform. It returns the progress messages and the
// diagnostics, including those of the validation.
func (s *Service) Invoke(action string, config JSON) (progress []string, diagnostics []*tfprotov6.Diagnostic) {
	s.t.Helper()
	provider, schemas := s.provider()
	server, able := provider.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // deprecated, because the next version moves it into ProviderServer
	if !able {
		s.t.Fatal("the provider has no actions")
	}
	schema := schemas.ActionSchemas[action]
	if schema == nil {
		s.t.Fatalf("no action %s", action)
	}
	encoded := encode(object(schema.Schema, config))
	validated := ok(server.ValidateActionConfig(s.ctx(), &tfprotov6.ValidateActionConfigRequest{ActionType: action,
		Config: encoded}))
	if Errors(validated.Diagnostics) != "" {
		return nil, validated.Diagnostics
	}
	stream := ok(server.InvokeAction(s.ctx(), &tfprotov6.InvokeActionRequest{ActionType: action, Config: encoded}))
	completed := false
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diagnostics, completed = append(validated.Diagnostics, event.Diagnostics...), true
		}
	}
	if !completed {
		s.t.Errorf("%s did not report its end", action)
	}
	return progress, diagnostics
}

// Opened is an open ephemeral resource.
type Opened struct {
	// Diagnostics holds the diagnostics of the validation and of the open.
	Diagnostics []*tfprotov6.Diagnostic
	// Renews reports whether the provider requests a renewal.
	Renews bool

	t        *testing.T
	server   tfprotov6.ProviderServer
	typeName string
	result   map[string]tftypes.Value
	private  []byte
}

// Open opens an ephemeral resource over the provider's protocol.
func (s *Service) Open(typeName string, config JSON) *Opened {
	s.t.Helper()
	server, schemas := s.provider()
	schema := schemas.EphemeralResourceSchemas[typeName]
	if schema == nil {
		s.t.Fatalf("no ephemeral resource %s", typeName)
	}
	o := &Opened{t: s.t, server: server, typeName: typeName}
	encoded := encode(object(schema, config))
	validated := ok(server.ValidateEphemeralResourceConfig(s.ctx(),
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: typeName, Config: encoded}))
	if o.Diagnostics = validated.Diagnostics; Errors(o.Diagnostics) != "" {
		return o
	}
	response := ok(server.OpenEphemeralResource(s.ctx(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: typeName,
		Config: encoded}))
	o.Diagnostics = append(o.Diagnostics, response.Diagnostics...)
	o.private, o.Renews = response.Private, !response.RenewAt.IsZero()
	if Errors(o.Diagnostics) == "" {
		o.result = fields(decode(response.Result, schema.ValueType()))
	}
	return o
}

// Text returns an attribute of the result as JSON text; "null" if it is missing.
func (o *Opened) Text(name string) string {
	o.t.Helper()
	return text(o.result[name])
}

// Private returns the provider's private data, which Terraform stores in clear text.
func (o *Opened) Private() string { return string(o.private) }

// Close closes the resource.
func (o *Opened) Close() []*tfprotov6.Diagnostic {
	o.t.Helper()
	response := ok(o.server.CloseEphemeralResource(o.t.Context(),
		&tfprotov6.CloseEphemeralResourceRequest{TypeName: o.typeName, Private: o.private}))
	return response.Diagnostics
}
