package object

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

// TestMessages: what users read of this package, to the letter. A case without a message is fine.
func TestMessages(t *testing.T) {
	t.Parallel()
	said := map[string]diag.Diagnostics{}

	// What is missing is only an error when something needs it. No client comes with a message.
	address := conn.ProviderArgument{Name: "base_url", Variable: "BILLING_BASE_URL"}
	for name, s := range map[string]conn.Service[string]{
		"ready":       {Client: "client", Ready: true},
		"missing":     {Missing: []conn.ProviderArgument{address, {Name: "token", Variable: "BILLING_TOKEN"}}},
		"empty":       {Missing: []conn.ProviderArgument{{Name: "token", Variable: "BILLING_TOKEN", Empty: true}}},
		"unknown":     {Unknown: []string{"base_url", "token"}},
		"one of each": {Unknown: []string{"token"}, Missing: []conn.ProviderArgument{address}},
	} {
		var diags diag.Diagnostics
		client, ready := s.For("billing_customer", &diags)
		if ready != (len(diags) == 0) || ready != (client == "client") {
			t.Errorf("%s: ready %v with client %q", name, ready, client)
		}
		said["service, "+name] = diags
	}

	// Only prevent rejects, and only abandon leaves the object where it is.
	for name, value := range map[string]types.String{"delete": types.StringValue(PolicyDelete), "none": types.StringNull(),
		"one of its own": types.StringValue("close"), "abandon": types.StringValue(PolicyAbandon),
		"prevent": types.StringValue(policyPrevent)} {
		var diags diag.Diagnostics
		of := Policy{Value: value, Object: `customer "A"`, Own: "close", AfterAbandon: "It is billed."}
		of.check("replace", "", &diags)
		of.check("destroy", ifTainted, &diags)
		of.warn(&diags)
		if of.Abandons() != (name == "abandon") {
			t.Errorf("%s: abandons %v", name, of.Abandons())
		}
		said["deletion_policy, "+name] = diags
	}

	// Exactly one object is found.
	for name, c := range map[string]struct {
		wanted Selector
		found  string
	}{
		"by id":          {Selector{ID: "1"}, "1"},
		"no such id":     {Selector{ID: "9"}, ""},
		"no such import": {Selector{ID: "9", Import: `id = "9"`}, ""},
		"broken id":      {Selector{ID: "broken"}, ""},
		"by name":        {Selector{Field: "name", Value: "one"}, "1"},
		"no such name":   {Selector{Field: "name", Value: "One"}, ""},
		"several":        {Selector{Field: "name", Value: "two"}, ""},
		"broken listing": {Selector{Field: "name", Value: "broken"}, ""},
	} {
		var diags diag.Diagnostics
		found := things.one(t.Context(), []thing{{"1", "one"}, {"2", "two"}, {"3", "two"}}, c.wanted, &diags)
		if (found != nil) != (c.found != "") || found != nil && found.id != c.found {
			t.Errorf("%s: found %v", name, found)
		}
		said["find, "+name] = diags
	}

	// An import id that cannot be one is rejected without a request, with what was probably meant.
	named := Scheme[[]thing, thing]{TypeName: "billing_api_key", Noun: "API key", Key: "name", AnyID: true}
	for id, s := range map[string]Scheme[[]thing, thing]{
		"aurora-matriz": scheme, "id=aurora": scheme, "external_id:dup": scheme, "External_ID = 'dup'": scheme,
		"name=Aurora": scheme, "id=": scheme, "external_id=": scheme, "": scheme,
		"deploy": named, "https://h.example.com": named, "external_id=deploy": named,
	} {
		var diags diag.Diagnostics
		s.selection(t.Context(), resource.ImportStateRequest{ID: id}, &diags)
		said[fmt.Sprintf("import of %s by %q", s.TypeName, id)] = diags
	}
	golden.Messages(t, said)
}
