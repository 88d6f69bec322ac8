package billing

import (
	"context"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Listing says what a list holds and in which order, as every collection takes it
// (service description, Recurring billing §4 Collections).
type Listing struct {
	Search    string // free text, matched by the service alone; "": everything
	SortBy    string // a field as the service returns it; "": created_at
	SortOrder string // "asc" or "desc"; "": asc
}

// listing reads the pages of a collection as they are consumed. query holds its filters, id tells its objects apart.
func listing[T any](ctx context.Context, s *Service, r api.Request, query url.Values, l Listing,
	id func(T) string) iter.Seq2[T, error] {
	setIf(query, "search", l.Search)
	r.Query = query
	return api.List(ctx, s.client, r, api.ListOptions[T]{ID: id, SortBy: l.SortBy, SortOrder: l.SortOrder})
}
