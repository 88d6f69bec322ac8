package subscription_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	planA    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
	planB    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
	planC    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"
	productA = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
	productB = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12"
	priceA   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
	priceB   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62"
)

var (
	later = acctest.JSON{"timing": "end_of_period"}
	itemA = acctest.JSON{"product_id": productA, "price_id": priceA}
	itemB = acctest.JSON{"product_id": productB, "price_id": priceB, "quantity": 3, "unit_amount_subcents": 499000}
)

// subject is one subscription of a new customer, driven without Terraform, where the attribute that an error is about
// matters, or what a plan leaves open.
type subject struct {
	*acctest.Subject
	service *acctest.Service
}

// subscribe prepares a subscription with plan A and the external_id s-1.
func subscribe(t *testing.T) *subject {
	t.Helper()
	service := acctest.Start(t)
	service.NeedsSandbox("the clock is moved and failures are made")
	base := acctest.JSON{"billing_account_id": accountOf(service), "external_id": "s-1", "plan_id": planA}
	return &subject{Subject: service.Subject("billing_subscription", base), service: service}
}

var says = acctest.Says

// accountOf opens a billing account with a new customer and returns its id.
func accountOf(service *acctest.Service) string {
	account, _ := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Owner"})["billing_account"].(acctest.JSON)
	id, _ := account["id"].(string)
	return id
}

// TestSubscription_validation: what cannot be right is rejected before anything is asked.
func TestSubscription_validation(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.service.Sandbox.ResetRequests()
	for name, c := range map[string]struct {
		lines acctest.JSON
		on    string
	}{
		"no plan and no items":    {acctest.JSON{"plan_id": nil}, `AttributeName("plan_id")`},
		"no plan and empty items": {acctest.JSON{"plan_id": nil, "items": []any{}}, `AttributeName("plan_id")`},
		"billing_cycle":           {acctest.JSON{"billing_cycle": "weekly"}, `AttributeName("billing_cycle")`},
		"collection_method":       {acctest.JSON{"collection_method": "by_hand"}, `AttributeName("collection_method")`},
		"proration_behavior":      {acctest.JSON{"proration_behavior": "half"}, `AttributeName("proration_behavior")`},
		"nfe_issuance_policy":     {acctest.JSON{"nfe_issuance_policy": "never"}, `AttributeName("nfe_issuance_policy")`},
		"custom_metadata_mode":    {acctest.JSON{"custom_metadata_mode": "mix"}, `AttributeName("custom_metadata_mode")`},
		"deletion_policy":         {acctest.JSON{"deletion_policy": "delete"}, `AttributeName("deletion_policy")`},
		"on_external_cancel":      {acctest.JSON{"on_external_cancel": "ignore"}, `AttributeName("on_external_cancel")`},
		"plan_change.timing": {acctest.JSON{"plan_change": acctest.JSON{"timing": "soon"}},
			`plan_change.timing value must be one of: ["immediate" "end_of_period"], got: "soon"`},
		"pause.behavior": {acctest.JSON{"pause": acctest.JSON{"behavior": "stop"}},
			`pause.behavior value must be one of: ["mark_uncollectible" "keep_as_draft" "void"], got: "stop"`},
		"pause.resumes_at": {acctest.JSON{"pause": acctest.JSON{"resumes_at": "soon"}},
			`[AttributeName("pause")] Invalid date or time: pause.resumes_at`},
		"trial_period_days":      {acctest.JSON{"trial_period_days": -1}, `AttributeName("trial_period_days")`},
		"a percentage above 100": {acctest.JSON{"discount_percent": "100.01"}, `AttributeName("discount_percent")`},
		"no percentage":          {acctest.JSON{"discount_percent": "ten"}, `AttributeName("discount_percent")`},
		"blank notes":            {acctest.JSON{"notes": " "}, `AttributeName("notes")`},
		"billing_account_id": {acctest.JSON{"billing_account_id": "x"},
			`AttributeName("billing_account_id")] Invalid id: billing_account_id: "x" is not a UUID`},
		"plan_id": {acctest.JSON{"plan_id": "null"},
			`AttributeName("plan_id")] Invalid id: plan_id: "null" is not a UUID, and the service has no other ids. To find ` +
				`the id by the name, use data "billing_records" with collection = "plans".`},
		"no billing account": {acctest.JSON{"billing_account_id": nil},
			`Subscription "s-1" has no billing account: billing_account_id is null. A customer with create_billing_account`},
		"company_id": {acctest.JSON{"company_id": ""},
			`AttributeName("company_id")] Invalid id: company_id: "" is not a UUID`},
		"product_group_id": {acctest.JSON{"product_group_id": "all"},
			`AttributeName("product_group_id")] Invalid id`},
		"discount_code_id": {acctest.JSON{"discount_code_id": "SPRING"},
			`AttributeName("discount_code_id")] Invalid id`},
		"product_id": {
			acctest.JSON{"items": []any{acctest.JSON{"product_id": "not-a-uuid", "price_id": priceA}}},
			`items[*].product_id: "not-a-uuid" is not a UUID`},
		"price_id": {acctest.JSON{"items": []any{acctest.JSON{"product_id": productA, "price_id": "p"}}},
			`items[*].price_id: "p" is not a UUID`},
		"a null item": {acctest.JSON{"items": []any{nil}}, `items[*] is null`},
		"no quantity": {acctest.JSON{"items": []any{acctest.JSON{"product_id": productA, "price_id": priceA,
			"quantity": 0}}}, `.quantity value must be at least 1, got: 0`},
		"an amount below zero": {acctest.JSON{"items": []any{acctest.JSON{"product_id": productA, "price_id": priceA,
			"unit_amount_subcents": -1}}}, `.unit_amount_subcents value must be at least 0, got: -1`},
		"an item without a price": {acctest.JSON{"items": []any{acctest.JSON{"product_id": productA}}},
			`items[*].price_id is null`},
		"no metadata object": {acctest.JSON{"custom_metadata": "text"}, `AttributeName("custom_metadata")`},
		"an end of the past": {acctest.JSON{"trial_end": "2020-02-30"}, `AttributeName("trial_end")`},
		"ends although it may not": {acctest.JSON{"cancel_at_period_end": true, "allow_cancel": false},
			`AttributeName("cancel_at_period_end")`},
	} {
		if errors := acctest.Errors(s.Plan(s.With(c.lines)).Diagnostics); errors == "" {
			t.Errorf("%s: accepted", name)
		} else {
			says(t, errors, c.on)
		}
	}
	if have := s.Calls(); len(have) > 0 {
		t.Errorf("asked for %v", have)
	}
	// What is not known yet may be right.
	for _, lines := range []acctest.JSON{{"plan_id": nil, "items": acctest.Unknown}, {"plan_id": acctest.Unknown},
		{"allow_pause": acctest.Unknown, "pause": acctest.JSON{}}} {
		if errors := acctest.Errors(s.Plan(s.With(lines)).Diagnostics); errors != "" {
			t.Error(errors)
		}
	}
}

// TestSubscription_refusals: what only the service knows to be wrong lands on the argument, with what support needs.
func TestSubscription_refusals(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]acctest.JSON{
		"billing_account_id": {"billing_account_id": planC},
		"trial_period_days":  {"trial_period_days": 99999999},
	} {
		s := subscribe(t)
		errors := acctest.Errors(s.Apply(s.Plan(s.With(lines))))
		says(t, errors, `AttributeName("`+name+`")`, "Could not create", "validation_error", "Request-Id")
		if s.Exists() {
			t.Errorf("%s: something was created", name)
		}
	}
	s := subscribe(t)
	s.service.Must("POST", "/v1/billing-accounts/"+s.Base["billing_account_id"].(string)+"/suspend", acctest.JSON{})
	other := s.service.Direct("billing_subscription")
	says(t, acctest.Errors(other.Apply(other.Plan(s.With(acctest.JSON{"external_id": "s-2"})))),
		`Could not create subscription "s-2"`, "suspended", "Request-Id")
	says(t, acctest.Errors(other.Apply(other.Plan(s.With(acctest.JSON{"external_id": "s-2",
		"billing_account_id": planC})))), "If it is the id of a customer, use its billing_account_id.")
}

// TestSubscription_refusedFields: the fields of an operation are the configuration's under other names.
func TestSubscription_refusedFields(t *testing.T) {
	t.Parallel()
	refuse := func(operation, details string) sandbox.Fault {
		return sandbox.Fault{Operation: "subscriptions." + operation, Status: 422,
			Body: `{"error":{"code":"refused","message":"No.","details":{` + details + `}}}`}
	}
	for name, c := range map[string]struct {
		fault  sandbox.Fault
		before acctest.JSON
		lines  acctest.JSON
		on     string
	}{
		"timing": {refuse("change_plan", `"fields":{"timing":"not now"}`), nil,
			acctest.JSON{"plan_id": planB, "plan_change": later}, "plan_change"},
		"the plan":       {refuse("change_plan", ""), nil, acctest.JSON{"plan_id": planB}, "plan_id"},
		"behavior":       {refuse("pause", `"field":"behavior"`), nil, acctest.JSON{"pause": acctest.JSON{}}, "pause"},
		"the resumption": {refuse("resume", ""), acctest.JSON{"pause": acctest.JSON{}}, nil, "pause"},
		"reason of the end": {refuse("cancel", `"fields":{"reason":"too long"}`), nil,
			acctest.JSON{"cancel_at_period_end": true, "cancellation_reason": "x"}, "cancellation_reason"},
		"the end": {refuse("cancel", ""), nil, acctest.JSON{"cancel_at_period_end": true}, "cancel_at_period_end"},
		"an item": {refuse("items.sync", `"fields":{"items[0].price_id":"unknown"}`), nil,
			acctest.JSON{"items": []any{itemA}}, "items"},
		"a field": {refuse("update", `"fields":{"discount_percent":"too much"}`), nil, acctest.JSON{"discount_percent": "99"},
			"discount_percent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t)
			s.Configure(c.before)
			s.Fault(c.fault)
			says(t, acctest.Errors(s.Apply(s.Plan(s.With(c.lines)))), `AttributeName("`+c.on+`")`, "Request-Id")
		})
	}
}

// TestSubscription_taken: an external_id that another one has leads to the block that takes that one over.
func TestSubscription_taken(t *testing.T) {
	t.Parallel()
	s := subscribe(t)
	s.Configure(nil)
	other := s.service.Direct("billing_subscription")
	says(t, acctest.Errors(other.Apply(other.Plan(s.With(nil)))), `AttributeName("external_id")`, "is taken", "import {",
		"to = billing_subscription.this", s.ID())
	if other.Exists() {
		t.Error("something was created")
	}
	// That of a canceled one is free.
	s.service.Must("POST", "/v1/subscriptions/"+s.ID()+"/cancel", acctest.JSON{})
	other.Set(s.With(nil))
}
