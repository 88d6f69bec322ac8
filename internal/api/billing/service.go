// Package billing is the client of the recurring-billing service. Each object has a file with its wire types and
// operations. The package does not depend on Terraform.
package billing

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Service is the recurring-billing service behind one client. It is safe for concurrent use.
type Service struct {
	client *api.Client
	writes api.Writes
}

// New wraps a client of the recurring-billing service.
func New(c *api.Client) *Service { return &Service{client: c} }

// Wrote records when an object was last written, according to the state of an earlier run. A read that lags behind it
// is repeated.
func (s *Service) Wrote(id, created, updated string) { s.writes.Note(id, created, updated) }

// wrote records a write from its response. If the response has no time, the write happened at the time of the response
// or before.
func (s *Service) wrote(id, created, updated string, creates bool) {
	if creates && created == "" {
		created = s.client.DateText()
	}
	s.writes.Note(id, created, updated)
}

// Now returns the service's own time; see [api.Client.Now].
func (s *Service) Now(ctx context.Context) (time.Time, error) {
	return s.client.Now(ctx, func(ctx context.Context) error {
		_, err := s.Me(ctx)
		return err
	})
}

// checked is implemented by objects that [api.One] checks. An object without an id is rejected.
type checked interface{ Check() error }

// ListOptions configures the content and order of a list, for every collection (service description, Recurring billing
// §4 Collections).
type ListOptions struct {
	SortBy    string // a field as the service returns it; "": created_at
	SortOrder string // "asc" or "desc"; "": asc
	Worded    bool   // accepts an external_id in the service's wording
}

// hasCode reports whether an object has the wanted external_id; "" wants none in particular.
func (o ListOptions) hasCode(want string, have *string) bool {
	return want == "" || want == api.OrEmpty(have) || o.Worded && same.Wording(want, api.OrEmpty(have))
}

// listPages reads the pages of a collection as they are consumed. query contains its filters; id identifies its
// objects.
func listPages[T any](ctx context.Context, s *Service, r api.Request, query url.Values, l ListOptions,
	id func(T) string) iter.Seq2[T, error] {
	r.Query = query
	return api.List(ctx, s.client, r, api.ListOptions[T]{ID: id, SortBy: l.SortBy, SortOrder: l.SortOrder})
}

func setIf(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// notBefore compares two timestamps. It is true if one of them cannot be parsed.
func notBefore(value, earliest string) bool {
	at, ok := api.ParseTime(value)
	limit, limitOK := api.ParseTime(earliest)
	return !ok || !limitOK || !at.Before(limit)
}

// Organization is the organization that the token belongs to (service description, Recurring billing §4).
type Organization struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	DocumentType   string `json:"document_type"`
	DocumentNumber string `json:"document_number"`
	Environment    string `json:"environment"` // for example "sandbox"
	CreatedAt      string `json:"created_at"`
}

// Check implements [checked].
func (o *Organization) Check() error { return api.Present("organization with an id", o.ID) }

// Me returns the organization of the token (wire contract: me.get). The service returns a bare object.
func (s *Service) Me(ctx context.Context) (*Organization, error) {
	return api.Object[Organization](ctx, s.client, api.Request{Operation: "me.get"})
}

// TryTime limits [Service.TryMe].
const TryTime = 10 * time.Second

// ErrNoMe is the error of [Service.TryMe] for a service that does not respond, or only with errors of its own.
var ErrNoMe = fmt.Errorf("GET /v1/me has not succeeded within %s", TryTime)

// TryMe is Me for a caller that can do without: it takes TryTime at most, and its failure does not affect other calls.
// While the service asks all requests to wait (429), it waits too.
func (s *Service) TryMe(ctx context.Context) (*Organization, error) {
	limited, cancel := context.WithTimeout(ctx, TryTime)
	defer cancel()
	me := api.Request{Operation: "me.get", Optional: true}
	organization, err := api.Object[Organization](limited, s.client, me)
	if throttled(err) {
		organization, err = api.Object[Organization](ctx, s.client, me)
	}
	if e, responded := api.AsError(err); err != nil && (!responded || e.Status >= http.StatusInternalServerError) {
		return nil, ErrNoMe
	}
	return organization, err
}

func throttled(err error) bool {
	e, responded := api.AsError(err)
	return responded && e.Status == http.StatusTooManyRequests
}
