package object

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	managed "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// NewDataSource returns a data source made of a schema and a query: read receives the configuration as a model and
// completes it. After an error, the state is not written.
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

// NewSingularDataSource returns the data source of the one object with the configured key. describe returns the schema
// without keys, and show converts the object. complete adds data that requires further requests, and the arguments that
// ask for it.
func NewSingularDataSource[S, T, M any](s Scheme[S, T], describe func() schema.Schema, show func(*T) (M, error),
	complete ...func(ctx context.Context, client S, object *T, config tfsdk.Config, m *M, diags *diag.Diagnostics),
) datasource.DataSource {
	keyed := func() schema.Schema {
		described := describe()
		Attributes(described.Attributes).Keys(s.keys()...)
		return described
	}
	return &singular[S, T]{scheme: s, dataSource: dataSource[S]{typeName: s.TypeName, service: s.Service, schema: keyed,
		read: func(ctx context.Context, client S, req datasource.ReadRequest, resp *datasource.ReadResponse) {
			key, value := s.configured(ctx, req.Config, &resp.Diagnostics)
			if resp.Diagnostics.HasError() {
				return
			}
			found := s.one(ctx, client, by(key, value), &resp.Diagnostics)
			if found == nil {
				return
			}
			state, err := show(found)
			if err != nil {
				apidiag.Unreadable(&resp.Diagnostics, err)
				return
			}
			for _, complete := range complete {
				complete(ctx, client, found, req.Config, &state, &resp.Diagnostics)
			}
			resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
			// The key as configured: Terraform requires a data source to return its configuration unchanged, and the service may
			// return a UUID in another case, or a tax number with another mask.
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(key), value)...)
		}}}
}

// dataSource is a data source of any type. S is the client of the service.
type dataSource[S any] struct {
	conn.ConnectedDataSource
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
		d.read(d.Conn.WithCounts(ctx, &resp.Diagnostics), client, req, resp)
	}
}

// advise warns about values that may be unknown to the service, see check.Advisor.
func advise(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	described, _ := config.Schema.(schema.Schema)
	for _, name := range slices.Sorted(maps.Keys(described.Attributes)) {
		text, _ := described.Attributes[name].(schema.StringAttribute)
		for _, v := range text.Validators {
			if advisor, advises := v.(check.Advisor); advises {
				var value types.String
				diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
				advisor.Advise(path.Root(name), value.ValueString(), diags)
			}
		}
	}
}

// ConfigValidators requires exactly one way to find the object.
func (d *singular[S, T]) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{newExactlyOne(d.scheme.TypeName, d.scheme.Noun, d.scheme.keys())}
}

// configured returns the one key that is set in the configuration of a data source, see ConfigValidators.
func (s Scheme[S, T]) configured(ctx context.Context, config tfsdk.Config,
	diags *diag.Diagnostics) (key, value string) {
	for _, name := range s.keys() {
		var text *string
		diags.Append(config.GetAttribute(ctx, path.Root(name), &text)...)
		if text != nil {
			key, value = name, *text
		}
	}
	return key, value
}

// Many converts the objects for a data source, up to the limit in asked, or all if it is null. noun is the plural for
// messages.
func Many[T, M any](objects iter.Seq2[T, error], asked Ordering, noun string, show func(*T) (M, error),
	diags *diag.Diagnostics) []M {
	items, err := Collect(objects, asked, show)
	AddListError(diags, err, asked, noun)
	return items
}

// AddListError reports the error of a list, if any. noun is the plural for messages.
func AddListError(diags *diag.Diagnostics, err error, asked Ordering, noun string) {
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "list", Object: noun, Model: asked,
			Choices: func(argument string) string {
				if argument != "sort_by" {
					return ""
				}
				return "Write the name of a field as in the service's responses, such as created_at."
			}})
	}
}

// Collect converts a list, up to the limit in asked, or all if it is null, in a steady order. Without an error it never
// returns nil, so that the state has an empty list if nothing matches.
func Collect[T, M any](objects iter.Seq2[T, error], asked Ordering, show func(*T) (M, error)) ([]M, error) {
	var all []T
	for object, err := range objects {
		if err != nil {
			return nil, err
		}
		all = append(all, object)
		if !asked.Limit.IsNull() && int64(len(all)) >= asked.Limit.ValueInt64() {
			break
		}
	}
	inOrder(all, asked)
	items := make([]M, len(all))
	for i := range all {
		var err error
		if items[i], err = show(&all[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// DataAttributes derives the attributes of a data source with the model M from the resource. Of the description of a
// configurable attribute it keeps only the first sentence, because the others describe how to configure it. texts
// overrides descriptions by name; a nested attribute is named like address.city. own holds the attributes that the
// resource lacks or has in another form.
func DataAttributes[M any](r resource.Resource, texts map[string]string, own Attributes) Attributes {
	d := describer{texts, attributesOfResource(r)}
	attributes := Attributes{}
	for name := range value.Fields(reflect.TypeFor[M]()) {
		if attribute, has := own[name]; has {
			attributes[name] = attribute
			continue
		}
		if d.of[name] == nil {
			panic(fmt.Sprintf("%s has the attribute %q, which the schema of %T does not have", reflect.TypeFor[M](), name, r))
		}
		attributes[name] = d.shown(name, d.of[name])
	}
	return attributes
}

// Description returns the first sentence of a resource's description of an attribute.
func Description(r resource.Resource, name string) string {
	return describer{}.text(name, attributesOfResource(r)[name])
}

func attributesOfResource(r resource.Resource) map[string]managed.Attribute {
	var resp resource.SchemaResponse
	r.Schema(context.Background(), resource.SchemaRequest{}, &resp)
	return resp.Schema.Attributes
}

type describer struct {
	texts map[string]string
	of    map[string]managed.Attribute
}

// shown returns a resource's attribute as a computed attribute of a data source.
func (d describer) shown(path string, attribute managed.Attribute) schema.Attribute {
	text := d.text(path, attribute)
	switch a := attribute.(type) {
	case managed.StringAttribute:
		return schema.StringAttribute{Computed: true, CustomType: a.CustomType, MarkdownDescription: text}
	case managed.BoolAttribute:
		return schema.BoolAttribute{Computed: true, CustomType: a.CustomType, MarkdownDescription: text}
	case managed.Int64Attribute:
		return schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	case managed.SetAttribute:
		return schema.SetAttribute{Computed: true, CustomType: a.CustomType, ElementType: a.ElementType,
			MarkdownDescription: text}
	case managed.ListAttribute:
		return schema.ListAttribute{Computed: true, ElementType: a.ElementType, MarkdownDescription: text}
	case managed.SingleNestedAttribute:
		return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: text,
			Attributes: d.parts(path, a.Attributes)}
	case managed.ListNestedAttribute:
		return schema.ListNestedAttribute{Computed: true, MarkdownDescription: text,
			NestedObject: schema.NestedAttributeObject{Attributes: d.parts(path, a.NestedObject.Attributes)}}
	}
	panic(fmt.Sprintf("the resource has no attribute %s that a data source could show: %T", path, attribute))
}

func (d describer) parts(path string, of map[string]managed.Attribute) map[string]schema.Attribute {
	parts := map[string]schema.Attribute{}
	for name, attribute := range maps.All(of) {
		parts[name] = d.shown(path+"."+name, attribute)
	}
	return parts
}

func (d describer) text(path string, attribute managed.Attribute) string {
	if text, has := d.texts[path]; has {
		return text
	}
	if attribute == nil {
		return ""
	}
	text := attribute.GetMarkdownDescription()
	if !attribute.IsRequired() && !attribute.IsOptional() {
		return text
	}
	first, _, _ := strings.Cut(strings.TrimSuffix(text, "."), ". ")
	return first + "."
}

// ListItem is one object of a list resource.
type ListItem struct {
	// Name is shown to people.
	Name string
	// Resource is the model of the managed resource; unused if Err is set.
	Resource any
	Err      error
	// Notes are warnings about data missing in Resource.
	Notes diag.Diagnostics
}

// ListResource lists the objects of a kind for `terraform query`, each with the whole resource. S is the service's
// client, T the client's type of the object, F the model of the filters.
type ListResource[S, T, F any] struct {
	conn.Connected
	Scheme Scheme[S, T]
	// About describes the list resource. Filters are its arguments, all strings: Filter, FilterByID, UpdatedSince.
	About   string
	Filters Attributes
	// Query reads the objects that match the filters.
	Query func(ctx context.Context, client S, filters F) iter.Seq2[T, error]
	// Describe returns false for an object that cannot be managed.
	Describe func(ctx context.Context, client S, object *T) (ListItem, bool)
}

var _ list.ListResourceWithConfigure = (*ListResource[any, any, any])(nil)

// Metadata returns the type name, which is the resource's.
func (l *ListResource[S, T, F]) Metadata(_ context.Context, _ resource.MetadataRequest,
	resp *resource.MetadataResponse) {
	l.Scheme.metadata(resp)
}

// ListResourceConfigSchema describes the filters.
func (l *ListResource[S, T, F]) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest,
	resp *list.ListResourceSchemaResponse) {
	filters := map[string]listschema.Attribute{}
	for name := range l.Filters {
		text := l.Filters.text(name)
		filters[name] = listschema.StringAttribute{Optional: true, Validators: text.Validators,
			MarkdownDescription: text.MarkdownDescription}
	}
	resp.Schema = listschema.Schema{MarkdownDescription: l.About, Attributes: filters}
}

// List streams the objects that match the configured filters.
func (l *ListResource[S, T, F]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var filters F
	diags := req.Config.Get(ctx, &filters)
	client, ready := l.Scheme.Service(l.Conn).For(l.Scheme.TypeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	var counts diag.Diagnostics
	objects := steady(l.Query(l.Conn.WithCounts(ctx, &counts), client, filters), req.Limit)
	results := l.Scheme.stream(ctx, req, objects, func(object *T) (ListItem, bool) {
		return l.Describe(ctx, client, object)
	})
	stream.Results = func(push func(list.ListResult) bool) {
		for result := range results {
			result.Diagnostics.Append(counts...)
			counts = nil
			if !push(result) {
				return
			}
		}
	}
}

// steady returns a list of at most limit objects in the order of [inOrder]: names in generated configuration count the
// results. A longer list is in the order of the service, because reading all of it takes too long; 0 is no limit.
func steady[T any](objects iter.Seq2[T, error], limit int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next, stop := iter.Pull2(objects)
		defer stop()
		var first []T
		object, err, more := next()
		for ; more && err == nil && (limit == 0 || int64(len(first)) < limit); object, err, more = next() {
			first = append(first, object)
		}
		if !more {
			inOrder(first, Ordering{})
		}
		for i := range first {
			if !yield(first[i], nil) {
				return
			}
		}
		for ; more; object, err, more = next() {
			if !yield(object, err) {
				return
			}
		}
	}
}

// stream turns objects into results, each with the whole resource if requested. A listed object is complete, so there
// is no request per object.
func (s Scheme[S, T]) stream(ctx context.Context, req list.ListRequest, objects iter.Seq2[T, error],
	describe func(*T) (ListItem, bool)) iter.Seq[list.ListResult] {
	return func(push func(list.ListResult) bool) {
		pushed := int64(0)
		for object, err := range objects {
			if err != nil {
				var diags diag.Diagnostics
				apidiag.Add(&diags, err, apidiag.Operation{Verb: "list", Object: s.Noun + "s"})
				push(list.ListResult{Diagnostics: diags})
				return
			}
			item, managed := describe(&object)
			if !managed {
				continue
			}
			pushed++
			// Terraform stops at the limit too, but only after further pages and items have been read.
			if !push(s.result(ctx, req, s.ID(&object), item)) || pushed == req.Limit {
				return
			}
		}
	}
}

func (s Scheme[S, T]) result(ctx context.Context, req list.ListRequest, id string, item ListItem) list.ListResult {
	out := req.NewListResult(ctx)
	out.DisplayName = item.Name
	s.identify(ctx, types.StringValue(id), types.StringNull(), out.Identity, &out.Diagnostics)
	out.Diagnostics.Append(item.Notes...)
	switch {
	case !req.IncludeResource:
	case item.Err != nil:
		out.Diagnostics.AddWarning(fmt.Sprintf("%s (id %s) could not be read", item.Name, id),
			fmt.Sprintf("It is listed without its attributes: %s.", item.Err))
	default:
		out.Diagnostics.Append(out.Resource.Set(ctx, item.Resource)...)
	}
	return out
}

// ListNeeds ends the description of a list resource: the required version of Terraform, and the alternative.
func ListNeeds(dataSource string) string {
	return " Requires Terraform 1.14; [without it](../guides/import.md#how-do-i-import-everything), use the data " +
		"source `" + dataSource + "`."
}
