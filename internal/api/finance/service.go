// Package finance speaks to the financial-management service: accounts, payables,
// receivables, and the records of any other collection, with the operations of
// the wire contract. The service documents little about its objects, so they
// stay as they are returned, numbers and amounts exactly as written. It does not depend on
// Terraform.
//
// A create carries an idempotency key, which this service honours (service
// description, Financial management §1). So a create is repeated like a read, and a
// lost response is asked for again: see [Service.CreateRecord].
package finance

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Service is the financial-management service behind one client. It is safe for concurrent use.
type Service struct {
	client *api.Client
	keys   claims
	writes api.Writes
}

// New wraps a client of the financial-management service.
func New(c *api.Client) *Service { return &Service{client: c} }

// Wrote records when a record was last written, according to an earlier run: a read that
// lags behind that is repeated. written is what Date returned then, "" where it is not known:
// the clock that dates records may be another one.
func (s *Service) Wrote(collection, id, written, seen string) {
	record := &Record{Raw: json.RawMessage(seen)}
	s.writes.Note(collection+"/"+id, cmp.Or(written, record.Field("created_at")), record.Field("updated_at"))
}

// Date is the time of the service's newest response; "" where it shows none.
func (s *Service) Date() string { return s.client.DateText() }

// OpenAPIJSON is the description of the service's current interface as JSON (wire
// contract: finance.openapi.json).
func (s *Service) OpenAPIJSON(ctx context.Context) (json.RawMessage, error) {
	return api.One[json.RawMessage](ctx, s.client, api.Request{Operation: "finance.openapi.json"})
}

// OpenAPIYAML is the same description as YAML, exactly as it was returned (wire
// contract: finance.openapi.yaml).
func (s *Service) OpenAPIYAML(ctx context.Context) (string, error) {
	document, err := api.Raw(ctx, s.client, api.Request{Operation: "finance.openapi.yaml", Accept: "application/yaml"})
	return string(document), err
}
