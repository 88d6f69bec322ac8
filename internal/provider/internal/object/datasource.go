package object

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// NewDataSource returns a data source that is its schema and a query: read completes the model, which is the
// configuration so far. Nothing is written to the state after an error.
func NewDataSource[S, M any](typeName string, service func(*conn.Conn) conn.Service[S], describe func() schema.Schema,
	read func(ctx context.Context, client S, m *M, diags *diag.Diagnostics)) datasource.DataSource {
	return &dataSource[S]{typeName: typeName, service: service, schema: describe,
		read: func(ctx context.Context, client S, req datasource.ReadRequest, resp *datasource.ReadResponse) {
			var m M
			resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
			if !resp.Diagnostics.HasError() {
				read(ctx, client, &m, &resp.Diagnostics)
			}
			if !resp.Diagnostics.HasError() {
				resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
			}
		}}
}

// NewSingularDataSource returns the data source of the one object that has the configured key. describe is the schema
// without keys, and show converts the object. complete adds what takes further requests.
func NewSingularDataSource[S, T, M any](s Scheme[S, T], describe func() schema.Schema, show func(*T) (M, error),
	complete ...func(ctx context.Context, client S, object *T, m *M, diags *diag.Diagnostics)) datasource.DataSource {
	keyed := func() schema.Schema {
		described := describe()
		Attributes(described.Attributes).Keys(s.Noun, s.Keys()...)
		return described
	}
	return &singular[S, T]{scheme: s, dataSource: dataSource[S]{typeName: s.TypeName, service: s.Service, schema: keyed,
		read: func(ctx context.Context, client S, req datasource.ReadRequest, resp *datasource.ReadResponse) {
			key, value := s.configured(ctx, req.Config, &resp.Diagnostics)
			if resp.Diagnostics.HasError() {
				return
			}
			found := s.One(ctx, client, by(key, value), &resp.Diagnostics)
			if found == nil {
				return
			}
			state, err := show(found)
			if err != nil {
				apidiag.Unreadable(&resp.Diagnostics, err)
				return
			}
			for _, complete := range complete {
				complete(ctx, client, found, &state, &resp.Diagnostics)
			}
			resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
			// The key as it is written: Terraform holds a data source to its configuration, and the service may write a UUID
			// in another case, or a tax number with another mask.
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(key), value)...)
		}}}
}

// dataSource is a data source of any type. S is the client of the service.
type dataSource[S any] struct {
	conn.DataSource
	typeName string
	service  func(*conn.Conn) conn.Service[S]
	schema   func() schema.Schema
	read     func(ctx context.Context, client S, req datasource.ReadRequest, resp *datasource.ReadResponse)
}

// singular is a data source of one object.
type singular[S, T any] struct {
	dataSource[S]
	scheme Scheme[S, T]
}

var (
	_ datasource.DataSourceWithConfigure        = (*dataSource[any])(nil)
	_ datasource.DataSourceWithConfigure        = (*singular[any, any])(nil)
	_ datasource.DataSourceWithConfigValidators = (*singular[any, any])(nil)
)

func (d *dataSource[S]) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.typeName
}

func (d *dataSource[S]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema()
}

func (d *dataSource[S]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	advise(ctx, req.Config, &resp.Diagnostics)
	if client, ready := d.service(d.Conn).For("data."+d.typeName, &resp.Diagnostics); ready {
		d.read(ctx, client, req, resp)
	}
}

// advise warns about values that the service may not know, see validate.Advisor.
func advise(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	described, _ := config.Schema.(schema.Schema)
	for _, name := range slices.Sorted(maps.Keys(described.Attributes)) {
		text, _ := described.Attributes[name].(schema.StringAttribute)
		for _, v := range text.Validators {
			if advisor, advises := v.(validate.Advisor); advises {
				var value types.String
				diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
				advisor.Advise(path.Root(name), value.ValueString(), diags)
			}
		}
	}
}

// ConfigValidators requires exactly one way to find the object.
func (d *singular[S, T]) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{exactlyOne{d.scheme.Noun, d.scheme.Keys()}}
}

// configured is the one key that the configuration of a data source sets, see ConfigValidators.
func (s Scheme[S, T]) configured(ctx context.Context, config tfsdk.Config,
	diags *diag.Diagnostics) (key, value string) {
	for _, name := range s.Keys() {
		var text *string
		diags.Append(config.GetAttribute(ctx, path.Root(name), &text)...)
		if text != nil {
			key, value = name, *text
		}
	}
	return key, value
}
