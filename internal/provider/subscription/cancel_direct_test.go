package subscription_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestSubscription_cancelScheduled: on, off, removed, and without the argument nothing.
func TestSubscription_cancelScheduled(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	scheduled := acctest.JSON{"cancel_at_period_end": true, "cancellation_reason": "moving away"}
	s.Configure(scheduled)
	s.Settled(scheduled)
	if reason := s.remote()["cancellation_reason"]; reason != "moving away" {
		t.Errorf("the service knows the reason %v", reason)
	}
	s.Configure(acctest.JSON{"cancel_at_period_end": false})
	s.Settled(acctest.JSON{"cancel_at_period_end": false})
	s.Configure(scheduled)
	s.Configure(nil)
	s.Is("cancel_at_period_end", "false")
	s.outside("cancel", acctest.JSON{"cancel_at_period_end": true})
	// It was not asked for here, so it is only shown.
	s.Settled(nil)
	s.Is("cancel_at_period_end", "true")
	// What has happened is not asked for once more, so nothing forbids it.
	if text := acctest.Errors(s.Plan(s.With(acctest.JSON{"cancel_at_period_end": true, "allow_cancel": false})).
		Diagnostics); text != "" {
		t.Error(text)
	}
}

// TestSubscription_canceled: what on_external_cancel says about a subscription that was canceled elsewhere, or whose
// end has come, which the configuration or another system may have scheduled.
func TestSubscription_canceled(t *testing.T) {
	t.Parallel()
	ends := acctest.JSON{"cancel_at_period_end": true}
	for name, c := range map[string]struct {
		lines  acctest.JSON
		end    func(*subject)
		silent bool
	}{
		"elsewhere":           {nil, func(s *subject) { s.outside("cancel", nil) }, false},
		"came due":            {ends, func(s *subject) { s.pass(month) }, true},
		"before it came due":  {ends, func(s *subject) { s.outside("cancel", nil) }, false},
		"scheduled elsewhere": {nil, func(s *subject) { s.outside("cancel", ends); s.pass(month) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			also := func(more acctest.JSON) acctest.JSON {
				lines := s.With(c.lines)
				maps.Copy(lines, more)
				return lines
			}
			s.Configure(c.lines)
			c.end(s)
			// keep, the default: an empty plan, with a warning unless this configuration has asked for the end.
			if told := s.Settled(c.lines); (told == "") != c.silent {
				t.Errorf("told: %s", told)
			} else if told != "" {
				says(t, told, `Subscription "s-1" (id `+s.ID()+") is canceled:", "nothing is created again")
			}
			s.Is("status", `"canceled"`)
			p := s.Plan(also(acctest.JSON{"on_external_cancel": "error"}))
			if text := acctest.Errors(p.Diagnostics); c.silent != (text == "") {
				t.Errorf("error: %s", text)
			} else if text != "" {
				says(t, text, `AttributeName("on_external_cancel")`, `is canceled, and on_external_cancel is "error"`,
					"-refresh=false")
			}
			p = s.Plan(also(acctest.JSON{"on_external_cancel": "recreate"}))
			says(t, acctest.Warnings(p.Diagnostics), "is canceled: a new subscription will be billed", s.Value("canceled_at"))
			if !slices.Equal(p.Replaces, []string{"status"}) || acctest.Errors(p.Diagnostics) != "" {
				t.Errorf("replaced for %v: %s", p.Replaces, acctest.Errors(p.Diagnostics))
			}
			// What only this provider knows may change.
			s.Set(also(acctest.JSON{"deletion_policy": "abandon"}))
			s.Is("deletion_policy", `"abandon"`)
			s.service.Sandbox.ResetRequests()
			s.Set(nil)
			if have := s.operations(); len(have) > 0 || s.Exists() {
				t.Errorf("destroying asked for %v", have)
			}
		})
	}
}

// TestSubscription_canceledTakesOver: what the configuration changes of a kept canceled subscription goes into the
// state with one warning and no request. After that the plan is empty, until it is removed again.
func TestSubscription_canceledTakesOver(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"plan_id": planB, "external_id": "s-9", "billing_cycle": "annual",
		"collection_method": "manual_charge", "allow_pause": false, "allow_cancel": false, "billing_account_id": planC,
		"company_id": planC, "custom_metadata_mode": "replace", "notes": "x", "discount_percent": "5.125",
		"pause": acctest.JSON{"resumes_at": "2020-01-01"}, "items": []any{itemA}, "custom_metadata": acctest.JSON{"k": "v"},
		"cancel_at_period_end": true, "trial_end": "2020-01-01", "cancellation_reason": "mine"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(nil)
			s.outside("cancel", nil)
			s.Reread()
			s.service.Sandbox.ResetRequests()
			lines := acctest.JSON{name: value}
			p := s.Plan(s.With(lines))
			if changes := p.Changes(t); !slices.Equal(changes, []string{name}) || len(p.Replaces) > 0 {
				t.Errorf("the plan changes %v, and replaces for %v", changes, p.Replaces)
			}
			if told := s.Configure(lines); strings.Count(told, "is canceled:") != 1 {
				t.Errorf("told: %s", told)
			} else {
				says(t, told, "the change of "+name+" has no effect at the service")
			}
			if have := s.service.Operations(); len(have) > 0 {
				t.Errorf("asked for %v", have)
			}
			says(t, s.Settled(lines), `Subscription "s-`, "is canceled:")
			s.Configure(acctest.JSON{"notes": "more", name: s.Base[name]})
			s.Settled(acctest.JSON{"notes": "more", name: s.Base[name]})
		})
	}
}

// TestSubscription_canceledReason: the reason that the service has stays, whatever the configuration says.
func TestSubscription_canceledReason(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.outside("cancel", acctest.JSON{"reason": "dunning"})
	s.Settled(acctest.JSON{"cancellation_reason": "mine"})
	s.Is("cancellation_reason", `"dunning"`)
}

// TestSubscription_canceledWithDrift: what another system changed before is not a reason to fail every plan.
func TestSubscription_canceledWithDrift(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	lines := acctest.JSON{"notes": "ours", "discount_percent": "10", "custom_metadata": acctest.JSON{"k": "ours"},
		"items": []any{itemA}, "pause": acctest.JSON{}}
	s.Configure(lines)
	s.patch(acctest.JSON{"notes": "theirs", "discount_percent": 5, "custom_metadata": acctest.JSON{"k": "theirs"},
		"allow_pause": false})
	s.outside("change-plan", acctest.JSON{"plan_id": planC})
	s.outside("cancel", nil)
	says(t, s.Settled(lines), "is canceled:")
	if s.Text("canceled_at") == "null" {
		t.Error("the state does not say when it was canceled")
	}
}

// TestSubscription_destroy: what each deletion_policy does.
func TestSubscription_destroy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		operations []string
		status     string
		scheduled  bool
		says       string
	}{
		"cancel":               {[]string{"cancel"}, "canceled", false, ""},
		"cancel_at_period_end": {[]string{"cancel"}, "active", true, ""},
		"abandon":              {nil, "active", false, "is removed from the state only"},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(acctest.JSON{"deletion_policy": policy, "cancellation_reason": "the end"})
			id := s.ID()
			s.service.Sandbox.ResetRequests()
			says(t, s.Set(nil), want.says)
			if have := s.operations(); !slices.Equal(have, want.operations) {
				t.Errorf("asked for %v", have)
			}
			left := s.service.Must("GET", "/v1/subscriptions/"+id, nil)
			if left["status"] != want.status || left["cancel_at_period_end"] != want.scheduled {
				t.Errorf("the service has it %v, scheduled %v", left["status"], left["cancel_at_period_end"])
			}
			if want.operations != nil && left["cancellation_reason"] != "the end" {
				t.Errorf("the reason is %v", left["cancellation_reason"])
			}
		})
	}
}

// TestSubscription_destroyPrevented: prevent holds without the block, and allow_cancel = false stops before anything is
// sent.
func TestSubscription_destroyPrevented(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(acctest.JSON{"deletion_policy": "prevent"})
	says(t, acctest.Errors(s.Plan(nil).Diagnostics), "prevents", `set deletion_policy = "cancel"`)
	s.Configure(acctest.JSON{"allow_cancel": false})
	s.service.Sandbox.ResetRequests()
	says(t, acctest.Errors(s.Plan(nil).Diagnostics), `AttributeName("allow_cancel")`, "may not be canceled",
		"allow_cancel = true", "abandon")
	if have := s.operations(); len(have) > 0 {
		t.Errorf("asked for %v", have)
	}
	s.Configure(acctest.JSON{"allow_cancel": false, "deletion_policy": "abandon"})
	s.Set(nil)
}

// TestSubscription_destroyRefused: the service has forbidden it since the last refresh; the state stays as it is.
func TestSubscription_destroyRefused(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	p := s.Plan(nil)
	s.patch(acctest.JSON{"allow_cancel": false})
	before := s.State()
	says(t, acctest.Errors(s.Apply(p)), "may not be canceled", "Set allow_cancel = true", "Could not cancel", "Request-Id")
	if !s.State().Equal(before) {
		t.Error("the state has changed")
	}
}

// TestSubscription_destroyGone: what is gone, or canceled since the last refresh, needs nothing.
func TestSubscription_destroyGone(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.outside("cancel", nil)
	s.Set(nil)
	gone := subscribe(t)
	gone.Configure(nil)
	gone.outside("cancel", nil)
	gone.service.Must("DELETE", "/v1/subscriptions/"+gone.ID(), nil)
	gone.Set(nil)
}

// TestSubscription_unknownStatus: a status that no document names is shown.
func TestSubscription_unknownStatus(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	for _, status := range []string{"past_due", "suspended", "on_holiday"} {
		if err := s.service.Sandbox.SetSubscriptionStatus(s.ID(), status); err != nil {
			t.Fatal(err)
		}
		s.Settled(nil)
		s.Is("status", `"`+status+`"`)
	}
}

// TestSubscription_reason: the reason that the service has is shown, whoever canceled, and makes no endless difference.
func TestSubscription_reason(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	s.outside("cancel", acctest.JSON{"cancel_at_period_end": true, "reason": "dunning"})
	s.Settled(nil)
	s.Is("cancellation_reason", `"dunning"`)
	s.Settled(acctest.JSON{"cancellation_reason": "mine"})
	ours := acctest.JSON{"cancellation_reason": "mine", "cancel_at_period_end": false}
	s.Configure(ours)
	s.Settled(acctest.JSON{"cancellation_reason": "mine"})
	s.patch(acctest.JSON{"cancel_at_period_end": false})
	s.Configure(acctest.JSON{"cancellation_reason": "mine"})
	s.Is("cancellation_reason", `"mine"`)
	s.Settled(acctest.JSON{"cancellation_reason": "mine"})
	s.Configure(nil)
	s.Is("cancellation_reason", "null")
}

// TestSubscription_reasonSent: destroying sends the reason of the configuration, also where another system has given
// one since; without one in the configuration, the one that the service has stays.
func TestSubscription_reasonSent(t *testing.T) {
	t.Parallel()
	for configured, want := range map[string]string{"mine": "mine", "": "dunning"} {
		s := subscribe(t)
		lines := acctest.JSON{}
		if configured != "" {
			lines["cancellation_reason"] = configured
		}
		s.Configure(lines)
		s.outside("cancel", acctest.JSON{"cancel_at_period_end": true, "reason": "dunning"})
		s.Settled(lines)
		s.Is("cancellation_reason", `"dunning"`)
		id := s.ID()
		s.Set(nil)
		if left := s.service.Must("GET", "/v1/subscriptions/"+id, nil); left["status"] != "canceled" ||
			left["cancellation_reason"] != want {
			t.Errorf("with %q it is %v for the reason %v, want %s", configured, left["status"],
				left["cancellation_reason"], want)
		}
	}
}

// TestSubscription_movedMeanwhile: a plan that asks for what has happened since is done.
func TestSubscription_movedMeanwhile(t *testing.T) {
	t.Parallel()
	paused := acctest.JSON{"pause": acctest.JSON{"behavior": "void"}}
	ending := acctest.JSON{"cancel_at_period_end": true}
	for name, c := range map[string]struct {
		before, after acctest.JSON
		meanwhile     func(s *subject)
	}{
		"resumed": {paused, nil, func(s *subject) { s.outside("resume", nil) }},
		"paused":  {nil, paused, func(s *subject) { s.outside("pause", acctest.JSON{"behavior": "void"}) }},
		"ending":  {nil, ending, func(s *subject) { s.outside("cancel", acctest.JSON{"cancel_at_period_end": true}) }},
	} {
		s := subscribe(t)
		s.Configure(c.before)
		p := s.Plan(s.With(c.after))
		c.meanwhile(s)
		if text := acctest.Errors(s.Apply(p)); text != "" {
			t.Errorf("%s: %s", name, text)
		}
		s.Settled(c.after)
	}
}

// TestSubscription_destroyCharges: the plan of a destroy says what is still charged, with the amount of a period.
func TestSubscription_destroyCharges(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	says(t, acctest.Warnings(s.Plan(nil).Diagnostics), `Subscription "s-1" (id `+s.ID()+") is canceled immediately:",
		"No further period is charged (recurring amount ", s.Value("current_period_end"))
	s.Configure(acctest.JSON{"deletion_policy": "cancel_at_period_end"})
	says(t, acctest.Warnings(s.Plan(nil).Diagnostics), `Subscription "s-1" (id `+s.ID()+") runs until the end of its "+
		"period:", s.Value("current_period_end"), "customer", "recurring amount ")
}

// TestSubscription_reasonNotRecorded: a reason that comes after the end was scheduled is in no request, so once the
// configuration does not have it any more, the state does not either.
func TestSubscription_reasonNotRecorded(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	ending := func(more acctest.JSON) acctest.JSON {
		lines := acctest.JSON{"cancel_at_period_end": true}
		maps.Copy(lines, more)
		return lines
	}
	s.Configure(ending(nil))
	s.Configure(ending(acctest.JSON{"cancellation_reason": "late"}))
	s.Settled(ending(acctest.JSON{"cancellation_reason": "late"}))
	s.Configure(ending(nil))
	s.Is("cancellation_reason", "null")
	if told := s.Configure(ending(acctest.JSON{"notes": "n"})); told != "" {
		t.Errorf("told: %s", told)
	}
	s.Settled(ending(acctest.JSON{"notes": "n"}))
}

// TestSubscription_replacedMeanwhile: a replacement that the service would reject by now cancels nothing.
func TestSubscription_replacedMeanwhile(t *testing.T) {
	t.Parallel()
	other := func(s *subject) string { return accountOf(s.service) }
	for name, c := range map[string]struct {
		lines     acctest.JSON
		meanwhile func(s *subject, account string)
		says      string
	}{
		"suspended": {nil, func(s *subject, account string) {
			s.service.Must("POST", "/v1/billing-accounts/"+account+"/suspend", acctest.JSON{})
		}, "is suspended"},
		"closed": {nil, func(s *subject, account string) {
			s.service.Must("POST", "/v1/billing-accounts/"+account+"/close", acctest.JSON{})
		}, "is closed"},
		"the trial": {acctest.JSON{"trial_end": "2026-03-20"}, func(s *subject, _ string) { s.pass(month) },
			`trial_end "2026-03-20" has passed`},
		"nothing": {acctest.JSON{"trial_end": "2026-03-20"}, func(*subject, string) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			s := &subject{t: t, service: service}
			account, core := other(s), service.Core()
			values := acctest.JSON{"billing_account_id": accountOf(service), "external_id": "s-1", "plan_id": planA}
			maps.Copy(values, c.lines)
			configuration := func() acctest.Configuration {
				return acctest.Configuration{Blocks: []acctest.Block{{Address: "billing_subscription.test", Values: values}}}
			}
			core.Apply(core.Plan(configuration()), false)
			id, _ := core.State("billing_subscription.test")["id"].(string)
			values["billing_account_id"] = account
			p := core.Plan(configuration())
			says(t, strings.Join(p.Warnings, " "), `Subscription "s-1" (id `+id+") is canceled and billed again",
				"recurring amount")
			c.meanwhile(s, account)
			service.Sandbox.ResetRequests()
			done := core.Apply(p, false)
			says(t, strings.Join(done.Errors, " "), c.says)
			if canceled := service.Count("subscriptions.cancel") > 0; canceled != (c.says == "") ||
				canceled != (len(done.Errors) == 0) {
				t.Errorf("canceled %v: %v", canceled, done.Errors)
			}
			if strings.HasPrefix(c.says, "is ") {
				says(t, strings.Join(core.Plan(configuration()).Errors, " "), "it cannot be created on its billing account",
					c.says)
			}
			// What the plan has left for the deletion does not outlive the creation.
			if c.says == "" {
				service.Must("POST", "/v1/billing-accounts/"+account+"/suspend", acctest.JSON{})
				s.pass(month)
				done = core.Apply(core.Plan(acctest.Configuration{}), false)
				if len(done.Errors) > 0 {
					t.Error(done.Errors)
				}
			}
		})
	}
}
