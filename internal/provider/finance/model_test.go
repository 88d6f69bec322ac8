package finance

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// said joins what diagnostics say.
func said(diags diag.Diagnostics) string {
	var all []string
	for _, d := range diags {
		all = append(all, d.Severity().String()+": "+d.Summary()+": "+d.Detail())
	}
	return strings.Join(all, "\n")
}

// TestAdviseRetry: where the record may exist, the user learns how to find out, and with which key.
func TestAdviseRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("connection reset"), true},
		{&api.TransportError{Err: errors.New("connection reset")}, true},
		{&api.Error{Status: 503}, true},
		{&api.Error{Status: 201}, true},
		{&api.Error{Status: 422, Attempts: 2}, false},
		{&api.Error{Status: 403, Attempts: 1}, false},
	} {
		var diags diag.Diagnostics
		adviseRetry(c.err, model{IdempotencyKey: types.StringValue("the-key")}, &diags)
		if have := said(diags); strings.Contains(have, "with the key the-key") != c.want {
			t.Errorf("%v: %q", c.err, have)
		}
	}
}

// TestConflict: what cannot be done with one key in one plan, in either order.
func TestConflict(t *testing.T) {
	t.Parallel()
	made, given := run.Claim{}, run.Claim{Given: true}
	one, other, removed := run.Claim{ID: "r1"}, run.Claim{ID: "r2"}, run.Claim{ID: "r1", Destroyed: true}
	for name, c := range map[string]struct {
		a, b          run.Claim
		summary, says string
	}{
		"two to be made":              {made, made, "Two new records in payables have the key k", "their bodies are the same"},
		"two with keys of their own":  {given, made, "Two new records in payables have the key k", "keys are not case-sensitive"},
		"one of them exists":          {one, made, "The record r1 in payables has the key of a new record", "so both resources would"},
		"renamed":                     {removed, made, "The record r1 in payables is deleted and created again", "moved block"},
		"managed twice, removed once": {one, removed, "The record r1 in payables is deleted at one address", "state rm"},
		"two that exist":              {one, other, "", ""},
		"managed twice":               {one, one, "", ""},
		"both are removed":            {removed, removed, "", ""},
		"another one is removed":      {removed, other, "", ""},
		"replaced":                    {one, run.Claim{Replaces: "payables/r1"}, "", ""},
		"another one is replaced": {one, run.Claim{Replaces: "payables/r2"},
			"The record r1 in payables has the key of a new record", ""},
	} {
		for range 2 {
			summary, detail := conflict("payables", "k", c.a, c.b)
			if (summary == "") != (c.summary == "") || !strings.HasPrefix(summary, c.summary) ||
				!strings.Contains(detail, c.says) {
				t.Errorf("%s: %q, %q", name, summary, detail)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// TestInBody_amounts: a number where the service wants a text is an amount that has to be written as one.
func TestInBody_amounts(t *testing.T) {
	t.Parallel()
	body, err := metadata.Parse([]byte(`{"amount":10.5,"big":1e400,"name":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	e, _ := api.AsError(inBody(&api.Error{Fields: map[string]string{"amount": "must be a string", "big": "no",
		"name":  "no",
		"other": "no"}}, body))
	want := map[string]string{"body.big": "no", "body.name": "no", "body.other": "no",
		"body.amount": "must be a string. " +
			"If it is an amount, write a string with two decimals: \"10.50\", or format_cents(1050)."}
	if !reflect.DeepEqual(e.Fields, want) {
		t.Errorf("%v", e.Fields)
	}
}

// TestWarnCollection: only a near miss of a documented collection warns.
func TestWarnCollection(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"payable": "payables", "Payables": "payables", "recievables": "receivables",
		"account": "accounts", "payables": "", "cost-centers": "", "discounts": "", "foos": "", "": ""} {
		var diags diag.Diagnostics
		warnCollection(types.StringValue(name), &diags)
		if have := said(diags); (have == "") != (want == "") || !strings.Contains(have, `did you mean "`+want) && want != "" {
			t.Errorf("%q: %s", name, have)
		}
	}
}

// TestFromAPI: the whole record is in body and response, to the last digit; what only the provider knows is null.
func TestFromAPI(t *testing.T) {
	t.Parallel()
	const response = `{"amount":"1500.00","count":9007199254740993,"id":"1","lines":[{"paid":null}],"name":"Rent"}`
	var record finance.Record
	modeltest.Wire(t, []byte(response), &record)
	m, err := fromAPI(types.StringValue("payables"), &record)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID.ValueString() != "1" || m.Collection.ValueString() != "payables" || m.Response.ValueString() != response {
		t.Errorf("converted to %+v", m)
	}
	if !m.IdempotencyKey.IsNull() || m.IgnoreRemoteChanges.ValueBool() {
		t.Errorf("made up %s, %s", m.IdempotencyKey, m.IgnoreRemoteChanges)
	}
	want := parsed(t, response)
	delete(want, "id")
	if body, err := m.Body.Object(); err != nil || !same.JSON(body, want) {
		t.Errorf("the body is %v, %v", body, err)
	}
}

// TestWarnUnknownFilters: a filter on a field that no item has is a warning that names it and similar fields.
func TestWarnUnknownFilters(t *testing.T) {
	t.Parallel()
	const item = `{"id":"1","company_id":"2","occurred_at":"2026-01-31"}`
	for name, c := range map[string]struct {
		filter, item string
		warns        bool
	}{
		"known":           {"company_id", item, false},
		"bound":           {"occurred_at[gte]", item, false},
		"misspelt":        {"compny_id", item, true},
		"an empty object": {"compny_id", "{}", false},
	} {
		var diags diag.Diagnostics
		warnUnknownFilters(map[string]string{c.filter: "x"}, []object.RecordModel{{JSON: types.StringValue(c.item)}},
			"things", &diags)
		if have := said(diags); (have != "") != c.warns ||
			c.warns && !(strings.Contains(have, `the filter "compny_id" of things`) &&
				strings.Contains(have, "Similar fields: company_id,")) {
			t.Errorf("%s: %s", name, have)
		}
	}
}
