package customer

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// responded is the customer that an exchange of the contract returns, decoded, and as it is on the wire.
func responded(t *testing.T, exchange evidence.Exchange) (*billing.Customer, map[string]json.RawMessage) {
	t.Helper()
	var body struct {
		Data json.RawMessage `json:"data"`
	}
	var customer billing.Customer
	fields := map[string]json.RawMessage{}
	for _, err := range []error{json.Unmarshal(exchange.Response.Body, &body), json.Unmarshal(body.Data, &customer),
		json.Unmarshal(body.Data, &fields)} {
		if err != nil {
			t.Fatalf("%s: %v", exchange.Name, err)
		}
	}
	return &customer, fields
}

// responsesOfOne are the exchanges that return one customer.
func responsesOfOne() []evidence.Exchange {
	return slices.DeleteFunc(evidence.All("billing/customer_"), func(e evidence.Exchange) bool {
		return e.Response.Status != http.StatusOK || e.Operation != "customers.get" && e.Operation != "customers.update"
	})
}

// TestFromAPI_structures: lists, tags and objects are in the model as the service returns them; what is empty is
// null.
func TestFromAPI_structures(t *testing.T) {
	t.Parallel()
	for _, exchange := range responsesOfOne() {
		customer, fields := responded(t, exchange)
		m, err := fromAPI(customer)
		if err != nil {
			t.Fatal(err)
		}
		for name, list := range map[string]types.List{"addresses": m.Addresses, "phones": m.Phones, "emails": m.Emails,
			"websites": m.Websites} {
			sameJSONList(t, exchange.Name+" "+name, fields[name], list)
		}
		var tags []string
		if err := json.Unmarshal(fields["tags"], &tags); err != nil {
			t.Fatal(err)
		}
		if have := value.Texts(m.Tags); m.Tags.IsNull() != (len(tags) == 0) ||
			!slices.Equal(slices.Sorted(slices.Values(have)), slices.Sorted(slices.Values(tags))) {
			t.Errorf("%s: tags %s, the service says %v", exchange.Name, m.Tags, tags)
		}
		remote, err := metadata.Parse(fields["custom_metadata"])
		if err != nil {
			t.Fatal(err)
		}
		object, err := m.CustomMetadata.Object()
		if err != nil || !same.JSON(object, remote) || m.CustomMetadata.IsAbsent() != (len(remote) == 0) {
			t.Errorf("%s: custom_metadata %s, %v, the service says %s", exchange.Name, m.CustomMetadata, err,
				fields["custom_metadata"])
		}
		if m.EffectiveCustomMetadata.ValueString() != metadata.Text(remote) {
			t.Errorf("%s: effective_custom_metadata %s", exchange.Name, m.EffectiveCustomMetadata)
		}
	}
}

// sameJSONList compares a list of objects of texts with its JSON.
func sameJSONList(t *testing.T, what string, raw json.RawMessage, list types.List) {
	t.Helper()
	var want []map[string]*string
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if list.IsNull() != (len(want) == 0) || len(list.Elements()) != len(want) {
		t.Errorf("%s: %s, the service says %s", what, list, raw)
		return
	}
	for i, element := range list.Elements() {
		object := element.(types.Object)
		for name := range object.Attributes() {
			if have := object.Attributes()[name]; !have.Equal(types.StringPointerValue(want[i][name])) {
				t.Errorf("%s %d: %s is %s, the service says %s", what, i, name, have, raw)
			}
		}
	}
}

// TestFromAPI_defaults: what only the provider knows starts with its defaults, and what the service does not say is
// null.
func TestFromAPI_defaults(t *testing.T) {
	t.Parallel()
	m, err := fromAPI(&billing.Customer{ID: "1", Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	if m.CustomMetadataMode.ValueString() != "merge" || m.DeletionPolicy.ValueString() != "delete" {
		t.Errorf("mode %s, policy %s", m.CustomMetadataMode, m.DeletionPolicy)
	}
	for name, null := range map[string]bool{
		"public_id": m.PublicID.IsNull(), "created_at": m.CreatedAt.IsNull(),
		"billing_account_id": m.BillingAccountID.IsNull(), "create_billing_account": m.CreateBillingAccount.IsNull(),
		"metadata": m.Metadata.IsNull(), "email": m.Email.IsNull(),
	} {
		if !null {
			t.Errorf("%s is not null", name)
		}
	}
	if _, err := fromAPI(&billing.Customer{ID: "1", CustomMetadata: json.RawMessage(`[1]`)}); err == nil ||
		!strings.Contains(err.Error(), "custom_metadata of customer 1") {
		t.Errorf("a custom_metadata that is no object: %v", err)
	}
}

// written is a state as a configuration may have written it.
func written() model {
	m, _ := fromAPI(&billing.Customer{ID: "1", Name: "A"})
	m.DocumentNumber = value.Document{StringValue: types.StringValue("529.982.247-25")}
	m.Email, m.Emails = types.StringValue("a"), listOf("a,b")
	m.Websites = listOf("w2,w1")
	m.Tags = value.SetOrEmpty(nil)
	m.CustomMetadata = metadata.FromObject(metadata.Object{"own": json.Number("1")})
	m.CustomMetadataMode, m.DeletionPolicy = types.StringValue("merge"), types.StringValue("prevent")
	m.CreateBillingAccount, m.BillingAccountID = types.BoolValue(true), types.StringValue("account")
	m.BillingEmail, m.PaymentTermsDays, m.AutoCollection = types.StringValue("x"), types.Int64Value(5),
		types.BoolValue(false)
	return m
}

// TestKeeping: a refresh keeps what the service never returns, and the way that the same thing is written.
func TestKeeping(t *testing.T) {
	t.Parallel()
	number, other := "52998224725", "11144477735"
	for name, c := range map[string]struct {
		remote billing.Customer
		check  func(m model) bool
	}{
		"only the provider knows": {billing.Customer{}, func(m model) bool {
			return m.DeletionPolicy.ValueString() == "prevent" && m.BillingAccountID.ValueString() == "account" &&
				m.BillingEmail.ValueString() == "x" &&
				m.PaymentTermsDays.ValueInt64() == 5 && m.AutoCollection.Equal(types.BoolValue(false)) &&
				m.CreateBillingAccount.ValueBool()
		}},
		"mask": {billing.Customer{DocumentNumber: &number},
			func(m model) bool { return m.DocumentNumber.ValueString() == "529.982.247-25" }},
		"another number": {billing.Customer{DocumentNumber: &other},
			func(m model) bool { return m.DocumentNumber.ValueString() == other }},
		"number is gone": {billing.Customer{}, func(m model) bool { return m.DocumentNumber.IsNull() }},
		"owned main, another first": {billing.Customer{Emails: remoteOf("b,a,c")},
			func(m model) bool { return m.Emails.Equal(listOf("b,a,c")) && m.Email.ValueString() == "a" }},
		"main is gone": {billing.Customer{Emails: remoteOf("b")},
			func(m model) bool { return m.Email.IsNull() }},
		"order of websites": {billing.Customer{Websites: remoteOf("w1,w2")},
			func(m model) bool { return m.Websites.Equal(listOf("w2,w1")) }},
		"a website more": {billing.Customer{Websites: remoteOf("w1,w2,w3")},
			func(m model) bool { return m.Websites.Equal(listOf("w1,w2,w3")) }},
		"empty set of tags": {billing.Customer{}, func(m model) bool {
			return !m.Tags.IsNull() &&
				len(m.Tags.Elements()) == 0
		}},
		"tags of others": {billing.Customer{Tags: []string{"t"}},
			func(m model) bool { return slices.Equal(value.Texts(m.Tags), []string{"t"}) }},
		"own keys only": {billing.Customer{CustomMetadata: json.RawMessage(`{"own":1.0,"x":2}`)},
			func(m model) bool { return m.CustomMetadata.Equal(written().CustomMetadata) }},
		"effective has all": {billing.Customer{CustomMetadata: json.RawMessage(`{"x":2,"own":1}`)},
			func(m model) bool { return m.EffectiveCustomMetadata.ValueString() == `{"own":1,"x":2}` }},
		"the rest is returned": {billing.Customer{Name: "B", UpdatedAt: "now"},
			func(m model) bool { return m.Name.ValueString() == "B" && m.UpdatedAt.ValueString() == "now" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			m := written().keep(&c.remote, ownership{
				Metadata: metadata.Owned{Object: metadata.Object{"own": json.Number("1")}}, Email: entry{Value: "a"}}, &diags)
			if diags.HasError() || !c.check(m) {
				t.Errorf("%+v %v", m, diags)
			}
		})
	}
}

// TestKeep_isStable: a refresh after an import changes nothing, for every customer of the contract.
func TestKeep_isStable(t *testing.T) {
	t.Parallel()
	for _, exchange := range responsesOfOne() {
		customer, _ := responded(t, exchange)
		first, err := fromAPI(customer)
		if err != nil {
			t.Fatal(err)
		}
		var diags diag.Diagnostics
		again := first.keep(customer, ownership{}, &diags)
		if diags.HasError() || !again.body(first).IsEmpty() || !again.CustomMetadata.Equal(first.CustomMetadata) ||
			!again.Emails.Equal(first.Emails) {
			t.Errorf("%s: %+v became %+v", exchange.Name, first, again)
		}
	}
}

func TestWithAccount(t *testing.T) {
	t.Parallel()
	email, days, auto := "x@example.com", int64(21), false
	m := written().withAccount(&billing.BillingAccount{ID: "account-2", BillingEmail: &email, PaymentTermsDays: &days,
		AutoCollection: &auto})
	if m.BillingAccountID.ValueString() != "account-2" || m.BillingEmail.ValueString() != email ||
		m.PaymentTermsDays.ValueInt64() != days ||
		!m.AutoCollection.Equal(types.BoolValue(false)) || !m.CreateBillingAccount.ValueBool() {
		t.Errorf("with an account: %+v", m)
	}
	m = m.withAccount(nil)
	if !m.BillingAccountID.IsNull() || !m.BillingEmail.IsNull() || !m.PaymentTermsDays.IsNull() ||
		!m.AutoCollection.IsNull() || m.CreateBillingAccount.ValueBool() {
		t.Errorf("without an account: %+v", m)
	}
}
