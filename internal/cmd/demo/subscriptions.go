package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	horizonte = "billing_customer.horizonte"
	account   = "billing_account.horizonte"
	tenant    = "billing_subscription.tenant"
	invoices  = "data.billing_invoices.tenant"
	tenantID  = "contract-2026-017" // its external_id

	// The plans of the example.
	basicPlan    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
	teamPlan     = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
	businessPlan = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"

	planAsked  = "plan_id = local.plans."
	timingLine = `timing = "end_of_period"`
	pauseBlock = "  pause = {\n    behavior = \"keep_as_draft\"\n  }\n\n"
	// lastLines is where the configuration of the subscription continues after
	// what the story adds.
	lastLines = "  # Destroying cancels immediately."
)

// subscriptions is the life of a subscription, from its trial to its end.
var subscriptions = story{name: "subscriptions", folder: "examples/subscriptions", steps: []step{
	{"Apply opens a billing account and starts a subscription with a trial", subscribe},
	{"A change of plan waits for the end of the period, and the next plan is empty", changePlanLater},
	{"Time passes, over the trial and a period: the plan has arrived, invoices were made, the next plan is empty",
		passPeriod},
	{"A pause block pauses the subscription", pauseSubscription},
	{"Without the block it is resumed", resumeSubscription},
	{"Plan, items, notes and a pause change in one apply: one request for each, in an order that works", changeEverything},
	{"Another system cancels it: the plan warns and does not create a second one", cancelElsewhere},
	{"Only when asked to, with on_external_cancel, a new one is created", subscribeAgain},
	{"Destroy cancels the subscription, closes the account and deletes the customer, in this order", endSubscription},
}}

func subscribe(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("create", horizonte, account, tenant); err != nil {
		return err
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	return s.expectSubscription(ctx, object{"status": "trialing", "plan_id": basicPlan})
}

func changePlanLater(ctx context.Context, s *stage) error {
	if err := s.edit("subscription.tf", planAsked+"basic", planAsked+"team"); err != nil {
		return err
	}
	if err := s.update(ctx, "plan_id", "pending_plan_id", "metadata", "updated_at"); err != nil {
		return err
	}
	plan, err := s.nothingToDo(ctx)
	if err != nil {
		return err
	}
	s.say.tell("Asked for: the team plan. Running: the basic plan. Coming: the team plan.")
	return plan.expectFound(tenant, object{"plan_id": teamPlan, "current_plan_id": basicPlan, "pending_plan_id": teamPlan,
		"status": "trialing"})
}

func passPeriod(ctx context.Context, s *stage) error {
	now, err := s.sandbox.advance(ctx, (14+32)*24*time.Hour)
	if err != nil {
		return err
	}
	s.say.tell("The sandbox's clock moves 46 days, to %s.", now)
	plan, err := s.nothingToDo(ctx)
	if err != nil {
		return err
	}
	if err := plan.expectFound(tenant, object{"plan_id": teamPlan, "current_plan_id": teamPlan, "pending_plan_id": nil,
		"status": "active"}); err != nil {
		return err
	}
	s.say.tell("The subscription is active, and the team plan runs.")
	made, _ := plan.found[invoices]["invoices"].([]any)
	for _, invoice := range made {
		if err := s.tellInvoice(invoice); err != nil {
			return err
		}
	}
	if len(made) != 2 {
		return fmt.Errorf("there are %d invoices, not one of the end of the trial and one of the next month", len(made))
	}
	return nil
}

func pauseSubscription(ctx context.Context, s *stage) error {
	if err := s.edit("subscription.tf", lastLines, pauseBlock+lastLines); err != nil {
		return err
	}
	if err := s.update(ctx, "pause", "paused_at", "resumes_at", "status", "updated_at"); err != nil {
		return err
	}
	return s.expectSubscription(ctx, object{"status": "paused"})
}

func resumeSubscription(ctx context.Context, s *stage) error {
	if err := s.edit("subscription.tf", pauseBlock, ""); err != nil {
		return err
	}
	if err := s.update(ctx, "pause", "paused_at", "resumes_at", "resumed_at", "status", "updated_at"); err != nil {
		return err
	}
	return s.expectSubscription(ctx, object{"status": "active"})
}

func changeEverything(ctx context.Context, s *stage) error {
	for _, change := range [][2]string{
		{planAsked + "team", planAsked + "business"}, {timingLine, `timing = "immediate"`},
		{"= 10\n", "= 25\n"}, {"Contrato 2026-017.", "Contrato 2026-017, aditivo 1."}, {lastLines, pauseBlock + lastLines},
	} {
		if err := s.edit("subscription.tf", change[0], change[1]); err != nil {
			return err
		}
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", tenant); err != nil {
		return err
	}
	if err := s.expectRequests(ctx, "subscriptions.change_plan", "subscriptions.items.sync", "subscriptions.update",
		"subscriptions.pause"); err != nil {
		return err
	}
	return s.expectSubscription(ctx, object{"status": "paused", "plan_id": businessPlan,
		"notes": "Contrato 2026-017, aditivo 1."})
}

func cancelElsewhere(ctx context.Context, s *stage) error {
	found, err := s.service.subscription(ctx, tenantID)
	if err != nil {
		return err
	}
	path := "/v1/subscriptions/" + url.PathEscape(fmt.Sprint(found["id"])) + "/cancel"
	if err := s.service.call(ctx, http.MethodPost, path, object{"reason": "asked for by phone"}, &object{}); err != nil {
		return err
	}
	s.say.tell("Support has canceled it on the phone.")
	plan, err := s.nothingToDo(ctx)
	if err != nil {
		return err
	}
	return s.expectWarning(plan.text, " is canceled")
}

func subscribeAgain(ctx context.Context, s *stage) error {
	if err := s.edit("subscription.tf", `on_external_cancel = "keep"`, `on_external_cancel = "recreate"`); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("replace", tenant); err != nil {
		return err
	}
	if err := s.expectRequests(ctx, "subscriptions.create", "subscriptions.pause"); err != nil {
		return err
	}
	return s.expectSubscription(ctx, object{"status": "paused", "plan_id": businessPlan})
}

func endSubscription(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx, "-destroy")
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("delete", horizonte, account, tenant); err != nil {
		return err
	}
	return s.expectRequests(ctx, "subscriptions.cancel", "billing_accounts.close", "customers.delete")
}

// update plans a change of exactly the given attributes of the subscription,
// and applies it.
func (s *stage) update(ctx context.Context, attributes ...string) error {
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", tenant); err != nil {
		return err
	}
	if err := plan.expectAttributes(tenant, attributes...); err != nil {
		return err
	}
	_, err = s.terraform.apply(ctx)
	return err
}

// expectSubscription checks fields of the live subscription at the service.
func (s *stage) expectSubscription(ctx context.Context, wanted object) error {
	found, err := s.service.subscription(ctx, tenantID)
	if err != nil {
		return err
	}
	for name, value := range wanted {
		if found[name] != value {
			return fmt.Errorf("the service has %s %v, not %v", name, found[name], value)
		}
	}
	s.say.tell("The service says that the subscription is %s.", found["status"])
	return nil
}

// tellInvoice shows an invoice. The service documents none of its fields, so
// the data source gives it as JSON text.
func (s *stage) tellInvoice(listed any) error {
	attributes, _ := listed.(map[string]any)
	var invoice struct {
		Number      string
		PeriodStart string `json:"period_start"`
		AmountCents int64  `json:"amount_cents"`
	}
	if err := json.Unmarshal([]byte(fmt.Sprint(attributes["json"])), &invoice); err != nil {
		return fmt.Errorf("read an invoice: %w", err)
	}
	day, _, _ := strings.Cut(invoice.PeriodStart, "T")
	s.say.tell("Invoice %s of %s: %d cents.", invoice.Number, day, invoice.AmountCents)
	return nil
}
