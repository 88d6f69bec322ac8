package finance

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Record is an object of any collection, whose shape is open (service description,
// Financial management §2).
type Record = api.Record

// GetRecord reads a record (wire contract: finance.records.get). A read that lags behind
// a write is repeated.
func (s *Service) GetRecord(ctx context.Context, collection, id string) (*Record, error) {
	return api.Newest(ctx, s.client, &s.writes, collection+"/"+id, func(ctx context.Context) (*Record, error) {
		return s.oneRecord(ctx, collection, id)
	}, func(r *Record) string { return r.Field("updated_at") })
}

func (s *Service) oneRecord(ctx context.Context, collection, id string) (*Record, error) {
	return s.one(ctx, api.Request{Operation: "finance.records.get", Path: place(collection, id)})
}

// one is the record that the response to a request shows; nil next to an error.
func (s *Service) one(ctx context.Context, r api.Request) (*Record, error) {
	record, err := api.One[Record](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	return &record, nil
}

// UpdateRecord sets the top-level keys that are given and leaves the others as they
// are; nil removes a key (wire contract: finance.records.update). It returns the
// record as it is afterwards.
func (s *Service) UpdateRecord(ctx context.Context, collection, id string, change map[string]any) (*Record, error) {
	before := s.client.DateText()
	record, err := s.one(ctx, api.Request{Operation: "finance.records.update", Path: place(collection, id), Body: change})
	return api.ReadBack(ctx, record, err, func(ctx context.Context) (*Record, error) {
		s.writes.Note(collection+"/"+id, "", before)
		return s.GetRecord(ctx, collection, id)
	})
}

func place(collection, id string) map[string]string {
	return map[string]string{"collection": collection, "id": id}
}

// DeleteRecord deletes a record (wire contract: finance.records.delete). One that is
// not there is deleted. It is false, and nothing is sent, when a creation of this
// process was given the record: then it belongs to that one.
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
