package finance

import (
	"bytes"
	"encoding/json"
	"iter"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest/played"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func recorded() played.Player[*Service] {
	return played.Player[*Service]{Folder: "finance/", Connect: newService, Calls: calls,
		Skip: func(e evidence.Exchange) bool { // this client always sends a key
			return e.Operation == "finance.records.create" && e.Response.Status < 300 &&
				e.Request.Headers["X-Idempotency-Key"] == ""
		}}
}

func TestExchanges(t *testing.T) { recorded().Successes(t) }

func TestExchangesOfRefusals(t *testing.T) {
	if codes := recorded().Rejections(t); len(codes) < 5 {
		t.Errorf("only %v were played", codes)
	}
}

// calls carries out each operation out of a written-down request. A list is read completely.
var calls = map[string]func(*testing.T, *Service, []string, evidence.Request) (any, error){
	"finance.accounts.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return raws(s.ListAccounts(t.Context(), queryOf(r)))
	},
	"finance.payables.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return raws(s.ListPayables(t.Context(), queryOf(r)))
	},
	"finance.receivables.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return raws(s.ListReceivables(t.Context(), queryOf(r)))
	},
	"finance.records.list": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return raws(s.ListRecords(t.Context(), at[2], queryOf(r)))
	},
	"finance.records.create": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		made, err := s.CreateRecord(t.Context(), at[2], r.Body, r.Headers["X-Idempotency-Key"])
		if err != nil {
			return nil, err
		}
		return made.Raw, nil
	},
	"finance.records.get": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return raw(s.GetRecord(t.Context(), at[2], at[3]))
	},
	"finance.records.update": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		change := map[string]any{}
		decoder := json.NewDecoder(bytes.NewReader(r.Body))
		decoder.UseNumber()
		if err := decoder.Decode(&change); err != nil {
			t.Fatal(err)
		}
		return raw(s.UpdateRecord(t.Context(), at[2], at[3], change))
	},
	"finance.records.delete": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		_, err := s.DeleteRecord(t.Context(), at[2], at[3])
		return nil, err
	},
	"finance.openapi.json": func(t *testing.T, s *Service, _ []string, _ evidence.Request) (any, error) {
		return s.OpenAPIJSON(t.Context())
	},
	"finance.openapi.yaml": func(t *testing.T, s *Service, _ []string, _ evidence.Request) (any, error) {
		return s.OpenAPIYAML(t.Context())
	},
}

func queryOf(r evidence.Request) Query {
	q := Query{Filters: map[string]string{}}
	for name, value := range r.Query {
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
	return apitest.Raws(list, func(r Record) json.RawMessage { return r.Raw })
}
