package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const subscriptions = "/v1/subscriptions"

var janLast = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func items(list ...string) string { return `"items":[` + strings.Join(list, ",") + `]` }

func anItem(last, more string) string {
	return `{"product_id":"077b6d09-4c35-4f60-bb73-b0e95293ef` + last +
		`","price_id":"778eb688-eeaf-4066-9dd4-1508edacf1` + last + `"` + more + `}`
}

// Recurring billing §2 Subscription: every field is returned; §4: the defaults.
func TestCreateSubscription(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	path, made := c.subscribe("")
	made.holds(map[string]string{
		"external_id": "null", "company_id": "null", "plan_id": `"` + plan + `"`, "product_group_id": "null",
		"status": `"active"`, "billing_cycle": `"monthly"`, "current_period_start": `"2026-01-31T12:00:00.000Z"`,
		"current_period_end": `"2026-02-28T12:00:00.000Z"`, "cycle_billing_date": `"2026-02-28T12:00:00.000Z"`,
		"trial_start": "null", "trial_end": "null", "activated_at": `"2026-01-31T12:00:00.000Z"`,
		"confirmed_at": `"2026-01-31T12:00:00.000Z"`, "cancel_at_period_end": "false", "canceled_at": "null",
		"cancellation_reason": "null", "pause_collection": "null", "paused_at": "null", "resumes_at": "null",
		"resumed_at": "null", "discount_code_id": "null", "discount_percent": "null",
		"proration_behavior": `"create_prorations"`, "collection_method": `"charge_automatically"`,
		"nfe_issuance_policy": "null", "renewal_settings": `{"type":"auto_renew"}`, "commitment": "null",
		"allow_pause": "true", "allow_cancel": "true", "proposal_id": "null", "notes": "null", "metadata": "{}",
		"custom_metadata": "null", "created_at": `"2026-01-31T12:00:00.000Z"`, "updated_at": `"2026-01-31T12:00:00.000Z"`,
	})
	if object, _ := made.at("data").(map[string]any); len(object) != 39 {
		t.Errorf("%d fields, want the 39 documented ones: %s", len(object), made.body)
	}
	if read := c.do("GET", path, "").want(200); read.json() != made.json() {
		t.Errorf("read %s, made %s", read.body, made.body)
	}
	const id = "93be6ba2-642f-48a2-8248-7aed201399b6"
	_, all := c.subscribe(`,"external_id":"s-1","company_id":"` + id + `","product_group_id":"` + id +
		`","discount_code_id":"` + id + `",
		"billing_cycle":"quarterly","collection_method":"manual_invoice","proration_behavior":"none","nfe_issuance_policy":"per_installment",
		"notes":"n","custom_metadata":{"n":9007199254740993},` + items(anItem("aa",
		`,"quantity":2,"unit_amount_subcents":0`)))
	all.holds(map[string]string{
		"external_id": `"s-1"`, "company_id": `"` + id + `"`, "product_group_id": `"` + id + `"`,
		"discount_code_id": `"` + id + `"`, "billing_cycle": `"quarterly"`, "collection_method": `"manual_invoice"`,
		"proration_behavior": `"none"`, "nfe_issuance_policy": `"per_installment"`, "notes": `"n"`,
		"custom_metadata": `{"n":9007199254740993}`, "current_period_end": `"2026-04-30T12:00:00.000Z"`,
	})
}

// Recurring billing §4: a trial by its end, or by days counted from creation.
func TestTrials(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	for fields, end := range map[string]string{
		`,"trial_period_days":14`:                         `"2026-02-14T12:00:00.000Z"`,
		`,"trial_end":"2026-02-14T09:00:00.123456-03:00"`: `"2026-02-14T12:00:00.123Z"`,
		`,"trial_end":"2026-02-14"`:                       `"2026-02-14T00:00:00.000Z"`,
	} {
		_, r := c.subscribe(fields)
		r.holds(map[string]string{"status": `"trialing"`, "trial_start": `"2026-01-31T12:00:00.000Z"`, "trial_end": end,
			"current_period_end": end, "cycle_billing_date": end, "activated_at": "null",
			"confirmed_at": `"2026-01-31T12:00:00.000Z"`})
	}
	_, none := c.subscribe(`,"trial_period_days":0`)
	none.holds(map[string]string{"status": `"active"`, "trial_start": "null", "trial_end": "null"})
}

// Strict bodies of subscriptions (wire contract: validation failure).
func TestInvalidSubscriptionFields(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	account := c.account()
	create := func(fragment string) result {
		return c.do("POST", subscriptions, `{"billing_account_id":"`+account+`","plan_id":"`+plan+`",`+fragment+`}`)
	}
	c.do("POST", subscriptions, `{}`).blames("billing_account_id")
	c.do("POST", subscriptions, `{"billing_account_id":"`+account+`"}`).blames("plan_id")
	c.do("POST", subscriptions, `{"billing_account_id":"`+account+`","items":[],"plan_id":null}`).blames("plan_id")
	c.do("POST", subscriptions, `{"billing_account_id":"`+plan+`","plan_id":"`+plan+`"}`).blames("billing_account_id")
	create(`"trial_end":"2026-03-01","trial_period_days":3`).blames("trial_end", "trial_period_days")
	for _, fragment := range []string{
		`"trial_end":"2026-01-31T12:00:00Z"`, `"trial_end":"2020-01-01"`, `"trial_end":"9999-12-31T23:59:59-03:00"`,
		`"trial_end":"soon"`, `"trial_period_days":-1`, `"trial_period_days":1.5`, `"trial_period_days":9223372036854775807`,
		`"trial_period_days":null`, `"discount_percent":10`, `"allow_pause":true`, `"allow_cancel":true`,
		`"cancel_at_period_end":true`, `"custom_metadata_mode":"merge"`, `"nfe_issuance_policy":null`, `"external_id":null`,
		`"company_id":"x"`, `"discount_code_id":"{93be6ba2-642f-48a2-8248-7aed201399b6}"`, `"items":null`, `"status":"draft"`,
		`"renewal_settings":{}`,
	} {
		field, _, _ := strings.Cut(fragment[1:], `"`)
		create(fragment).blames(field)
	}
	for path, item := range map[string]string{
		"items[0].quantity": anItem("aa", `,"quantity":0`), "items[0].unit_amount_subcents": anItem("aa",
			`,"unit_amount_subcents":-1`),
		"items[0].id": anItem("aa", `,"id":"x"`), "items[0].price_id": `{"product_id":"` + plan + `"}`,
		"items[0].product_id": `{"product_id":"x","price_id":"` + plan + `"}`,
	} {
		create(items(item)).blames(path)
	}
	path, _ := c.subscribe("")
	for _, fragment := range []string{
		`"billing_account_id":"` + plan + `"`, `"company_id":null`, `"product_group_id":null`, `"trial_end":"2026-03-01"`,
		`"trial_period_days":1`, `"items":[]`, `"discount_percent":"10"`, `"discount_percent":100.01`,
		`"discount_percent":-1`, `"discount_percent":1e999999999`, `"allow_pause":null`, `"allow_cancel":1`,
		`"cancel_at_period_end":null`, `"billing_cycle":null`, `"proration_behavior":null`, `"custom_metadata":null`,
		`"plan_id":null`, `"pause_collection":null`,
	} {
		field, _, _ := strings.Cut(fragment[1:], `"`)
		c.do("PATCH", path, "{"+fragment+"}").blames(field)
	}
	c.do("POST", path+"/pause", `{"behavior":"skip"}`).blames("behavior")
	c.do("POST", path+"/pause", `{"resumes_at":"2026-01-31T12:00:00Z"}`).blames("resumes_at")
	c.do("POST", path+"/pause", `{"resumes_at":null}`).blames("resumes_at")
	c.do("POST", path+"/resume", `{"reason":"x"}`).blames("reason")
	c.do("POST", path+"/change-plan", `{}`).blames("plan_id")
	c.do("POST", path+"/change-plan", `{"plan_id":"`+plan+`","timing":"later"}`).blames("timing")
	c.do("POST", path+"/cancel", `{"at":"now"}`).blames("at")
	c.do("POST", path+"/invoices", `{"amount":1}`).blames("amount")
	c.do("POST", path+"/change-plan", ``).want(400)
}

// Recurring billing §4 Subscription update: every field, and its clearing.
func TestUpdateSubscription(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: janLast}))
	path, made := c.subscribe(`,"external_id":"s-1"`)
	if same := c.do("PATCH", path, `{"notes":null}`).want(200); same.json() != made.json() {
		t.Errorf("an update without a change changed %s", same.body)
	}
	changed := c.do("PATCH", path,
		`{"external_id":"s-2","billing_cycle":"annual","collection_method":"manual_charge","discount_percent":12.5,
		"discount_code_id":"`+otherPlan+
			`","proration_behavior":"always_invoice","nfe_issuance_policy":"on_finalization","allow_pause":false,
		"allow_cancel":false,"notes":"n","custom_metadata":{"a":1},"cancel_at_period_end":true,"plan_id":"`+otherPlan+
			`"}`).want(200)
	changed.holds(map[string]string{
		"external_id": `"s-2"`, "billing_cycle": `"annual"`, "collection_method": `"manual_charge"`,
		"discount_percent": `"12.50"`, "discount_code_id": `"` + otherPlan + `"`, "proration_behavior": `"always_invoice"`,
		"nfe_issuance_policy": `"on_finalization"`, "allow_pause": "false", "allow_cancel": "false", "notes": `"n"`,
		"custom_metadata": `{"a":1}`, "cancel_at_period_end": "true", "plan_id": `"` + otherPlan + `"`, "status": `"active"`,
		"current_period_end": `"2026-02-28T12:00:00.000Z"`,
	})
	if changed.text("data", "updated_at") <= made.text("data", "updated_at") {
		t.Error("updated_at did not move")
	}
	c.do("PATCH", path, `{"external_id":"s-2"}`).want(200)
	other, _ := c.subscribe("")
	c.do("PATCH", other, `{"external_id":"s-2"}`).refuses("external_id_taken")
	c.do("PATCH", path, `{"external_id":null,"collection_method":null,"discount_percent":null,"discount_code_id":null,
		"nfe_issuance_policy":null,"notes":null,"custom_metadata":{},"cancel_at_period_end":false}`).want(200).
		holds(map[string]string{
			"external_id": "null", "collection_method": "null", "discount_percent": "null", "discount_code_id": "null",
			"nfe_issuance_policy": "null", "notes": "null", "custom_metadata": "{}", "cancel_at_period_end": "false",
		})
}

// The amounts follow from plan, items and discount.
func TestRecurringAmount(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	made := c.do("POST", subscriptions, `{"billing_account_id":"`+c.account()+`",`+
		items(anItem("aa", `,"quantity":3,"unit_amount_subcents":1050125`), anItem("bb", `,"unit_amount_subcents":0`))+
		`}`).want(201)
	path := subscriptions + "/" + made.text("data", "id")
	made.holds(map[string]string{"plan_id": "null", "recurring_amount_cents": "31504"})
	c.do("PATCH", path, `{"discount_percent":50}`).want(200).holds(map[string]string{"recurring_amount_cents": "15752"})
	c.do("PUT", path+"/items", `{`+items(anItem("aa", `,"unit_amount_subcents":20000`))+`}`).want(200)
	c.do("GET", path, "").holds(map[string]string{"recurring_amount_cents": "100"})
	c.do("PATCH", path, `{"plan_id":null}`).want(200)
	c.do("PUT", path+"/items", `{"items":[]}`).blames("items")
	c.do("PATCH", path, `{"plan_id":"`+plan+`"}`).want(200)
	c.do("PUT", path+"/items", `{"items":[]}`).want(200)
	c.do("PATCH", path, `{"plan_id":null}`).blames("plan_id")
	c.do("PATCH", path, `{"discount_percent":100}`).want(200).holds(map[string]string{"recurring_amount_cents": "0"})
}

// wire contract: subscriptions.items.list, subscriptions.items.sync. An item
// that stays keeps its id.
func TestItems(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	path, _ := c.subscribe("," + items(anItem("aa", ""), anItem("bb", `,"quantity":2,"unit_amount_subcents":7`)))
	listed := c.do("GET", path+"/items?sort_by=product_id&sort_order=asc", "").want(200)
	if listed.json("data", 0, "quantity") != "1" || listed.json("data", 0, "unit_amount_subcents") != "null" ||
		listed.json("meta", "total") != "2" {
		t.Errorf("items %s", listed.body)
	}
	synced := c.do("PUT", path+"/items", `{`+items(anItem("cc", ""), anItem("bb", `,"quantity":5`))+`}`).want(200)
	if kept := listed.text("data", 1, "id"); synced.text("data", 1, "id") != kept || synced.text("data", 0, "id") == kept {
		t.Errorf("items %s, before %s", synced.body, listed.body)
	}
	if synced.json("data", 1, "quantity") != "5" || synced.json("data", 1, "unit_amount_subcents") != "null" {
		t.Errorf("items %s", synced.body)
	}
	c.do("PUT", path+"/items", `{}`).blames("items")
	c.do("PUT", path+"/items", `{`+items(anItem("aa", ""), anItem("bb", `,"quantity":0`))+`}`).blames("items[1].quantity")
	if after := c.do("GET", path+"/items", ""); len(after.names("id")) != 2 {
		t.Errorf("items %s", after.body)
	}
	c.do("POST", path+"/cancel", "").want(200)
	c.do("PUT", path+"/items", `{"items":[]}`).refuses("invalid_transition")
}
