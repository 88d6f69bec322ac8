package provider_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// TestServerHandlesWhatIsSettled: refresh and plan of an object that stays as it is do not reach the framework, for
// the types of which there are many. The response is the value of the request itself, which the framework never
// returns. All tests that drive the provider in process compare both.
func TestServerHandlesWhatIsSettled(t *testing.T) {
	s := acctest.Start(t)
	s.NeedsSandbox("objects are created for it")
	for name, value := range s.Sandbox.Env() {
		t.Setenv(name, value)
	}
	server := provider.CheckedServer("test")()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]tftypes.Value{}
	for _, attribute := range schemas.Provider.Block.Attributes {
		arguments[attribute.Name] = tftypes.NewValue(attribute.Type, nil)
	}
	config, err := tfprotov6.NewDynamicValue(schemas.Provider.ValueType(),
		tftypes.NewValue(schemas.Provider.ValueType(), arguments))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: &config}); err !=
		nil || len(resp.Diagnostics) > 0 {
		t.Fatal(resp, err)
	}
	id := func(d *acctest.Direct) (id string) {
		if err := json.Unmarshal([]byte(d.Text("id")), &id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	settled := func(typeName string, config acctest.JSON) *acctest.Direct {
		d := s.Direct(typeName)
		d.Set(config)
		d.Refresh()
		o := d.Record(config)
		identity := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: o.Identity}}
		state := &tfprotov6.DynamicValue{MsgPack: o.State}
		before := len(s.Sandbox.Requests())
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: typeName, CurrentState: state,
			Private: o.Private, CurrentIdentity: identity})
		if err != nil || read.NewState != state {
			t.Errorf("%s: the framework returned a refresh: %+v, %v", typeName, read, err)
		}
		if sent := len(s.Sandbox.Requests()) - before; sent != 1 {
			t.Errorf("%s: a refresh sent %d requests", typeName, sent)
		}
		for range 2 { // the server learns the keys of the private state from the first plan of a type
			plan, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: typeName,
				PriorState: state, ProposedNewState: state, Config: &tfprotov6.DynamicValue{MsgPack: o.Config},
				PriorPrivate: read.Private, PriorIdentity: identity})
			if err != nil || len(plan.Diagnostics) > 0 {
				t.Fatal(plan, err)
			}
			read.NewState = plan.PlannedState
		}
		if read.NewState != state {
			t.Errorf("%s: the framework returned a plan", typeName)
		}
		return d
	}
	customer := settled("billing_customer", acctest.JSON{"name": "Ana", "tags": []any{"a"},
		"create_billing_account": false, "custom_metadata": acctest.JSON{"tier": 1}})
	account := settled("billing_account", acctest.JSON{"customer_id": id(customer),
		"payment_terms_days": 15})
	settled("billing_subscription", acctest.JSON{"billing_account_id": id(account),
		"plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"})
}

// TestServerLosesNothing: each resource type can do behind the server what it can do alone, as far as the framework
// asks: with requests and responses of its package resource, or with a context only. Other methods are for the
// provider's own packages.
func TestServerLosesNothing(t *testing.T) {
	t.Parallel()
	alone, served := provider.New("test")().Resources(t.Context()), provider.ServedResources(t.Context())
	for i := range alone {
		a, b := reflect.TypeOf(alone[i]()), reflect.TypeOf(served[i]())
		for method := range a.Methods() {
			last := method.Type.In(method.Type.NumIn() - 1)
			asked := method.Type.NumIn() == 4 && last.Kind() == reflect.Pointer &&
				last.Elem().PkgPath() == reflect.TypeFor[resource.Resource]().PkgPath() ||
				method.Type.NumIn() == 2 && last == reflect.TypeFor[context.Context]()
			// those of package object
			if _, ok := b.MethodByName(method.Name); !ok && asked && !strings.HasPrefix(method.Name, "Begin") {
				t.Errorf("%s loses %s", a, method.Name)
			}
		}
	}
}
