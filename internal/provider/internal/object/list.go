package object

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
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

// List streams the objects that query reads with the configured filters, as results of a list resource. describe
// returns false for an object that cannot be managed.
func List[S, T, M any](ctx context.Context, s Scheme[S, T], service conn.Service[S], req list.ListRequest,
	stream *list.ListResultsStream, query func(client S, filters M) iter.Seq2[T, error],
	describe func(client S, object *T) (Item, bool)) {
	var filters M
	diags := req.Config.Get(ctx, &filters)
	client, ready := service.For(s.TypeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = s.stream(ctx, req, query(client, filters),
		func(object *T) (Item, bool) { return describe(client, object) })
}

// stream turns objects into results, each with the whole resource when that is asked for: what is listed holds all of
// it, so no request is made per object.
func (s Scheme[S, T]) stream(ctx context.Context, req list.ListRequest, objects iter.Seq2[T, error],
	describe func(*T) (Item, bool)) iter.Seq[list.ListResult] {
	return func(push func(list.ListResult) bool) {
		for object, err := range objects {
			if err != nil {
				var diags diag.Diagnostics
				apidiag.Add(&diags, err, apidiag.Operation{Verb: "list", Object: s.Noun + "s"})
				push(list.ListResult{Diagnostics: diags})
				return
			}
			item, managed := describe(&object)
			if managed && !push(s.result(ctx, req, s.ID(&object), item)) {
				return
			}
		}
	}
}

func (s Scheme[S, T]) result(ctx context.Context, req list.ListRequest, id string, item Item) list.ListResult {
	out := req.NewListResult(ctx)
	out.DisplayName = item.Name
	s.Identify(ctx, types.StringValue(id), out.Identity, &out.Diagnostics)
	out.Diagnostics.Append(item.Notes...)
	switch {
	case !req.IncludeResource:
	case item.Err != nil:
		out.Diagnostics.AddWarning("Unreadable object",
			fmt.Sprintf("%s (id %s) is listed without its attributes: %s.", item.Name, id, item.Err))
	default:
		out.Diagnostics.Append(out.Resource.Set(ctx, item.Resource)...)
	}
	return out
}

// ListNeeds ends the description of a list resource: what it takes, and what to use instead.
func ListNeeds(dataSource string) string {
	return " Terraform requests at most 100 unless the block has a `limit`; every 100 take one request.\n\nRequires " +
		"Terraform 1.14. With older versions, and with OpenTofu, the data source `" + dataSource +
		"` lists them, and `import` blocks with `for_each` import them (see [the guide on " +
		"importing](../guides/import))."
}

// ListFilter is Filter for a list resource.
func ListFilter(description string, further ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: append([]validator.String{validate.NotBlank()},
		further...),
		MarkdownDescription: description}
}

// ListFilterByID is FilterByID for a list resource.
func ListFilterByID(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{validate.UUID()},
		MarkdownDescription: description}
}

// ListUpdatedSince is UpdatedSince for a list resource.
func ListUpdatedSince(noun string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{validate.DateOrDateTime()},
		MarkdownDescription: aboutUpdatedSince(noun)}
}
