package finance

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Record is an object of any collection, without a documented form (service description, Financial management §2).
type Record = api.Record

// GetRecord reads a record (wire contract: finance.records.get). A read that lags behind
// a write is repeated.
func (s *Service) GetRecord(ctx context.Context, collection, id string) (*Record, error) {
	return api.Newest(ctx, s.client, &s.writes, collection+"/"+id, func(ctx context.Context) (*Record, error) {
		return api.Object[Record](ctx, s.client, api.Request{Operation: "finance.records.get",
			Path: place(collection, id)})
	}, func(r *Record) string { return r.Field("updated_at") })
}

// UpdateRecord sets the given top-level keys and keeps the others; nil removes a key (wire contract:
// finance.records.update). It returns the changed record.
func (s *Service) UpdateRecord(ctx context.Context, collection, id string, change map[string]any) (*Record, error) {
	before := s.client.DateText()
	record, err := api.Object[Record](ctx, s.client, api.Request{Operation: "finance.records.update",
		Path: place(collection, id), Body: change})
	return api.ReadBack(ctx, record, err, func(ctx context.Context) (*Record, error) {
		s.writes.Note(collection+"/"+id, "", before)
		return s.GetRecord(ctx, collection, id)
	})
}

func place(collection, id string) map[string]string {
	return map[string]string{"collection": collection, "id": id}
}

// DeleteRecord deletes a record (wire contract: finance.records.delete). It succeeds if the record does not exist. If
// the record was returned to a creation of this process, it now belongs to that creation: DeleteRecord returns false
// and sends nothing.
func (s *Service) DeleteRecord(ctx context.Context, collection, id string) (deleted bool, err error) {
	if s.hold(collection, id, free, deleting) == taken {
		return false, nil
	}
	err = api.Delete(ctx, s.client, api.Request{Operation: "finance.records.delete", Path: place(collection, id)})
	after := free
	if err == nil {
		after = gone
	}
	s.hold(collection, id, deleting, after)
	return err == nil, err
}

// Query filters and limits a list.
type Query struct {
	// Filters have the names and formats of the service, for example "company_id", or "occurred_at[gte]" with a date.
	Filters map[string]string
	// Limit is the largest number of items; 0 means no limit.
	Limit int
}

// Reserved reports whether a name is a parameter of paging, so that no filter may have it.
func Reserved(name string) bool { return slices.Contains([]string{"limit", "cursor"}, name) }

// ListAccounts lists the matching accounts (wire contract: finance.accounts.list).
func (s *Service) ListAccounts(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.accounts.list"}, q)
}

// ListPayables lists the matching payables (wire contract: finance.payables.list).
func (s *Service) ListPayables(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.payables.list"}, q)
}

// ListReceivables lists the matching receivables (wire contract: finance.receivables.list).
func (s *Service) ListReceivables(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.receivables.list"}, q)
}

// ListRecords lists the matching objects of any collection (wire contract: finance.records.list).
func (s *Service) ListRecords(ctx context.Context, collection string, q Query) iter.Seq2[Record, error] {
	return s.list(ctx, api.Request{Operation: "finance.records.list", Path: map[string]string{"collection": collection}},
		q)
}

// list reads pages until the list ends or has reached the limit.
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
