package billingaccount

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

const (
	ana = "0b3c6f0e-0000-4000-8000-00000000000c"
	bea = "0b3c6f0e-0000-4000-8000-00000000000d"
)

func plain() billing.BillingAccount {
	return billing.BillingAccount{ID: "a", Status: "active", PaymentTermsDays: new(int64(10)),
		Customer: &billing.AccountCustomer{ID: ana, Name: "Ana"}}
}

func read(t *testing.T, a billing.BillingAccount) model {
	t.Helper()
	m, err := fromAPI(&a)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestKeep: what the service does not return stays as it was, and what it does return wins, but for the customer: an
// account never moves. Whatever is wrong with a response, its id is not lost.
func TestKeep(t *testing.T) {
	t.Parallel()
	prior := read(t, plain())
	prior.StatusReason, prior.DeletionPolicy = types.StringValue("why"), types.StringValue("abandon")
	prior.CustomerID = types.StringValue(strings.ToUpper(ana))
	for name, c := range map[string]struct {
		change func(*billing.BillingAccount)
		holds  func(model) bool
		says   string
	}{
		"what is never returned": {func(*billing.BillingAccount) {}, func(m model) bool {
			return m.StatusReason.ValueString() == "why" && m.DeletionPolicy.ValueString() == "abandon" &&
				m.CustomerID.Equal(prior.CustomerID)
		}, ""},
		"no customer": {func(a *billing.BillingAccount) { a.Customer = nil }, func(m model) bool {
			return m.CustomerID.Equal(prior.CustomerID)
		}, ""},
		"a status": {func(a *billing.BillingAccount) { a.Status = "frozen" },
			func(m model) bool { return m.Status.ValueString() == "frozen" }, ""},
		"another customer": {func(a *billing.BillingAccount) { a.Customer.ID = bea }, func(m model) bool {
			return m.ID.ValueString() == "a" && m.CustomerID.Equal(prior.CustomerID)
		}, "The service returned customer " + bea + " for billing account (id a)"},
		"an unreadable object": {func(a *billing.BillingAccount) { a.CustomMetadata = []byte(`[1]`) },
			func(m model) bool { return m.ID.ValueString() == "a" && m.CustomMetadata.Equal(prior.CustomMetadata) },
			"Unreadable response about billing account (id a)"},
	} {
		a := plain()
		c.change(&a)
		var diags diag.Diagnostics
		m := prior.keep(&a, ownership{}, &diags)
		if ok := !diags.HasError(); !c.holds(m) || ok != (c.says == "") || !ok && diags[0].Summary() != c.says {
			t.Errorf("%s: %+v %v", name, m, diags)
		}
	}
	var diags diag.Diagnostics
	imported := model{}.keep(new(plain()), ownership{}, &diags)
	if diags.HasError() || imported.CustomerID.ValueString() != ana {
		t.Errorf("a customer that was not known is %s", imported.CustomerID)
	}
}

// TestMoves: only another customer forces a new account, and an unknown one only where this run replaces the customer.
func TestMoves(t *testing.T) {
	t.Parallel()
	state := read(t, plain())
	var replacing run.Run
	replacing.Gone(customerTypeName, ana)
	for name, c := range map[string]struct {
		planned types.String
		record  *run.Run
		want    bool
	}{
		"the same":               {types.StringValue(ana), &replacing, false},
		"another":                {types.StringValue(bea), &run.Run{}, true},
		"unknown":                {types.StringUnknown(), &run.Run{}, false},
		"unknown, it is gone":    {types.StringUnknown(), &replacing, true},
		"unknown, without a run": {types.StringUnknown(), nil, false},
	} {
		m := state
		m.CustomerID = c.planned
		if have := m.moves(state, c.record); have != c.want {
			t.Errorf("%s: moves %v", name, have)
		}
	}
	state.CustomerID = types.StringNull()
	if read(t, plain()).moves(state, nil) {
		t.Error("an account whose customer was never shown moves")
	}
}

// TestBodies: what is sent on creation and update, and nothing else.
func TestBodies(t *testing.T) {
	t.Parallel()
	state := read(t, plain())
	config := model{shared: shared{CustomerID: types.StringValue(ana), PaymentTermsDays: types.Int64Value(5),
		AutoCollection: types.BoolValue(false), Status: types.StringValue("suspended")}}
	least := model{shared: shared{CustomerID: types.StringValue(ana)}}
	plan, was := state, state
	plan.PaymentTermsDays, plan.Status = types.Int64Value(20), types.StringValue("suspended")
	was.ExternalID = types.StringValue("x")
	for name, c := range map[string]struct {
		body any
		want string
	}{
		"creation": {config.body(model{}),
			`{"customer":{"id":"` + ana + `"},"payment_terms_days":5,"auto_collection":false}`},
		"least":    {least.body(model{}), `{"customer":{"id":"` + ana + `"}}`},
		"update":   {plan.body(state), `{"payment_terms_days":20}`},
		"clearing": {state.body(was), `{"external_id":null}`},
		"nothing":  {state.body(state), `{}`},
	} {
		if have, err := json.Marshal(c.body); err != nil || string(have) != c.want {
			t.Errorf("%s: %s %v, want %s", name, have, err, c.want)
		}
	}
}

// TestDisplayName names the account by what is known of it.
func TestDisplayName(t *testing.T) {
	t.Parallel()
	text := types.StringValue
	for want, m := range map[string]model{
		`billing account "a-1" (id a)`:              {shared: shared{ID: text("a"), ExternalID: text("a-1"), CustomerID: text(ana)}},
		`billing account (id a)`:                    {shared: shared{ID: text("a")}},
		`billing account of customer "` + ana + `"`: {shared: shared{CustomerID: text(ana), ID: types.StringUnknown()}},
		"billing account":                           {},
	} {
		if have := m.displayName(); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}

// TestBlames: what the service rejects is about arguments that exist.
func TestBlames(t *testing.T) {
	t.Parallel()
	modeltest.Tables(t, model{}, map[string][]string{"statusErrors": statusErrors.Arguments(),
		"customerErrors": customerErrors.Arguments()})
}
