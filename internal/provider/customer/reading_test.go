package customer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

type object = acctest.JSON

// people makes five customers, a minute apart; two of them share a document. It returns their ids.
func people(t *testing.T, s *acctest.Service) map[string]string {
	t.Helper()
	s.NeedsSandbox("the organization has just these customers")
	ids := map[string]string{}
	for i, person := range []acctest.JSON{
		{"name": "Ana", "external_id": "p-1", "document_number": "529.982.247-25", "email": "ana@example.com",
			"custom_metadata": object{"team": "a"}},
		{"name": "Bruno", "external_id": "p-2", "document_number": "11144477735", "tags": []string{"vip"}},
		{"name": "Carla", "external_id": "p-3", "document_number": "111.444.777-35"},
		{"name": "Davi", "external_id": "p-4"},
		{"name": "Elisa"},
	} {
		s.Sandbox.Clock().Set(acctest.Epoch.Add(time.Duration(i+1) * time.Minute))
		made := s.Must("POST", "/v1/customers", person)
		ids[person["name"].(string)] = made["customer"].(object)["id"].(string)
	}
	return ids
}

// TestCustomer_dataSource: by id, by external_id, and by a document under any mask, all of which return the same
// customer. None, more than one, and no or two ways to find it are errors that say what to do.
func TestCustomer_dataSource(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	ids := people(t, s)
	selectors := []object{{"id": ids["Ana"]}, {"external_id": "p-1"}, {"document_number": "529.982.247-25"},
		{"document_number": "52998224725"}}
	for _, selector := range selectors {
		have, said := s.Core().Read("billing_customer", selector)
		ana := object{"id": ids["Ana"], "name": "Ana", "external_id": "p-1", "document_type": "cpf",
			"email": "ana@example.com", "custom_metadata": `{"team":"a"}`, "nickname": nil}
		for name, want := range ana {
			if have[name] != want {
				t.Errorf("%v: %s is %v, want %v: %s", selector, name, have[name], want, core.Errors(said))
			}
		}
	}
	const nobody = "af238647-a922-4249-b9fc-e608c4d3f831"
	for _, c := range []struct {
		selector object
		says     []string
	}{
		{object{"id": nobody}, []string{"No such customer", "id " + nobody}},
		{object{"external_id": "P-1"}, []string{"No such customer", `external_id "P-1"`, "including its case"}},
		{object{"document_number": "1"}, []string{"No such customer", "with this document_number"}},
		{object{"document_number": "111 444 777 35"}, []string{"More than one customer", "2 customers", ids["Bruno"] +
			" Bruno (created 2026-03-14", ids["Carla"] + " Carla", "Use the id"}},
		{object{}, []string{"Set exactly one of id, external_id and document_number"}},
		{object{"external_id": "p-1", "document_number": "1"}, []string{"external_id and document_number are set",
			"Remove all but one"}},
	} {
		_, said := s.Core().Read("billing_customer", c.selector)
		acctest.Says(t, core.Errors(said), c.says...)
	}
}

// TestCustomer_lists: all pages are read, in the order asked for, and no more than asked for. The list resource has the
// same filters, and comes with a name to show and the whole resource.
func TestCustomer_lists(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	people(t, s)
	since := acctest.Epoch.Add(4 * time.Minute).Format(time.RFC3339)
	for _, c := range []struct {
		config object
		want   []string
		list   bool
	}{
		{object{}, []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"}, true},
		{object{"sort_by": "name", "sort_order": "desc"}, []string{"Elisa", "Davi", "Carla", "Bruno", "Ana"}, false},
		{object{"sort_by": "created_at", "sort_order": "desc", "limit": 3}, []string{"Elisa", "Davi", "Carla"}, false},
		{object{"limit": 2}, []string{"Ana", "Bruno"}, false},
		{object{"limit": 50}, []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"}, false},
		{object{"search": "carla"}, []string{"Carla"}, true},
		{object{"search": "zzz"}, nil, true},
		{object{"external_id": "p-1"}, []string{"Ana"}, true},
		{object{"external_id": "P-1"}, nil, true},
		{object{"document_number": "111 444 777 35"}, []string{"Bruno", "Carla"}, true},
		{object{"updated_at_gte": since}, []string{"Davi", "Elisa"}, true},
		{object{"updated_at_gte": "2026-03-15"}, nil, true},
	} {
		read, said := s.Core().Read("billing_customers", c.config)
		var names []string
		all, _ := read["customers"].([]any)
		for _, customer := range all {
			names = append(names, customer.(object)["name"].(string))
		}
		acctest.Same(t, fmt.Sprint(c.config, core.Errors(said)), names, c.want...)
		if c.list {
			listed, said := s.Core().List("billing_customer", c.config, false)
			if len(listed) != len(c.want) || len(said) > 0 {
				t.Errorf("%v lists %v %v", c.config, slices.Sorted(maps.Keys(listed)), said)
			}
		}
	}
	wrong := map[string]object{`Invalid limit: 0: 0 is below 1. Write 1 or more.`: {"limit": 0},
		`Invalid sort_order: Write asc or desc.`: {"sort_order": "up"},
		"neither a date such as":                 {"updated_at_gte": "yesterday"}}
	for says, config := range wrong {
		_, said := s.Core().Read("billing_customers", config)
		acctest.Says(t, core.Errors(said), says)
	}
	listed, _ := s.Core().List("billing_customer", object{"external_id": "p-1"}, true)
	ana := object{"name": "Ana", "external_id": "p-1", "document_number": "529.982.247-25", "email": nil,
		"emails":                    []any{object{"kind": nil, "value": "ana@example.com"}},
		"effective_custom_metadata": `{"team":"a"}`, "deletion_policy": "delete"}
	for name, want := range ana {
		if have := listed["Ana (p-1)"][name]; text(t, have) != text(t, want) {
			t.Errorf("listed, %s is %v", name, have)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
