package rehearsal

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Every request is shown with its verb and its object, also where an earlier request has created that.
func TestSent(t *testing.T) {
	t.Parallel()
	names := map[string]string{"r-1": "rent", "s-1": "aurora"}
	var got []string
	for _, one := range sent([]sandbox.Request{
		{Operation: "finance.records.update", Object: "r-1", Body: []byte(`{"amount":"1.00"}`), Status: 200},
		{Operation: "finance.records.create", Body: []byte(`{"name":"water"}`), Status: 201},
		{Operation: "subscriptions.items.sync", Object: "s-1", Body: []byte(`{"items":[]}`), Status: 200},
		{Operation: "subscriptions.create", Body: []byte(`{"external_id":"new"}`), Status: 201,
			Response: []byte(`{"data":{"id":"s-2","external_id":"new"}}`)},
		{Operation: "subscriptions.pause", Object: "s-2", Body: []byte(`{"behavior":"void"}`), Status: 200},
		{Operation: "customers.create", Body: []byte(`{"customer":{"name":"Lua"}}`), Status: 201,
			Response: []byte(`{"data":{"customer":{"id":"c-2","name":"Lua"}}}`)},
		{Operation: "customers.delete", Object: "c-2", Status: 422,
			Response: []byte(`{"error":{"code":"customer_has_active_subscriptions"}}`)},
	}, names) {
		got = append(got, strings.Join(append([]string{one.Verb, one.Object, one.Code}, one.Arguments...), " "))
	}
	want := []string{
		`update finance record "rent"  amount`,
		`create finance record "water"  name`,
		`set the items of subscription "aurora"  items`,
		`create subscription "new"  external_id`,
		`pause subscription "new"  behavior`,
		`create customer "Lua"  name`,
		`delete customer "Lua" customer_has_active_subscriptions`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
