package subscription_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestSubscription_fields sets, changes and clears every argument in place, and holds each result to an empty plan and
// to what the service has.
func TestSubscription_fields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after any
		// cleared is what the service has once the argument is removed; "as before" where it stays.
		cleared any
	}{
		"external_id":         {"x-1", "x-2", nil},
		"discount_code_id":    {planB, planC, nil},
		"discount_percent":    {"10", "12.5", nil},
		"billing_cycle":       {"monthly", "annual", "annual"},
		"collection_method":   {"manual_charge", "manual_invoice", nil},
		"proration_behavior":  {"none", "always_invoice", "always_invoice"},
		"nfe_issuance_policy": {"disabled", "on_finalization", nil},
		"allow_pause":         {true, false, false},
		"allow_cancel":        {true, false, false},
		"notes":               {"one", "two", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			for _, value := range []any{c.before, c.after} {
				lines := acctest.JSON{name: value}
				s.Configure(lines)
				s.Settled(lines)
				if have := s.remote()[name]; name != "discount_percent" && have != value {
					t.Errorf("the service has %v, want %v", have, value)
				}
			}
			lines := acctest.JSON{name: nil}
			s.Configure(lines)
			s.Settled(lines)
			if have := s.remote()[name]; have != c.cleared {
				t.Errorf("the service has %v, want %v", have, c.cleared)
			}
		})
	}
}

// TestSubscription_fieldsOutside: what another system changed is corrected where it is configured; defaults of the
// service are left alone.
func TestSubscription_fieldsOutside(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"notes": "ours", "collection_method": "manual_charge"}
	s.Configure(lines)
	s.patch(acctest.JSON{"notes": "theirs", "collection_method": nil, "nfe_issuance_policy": "disabled",
		"proration_behavior": "none", "billing_cycle": "annual"})
	s.Reread()
	s.Configure(lines)
	s.Settled(lines)
	remote := s.remote()
	if remote["notes"] != "ours" || remote["collection_method"] != "manual_charge" ||
		remote["nfe_issuance_policy"] != "disabled" || remote["billing_cycle"] != "annual" {
		t.Errorf("the service has %v", remote)
	}
}

// TestSubscription_sameInOtherWords: numbers and timestamps that mean the same are not a change.
func TestSubscription_sameInOtherWords(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"discount_percent": "10", "trial_end": "2999-12-31"})
	s.Is("discount_percent", `"10"`)
	for _, percent := range []string{"10", "10.0", "10.00"} {
		for _, end := range []string{"2999-12-31", "2999-12-31T00:00:00Z", "2999-12-30T21:00:00.000-03:00"} {
			s.Settled(acctest.JSON{"discount_percent": percent, "trial_end": end})
		}
	}
	s.patch(acctest.JSON{"discount_percent": 11})
	s.Reread()
	s.Is("discount_percent", `"11.00"`)
}

// TestSubscription_trial: by days or by its end; both only matter to the creation.
func TestSubscription_trial(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	days := acctest.JSON{"trial_period_days": 14}
	s.Configure(days)
	s.Is("status", `"trialing"`)
	s.Is("trial_end", `"2026-03-28T12:00:00.000Z"`)
	s.Settled(days)
	for _, lines := range []acctest.JSON{{"trial_period_days": 20}, {"trial_end": "2999-01-01"}, nil} {
		if told := s.Settled(lines); told != "" {
			t.Errorf("%v: told: %s", lines, told)
		}
	}
	s.pass(20 * 24 * time.Hour)
	s.Settled(days)
	s.Is("status", `"active"`)
	both := acctest.JSON{"trial_period_days": 1, "trial_end": "2999-01-01"}
	says(t, acctest.Errors(subscribe(t).Plan(s.With(both)).Diagnostics), `AttributeName("trial_period_days")`,
		"two trials")

	none := subscribe(t)
	none.Configure(acctest.JSON{"trial_period_days": 0})
	none.Is("status", `"active"`)
	none.Settled(acctest.JSON{"trial_period_days": 0})
	says(t, acctest.Errors(subscribe(t).Plan(none.With(acctest.JSON{"trial_end": "2020-01-01"})).Diagnostics),
		`AttributeName("trial_end")`, "would have ended already")
}

// TestSubscription_trialTooLate: a trial that is asked for later is taken over without a request and without a word.
func TestSubscription_trialTooLate(t *testing.T) {
	t.Parallel()
	for _, lines := range []acctest.JSON{{"trial_end": "2999-01-01"}, {"trial_period_days": 9}} {
		s := subscribe(t)
		s.Configure(nil)
		s.service.Sandbox.ResetRequests()
		if told := s.Configure(lines); told != "" {
			t.Errorf("told: %s", told)
		}
		if have := s.operations(); len(have) > 0 {
			t.Errorf("asked for %v", have)
		}
		if more := s.Settled(lines); more != "" {
			t.Errorf("told again: %s", more)
		}
		s.Is("trial_start", "null")
	}
}

// TestSubscription_localOnly: what only this provider knows changes nothing at the service.
func TestSubscription_localOnly(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.service.Sandbox.ResetRequests()
	lines := acctest.JSON{"deletion_policy": "abandon", "on_external_cancel": "error", "cancellation_reason": "x",
		"plan_change": acctest.JSON{"reason": "y"}}
	p := s.Plan(s.With(lines))
	if unknown := p.Unknown(t); len(unknown) > 0 {
		t.Errorf("known after apply: %v", unknown)
	}
	s.Configure(lines)
	if have := s.service.Operations(); len(have) > 0 {
		t.Errorf("asked for %v", have)
	}
	s.Settled(lines)
}

// TestSubscription_replaced: what only a new subscription can have replaces it.
func TestSubscription_replaced(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.Reread()
	for name, value := range map[string]string{"billing_account_id": accountOf(s.service), "company_id": planC,
		"product_group_id": planC} {
		p := s.Plan(s.With(acctest.JSON{name: value}))
		if fmt.Sprint(p.Replaces) != "["+name+"]" {
			t.Errorf("%s replaces for %v", name, p.Replaces)
		}
	}
}

// TestSubscription_replacedPastItsPolicy: a subscription that may not end, or would continue, is not replaced: the new
// one would charge next to it. What counts is the policy that was applied, as it is the one that destroying follows.
func TestSubscription_replacedPastItsPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		applied acctest.JSON
		says    string
	}{
		"prevent":             {acctest.JSON{"deletion_policy": "prevent"}, "deletion_policy prevents that this plan replaces"},
		"may not be canceled": {acctest.JSON{"allow_cancel": false}, "may not be canceled"},
		"abandon":             {acctest.JSON{"deletion_policy": "abandon"}, "would charge next to the new one"},
		"ends with the period": {acctest.JSON{"deletion_policy": "cancel_at_period_end"},
			"would charge next to the new one"},
		"canceled, as by default": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(c.applied)
			s.Reread()
			s.anotherRun(c.applied)
			p := s.PlanReplace(s.With(acctest.JSON{"billing_account_id": accountOf(s.service),
				"deletion_policy": "cancel"}))
			if have := acctest.Errors(p.Diagnostics); (have == "") != (c.says == "") || !strings.Contains(have, c.says) {
				t.Errorf("%q, want %q", have, c.says)
			}
		})
	}
}

// TestSubscription_metadata: this configuration owns the keys it names, and no others.
func TestSubscription_metadata(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"custom_metadata": acctest.JSON{"a": 1, "b": acctest.JSON{"c": true}}}
	s.Configure(lines)
	s.patch(acctest.JSON{"custom_metadata": acctest.JSON{"theirs": "x", "b": acctest.JSON{"d": 2}},
		"custom_metadata_mode": "merge"})
	s.Settled(lines)
	s.Is("effective_custom_metadata", `"{\"a\":1,\"b\":{\"c\":true,\"d\":2},\"theirs\":\"x\"}"`)
	fewer := acctest.JSON{"custom_metadata": acctest.JSON{"b": acctest.JSON{"c": false}}}
	s.Configure(fewer)
	s.Settled(fewer)
	s.Is("effective_custom_metadata", `"{\"b\":{\"c\":false,\"d\":2},\"theirs\":\"x\"}"`)
	fewer["custom_metadata_mode"] = "replace"
	s.Configure(fewer)
	s.Settled(fewer)
	s.Is("effective_custom_metadata", `"{\"b\":{\"c\":false}}"`)
	s.Configure(nil)
	s.Is("effective_custom_metadata", `"{}"`)
}

// TestSubscription_decimals: how many decimals of a percentage it stores is the service's to decide.
func TestSubscription_decimals(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Direct = s.service.Rewriting(func(_ string, o acctest.JSON) {
		if o["discount_percent"] != nil {
			o["discount_percent"] = "33.3330"
		}
	}).Direct("billing_subscription")
	s.Configure(nil)
	if text := acctest.Errors(s.Plan(s.With(acctest.JSON{"discount_percent": "33.333"})).Diagnostics); text != "" {
		t.Error(text)
	}
	s.patch(acctest.JSON{"discount_percent": 33.33})
	s.Settled(acctest.JSON{"discount_percent": "33.333"})
}
