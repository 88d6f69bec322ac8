package core

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// Validate validates each block as `terraform validate` does: without a state, and with a provider that is not
// configured. The result has no changes.
func (w *Workspace) Validate(configuration Configuration) *Plan {
	p := &Plan{configuration: configuration}
	w.start()
	for _, block := range configuration.Blocks {
		evaluated, problems := w.evaluate(block, nil)
		if !p.note(block.Address, problems) {
			continue
		}
		config := encode(evaluated, w.schemas.typeOf(w.schema(block.Address)))
		if strings.HasPrefix(block.Address, dataPrefix) {
			p.note(block.Address, ok(w.server.ValidateDataResourceConfig(w.ctx(),
				&tfprotov6.ValidateDataResourceConfigRequest{TypeName: block.Type(), Config: config})).Diagnostics)
			continue
		}
		p.note(block.Address, ok(w.server.ValidateResourceConfig(w.ctx(), validation(block, config))).Diagnostics)
	}
	return p
}

// validation asks a provider to validate a block.
func validation(block Block, config *tfprotov6.DynamicValue) *tfprotov6.ValidateResourceConfigRequest {
	return &tfprotov6.ValidateResourceConfigRequest{TypeName: block.Type(), Config: config,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}}
}

// Read reads a data source in a new provider. It returns the result, nil if there are errors, and the diagnostics,
// including those of the validation.
func (w *Workspace) Read(typeName string, config Object) (Object, []*tfprotov6.Diagnostic) {
	p := &Plan{}
	if !w.configure(nil, p.note) {
		return nil, p.Diagnostics
	}
	return w.readData(typeName, ok(w.schemas.converted(config, w.schemas.DataSourceSchemas[typeName])))
}

func (w *Workspace) readData(typeName string,
	config cty.Value) (result Object, diagnostics []*tfprotov6.Diagnostic) {
	as := w.schemas.typeOf(w.schemas.DataSourceSchemas[typeName])
	encoded := encode(config, as)
	validated := ok(w.server.ValidateDataResourceConfig(w.ctx(),
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: typeName, Config: encoded}))
	if Errors(validated.Diagnostics) != "" {
		return nil, validated.Diagnostics
	}
	response := ok(w.server.ReadDataSource(w.ctx(), &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: encoded}))
	diagnostics = append(validated.Diagnostics, response.Diagnostics...)
	if Errors(diagnostics) != "" {
		return nil, diagnostics
	}
	return view(decode(response.State, as)), diagnostics
}

// List queries a list resource in a new provider, with the whole resource if include is set. It returns the
// resources by display name, and the diagnostics.
func (w *Workspace) List(typeName string, config Object,
	include bool) (resources map[string]Object, diagnostics []*tfprotov6.Diagnostic) {
	p := &Plan{}
	if !w.configure(nil, p.note) {
		return nil, p.Diagnostics
	}
	server, _ := w.server.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // deprecated, because the next version moves it into ProviderServer
	stream := ok(server.ListResource(w.ctx(), &tfprotov6.ListResourceRequest{TypeName: typeName,
		Config: w.schemas.encoded(config, w.schemas.ListResourceSchemas[typeName]), IncludeResource: include, Limit: 1000}))
	resources = map[string]Object{}
	for result := range stream.Results {
		diagnostics = append(diagnostics, result.Diagnostics...)
		if result.DisplayName == "" {
			continue
		}
		resources[result.DisplayName] = nil
		if include && result.Resource != nil {
			resources[result.DisplayName] = view(decode(result.Resource,
				w.schemas.typeOf(w.schemas.ResourceSchemas[typeName])))
		}
	}
	return resources, diagnostics
}

// Invoke runs an action in a new provider. It returns the progress messages and the
// diagnostics, including those of the validation.
func (w *Workspace) Invoke(action string, config Object) (progress []string, diagnostics []*tfprotov6.Diagnostic) {
	p := &Plan{}
	if !w.configure(nil, p.note) {
		return nil, p.Diagnostics
	}
	server, _ := w.server.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // deprecated, because the next version moves it into ProviderServer
	encoded := w.schemas.encoded(config, w.schemas.ActionSchemas[action].Schema)
	validated := ok(server.ValidateActionConfig(w.ctx(), &tfprotov6.ValidateActionConfigRequest{ActionType: action,
		Config: encoded}))
	if Errors(validated.Diagnostics) != "" {
		return nil, validated.Diagnostics
	}
	stream := ok(server.InvokeAction(w.ctx(), &tfprotov6.InvokeActionRequest{ActionType: action, Config: encoded}))
	diagnostics = trouble("The action did not report its end", action)
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diagnostics = append(validated.Diagnostics, event.Diagnostics...)
		}
	}
	return progress, diagnostics
}

// Opened is an open ephemeral resource.
type Opened struct {
	// Diagnostics holds the diagnostics of the validation and of the open.
	Diagnostics []*tfprotov6.Diagnostic
	// Renews reports whether the provider requests a renewal.
	Renews bool

	server   tfprotov6.ProviderServer
	typeName string
	result   map[string]cty.Value
	private  []byte
}

// Open opens an ephemeral resource in a new provider.
func (w *Workspace) Open(typeName string, config Object) *Opened {
	p := &Plan{}
	if !w.configure(nil, p.note) {
		return &Opened{Diagnostics: p.Diagnostics}
	}
	server, schema := w.server, w.schemas.EphemeralResourceSchemas[typeName]
	o := &Opened{server: server, typeName: typeName}
	encoded := w.schemas.encoded(config, schema)
	validated := ok(server.ValidateEphemeralResourceConfig(w.ctx(),
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: typeName, Config: encoded}))
	if o.Diagnostics = validated.Diagnostics; Errors(o.Diagnostics) != "" {
		return o
	}
	response := ok(server.OpenEphemeralResource(w.ctx(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: typeName,
		Config: encoded}))
	o.Diagnostics = append(o.Diagnostics, response.Diagnostics...)
	o.private, o.Renews = response.Private, !response.RenewAt.IsZero()
	if Errors(o.Diagnostics) == "" {
		o.result = fields(decode(response.Result, w.schemas.typeOf(schema)))
	}
	return o
}

// Text returns an attribute of the result as JSON text; "null" if it is missing.
func (o *Opened) Text(name string) string {
	return text(o.result[name])
}

// Private returns the provider's private data, which Terraform stores in clear text.
func (o *Opened) Private() string { return string(o.private) }

// Close closes the resource.
func (o *Opened) Close() []*tfprotov6.Diagnostic {
	response := ok(o.server.CloseEphemeralResource(context.Background(),
		&tfprotov6.CloseEphemeralResourceRequest{TypeName: o.typeName, Private: o.private}))
	return response.Diagnostics
}
