package billing

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Record is an object of any collection, possibly without a documented form (wire contract: records.list).
type Record = api.Record

// RecordQuery filters a list of records.
type RecordQuery struct {
	ListOptions
	// Filters have the names and formats of the service, for example "status".
	Filters map[string]string
}

// ReservedFilter reports whether a name is a parameter of every collection, so that no filter may have it.
func ReservedFilter(name string) bool {
	return slices.Contains([]string{"page", "per_page", "search", "sort_by", "sort_order"}, name)
}

// ListRecords lists the matching objects of any collection (wire contract: records.list). A collection whose objects
// have no created_at is sorted by id, unless the query sets an order.
func (s *Service) ListRecords(ctx context.Context, collection string, q RecordQuery) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		query := url.Values{}
		for name, value := range q.Filters {
			if ReservedFilter(name) || name == "" {
				yield(Record{}, fmt.Errorf("a filter cannot be named %q", name))
				return
			}
			query.Set(name, value)
		}
		list := func(l ListOptions) iter.Seq2[Record, error] {
			all := listPages(ctx, s, api.Request{Operation: "records.list", Path: map[string]string{"collection": collection}},
				query, l,
				func(r Record) string { return r.ID })
			return api.Only(all, func(r Record) bool { return r.Matches(q.Filters) })
		}
		began := false
		for record, err := range list(q.ListOptions) {
			if !began && rejectsOrder(err) && q.SortBy == "" && q.SortOrder == "" {
				byID := q.ListOptions
				byID.SortBy = "id"
				list(byID)(yield)
				return
			}
			began = true
			if !yield(record, err) {
				return
			}
		}
	}
}

// rejectsOrder reports whether a list may have been rejected because of its sort field.
func rejectsOrder(err error) bool {
	e, ok := api.AsError(err)
	if !ok || api.IsNotList(err) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	_, blamed := e.Fields["sort_by"]
	return blamed || len(e.Fields) == 0
}
