package life

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestUnexplained holds that a request needs a plan that shows it. A provider that works sends no other one, so that no
// scenario can show it.
func TestUnexplained(t *testing.T) {
	t.Parallel()
	const path = "/v1/subscriptions/id-1"
	change := func(address, action string, before, after object) *acctest.Change {
		before["id"] = "id-1"
		if after != nil && after["id"] == nil {
			after["id"] = "id-1"
		}
		return &acctest.Change{Address: address, Action: action, Before: before, After: after}
	}
	update := func(before, after object) *acctest.Change {
		return change("billing_subscription.s", acctest.Update, before, after)
	}
	notes := update(object{"notes": "a"}, object{"notes": "b"})
	metadata := update(object{"custom_metadata": object{"a": "1"}}, object{"custom_metadata": object{"a": "2"}})
	old := []any{object{"id": "id-0"}}
	key := change("billing_api_key.k", acctest.Update, object{"previous_keys": old, "description": "a"},
		object{"previous_keys": old, "description": "b"})
	tests := map[string]struct {
		change                  *acctest.Change
		operation, method, path string
		body, says              string
	}{
		"no change": {change("billing_subscription.s", acctest.NoOp, object{}, object{}), "subscriptions.update", "PATCH",
			path, `{"notes":"b"}`, "billing_subscription.s shows no change"},
		"a read":           {nil, "subscriptions.get", "GET", path, "", ""},
		"the change":       {notes, "subscriptions.update", "PATCH", path, `{"notes":"b"}`, ""},
		"another argument": {notes, "subscriptions.update", "PATCH", path, `{"nickname":"b"}`, "does not show a change of nickname"},
		"another value":    {notes, "subscriptions.update", "PATCH", path, `{"notes":"c"}`, `shows notes = "b"`},
		"another object":   {notes, "subscriptions.update", "PATCH", "/v1/subscriptions/id-2", `{}`, "the plan has no such object"},
		"a destroyed one": {change("billing_subscription.s", acctest.Delete, object{}, nil), "subscriptions.cancel", "POST",
			path + "/cancel", `{}`, ""},
		"a key of the configuration": {metadata, "subscriptions.update", "PATCH", path,
			`{"custom_metadata":{"a":"2"},"custom_metadata_mode":"merge"}`, ""},
		"a key of another system": {metadata, "subscriptions.update", "PATCH", path,
			`{"custom_metadata":{"a":"2"},"custom_metadata_mode":"replace"}`, "does not show custom_metadata.crm"},
		"a pause":    {notes, "subscriptions.pause", "POST", path + "/pause", `{}`, `does not show it in "pause"`},
		"an end":     {notes, "subscriptions.cancel", "POST", path + "/cancel", `{}`, "does not show it in"},
		"a creation": {notes, "subscriptions.create", "POST", "/v1/subscriptions", `{}`, "the plan creates fewer"},
		"a revocation": {key, "api_keys.revoke", "DELETE", "/api/v1/api-keys/id-1", "",
			"does not show it in"},
		"the end of an old key": {key, "api_keys.revoke", "DELETE", "/api/v1/api-keys/id-0", "", "does not show it in"},
		"items of another system": {update(object{"items": []any{}}, object{"items": []any{object{"product_id": "p"}}}),
			"subscriptions.items.sync", "PUT", path + "/items", `{"items":[{"product_id":"p"}]}`, "does not show that the item"},
		"an operation that nothing shows": {notes, "subscriptions.archive", "POST", path + "/archive", `{}`,
			"does not show it in"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := applied{plan: &acctest.CorePlan{}, newIDs: map[string]string{}, before: map[string]object{
				"billing_subscription.s": {"custom_metadata": object{"a": "1", "crm": "x"},
					"items": []any{object{"product_id": "theirs"}}}}}
			if test.change != nil {
				a.plan.Changes = append(a.plan.Changes, test.change)
			}
			have := strings.Join(a.explain([]sandbox.Request{{Operation: test.operation, Method: test.method, Path: test.path,
				Body: []byte(test.body)}}), "\n")
			if !strings.Contains(have, test.says) || have != "" && test.says == "" {
				t.Errorf("it is %q", have)
			}
		})
	}
}
