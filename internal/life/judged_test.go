package life

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
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
	block       block
	state       object
	apply, fine bool
}

// TestJudged checks that an error is accepted only if its cause is there.
func TestJudged(t *testing.T) {
	t.Parallel()
	lifetime, both := object{"expires_after_days": 5}, object{"expires_after_days": 5, "expires_at": "@9h"}
	fixedTime := object{"expires_at": "@9h"}
	payables, receivables := object{"collection": "payables"}, object{"collection": "receivables"}
	keeps := func(name string, values object) block { return block{values: values, ignore: []string{name}} }
	later := func(name string, values object) block { return block{values: values, later: []string{name}} }
	for name, test := range map[string]judgedTest{
		"two expiries, one kept":    {twoExpiries, keeps("expires_after_days", fixedTime), lifetime, false, true},
		"a fixed time kept":         {twoExpiries, keeps("expires_at", lifetime), fixedTime, false, false},
		"nothing ignored":           {twoExpiries, block{values: fixedTime}, lifetime, false, false},
		"all ignored":               {twoExpiries, keeps("all", fixedTime), both, false, false},
		"the configured one kept":   {twoExpiries, keeps("expires_at", fixedTime), lifetime, false, false},
		"nothing to keep":           {twoExpiries, keeps("expires_after_days", fixedTime), object{}, false, false},
		"another argument ignored":  {twoExpiries, keeps("description", fixedTime), lifetime, false, false},
		"one expiry in all":         {twoExpiries, keeps("expires_after_days", object{}), lifetime, false, false},
		"two expiries in the apply": {twoExpiries, keeps("expires_after_days", fixedTime), lifetime, true, false},
		"two trials, one kept": {twoTrials, keeps("trial_end", object{"trial_period_days": 14}), object{"trial_end": "@9h"},
			false, true},
		"two trials, nothing ignored": {twoTrials, block{values: object{"trial_period_days": 14}}, object{"trial_end": "@9h"},
			false, false},
		"another collection later":    {moved, later("collection", receivables), payables, true, true},
		"another collection, known":   {moved, block{values: receivables}, payables, true, false},
		"another argument later":      {moved, later("body", receivables), payables, true, false},
		"the same collection later":   {moved, later("collection", payables), payables, true, false},
		"a new record":                {moved, later("collection", receivables), nil, true, false},
		"another collection, planned": {moved, later("collection", receivables), payables, false, false},
	} {
		at := addressOf(test.text)
		j := newJudge(&scenario{t: t, drive: fixed{state: map[string]object{at: test.state}},
			used: map[string]bool{}})
		j.blocks = map[string]block{at: test.block}
		var bad *violation
		if test.apply {
			bad = j.failed(nil, &core.Applied{Errors: []string{test.text}}, time.Time{})
		} else {
			bad = j.refused(&core.Plan{Errors: []string{test.text}})
		}
		if (bad == nil) != test.fine {
			t.Errorf("%s: %v", name, bad)
		}
	}
}
