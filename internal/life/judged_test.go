package life

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// fixed is a driver with a fixed state.
type fixed struct {
	driver
	state map[string]object
}

func (f fixed) State(address string) object { return f.state[address] }

const (
	twoExpiries = `billing_api_key.k: API key "k-1" has two expiries: Remove one.`
	twoTrials   = `billing_subscription.s: The subscription cannot be created: two trials are set: Remove one.`
	moved       = "billing_finance_record.r: The plan did not show this replacement of the record r in payables: Again."
)

// judgedTest is an error of a plan or an apply, and what decides whether it is right.
type judgedTest struct {
	text        string
	block       step
	state       object
	run         step
	apply, fine bool
}

// TestJudged checks that an error is accepted only if its cause is there.
func TestJudged(t *testing.T) {
	t.Parallel()
	lifetime, both := object{"expires_after_days": 5}, object{"expires_after_days": 5, "expires_at": "@9h"}
	fixedTime := object{"expires_at": "@9h"}
	later := step{Later: []string{"billing_finance_record.r.collection"}}
	payables, receivables := object{"collection": "payables"}, object{"collection": "receivables"}
	keeps := func(name string, values object) step { return step{Values: values, Ignore: []string{name}} }
	for name, test := range map[string]judgedTest{
		"two expiries, one kept":    {twoExpiries, keeps("expires_after_days", fixedTime), lifetime, step{}, false, true},
		"a fixed time kept":         {twoExpiries, keeps("expires_at", lifetime), fixedTime, step{}, false, false},
		"nothing ignored":           {twoExpiries, step{Values: fixedTime}, lifetime, step{}, false, false},
		"all ignored":               {twoExpiries, keeps("all", fixedTime), both, step{}, false, false},
		"the configured one kept":   {twoExpiries, keeps("expires_at", fixedTime), lifetime, step{}, false, false},
		"nothing to keep":           {twoExpiries, keeps("expires_after_days", fixedTime), object{}, step{}, false, false},
		"another argument ignored":  {twoExpiries, keeps("description", fixedTime), lifetime, step{}, false, false},
		"one expiry in all":         {twoExpiries, keeps("expires_after_days", object{}), lifetime, step{}, false, false},
		"two expiries in the apply": {twoExpiries, keeps("expires_after_days", fixedTime), lifetime, step{}, true, false},
		"two trials, one kept": {twoTrials, keeps("trial_end", object{"trial_period_days": 14}), object{"trial_end": "@9h"},
			step{}, false, true},
		"two trials, nothing ignored": {twoTrials, step{Values: object{"trial_period_days": 14}}, object{"trial_end": "@9h"},
			step{}, false, false},
		"another collection later":    {moved, step{Values: receivables}, payables, later, true, true},
		"another collection, known":   {moved, step{Values: receivables}, payables, step{}, true, false},
		"another argument later":      {moved, step{Values: receivables}, payables, step{Later: []string{"body"}}, true, false},
		"the same collection later":   {moved, step{Values: payables}, payables, later, true, false},
		"a new record":                {moved, step{Values: receivables}, nil, later, true, false},
		"another collection, planned": {moved, step{Values: receivables}, payables, later, false, false},
	} {
		at := addressOf(test.text)
		w := &world{stage: stage{t: t, drive: fixed{state: map[string]object{at: test.state}}},
			blocks: map[string]step{at: test.block}, start: acctest.Epoch}
		var bad *violation
		if test.apply {
			bad = w.failed(test.run, &acctest.CoreApplied{Errors: []string{test.text}}, time.Time{})
		} else {
			bad = w.refused(&acctest.CorePlan{Errors: []string{test.text}})
		}
		if (bad == nil) != test.fine {
			t.Errorf("%s: %v", name, bad)
		}
	}
}
