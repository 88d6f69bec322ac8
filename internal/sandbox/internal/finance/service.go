// Package finance is financial management in the sandbox: the records of any
// collection, and the description of its operations, openapi.yaml.
package finance

import (
	_ "embed"
	"fmt"
	"net/http"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is financial management: the records of any collection.
type Service struct {
	*server.Core
	CursorKey []byte // signs the cursors

	Records store.Table[RecordRow]
	// replies holds the response that a creation got, by collection and idempotency key.
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

// Routes are the operations of financial management. A collection is
// any name; accounts, payables and receivables are the ones that are described.
//
// The scopes are "<collection>:read" and "<collection>:write", which covers no
// reading; "*" in them matches any text.
func (s *Service) Routes() []server.Route {
	none, route := server.Form{}, server.NewRoute
	return []server.Route{
		route("finance.accounts.list", "GET /v1/accounts",
			s.listCollection("accounts"), cursorPaging...).Needing("accounts:read"),
		route("finance.payables.list", "GET /v1/payables",
			s.listCollection("payables"), cursorPaging...).Needing("payables:read"),
		route("finance.receivables.list", "GET /v1/receivables",
			s.listCollection("receivables"), cursorPaging...).Needing("receivables:read"),
		route("finance.records.list", "GET /v1/{collection}", s.listRecords, cursorPaging...).Needing("{collection}:read"),
		route("finance.records.create", "POST /v1/{collection}", s.createRecord).Needing("{collection}:write"),
		route("finance.records.get", "GET /v1/{collection}/{id}",
			server.On(s.findRecord, none, s.showRecord)).Needing("{collection}:read"),
		route("finance.records.update", "PATCH /v1/{collection}/{id}",
			server.On(s.findRecord, none, s.updateRecord)).Needing("{collection}:write"),
		route("finance.records.delete", "DELETE /v1/{collection}/{id}",
			server.On(s.findRecord, none, s.deleteRecord)).Needing("{collection}:write"),
		route("finance.openapi.yaml", "GET /api/v1/openapi.yaml", s.describeYAML).Needing(""),
		route("finance.openapi.json", "GET /api/v1/openapi.json", s.describeJSON).Needing(""),
	}
}

// CollectionKey is what the records of a collection share in RecordsOf.
func CollectionKey(organization, collection string) string { return organization + "/" + collection }

// The errors of financial management alone.
var (
	errCursor = &server.Error{Status: http.StatusBadRequest, Code: "invalid_cursor",
		Message: "The cursor was not made by this listing with these filters, or has been changed."}
	errIdempotencyKey = &server.Error{Status: http.StatusBadRequest, Code: "invalid_idempotency_key",
		Message: "The header X-Idempotency-Key must be one UUID of version 4."}

	// ErrUnknownJWT is for a token that was never issued.
	ErrUnknownJWT = server.ErrInvalidToken.With(
		"The access token is not a JWT of this service, or its signature is not valid.")
)

// openAPI describes the operations of financial management
// (service description, Financial management §4 and §9).
//
//go:embed openapi.yaml
var openAPI []byte

// openAPIJSON is openAPI in JSON, converted when it is first asked for.
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

func (s *Service) describeJSON(*server.Call, *store.Tx) (server.Reply, error) {
	document, err := openAPIJSON()
	return server.Reply{Status: http.StatusOK, Body: document, Kind: "application/json"}, err
}

func (s *Service) describeYAML(*server.Call, *store.Tx) (server.Reply, error) {
	return server.Reply{Status: http.StatusOK, Body: openAPI, Kind: "application/yaml"}, nil
}
