package finance_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
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

// TestShownOtherwise: a key that the service never returns, and keys that it adds to the items of lists, are not drift.
func TestShownOtherwise(t *testing.T) {
	t.Parallel()
	s := start(t)
	d := s.Rewriting(func(_ string, record acctest.JSON) {
		delete(record, "internal_note")
		lines, _ := record["lines"].([]any)
		for i, item := range lines {
			item.(acctest.JSON)["line_id"] = i + 1
		}
	}).Subject(record, acctest.JSON{"collection": "payables"})
	body := func(note, line string) acctest.JSON {
		return acctest.JSON{"body": acctest.JSON{"internal_note": note, "lines": []any{acctest.JSON{"name": line}}}}
	}
	if warned := d.Configure(body("a", "Flat")); warned != "" {
		t.Errorf("the creation warns: %s", warned)
	}
	d.Settled(body("a", "Flat"))
	path := "/v1/payables/" + d.ID()
	s.Must("PATCH", path, acctest.JSON{"internal_note": "theirs"})
	d.Settled(body("a", "Flat"))
	s.Must("PATCH", path, acctest.JSON{"lines": []any{acctest.JSON{"name": "Flat"},
		acctest.JSON{"name": "Garage"}}})
	d.Reread()
	d.Configure(body("b", "Flat"))
	d.Settled(body("b", "Flat"))
	stored := s.FinanceRecords("payables")[0]
	if lines := stored["lines"].([]any); stored["internal_note"] != "b" || len(lines) != 1 {
		t.Errorf("the service has %v", stored)
	}
}

// TestSamePlanAppliedTwice: the plan of a creation is made a second time when it is applied, by a process that knows
// nothing of the first one. The key is the same each time, and so is the record.
func TestSamePlanAppliedTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := acctest.JSON{"collection": "payables", "body": acctest.JSON{"amount": "10.50"}}
	planned := s.Direct(record).Plan(config)
	key := planned.Text(t, "idempotency_key")
	ids := map[string]bool{}
	for range 2 {
		d := s.Direct(record)
		if again := d.Plan(config).Text(t, "idempotency_key"); again != key {
			t.Errorf("the key is %s, and then %s", key, again)
		}
		if text := acctest.Errors(d.Apply(planned)); text != "" {
			t.Fatal(text)
		}
		ids[d.ID()] = true
	}
	if len(ids) != 1 || len(s.FinanceRecords("payables")) != 1 {
		t.Errorf("ids %v, records %v", ids, s.FinanceRecords("payables"))
	}
}
