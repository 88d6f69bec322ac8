package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// filtered is a configuration with one attribute of a schema, and null for every other one.
func filtered(t *testing.T, schema *tfprotov6.Schema, name string, value any) *tfprotov6.DynamicValue {
	t.Helper()
	typ := schema.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for other, typ := range typ.AttributeTypes {
		values[other] = tftypes.NewValue(typ, nil)
	}
	values[name] = tftypes.NewValue(typ.AttributeTypes[name], value)
	config, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, values))
	if err != nil {
		t.Fatal(err)
	}
	return &config
}

// TestBlankFilters: a blank text is rejected on its attribute, wherever a data source or a list resource takes a text.
func TestBlankFilters(t *testing.T) {
	t.Parallel()
	server, err := acctest.Factories["billing"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	lists, ok := server.(interface {
		ValidateListResourceConfig(context.Context,
			*tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error)
	})
	if !ok {
		t.Fatal("the provider has no list resources")
	}
	checked := 0
	check := func(name string, schema *tfprotov6.Schema, validate func(*tfprotov6.DynamicValue) []*tfprotov6.Diagnostic) {
		for _, attribute := range schema.Block.Attributes {
			if !attribute.Optional && !attribute.Required {
				continue
			}
			for _, blank := range []string{"", " \t"} {
				var value any = blank
				switch {
				case attribute.Type.Is(tftypes.Map{}):
					value = map[string]tftypes.Value{"company_id": tftypes.NewValue(tftypes.String, blank)}
				case !attribute.Type.Is(tftypes.String):
					continue
				}
				checked++
				if text := core.Errors(validate(filtered(t, schema, attribute.Name, value))); !strings.Contains(text,
					attribute.Name) {
					t.Errorf("%s: %s = %q is accepted: %s", name, attribute.Name, blank, text)
				}
			}
		}
	}
	for name, schema := range schemas.DataSourceSchemas {
		check("data."+name, schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			response, err := server.ValidateDataResourceConfig(t.Context(),
				&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			return response.Diagnostics
		})
	}
	for name, schema := range schemas.ListResourceSchemas {
		check("list."+name, schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			response, err := lists.ValidateListResourceConfig(t.Context(),
				&tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			return response.Diagnostics
		})
	}
	if checked < 60 {
		t.Errorf("only %d attributes were checked", checked)
	}
}

// TestUnknownStatus: a status that is not described is one warning, as the service may add one, and a described one is
// none.
func TestUnknownStatus(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	_, endpoint := s.Call("POST", "/api/v1/webhook-endpoints",
		acctest.JSON{"url": "https://hooks.example.com/x"})
	for name, known := range map[string]string{"billing_accounts": "closed", "billing_subscriptions": "canceled",
		"billing_webhook_deliveries": "exhausted"} {
		for status, warnings := range map[string]int{"nope": 1, known: 0} {
			config := acctest.JSON{"status": status}
			if name == "billing_webhook_deliveries" {
				config["endpoint_id"] = endpoint["data"].(acctest.JSON)["id"]
			}
			_, said := s.Core().Read(name, config)
			if text := core.Warnings(said); strings.Count(text, "Unknown status") != warnings || core.Errors(said) != "" {
				t.Errorf("%s with status %q: %s%s", name, status, text, core.Errors(said))
			}
		}
	}
}
