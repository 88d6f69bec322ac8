package provider_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// planned is a resource whose plan is measured: its type, and the arguments of its configuration.
type planned struct {
	typeName  string
	arguments map[string]tftypes.Value
}

func text(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

// BenchmarkPlan measures the plan of an unchanged object, as Terraform asks for it for every object in every run:
// validate the configuration, read the state into the current schema, plan. No service is asked.
func BenchmarkPlan(b *testing.B) {
	for _, p := range []planned{
		{"billing_customer", map[string]tftypes.Value{"name": text("Padaria Aurora"), "external_id": text("e-1"),
			"document_number": text("529.982.247-25")}},
	} {
		b.Run(p.typeName, func(b *testing.B) {
			ctx := context.Background()
			server := providerserver.NewProtocol6(provider.New("bench")())()
			schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
			if err != nil {
				b.Fatal(err)
			}
			objectType := schemas.ResourceSchemas[p.typeName].ValueType().(tftypes.Object)
			config, state := p.values(objectType)
			wireConfig, wireState := wireValue(b, objectType, config), wireValue(b, objectType, state)
			for b.Loop() {
				if _, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: p.typeName,
					Config: &wireConfig}); err != nil {
					b.Fatal(err)
				}
				resp, err := server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: p.typeName,
					PriorState: &wireState, ProposedNewState: &wireState, Config: &wireConfig})
				if err != nil || len(resp.Diagnostics) > 0 {
					b.Fatal(err, resp.Diagnostics)
				}
			}
		})
	}
}

// values are the configuration, with null for what is not configured, and the state that follows from it.
func (p planned) values(object tftypes.Object) (config, state tftypes.Value) {
	inConfig, inState := map[string]tftypes.Value{}, map[string]tftypes.Value{}
	for name, t := range object.AttributeTypes {
		inConfig[name] = tftypes.NewValue(t, nil)
		if given, ok := p.arguments[name]; ok {
			inConfig[name] = given
		}
		inState[name] = inConfig[name]
	}
	for name, value := range map[string]string{"id": "1b4e28ba-2fa1-4d1b-883f-0016d3cca427", "deletion_policy": "delete",
		"custom_metadata_mode":      "merge",
		"effective_custom_metadata": "{}", "created_at": "2026-01-01T00:00:00.000Z",
		"updated_at": "2026-01-01T00:00:00.000Z"} {
		inState[name] = text(value)
	}
	return tftypes.NewValue(object, inConfig), tftypes.NewValue(object, inState)
}

func wireValue(b *testing.B, t tftypes.Type, v tftypes.Value) tfprotov6.DynamicValue {
	b.Helper()
	dynamic, err := tfprotov6.NewDynamicValue(t, v)
	if err != nil {
		b.Fatal(err)
	}
	return dynamic
}
