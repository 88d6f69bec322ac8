package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A plan that updates one resource, imports another, leaves a third alone,
// reads a data source and changes one of two outputs.
const planDocument = `{
  "prior_state": {"values": {"root_module": {"resources": [
    {"address": "billing_customer.same", "mode": "managed", "values": {"id": "3", "notes": null}},
    {"address": "data.billing_customers.all", "mode": "data", "values": {"limit": 10}}
  ]}}},
  "resource_changes": [
    {"address": "billing_customer.changed", "mode": "managed", "change": {"actions": ["update"],
      "before": {"id": "1", "notes": "old", "tags": ["a"], "updated_at": "then", "nickname": null, "emails": [{"value": "x"}]},
      "after":  {"id": "1", "notes": "new", "tags": ["a"], "emails": [{"value": "x"}]},
      "after_unknown": {"updated_at": true, "tags": [false], "emails": [{}]}}},
    {"address": "billing_customer.imported", "mode": "managed", "change": {"actions": ["no-op"], "importing": {"id": "2"},
      "before": {"id": "2"}, "after": {"id": "2"}, "after_unknown": {}}},
    {"address": "billing_customer.replaced", "mode": "managed", "change": {"actions": ["delete", "create"], "before": {}, "after": {}, "after_unknown": {}}},
    {"address": "billing_customer.same", "mode": "managed", "change": {"actions": ["no-op"], "before": {}, "after": {}, "after_unknown": {}}},
    {"address": "data.billing_customers.all", "mode": "data", "change": {"actions": ["read"], "before": null, "after": {}, "after_unknown": {}}}
  ],
  "output_changes": {
    "name": {"actions": ["update"], "before": "a", "after": "b"},
    "same": {"actions": ["no-op"], "before": "a", "after": "a"}
  }
}`

func TestReadPlan(t *testing.T) {
	t.Parallel()
	p, err := readPlan([]byte(planDocument))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.changes) != 3 || p.changes["billing_customer.replaced"].action != "replace" ||
		!p.changes["billing_customer.imported"].imported || p.changes["billing_customer.changed"].imported {
		t.Errorf("changes = %v", p.changes)
	}
	if len(p.outputs) != 1 || p.outputs["name"] != "b" {
		t.Errorf("outputs = %v", p.outputs)
	}
	for _, test := range []struct {
		address string
		wanted  object
		kept    bool
	}{
		{"billing_customer.same", object{"id": "3", "notes": nil}, true},
		{"billing_customer.same", object{"id": "4"}, false},
		{"data.billing_customers.all", object{"limit": json.Number("10")}, true},
		{"billing_customer.unknown", object{}, false},
	} {
		if err := p.expectFound(test.address, test.wanted); (err == nil) != test.kept {
			t.Errorf("expectFound(%s, %v) = %v", test.address, test.wanted, err)
		}
	}
	if touched := p.changes["billing_customer.changed"].touched(); !slices.Equal(touched,
		[]string{"notes", "updated_at"}) {
		t.Errorf("touched = %v", touched)
	}
	if _, err := readPlan([]byte("not JSON")); err == nil {
		t.Error("something else than JSON is read as a plan")
	}
}

func TestExpectations(t *testing.T) {
	t.Parallel()
	p := &plan{changes: map[string]change{
		"a": {action: "update", before: map[string]any{"x": 1, "y": 1}, after: map[string]any{"x": 2, "y": 1}},
	}}
	for _, test := range []struct {
		name string
		err  error
		kept bool
	}{
		{"as promised", p.expect("update", "a"), true},
		{"another action", p.expect("create", "a"), false},
		{"another resource", p.expect("update", "b"), false},
		{"one resource more", p.expect("update", "a", "b"), false},
		{"one resource less", p.expect("update"), false},
		{"attributes as promised", p.expectAttributes("a", "x"), true},
		{"one attribute more", p.expectAttributes("a", "y", "x"), false},
		{"one attribute less", p.expectAttributes("a"), false},
	} {
		if (test.err == nil) != test.kept {
			t.Errorf("%s: %v", test.name, test.err)
		}
	}
}

const planText = `data.billing_organization.this: Reading...

Terraform will perform the following actions:

  # data.billing_customers.aurora will be read during apply
  # (depends on a resource or a module with changes pending)
 <= data "billing_customers" "aurora" {
      + customers = (known after apply)
    }

  # billing_customer.headquarters will be updated in-place
  ~ resource "billing_customer" "headquarters" {
        id    = "1"
      ~ notes = "old" -> "new"
    }

Plan: 0 to add, 1 to change, 0 to destroy.

Changes to Outputs:
  ~ aurora = [] -> (known after apply)
`

func TestLinesOfPlan(t *testing.T) {
	t.Parallel()
	p := &plan{text: planText}
	if got, want := strings.Join(p.headlines(), "\n"), `  # billing_customer.headquarters will be updated in-place
Plan: 0 to add, 1 to change, 0 to destroy.`; got != want {
		t.Errorf("headlines:\n%s", got)
	}
	if got, want := strings.Join(p.details(), "\n"), `  # billing_customer.headquarters will be updated in-place
  ~ resource "billing_customer" "headquarters" {
        id    = "1"
      ~ notes = "old" -> "new"
    }
Plan: 0 to add, 1 to change, 0 to destroy.`; got != want {
		t.Errorf("details:\n%s", got)
	}
}

const warnedText = `Plan: 0 to add, 1 to change, 0 to destroy.

Warning: The first

  with billing_customer.changed,
  on customers.tf line 3, in resource "billing_customer" "changed":
   3:   notes = "new"

One sentence,
on two lines.

Warning: The second

Another sentence.

─────────────────────────────────────────────────────────────────────────────

Saved the plan to: demo.tfplan
`

func TestWarning(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"The first":  "Warning: The first\nOne sentence,\non two lines.",
		"The second": "Warning: The second\nAnother sentence.",
		"The":        "",
	} {
		if got := strings.Join(warning(warnedText, title), "\n"); got != want {
			t.Errorf("warning(%q):\n%s", title, got)
		}
	}
}
