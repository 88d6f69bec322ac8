package sandbox

import (
	"errors"
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// finance is what financial management keeps.
type finance struct {
	records store.Table[recordRow]
	// replies holds the answer that a creation got, under replyID.
	replies store.Table[recordReply]

	recordsOf store.Index[recordRow] // by organization and collection

	description description
}

// anyField stands in a route's query parameters for the filters of financial
// management, which may name any field of the records.
const anyField = "*"

var cursorPaging = []string{"limit", "cursor", anyField}

// financeRoutes are the operations of financial management. A collection is
// any name; accounts, payables and receivables are the ones that are described.
//
// The scopes are "<collection>:read" and "<collection>:write", which covers no
// reading; "*" in them stands for any text.
var financeRoutes = []route{
	{"finance.accounts.list", http.MethodGet, "/v1/accounts", "accounts:read", cursorPaging, listCollection("accounts")},
	{"finance.payables.list", http.MethodGet, "/v1/payables", "payables:read", cursorPaging, listCollection("payables")},
	{"finance.receivables.list", http.MethodGet, "/v1/receivables", "receivables:read", cursorPaging, listCollection("receivables")},
	{"finance.records.list", http.MethodGet, "/v1/{collection}", "{collection}:read", cursorPaging, listRecords},
	{"finance.records.create", http.MethodPost, "/v1/{collection}", "{collection}:write", nil, createRecord},
	{"finance.records.get", http.MethodGet, "/v1/{collection}/{id}", "{collection}:read", nil, getRecord},
	{"finance.records.update", http.MethodPatch, "/v1/{collection}/{id}", "{collection}:write", nil, updateRecord},
	{"finance.records.delete", http.MethodDelete, "/v1/{collection}/{id}", "{collection}:write", nil, deleteRecord},
	{"finance.openapi.yaml", http.MethodGet, "/api/v1/openapi.yaml", "", nil, describeYAML},
	{"finance.openapi.json", http.MethodGet, "/api/v1/openapi.json", "", nil, describeJSON},
}

// openFinance attaches the tables of financial management.
func (s *Server) openFinance() error {
	f := &s.finance
	var errs [2]error
	f.records, errs[0] = store.NewTable[recordRow](s.db, "finance_records")
	f.replies, errs[1] = store.NewTable[recordReply](s.db, "finance_replies")
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	f.recordsOf = store.NewIndex(s.db, f.records, func(r recordRow) string { return collectionKey(r.Organization, r.Collection) })
	var err error
	f.description, err = describe(financeRoutes)
	return err
}

func collectionKey(organization, collection string) string { return organization + "/" + collection }
