// Package listing streams the objects of a service as results of a list resource.
package listing

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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// Item is one object of a listing.
type Item struct {
	// ID is its identity.
	ID string
	// Name is shown to people.
	Name string
	// Resource is the model of the managed resource, used unless Err says that it could not be built.
	Resource any
	Err      error
}

// Needs ends the description of a list resource: what it takes, and what to use instead.
func Needs(dataSource string) string {
	return " Terraform asks for 100 at most unless the block has a `limit`; every 100 take one request.\n\n" +
		"Needs Terraform 1.14. With an older one, and with OpenTofu, the data source `" + dataSource + "` lists them, and `import` blocks with `for_each` import them " +
		"(see [the guide on importing](../guides/import))."
}

// FilterByID is a filter by an id of the services.
func FilterByID(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{validate.UUID()}, MarkdownDescription: description}
}

// Filter is an optional text that narrows a listing. An empty one is an error: it would mean everything.
func Filter(description string, further ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: append([]validator.String{validate.NotBlank()}, further...), MarkdownDescription: description}
}

// Stream turns objects into results, each with the whole resource when that is asked for: what is listed holds all of it, so no
// request is made per object. describe answers false for an object that cannot be managed. noun is the plural for messages, scheme how the objects are identified.
func Stream[T any](ctx context.Context, req list.ListRequest, noun string, scheme imports.Scheme, objects iter.Seq2[T, error], describe func(*T) (Item, bool)) iter.Seq[list.ListResult] {
	return func(push func(list.ListResult) bool) {
		for object, err := range objects {
			if err != nil {
				var diags diag.Diagnostics
				apidiag.Add(&diags, err, apidiag.Doing{Verb: "list", Object: noun})
				push(list.ListResult{Diagnostics: diags})
				return
			}
			item, managed := describe(&object)
			if managed && !push(result(ctx, req, scheme, item)) {
				return
			}
		}
	}
}

func result(ctx context.Context, req list.ListRequest, scheme imports.Scheme, item Item) list.ListResult {
	out := req.NewListResult(ctx)
	out.DisplayName = item.Name
	scheme.Identify(ctx, types.StringValue(item.ID), out.Identity, &out.Diagnostics)
	switch {
	case !req.IncludeResource:
	case item.Err != nil:
		out.Diagnostics.AddWarning("Unreadable object", fmt.Sprintf("%s (id %s) is listed without its attributes: %s.", item.Name, item.ID, item.Err))
	default:
		out.Diagnostics.Append(out.Resource.Set(ctx, item.Resource)...)
	}
	return out
}
