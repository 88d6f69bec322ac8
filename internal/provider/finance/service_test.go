package finance_test

import (
	"os"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// silentKey is stored and never returned.
const silentKey = "internal_note"

// service is what a test runs against: financial management without any records to begin with, which returns not all of
// what it stores, and adds to it.
type service struct {
	*acctest.Service
	// stored is the same service as it stores things.
	stored *acctest.Service
	t      *testing.T
}

// start gives the test its own service.
func start(t *testing.T) *service {
	t.Helper()
	if os.Getenv("BILLING_ACC_LIVE") == "1" {
		t.Skip("needs a service of its own: what a live one keeps in its collections is not known")
	}
	stored := acctest.Start(t, func(o *sandbox.Options) { o.NoExampleData = true })
	shown := stored.Rewriting(func(_ string, record acctest.JSON) {
		delete(record, silentKey)
		lines, _ := record["lines"].([]any)
		for i, item := range lines {
			if line, ok := item.(acctest.JSON); ok {
				line["line_id"] = i + 1
			}
		}
	})
	return &service{Service: shown, stored: stored, t: t}
}

// Only is the one record of a collection, as it is stored.
func (s *service) Only(collection string) acctest.JSON {
	s.t.Helper()
	all := s.stored.FinanceRecords(collection)
	if len(all) != 1 {
		s.t.Fatalf("%s has %d records, want one", collection, len(all))
	}
	return all[0]
}

// path is where the one payable is.
func (s *service) path() string {
	s.t.Helper()
	return "/v1/payables/" + s.Only("payables")["id"].(string)
}

// loses drops so many responses to creations after the record was created.
func (s *service) loses(responses int) {
	s.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.create", DropAfter: true, Times: responses})
}

// notFound responds to everything below a path like the service to a route that it does not have.
func notFound(prefix string) sandbox.Fault {
	return sandbox.Fault{PathPrefix: prefix, Status: 404, Code: "route_not_found"}
}
