package finance

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Query narrows a list.
type Query struct {
	// Filters are named and written as the service does, for example
	// "company_id", or "occurred_at[gte]" with a date.
	Filters map[string]string
	// Limit is the largest number of items; 0 is all of them.
	Limit int
}

// Reserved reports whether a name is a parameter of paging, which no filter may
// have.
func Reserved(name string) bool { return slices.Contains([]string{"limit", "cursor"}, name) }

// ListAccounts lists the accounts that match (wire contract:
// finance.accounts.list).
func (s *Service) ListAccounts(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.accounts.list"}, q)
}

// ListPayables lists the payables that match (wire contract:
// finance.payables.list).
func (s *Service) ListPayables(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.payables.list"}, q)
}

// ListReceivables lists the receivables that match (wire contract:
// finance.receivables.list).
func (s *Service) ListReceivables(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.receivables.list"}, q)
}

// ListRecords lists the objects of any collection that match (wire contract:
// finance.records.list).
func (s *Service) ListRecords(ctx context.Context, collection string, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.records.list", Path: map[string]string{"collection": collection}},
		q)
}

// list reads page after page until the list ends or has brought enough.
func (s *Service) list(ctx context.Context, r api.Request, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r.Query = url.Values{}
		for name, value := range q.Filters {
			if Reserved(name) || name == "" {
				yield(Record{}, fmt.Errorf("a filter cannot be named %q", name))
				return
			}
			r.Query.Set(name, value)
		}
		all := api.Cursor(ctx, s.client, r, api.CursorOptions[Record]{ID: func(r Record) string { return r.ID },
			Limit: q.Limit})
		left := q.Limit
		for record, err := range api.Only(all, func(r Record) bool { return r.Matches(q.Filters) }) {
			if !yield(record, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}
