package conn

import (
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Collect converts a listing, up to limit objects; a null limit is none. It never answers nil, so that no match is an empty list.
func Collect[T, M any](objects iter.Seq2[T, error], limit types.Int64, convert func(*T) (M, error)) ([]M, error) {
	items := []M{}
	for object, err := range objects {
		if err != nil {
			return nil, err
		}
		item, err := convert(&object)
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
