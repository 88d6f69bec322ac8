package finance_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const record = "billing_finance_record"

// start gives the test financial management without any records to begin with.
func start(t *testing.T) *acctest.Service {
	t.Helper()
	service := acctest.Start(t, func(o *sandbox.Options) { o.NoExampleData = true })
	service.NeedsSandbox("it is not known what a live service keeps in its collections")
	return service
}

// TestSamePlanAppliedTwice: the plan of a creation is made a second time when it is applied, by a process that knows
// nothing of the first one. The key is the same each time, and so is the record.
func TestSamePlanAppliedTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	configuration := core.Configuration{Blocks: []core.Block{{Address: record + ".r",
		Values: acctest.JSON{"collection": "payables", "body": acctest.JSON{"amount": "10.50"}}}}}
	first := s.Core().Plan(configuration)
	ids := map[any]bool{}
	for range 2 {
		workspace := s.Core()
		key, again := first.Of(record + ".r").After["idempotency_key"], workspace.Plan(configuration).Of(record+".r")
		if again.After["idempotency_key"] != key {
			t.Errorf("the key is %s, and then %s", key, again.After["idempotency_key"])
		}
		if done := workspace.Apply(first, false); len(done.Errors) > 0 {
			t.Fatal(done.Errors)
		}
		ids[workspace.State(record + ".r")["id"]] = true
	}
	if len(ids) != 1 || len(s.All("/v1/payables")) != 1 {
		t.Errorf("ids %v, records %v", ids, s.All("/v1/payables"))
	}
}
