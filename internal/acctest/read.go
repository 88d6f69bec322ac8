package acctest

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Read reads a data source over the provider's protocol, without a Terraform in between, so that every request is one
// of this read. It returns the result as JSON, nil where there are errors, and the diagnostics, those of the validation
// too.
func (s *Service) Read(typeName string, config JSON) (result JSON, diagnostics []*tfprotov6.Diagnostic) {
	s.t.Helper()
	server, schemas := s.provider()
	schema := schemas.DataSourceSchemas[typeName]
	if schema == nil {
		s.t.Fatalf("no data source %s", typeName)
	}
	return readSource(s.t, server, schemas, typeName, object(s.t, schema, config))
}

func readSource(t *testing.T, server tfprotov6.ProviderServer, schemas *tfprotov6.GetProviderSchemaResponse,
	typeName string, config tftypes.Value) (result JSON, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	ctx, encoded := context.WithoutCancel(t.Context()), encode(t, config)
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
	return view(t, decode(t, response.State, schemas.DataSourceSchemas[typeName].ValueType())), diagnostics
}

// List queries a list resource over the provider's protocol, with the whole resource where include says so. It returns
// the resources by their display names and the diagnostics.
func (s *Service) List(typeName string, config JSON,
	include bool) (resources map[string]JSON, diagnostics []*tfprotov6.Diagnostic) {
	s.t.Helper()
	provider, schemas := s.provider()
	server, able := provider.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // it is only there until the next version moves it into ProviderServer
	if !able {
		s.t.Fatal("the provider has no list resources")
	}
	schema := schemas.ListResourceSchemas[typeName]
	if schema == nil {
		s.t.Fatalf("no list resource %s", typeName)
	}
	stream := ok(server.ListResource(s.ctx(), &tfprotov6.ListResourceRequest{TypeName: typeName,
		Config: encode(s.t, object(s.t, schema, config)), IncludeResource: include, Limit: 1000}))
	resources = map[string]JSON{}
	for result := range stream.Results {
		diagnostics = append(diagnostics, result.Diagnostics...)
		if result.DisplayName == "" {
			continue
		}
		resources[result.DisplayName] = nil
		if include && result.Resource != nil {
			resources[result.DisplayName] = view(s.t,
				decode(s.t, result.Resource, schemas.ResourceSchemas[typeName].ValueType()))
		}
	}
	return resources, diagnostics
}
