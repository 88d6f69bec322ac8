package object

import (
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

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
