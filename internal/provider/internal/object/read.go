package object

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

// ReadOne reads a data source of one object: the one that has the configured key.
func ReadOne[S, T, M any](ctx context.Context, s Scheme[S, T], service conn.Service[S], req datasource.ReadRequest,
	resp *datasource.ReadResponse, show func(*T) (M, error)) {
	key, value := s.configured(ctx, req.Config, &resp.Diagnostics)
	client, ready := service.For("data."+s.TypeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
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
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	// The key as it is written: Terraform holds a data source to its configuration, and the service may write a UUID in
	// another case, or a tax number with another mask.
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(key), value)...)
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

// ReadMany reads a data source of many objects. read fills in the list of the model, which is the configuration so far.
func ReadMany[S, M any](ctx context.Context, service conn.Service[S], typeName string, req datasource.ReadRequest,
	resp *datasource.ReadResponse, read func(client S, m *M, diags *diag.Diagnostics)) {
	var state M
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	client, ready := service.For("data."+typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	if read(client, &state, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

// Many are the objects as a data source shows them, up to limit; a null limit is none. noun is the plural for messages.
func Many[T, M any](objects iter.Seq2[T, error], limit types.Int64, noun string, show func(*T) (M, error),
	diags *diag.Diagnostics) []M {
	items, err := Collect(objects, limit, show)
	AddListError(diags, err, noun)
	return items
}

// AddListError reports the error of a listing, if there is one. noun is the plural for messages.
func AddListError(diags *diag.Diagnostics, err error, noun string) {
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "list", Object: noun, Attributes: ordering})
	}
}

// ordering are the arguments of Ordering that the service may blame.
var ordering = []string{"search", "sort_by", "sort_order"}

// Collect converts a listing, up to limit objects; a null limit is none. It never returns nil without an error, so that
// no match is an empty list.
func Collect[T, M any](objects iter.Seq2[T, error], limit types.Int64, show func(*T) (M, error)) ([]M, error) {
	items := []M{}
	for object, err := range objects {
		if err != nil {
			return nil, err
		}
		item, err := show(&object)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if !limit.IsNull() && int64(len(items)) >= limit.ValueInt64() {
			break
		}
	}
	return items, nil
}
