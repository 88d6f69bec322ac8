package customer

import (
	"encoding/json"
	"reflect"
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
	body := config.body(model{}, ownership{})
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
		"another main value": {func(m *model) { m.Email, m.Emails = mainOf("a"), listOf("a,b") },
			func(m *model) { m.Email, m.Emails = mainOf("b"), listOf("b,a") }},
	} {
		for _, turn := range []struct{ from, to func(*model) }{{c.state, c.planned}, {c.planned, c.state}} {
			state, planned := stored(), stored()
			turn.from(&state)
			turn.to(&planned)
			if update := planned.body(state, ownership{}); !update.IsEmpty() {
				t.Errorf("%s: sent %v", name, body(t, update))
			}
		}
	}
}

// TestBody_mainContact: the main value is sent inside its list, because alone it could not be replaced.
func TestBody_mainContact(t *testing.T) {
	t.Parallel()
	state, planned := stored(), stored()
	state.Phone, state.Phones = mainOf("1"), listOf("1,2:fax")
	planned.Phone, planned.Phones = mainOf("3"), listOf("3,2:fax")
	want := map[string]any{"phones": []any{map[string]any{"value": "3"}, map[string]any{"value": "2", "kind": "fax"}}}
	if have := body(t, planned.body(state, ownership{})); !reflect.DeepEqual(have, want) {
		t.Errorf("sent %v, want %v", have, want)
	}
}
