// Package finance is the client of the financial-management service: accounts, payables, receivables, and records of
// other collections. The service documents little about its objects, so they are returned unchanged, with numbers and
// amounts exactly as written. The package does not depend on Terraform.
//
// A creation carries an idempotency key, which this service supports (service description, Financial management §1). So
// it can be repeated like a read: see [Service.CreateRecord].
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

// Wrote records when a record was last written, according to an earlier run. A read that lags behind it is repeated.
// seen is the result of Date in that run, or "": records may be dated by another clock.
func (s *Service) Wrote(collection, id, written, seen string) {
	record := &Record{Raw: json.RawMessage(seen)}
	s.writes.Note(collection+"/"+id, cmp.Or(written, record.Field("created_at")), record.Field("updated_at"))
}

// Date returns the time of the service's newest response, or "".
func (s *Service) Date() string { return s.client.DateText() }

// OpenAPIJSON returns the description of the service's current interface as JSON (wire contract: finance.openapi.json).
func (s *Service) OpenAPIJSON(ctx context.Context) (json.RawMessage, error) {
	return api.One[json.RawMessage](ctx, s.client, api.Request{Operation: "finance.openapi.json"})
}

// OpenAPIYAML returns the same description as YAML, unchanged (wire contract: finance.openapi.yaml).
func (s *Service) OpenAPIYAML(ctx context.Context) (string, error) {
	document, err := api.Raw(ctx, s.client, api.Request{Operation: "finance.openapi.yaml", Accept: "application/yaml"})
	return string(document), err
}
