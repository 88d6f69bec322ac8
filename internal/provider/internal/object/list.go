package object

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Item is one object of a list resource.
type Item struct {
	// Name is shown to people.
	Name string
	// Resource is the model of the managed resource, used unless Err says that it could not be built.
	Resource any
	Err      error
	// Notes are warnings about what is missing in Resource.
	Notes diag.Diagnostics
}

// ListResource lists the objects of a kind for `terraform query`, each with the whole resource. S is the client of the
// service, T the client's type of the object, F the model of the filters.
type ListResource[S, T, F any] struct {
	Connected
	Scheme Scheme[S, T]
	// About describes the list resource, and Filters are its arguments.
	About   string
	Filters map[string]schema.Attribute
	// Query reads the objects that the filters select.
	Query func(ctx context.Context, client S, filters F) iter.Seq2[T, error]
	// Describe returns false for an object that cannot be managed.
	Describe func(ctx context.Context, client S, object *T) (Item, bool)
}

var _ list.ListResourceWithConfigure = (*ListResource[any, any, any])(nil)

// Metadata names the type, which is the resource's.
func (l *ListResource[S, T, F]) Metadata(_ context.Context, _ resource.MetadataRequest,
	resp *resource.MetadataResponse) {
	l.Scheme.metadata(resp)
}

// ListResourceConfigSchema describes the filters.
func (l *ListResource[S, T, F]) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest,
	resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: l.About, Attributes: l.Filters}
}

// List streams the objects that the configured filters select.
func (l *ListResource[S, T, F]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var filters F
	diags := req.Config.Get(ctx, &filters)
	client, ready := l.Scheme.Service(l.Conn).For(l.Scheme.TypeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = l.Scheme.stream(ctx, req, l.Query(ctx, client, filters),
		func(object *T) (Item, bool) { return l.Describe(ctx, client, object) })
}

// stream turns objects into results, each with the whole resource when that is asked for: what is listed holds all of
// it, so no request is made per object.
func (s Scheme[S, T]) stream(ctx context.Context, req list.ListRequest, objects iter.Seq2[T, error],
	describe func(*T) (Item, bool)) iter.Seq[list.ListResult] {
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
			// Terraform stops taking results at the limit, but only after further pages and items were read.
			if !push(s.result(ctx, req, s.ID(&object), item)) || pushed == req.Limit {
				return
			}
		}
	}
}

func (s Scheme[S, T]) result(ctx context.Context, req list.ListRequest, id string, item Item) list.ListResult {
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

// ListNeeds ends the description of a list resource: what it takes, and what to use instead.
func ListNeeds(dataSource string) string {
	return " Requires Terraform 1.14; [without it](../guides/import.md#how-do-i-import-everything), use the data " +
		"source `" + dataSource + "`."
}

// ListFilter is Filter for a list resource.
func ListFilter(description string, further ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: append([]validator.String{value.NotBlank()},
		further...),
		MarkdownDescription: description}
}

// ListFilterByID is FilterByID for a list resource.
func ListFilterByID(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{value.UUID()},
		MarkdownDescription: description}
}

// ListUpdatedSince is UpdatedSince for a list resource.
func ListUpdatedSince(noun string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{value.DateOrDateTime()},
		MarkdownDescription: aboutUpdatedSince(noun)}
}
