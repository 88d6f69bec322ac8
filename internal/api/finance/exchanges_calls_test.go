package finance

import (
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// placeOf takes the path /v1/{collection}/{id} of a written-down request apart.
func placeOf(e evidence.Exchange) (collection, id string) {
	collection, id, _ = strings.Cut(strings.TrimPrefix(e.Request.Path, "/v1/"), "/")
	return collection, id
}

// calls carries out each operation out of a written-down request. A list is read completely.
var calls = map[string]func(*testing.T, *Service, evidence.Exchange) (any, error){
	"finance.accounts.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		return raws(s.ListAccounts(t.Context(), queryOf(e)))
	},
	"finance.payables.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		return raws(s.ListPayables(t.Context(), queryOf(e)))
	},
	"finance.receivables.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		return raws(s.ListReceivables(t.Context(), queryOf(e)))
	},
	"finance.records.list": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, _ := placeOf(e)
		return raws(s.ListRecords(t.Context(), collection, queryOf(e)))
	},
	"finance.records.create": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, _ := placeOf(e)
		made, err := s.CreateRecord(t.Context(), collection, e.Request.Body, e.Request.Headers["X-Idempotency-Key"])
		if err != nil {
			return nil, err
		}
		return made.Raw, nil
	},
	"finance.records.get": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, id := placeOf(e)
		return raw(s.GetRecord(t.Context(), collection, id))
	},
	"finance.records.update": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, id := placeOf(e)
		change, _ := decoded(t, string(e.Request.Body)).(map[string]any)
		return raw(s.UpdateRecord(t.Context(), collection, id, change))
	},
	"finance.records.delete": func(t *testing.T, s *Service, e evidence.Exchange) (any, error) {
		collection, id := placeOf(e)
		_, err := s.DeleteRecord(t.Context(), collection, id)
		return nil, err
	},
	"finance.openapi.json": func(t *testing.T, s *Service, _ evidence.Exchange) (any, error) {
		return s.OpenAPIJSON(t.Context())
	},
	"finance.openapi.yaml": func(t *testing.T, s *Service, _ evidence.Exchange) (any, error) {
		return s.OpenAPIYAML(t.Context())
	},
}

func queryOf(e evidence.Exchange) Query {
	q := Query{Filters: map[string]string{}}
	for name, value := range e.Request.Query {
		if !Reserved(name) {
			q.Filters[name] = value
		}
	}
	return q
}

func raw(record *Record, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return record.Raw, nil
}

func raws(list iter.Seq2[Record, error]) (any, error) {
	all := []json.RawMessage{}
	for record, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, record.Raw)
	}
	return all, nil
}
