package customer

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// blank is a configuration that names nothing.
func blank() model {
	return model{shared: shared{Emails: listOf("-"), Phones: listOf("-"), Websites: listOf("-"),
		Addresses: types.ListNull(addressType), Tags: value.NoStrings()},
		Attributes: metadata.Attributes{CustomMetadata: metadata.Null()}}
}

// body is the JSON that is sent.
func body(t *testing.T, payload any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	decoded := map[string]any{}
	if err := json.Unmarshal(raw, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// created is the body that creates what is configured.
func created(config model, desired metadata.Owned) billing.CustomerBody {
	body := config.body(model{})
	body.CustomMetadata = value.ChangedMetadata(desired)
	return body
}

// TestBody_emptyIsLeftOut: empty lists, sets and objects of a creation leave the service its defaults.
func TestBody_emptyIsLeftOut(t *testing.T) {
	t.Parallel()
	config := blank()
	config.Name, config.Tags = types.StringValue("A"), value.SetOrEmpty(nil)
	config.Emails, config.Phones, config.Websites = listOf(""), listOf(""), listOf("")
	have := body(t, created(config, metadata.Owned{Object: metadata.Object{}}))
	if len(have) != 1 || have["name"] != "A" {
		t.Errorf("sent %v", have)
	}
}

// stored is a customer without any optional value.
func stored() model {
	m := blank()
	m.ID = types.StringValue("1")
	return m
}

// TestBody_sameInOtherWords: what means the same is not sent.
func TestBody_sameInOtherWords(t *testing.T) {
	t.Parallel()
	document := func(number string) func(*model) {
		return func(m *model) { m.DocumentNumber = value.DocumentPointer(&number) }
	}
	for name, c := range map[string]struct{ state, planned func(*model) }{
		"mask":           {document("529.982.247-25"), document("52998224725")},
		"no tags":        {func(m *model) { m.Tags = value.SetOrEmpty(nil) }, func(*model) {}},
		"websites order": {func(m *model) { m.Websites = listOf("a,b") }, func(m *model) { m.Websites = listOf("b,a") }},
		"empty websites": {func(*model) {}, func(m *model) { m.Websites = listOf("") }},
		"emails order":   {func(m *model) { m.Emails = listOf("a,b") }, func(m *model) { m.Emails = listOf("b,a") }},
	} {
		for _, turn := range []struct{ from, to func(*model) }{{c.state, c.planned}, {c.planned, c.state}} {
			state, planned := stored(), stored()
			turn.from(&state)
			turn.to(&planned)
			if update := planned.body(state); !update.IsEmpty() {
				t.Errorf("%s: sent %v", name, body(t, update))
			}
		}
	}
}
