package customer

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// blank is a configuration that names nothing.
func blank() model {
	return model{shared: shared{Emails: listOf("-"), Phones: listOf("-"), Websites: listOf("-"),
		Addresses: types.ListNull(addressType), Tags: types.SetNull(types.StringType)},
		CustomMetadata: metadata.Null()}
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

func tags(names ...string) types.Set {
	elements := make([]attr.Value, len(names))
	for i, name := range names {
		elements[i] = types.StringValue(name)
	}
	return types.SetValueMust(types.StringType, elements)
}

// given is the value of a field, nil for one that is left out.
func given[T any](f api.Field[T]) *T {
	if value, ok := f.Get(); ok {
		return &value
	}
	return nil
}

// configured is the request of an exchange as a configuration writes it.
func configured(t *testing.T, exchange evidence.Exchange) (model, metadata.Owned) {
	t.Helper()
	sent := apitest.BodyOf[billing.CustomerBody](t, exchange.Request.Body)
	text := func(f api.Field[string]) types.String { return types.StringPointerValue(given(f)) }
	items := func(f api.Field[[]billing.Contact]) types.List {
		contacts, _ := f.Get()
		return itemList(fromWire(contacts))
	}
	addresses, _ := sent.Addresses.Get()
	labels, _ := sent.Tags.Get()
	custom, _ := sent.CustomMetadata.Get()
	object, err := metadata.Parse(custom)
	if err != nil {
		t.Fatal(err)
	}
	return model{shared: shared{
		Name: text(sent.Name), ExternalID: text(sent.ExternalID), Nickname: text(sent.Nickname),
		LegalName: text(sent.LegalName), DocumentNumber: value.DocumentPointer(given(sent.DocumentNumber)),
		Kind: text(sent.Kind), Birthday: text(sent.Birthday), Notes: text(sent.Notes), Email: text(sent.Email),
		Phone: text(sent.Phone), Addresses: addressList(addresses), Emails: items(sent.Emails), Phones: items(sent.Phones),
		Websites: items(sent.Websites), Tags: tags(labels...)},
		CreateBillingAccount: types.BoolPointerValue(given(sent.CreateBillingAccount)),
		BillingEmail:         text(sent.BillingEmail),
		PaymentTermsDays:     types.Int64PointerValue(given(sent.PaymentTermsDays)),
		AutoCollection:       types.BoolPointerValue(given(sent.AutoCollection)),
	}, metadata.Owned{Object: object}
}

// created is the body that creates what is configured.
func created(config model, desired metadata.Owned) billing.CustomerBody {
	body := config.body(model{}, ownership{})
	body.CustomMetadata = value.ChangedMetadata(desired)
	return body
}

// TestBody_creation: what a configuration names is sent as the wire contract has it, and nothing else.
func TestBody_creation(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"billing/customer_create", "billing/customer_create_minimal",
		"billing/customer_create_without_account"} {
		exchange, err := evidence.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(exchange.Request.Body, &want); err != nil {
			t.Fatal(err)
		}
		if have := body(t, created(configured(t, exchange))); !reflect.DeepEqual(any(have), withoutAddressNulls(want)) {
			t.Errorf("%s:\nsent %v\nwant %v", name, have, want)
		}
	}
}

// withoutAddressNulls drops the nulls inside addresses, which are the same as absent there.
func withoutAddressNulls(tree any) any {
	sent, _ := tree.(map[string]any)
	addresses, _ := sent["addresses"].([]any)
	for _, address := range addresses {
		for name, value := range address.(map[string]any) {
			if value == nil {
				delete(address.(map[string]any), name)
			}
		}
	}
	return sent
}

// TestBody_emptyIsLeftOut: empty lists, sets and objects of a creation leave the service its defaults.
func TestBody_emptyIsLeftOut(t *testing.T) {
	t.Parallel()
	config := blank()
	config.Name, config.Tags = types.StringValue("A"), tags()
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

// field is one argument of an update, with two values.
type field struct {
	put   func(m *model, value string)
	json  func(value string) any // how a value is sent
	clear any                    // how no value is sent
}

func textInto(at func(*model) *types.String) field {
	return field{put: func(m *model, value string) { *at(m) = mainOf(value) },
		json: func(value string) any { return value }}
}

func contactsInto(at func(*model) *types.List) field {
	return field{
		put:   func(m *model, value string) { *at(m) = listOf(value) },
		json:  func(value string) any { return []any{map[string]any{"value": value}} },
		clear: []any{},
	}
}

var updatable = map[string]field{
	"name":        textInto(func(m *model) *types.String { return &m.Name }),
	"external_id": textInto(func(m *model) *types.String { return &m.ExternalID }),
	"nickname":    textInto(func(m *model) *types.String { return &m.Nickname }),
	"legal_name":  textInto(func(m *model) *types.String { return &m.LegalName }),
	"kind":        textInto(func(m *model) *types.String { return &m.Kind }),
	"birthday":    textInto(func(m *model) *types.String { return &m.Birthday }),
	"notes":       textInto(func(m *model) *types.String { return &m.Notes }),
	"document_number": {put: func(m *model, v string) {
		m.DocumentNumber = value.Document{StringValue: mainOf(v)}
	},
		json: func(value string) any { return value }},
	"emails":   contactsInto(func(m *model) *types.List { return &m.Emails }),
	"phones":   contactsInto(func(m *model) *types.List { return &m.Phones }),
	"websites": contactsInto(func(m *model) *types.List { return &m.Websites }),
	"addresses": {
		put: func(m *model, value string) {
			m.Addresses = types.ListNull(addressType)
			if value != "-" {
				m.Addresses = addressList([]billing.Address{{Street: &value}})
			}
		},
		json: func(value string) any { return []any{map[string]any{"street": value}} }, clear: []any{}},
	"tags": {
		put: func(m *model, value string) {
			m.Tags = types.SetNull(types.StringType)
			if value != "-" {
				m.Tags = tags(value)
			}
		},
		json: func(value string) any { return []any{value} }, clear: []any{}},
}

// TestBody sets, changes and clears every argument on its own: exactly that is sent.
func TestBody(t *testing.T) {
	t.Parallel()
	for name, f := range updatable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct{ from, to string }{{"-", "1"}, {"1", "2"}, {"1", "-"}, {"1", "1"}, {"-", "-"}} {
				state, planned := stored(), stored()
				f.put(&state, c.from)
				f.put(&planned, c.to)
				want := map[string]any{name: f.json(c.to)}
				switch {
				case c.from == c.to:
					want = map[string]any{}
				case c.to == "-":
					want[name] = f.clear
				}
				update := planned.body(state, ownership{})
				if have := body(t, update); !reflect.DeepEqual(have, want) || update.IsEmpty() != (len(want) == 0) {
					t.Errorf("from %s to %s: sent %v, want %v", c.from, c.to, have, want)
				}
			}
		})
	}
}

// TestBody_sameInOtherWords: what means the same is not sent.
func TestBody_sameInOtherWords(t *testing.T) {
	t.Parallel()
	document := func(number string) func(*model) {
		return func(m *model) { m.DocumentNumber = value.DocumentPointer(&number) }
	}
	for name, c := range map[string]struct{ state, planned func(*model) }{
		"mask":           {document("529.982.247-25"), document("52998224725")},
		"no tags":        {func(m *model) { m.Tags = tags() }, func(*model) {}},
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
