// Package finance implements financial management in the sandbox: the records of any collection, and its OpenAPI
// description, openapi.yaml.
package finance

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is financial management: the records of any collection.
type Service struct {
	*server.Core
	CursorKey []byte // signs the cursors

	Records store.Table[RecordRow]
	// replies contains the responses to creations, by collection and idempotency key.
	replies store.Table[recordReply]

	RecordsOf store.Index[RecordRow] // by organization and collection
}

// Open attaches the tables of financial management.
func Open(c *server.Core) *Service {
	s := &Service{Core: c, Records: store.NewTable[RecordRow](c.DB, "finance_records"),
		replies: store.NewTable[recordReply](c.DB, "finance_replies")}
	s.RecordsOf = store.NewIndex(c.DB, s.Records,
		func(r RecordRow) string { return CollectionKey(r.Organization, r.Collection) })
	return s
}

var cursorPaging = []string{"limit", "cursor", server.AnyField}

// Routes returns the operations of financial management. Any collection name is valid; only accounts, payables and
// receivables are documented.
//
// The scopes are "<collection>:read" and "<collection>:write", which does not include reading; "*" in them matches any
// text.
func (s *Service) Routes() []server.Route {
	none, route := server.Form{}, server.NewRoute
	return []server.Route{
		route("finance.accounts.list", "GET /v1/accounts",
			s.listCollection("accounts"), cursorPaging...).Needing("accounts:read"),
		route("finance.payables.list", "GET /v1/payables",
			s.listCollection("payables"), cursorPaging...).Needing("payables:read"),
		route("finance.receivables.list", "GET /v1/receivables",
			s.listCollection("receivables"), cursorPaging...).Needing("receivables:read"),
		route("finance.records.list", "GET /v1/{collection}",
			server.With(none, s.listRecords), cursorPaging...).Needing("{collection}:read"),
		route("finance.records.create", "POST /v1/{collection}",
			server.With(none, s.createRecord)).Needing("{collection}:write"),
		route("finance.records.get", "GET /v1/{collection}/{id}",
			server.On(s.findRecord, none, s.showRecord)).Needing("{collection}:read"),
		route("finance.records.update", "PATCH /v1/{collection}/{id}",
			server.On(s.findRecord, none, s.updateRecord)).Needing("{collection}:write"),
		route("finance.records.delete", "DELETE /v1/{collection}/{id}",
			server.On(s.findRecord, none, s.deleteRecord)).Needing("{collection}:write"),
		route("finance.openapi.yaml", "GET /api/v1/openapi.yaml", server.With(none, s.describeYAML)).Needing(""),
		route("finance.openapi.json", "GET /api/v1/openapi.json", server.With(none, s.describeJSON)).Needing(""),
	}
}

// CollectionKey is the key of a collection's records in RecordsOf.
func CollectionKey(organization, collection string) string { return organization + "/" + collection }

// Errors specific to financial management.
var (
	errCursor = &server.Error{Status: http.StatusBadRequest, Code: "invalid_cursor",
		Message: "The cursor was not made by this listing with these filters, or has been changed."}
	errIdempotencyKey = &server.Error{Status: http.StatusBadRequest, Code: "invalid_idempotency_key",
		Message: "The header X-Idempotency-Key must be one UUID of version 4."}

	// ErrUnknownJWT is returned for a token that was never issued.
	ErrUnknownJWT = server.ErrInvalidToken.With(
		"The access token is not a JWT of this service, or its signature is not valid.")
)

// openAPI describes the operations of financial management
// (service description, Financial management §4 and §9).
//
//go:embed openapi.yaml
var openAPI []byte

// openAPIJSON is openAPI in JSON, converted on first use.
var openAPIJSON = sync.OnceValues(func() ([]byte, error) {
	text, err := yaml.YAMLToJSON(openAPI)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	document, err := server.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return server.Encode(document)
})

// Described returns the OpenAPI document in JSON, for a service at an address.
func Described(address string) ([]byte, error) {
	text, err := openAPIJSON()
	if err != nil {
		return nil, err
	}
	document, err := server.ReadObject(text)
	if err != nil {
		return nil, err
	}
	document["servers"] = []any{map[string]any{"url": address}}
	return server.Encode(document)
}

func (s *Service) describeJSON(*server.Call, *store.Tx) (server.Reply, error) {
	document, err := openAPIJSON()
	return server.Reply{Status: http.StatusOK, Body: document, Kind: "application/json"}, err
}

func (s *Service) describeYAML(*server.Call, *store.Tx) (server.Reply, error) {
	return server.Reply{Status: http.StatusOK, Body: openAPI, Kind: "application/yaml"}, nil
}

// The companies of the example data have fixed ids, so that examples can filter by them.
const (
	ExampleCompany       = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a" // Padaria Aurora Ltda.
	ExampleSecondCompany = "2c9e4f7a-0b1d-4e85-9a36-c4d5e6f70819" // Livraria Ipê Amarelo Ltda.
)

// examples are the records of the example data by collection. days_ago is when one occurred, from the start of the
// clock.
//
//go:embed examples.json
var examples []byte

// daysToPay is the number of days from the occurrence of a payable or receivable to its due date.
const daysToPay = 15

// PutExamples creates the example data of an organization.
func (s *Service) PutExamples(tx *store.Tx, organization string) error {
	lists, err := server.ReadObject(examples)
	if err != nil {
		return err
	}
	for _, collection := range slices.Sorted(maps.Keys(lists)) {
		for i, element := range lists[collection].([]any) {
			fields := element.(map[string]any)
			daysAgo, _ := fields["days_ago"].(json.Number).Int64()
			delete(fields, "days_ago")
			at := s.Clock.Now().AddDate(0, 0, -int(daysAgo)).Truncate(time.Hour)
			if collection != "accounts" {
				fields["occurred_at"] = at.UTC().Format(time.DateOnly)
				fields["due_on"] = at.UTC().AddDate(0, 0, daysToPay).Format(time.DateOnly)
			}
			_, _, err := s.putRecord(tx, RecordRow{
				Owned: server.Owned{Organization: organization}, Collection: collection, ID: exampleID(collection, i),
				Number: s.Next(tx), CreatedAt: server.Timestamp{Time: at}, UpdatedAt: server.Timestamp{Time: at},
			}, fields)
			if err != nil {
				return fmt.Errorf("example %d of %s: %w", i, collection, err)
			}
		}
	}
	return nil
}

// exampleID is the same in every sandbox, and does not consume the id source.
func exampleID(collection string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "example %s %d", collection, i))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4, variant of RFC 9562
	return id.String()
}
