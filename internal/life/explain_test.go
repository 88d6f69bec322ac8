package life

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var unknown any = core.Unknown

// explainTest is an apply of one change, the requests, and the expected reason why they are unexplained; "" if the plan
// explains them.
type explainTest struct {
	address, action string
	before, after   object
	unchanged       object // of another block
	had             object // the object at the service before
	warnings        []string
	sent            []sandbox.Request
	says            string
}

// request is a request of the provider.
func request(operation, path, body string) sandbox.Request {
	return sandbox.Request{Operation: operation, Method: "POST", Path: path, Body: []byte(body)}
}

// recorded is a request that has created a record.
func recorded(body string) sandbox.Request {
	r := request("finance.records.create", "/v1/payables", body)
	r.Changes = slices.Grow(r.Changes, 1)[:1]
	return r
}

// failed returns a request that has met a fault.
func failed(r sandbox.Request) sandbox.Request {
	r.Fault = "fault-1"
	return r
}

func (e explainTest) unexplained() string {
	plan := &core.Plan{Warnings: e.warnings}
	if e.address != "" {
		plan.Changes = []*core.Change{{Address: "billing_finance_record.q", Before: e.unchanged, Action: core.NoOp},
			{Address: e.address, Action: e.action, Before: e.before, After: e.after}}
	}
	a := applied{plan: plan, before: map[string]object{e.address: e.had},
		newIDs: map[string]string{"": "an object without an id", "new-1": "billing_customer.made"}}
	return strings.Join(a.explain(e.sent), "\n")
}

// changed returns an object with other fields.
func changed(before, fields object) object { return merged(before, fields) }

// TestExplain tests the check of requests against the plan: an unexplained request is reported, and an explained one is
// not.
func TestExplain(t *testing.T) {
	t.Parallel()
	const customer, account, subscription = "billing_customer.c", "billing_account.a", "billing_subscription.s"
	const key, record, endpoint = "billing_api_key.k", "billing_finance_record.r", "billing_webhook_endpoint.e"
	c := object{"id": "c-1", "name": "A", "notes": "n", "emails": []any{}}
	s := object{"id": "s-1", "items": []any{object{"product_id": "p", "price_id": "q", "quantity": json.Number("2")}}}
	k := object{"id": "k-1", "previous_keys": []any{object{"id": "k-0"}}}
	r := object{"id": "r-1", "body": object{"amount": "1", "note": "a"}}
	items := []any{object{"product_id": "p", "price_id": "q", "quantity": json.Number("2")}}
	patch := func(body string) []sandbox.Request {
		return []sandbox.Request{request("customers.update", "/v1/customers/c-1", body)}
	}
	for name, test := range map[string]explainTest{
		"a read": {sent: []sandbox.Request{{Operation: "me.get", Method: "GET", Path: "/v1/me"}}},

		"a creation": {address: customer, action: core.Create, after: c,
			sent: []sandbox.Request{request("customers.create", "/v1/customers", `{}`)}},
		"two creations for one": {address: customer, action: core.Create, after: c, says: "the plan creates fewer",
			sent: []sandbox.Request{request("customers.create", "/v1/customers", `{"name":"A"}`),
				request("customers.create", "/v1/customers", `{"name":"B"}`)}},
		"a creation after a fault": {address: customer, action: core.Create, after: c, sent: []sandbox.Request{
			failed(request("customers.create", "/v1/customers", `{"external_id":"x"}`)),
			request("customers.create", "/v1/customers", `{"external_id":"x"}`)}},
		"a creation after a fault, without a key to find the first one": {address: customer, action: core.Create,
			after: c, says: "the plan creates fewer", sent: []sandbox.Request{
				failed(request("customers.create", "/v1/customers", `{}`)),
				request("customers.create", "/v1/customers", `{}`)}},
		"a creation of another type": {address: customer, action: core.Create, after: c, says: "the plan creates fewer",
			sent: []sandbox.Request{request("billing_accounts.create", "/v1/billing-accounts", `{}`)}},
		"a creation for an update": {address: customer, action: core.Update, before: c, says: "the plan creates fewer",
			after: c, sent: []sandbox.Request{request("customers.create", "/v1/customers", `{}`)}},
		"a creation for an update with another id": {address: key, action: core.Update, before: k,
			after: changed(k, object{"id": unknown}),
			sent:  []sandbox.Request{request("api_keys.create", "/api/v1/api-keys", `{}`)}},
		"a record under the next key": {address: record, action: core.Create, after: r, sent: []sandbox.Request{
			request("finance.records.create", "/v1/payables", `{}`), recorded(`{}`)}},
		"another record": {address: record, action: core.Create, after: r, says: "the plan creates fewer",
			sent: []sandbox.Request{recorded(`{}`), recorded(`{"a":1}`)}},

		"a record of two blocks, of which one shows it": {address: record, action: core.Update, before: r, had: r,
			after: changed(r, object{"body": object{"amount": "2", "note": "a"}}), unchanged: r,
			sent: []sandbox.Request{request("finance.records.update", "/v1/payables/r-1", `{"amount":"2"}`)}},
		"a record of two blocks, of which none shows it": {address: record, action: core.NoOp, before: r, after: r,
			unchanged: r, says: "shows no change",
			sent: []sandbox.Request{request("finance.records.update", "/v1/payables/r-1", `{"amount":"2"}`)}},

		"an unknown object": {says: "the object is not in the plan", sent: patch(`{"notes":"x"}`)},
		"an object that the apply created": {
			sent: []sandbox.Request{request("customers.update", "/v1/customers/new-1", `{"notes":"x"}`)}},
		"a revocation without a key in the plan": {says: "the object is not in the plan",
			sent: []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-9", "")}},
		"a revocation of another key": {address: key, action: core.NoOp, before: k, after: k,
			says: "the object is not in the plan",
			sent: []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-9", "")}},
		"a revocation of an unused successor": {address: key, action: core.Update, before: k,
			after: changed(k, object{"previous_keys": unknown}),
			sent:  []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-9", "")}},
		"a request to an object that does not change": {address: customer, action: core.NoOp, before: c, after: c,
			says: "billing_customer.c shows no change", sent: patch(`{"notes":"n"}`)},
		"a request to a deleted object": {address: customer, action: core.Delete, before: c,
			sent: []sandbox.Request{{Operation: "customers.delete", Method: "DELETE", Path: "/v1/customers/c-1"}}},

		"an update": {address: customer, action: core.Update, before: c, after: changed(c, object{"notes": "x"}),
			sent: patch(`{"notes":"x"}`)},
		"an update of another field": {address: customer, action: core.Update, before: c,
			after: changed(c, object{"notes": "x"}), says: "does not show a change of name",
			sent: patch(`{"notes":"x","name":"B"}`)},
		"an update to another value": {address: customer, action: core.Update, before: c,
			after: changed(c, object{"notes": "x"}), says: `billing_customer.c shows notes = "x"`, sent: patch(`{"notes":"y"}`)},
		"a field that another attribute shows": {address: customer, action: core.Update, before: c,
			after: changed(c, object{"emails": []any{"a"}}), sent: patch(`{"email":"a"}`)},
		"a key that is lost": {address: customer, action: core.Update, before: c, after: changed(c, object{"notes": "x"}),
			had: object{"custom_metadata": object{"theirs": "1"}}, says: `custom_metadata.theirs: "1" → "(none)"`,
			sent: patch(`{"notes":"x","custom_metadata":{},"custom_metadata_mode":"replace"}`)},
		"a key that stays": {address: customer, action: core.Update, before: c,
			after: changed(c, object{"custom_metadata": object{"ours": "1"}}),
			had:   object{"custom_metadata": object{"theirs": "1"}},
			sent:  patch(`{"custom_metadata":{"ours":"1"},"custom_metadata_mode":"merge"}`)},
		"a default": {address: customer, action: core.Update,
			before: changed(c, object{"effective_custom_metadata": "{}"}),
			after:  changed(c, object{"effective_custom_metadata": `{"team":"x"}`}),
			sent:   patch(`{"custom_metadata":{"team":"x"},"custom_metadata_mode":"merge"}`)},
		"a key that is not a default": {address: customer, action: core.Update,
			says:   `custom_metadata.other: "(none)" → "x"`,
			before: changed(c, object{"effective_custom_metadata": "{}"}),
			after:  changed(c, object{"effective_custom_metadata": unknown}),
			sent:   patch(`{"custom_metadata":{"other":"x"},"custom_metadata_mode":"merge"}`)},

		"a record": {address: record, action: core.Update, before: r, had: object{"amount": "1"},
			after: object{"id": "r-1", "body": object{"amount": "2", "note": "a"}},
			sent:  []sandbox.Request{request("finance.records.update", "/v1/payables/r-1", `{"amount":"2"}`)}},
		"a field of a record": {address: record, action: core.Update, before: r, says: `body.note: "a" → "b"`,
			had:   object{"amount": "1", "note": "a"},
			after: object{"id": "r-1", "body": object{"amount": "2", "note": "a"}},
			sent:  []sandbox.Request{request("finance.records.update", "/v1/payables/r-1", `{"amount":"2","note":"b"}`)}},
		"a field of a record outside its body": {address: record, action: core.Update, before: r,
			had: object{"note": "a"}, says: "does not show a change of note", after: changed(r, object{"name": "x"}),
			sent: []sandbox.Request{request("finance.records.update", "/v1/payables/r-1", `{"note":"a"}`)}},

		"a cancellation": {address: subscription, action: core.Update, before: s,
			after: changed(s, object{"cancel_at_period_end": true}),
			sent:  []sandbox.Request{request("subscriptions.cancel", "/v1/subscriptions/s-1/cancel", `{}`)}},
		"a cancellation in addition to notes": {address: subscription, action: core.Update, before: s,
			after: changed(s, object{"notes": "x"}), says: `does not show it in "cancel_at_period_end"`,
			sent: []sandbox.Request{request("subscriptions.cancel", "/v1/subscriptions/s-1/cancel", `{}`)}},
		"a resumption in addition to notes": {address: subscription, action: core.Update, before: s,
			after: changed(s, object{"notes": "x"}), says: `does not show it in "pause"`,
			sent: []sandbox.Request{request("subscriptions.resume", "/v1/subscriptions/s-1/resume", `{}`)}},
		"a suspension in addition to notes": {address: account, action: core.Update, before: object{"id": "a-1"},
			after: object{"id": "a-1", "notes": "x"}, says: `does not show it in "status"`,
			sent: []sandbox.Request{request("billing_accounts.suspend", "/v1/billing-accounts/a-1/suspend", `{}`)}},
		"a cancellation after a fault": {address: subscription, action: core.Update, before: s,
			after: changed(s, object{"notes": "x"}), says: `does not show it in "cancel_at_period_end"`,
			sent: []sandbox.Request{{Operation: "subscriptions.cancel", Method: "POST", Path: "/v1/subscriptions/s-1/cancel",
				Fault: "fault-1"}}},
		"an operation without a change": {address: endpoint, action: core.Update, before: object{"id": "e-1"},
			after: object{"id": "e-1", "active": true}, says: `does not show it in ""`,
			sent: []sandbox.Request{request("webhook_endpoints.archive", "/api/v1/webhook-endpoints/e-1/archive", `{}`)}},
		"an encrypted secret": {address: endpoint, action: core.Update, before: object{"id": "e-1"},
			after: object{"id": "e-1", "encrypted_secret": unknown},
			sent: []sandbox.Request{
				request("webhook_endpoints.rotate_secret", "/api/v1/webhook-endpoints/e-1/rotate-secret", `{}`)}},

		"items": {address: subscription, action: core.Update, before: s, had: object{"items": items},
			after: changed(s, object{"items": []any{}}),
			sent:  []sandbox.Request{request("subscriptions.items.sync", "/v1/subscriptions/s-1/items", `{"items":[]}`)}},
		"items of another system": {address: subscription, action: core.Update, before: changed(s, object{"items": nil}),
			had: object{"items": items}, after: s, says: "does not show the removal of the item",
			sent: []sandbox.Request{request("subscriptions.items.sync", "/v1/subscriptions/s-1/items", `{"items":[]}`)}},
		"items of another system in a warning": {address: subscription, action: core.Update, after: s,
			before: changed(s, object{"items": nil}), had: object{"items": items}, warnings: []string{"the item p × 2 goes"},
			sent: []sandbox.Request{request("subscriptions.items.sync", "/v1/subscriptions/s-1/items", `{"items":[]}`)}},
		"a quantity of one": {address: subscription, action: core.Update, before: changed(s, object{"items": nil}),
			had:   object{"items": []any{object{"product_id": "p", "price_id": "q", "quantity": json.Number("1")}}},
			after: s, sent: []sandbox.Request{request("subscriptions.items.sync", "/v1/subscriptions/s-1/items",
				`{"items":[{"product_id":"p","price_id":"q"}]}`)}},

		"a rotation": {address: key, action: core.Update, before: k, after: changed(k, object{"rotated_at": unknown}),
			sent: []sandbox.Request{request("api_keys.rotate", "/api/v1/api-keys/k-1/rotate", `{}`)}},
		"a rotation in addition to a description": {address: key, action: core.Update, before: k,
			after: changed(k, object{"description": "x"}), says: `does not show it in "rotated_at"`,
			sent: []sandbox.Request{request("api_keys.rotate", "/api/v1/api-keys/k-1/rotate", `{}`)}},
		"an expiry of a previous key": {address: key, action: core.Update, before: k,
			after: changed(k, object{"previous_keys": unknown}),
			sent:  []sandbox.Request{request("api_keys.rotate", "/api/v1/api-keys/k-0/rotate", `{}`)}},
		"an expiry of a previous key in addition to a description": {address: key, action: core.Update, before: k,
			after: changed(k, object{"description": "x"}), says: `does not show it in "rotated_at"`,
			sent: []sandbox.Request{request("api_keys.rotate", "/api/v1/api-keys/k-0/rotate", `{}`)}},
		"a rotation in addition to a previous key": {address: key, action: core.Update, before: k,
			after: changed(k, object{"previous_keys": unknown}), says: `does not show it in "rotated_at"`,
			sent: []sandbox.Request{request("api_keys.rotate", "/api/v1/api-keys/k-1/rotate", `{}`)}},
		"an immediate revocation": {address: key, action: core.Update,
			before: changed(k, object{"grace_period_days": json.Number("0")}),
			after:  changed(k, object{"grace_period_days": json.Number("0"), "id": unknown}),
			sent:   []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-1", "")}},
		"a revocation in a grace period": {address: key, action: core.Update, before: k,
			after: changed(k, object{"grace_period_days": json.Number("3"), "id": unknown}),
			says:  `does not show it in "previous_keys"`,
			sent:  []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-1", "")}},
		"a revocation of the key itself": {address: key, action: core.Update, before: k,
			after: changed(k, object{"revoke_previous_keys": true, "description": "x"}),
			says:  `does not show it in "previous_keys"`,
			sent:  []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-1", "")}},
		"a revocation of a previous key": {address: key, action: core.Update, before: k,
			after: changed(k, object{"revoke_previous_keys": true}),
			sent:  []sandbox.Request{request("api_keys.revoke", "/api/v1/api-keys/k-0", "")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			switch have := test.unexplained(); {
			case test.says == "" && have != "":
				t.Errorf("it is explained, but: %s", have)
			case test.says != "" && !strings.Contains(have, test.says):
				t.Errorf("want %q: %q", test.says, have)
			}
		})
	}
}
