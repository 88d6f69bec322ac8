// Package finance is financial management in the sandbox: the records of any
// collection, and the description of its operations, openapi.yaml.
package finance

import (
	"errors"
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service is financial management: the records of any collection.
type Service struct {
	*server.Core
	CursorKey []byte // signs the cursors

	Records store.Table[RecordRow]
	// replies holds the response that a creation got, under replyID.
	replies store.Table[recordReply]

	RecordsOf store.Index[RecordRow] // by organization and collection
}

// Open attaches the tables of financial management.
func Open(c *server.Core) (*Service, error) {
	s := &Service{Core: c}
	var errs [2]error
	s.Records, errs[0] = store.NewTable[RecordRow](c.DB, "finance_records")
	s.replies, errs[1] = store.NewTable[recordReply](c.DB, "finance_replies")
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	s.RecordsOf = store.NewIndex(c.DB, s.Records,
		func(r RecordRow) string { return CollectionKey(r.Organization, r.Collection) })
	return s, nil
}

// Clear deletes every record.
func (s *Service) Clear(tx *store.Tx) {
	s.Records.Clear(tx)
	s.replies.Clear(tx)
}

var cursorPaging = []string{"limit", "cursor", server.AnyField}

// Routes are the operations of financial management. A collection is
// any name; accounts, payables and receivables are the ones that are described.
//
// The scopes are "<collection>:read" and "<collection>:write", which covers no
// reading; "*" in them matches any text.
func (s *Service) Routes() []server.Route {
	return []server.Route{
		{Name: "finance.accounts.list", Method: http.MethodGet, Pattern: "/v1/accounts",
			Scope: "accounts:read", Query: cursorPaging, Serve: s.listCollection("accounts")},
		{Name: "finance.payables.list", Method: http.MethodGet, Pattern: "/v1/payables",
			Scope: "payables:read", Query: cursorPaging, Serve: s.listCollection("payables")},
		{Name: "finance.receivables.list", Method: http.MethodGet, Pattern: "/v1/receivables",
			Scope: "receivables:read", Query: cursorPaging, Serve: s.listCollection("receivables")},
		{Name: "finance.records.list", Method: http.MethodGet, Pattern: "/v1/{collection}",
			Scope: "{collection}:read", Query: cursorPaging, Serve: s.listRecords},
		{Name: "finance.records.create", Method: http.MethodPost, Pattern: "/v1/{collection}",
			Scope: "{collection}:write", Serve: s.createRecord},
		{Name: "finance.records.get", Method: http.MethodGet, Pattern: "/v1/{collection}/{id}",
			Scope: "{collection}:read", Serve: s.getRecord},
		{Name: "finance.records.update", Method: http.MethodPatch, Pattern: "/v1/{collection}/{id}",
			Scope: "{collection}:write", Serve: s.updateRecord},
		{Name: "finance.records.delete", Method: http.MethodDelete, Pattern: "/v1/{collection}/{id}",
			Scope: "{collection}:write", Serve: s.deleteRecord},
		{Name: "finance.openapi.yaml", Method: http.MethodGet, Pattern: "/api/v1/openapi.yaml",
			Serve: s.describeYAML},
		{Name: "finance.openapi.json", Method: http.MethodGet, Pattern: "/api/v1/openapi.json",
			Serve: s.describeJSON},
	}
}

// CollectionKey is what the records of a collection share in RecordsOf.
func CollectionKey(organization, collection string) string { return organization + "/" + collection }
