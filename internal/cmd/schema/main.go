// Command schema prints the schemas of the provider as `terraform providers schema -json` does, without Terraform:
//
//	go run ./internal/cmd/schema >schema.json
//
// Terraform omits what its version does not support, such as list resources before 1.14. This command queries the
// provider itself, so the generated documentation is complete.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// name is the provider's name for tfplugindocs, which accepts only short names.
const name = "billing"

func main() {
	if err := write(context.Background(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "schema: %v\n", err)
		os.Exit(1)
	}
}

// write prints the schemas of the provider.
func write(ctx context.Context, out io.Writer) error {
	server := provider.Server("dev")()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return err
	}
	for _, d := range append(schemas.Diagnostics, identities.Diagnostics...) {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(tfjson.ProviderSchemas{FormatVersion: "1.0", Schemas: map[string]*tfjson.ProviderSchema{name: {
		ConfigSchema:             schemaOf(schemas.Provider),
		ResourceSchemas:          each(schemas.ResourceSchemas, schemaOf),
		DataSourceSchemas:        each(schemas.DataSourceSchemas, schemaOf),
		EphemeralResourceSchemas: each(schemas.EphemeralResourceSchemas, schemaOf),
		ListResourceSchemas:      each(schemas.ListResourceSchemas, schemaOf),
		ActionSchemas: each(schemas.ActionSchemas, func(a *tfprotov6.ActionSchema) *tfjson.ActionSchema {
			return &tfjson.ActionSchema{Block: blockOf(a.Schema.Block)}
		}),
		Functions:               each(schemas.Functions, functionOf),
		ResourceIdentitySchemas: each(identities.IdentitySchemas, identityOf),
	}}})
}

func each[From, To any](all map[string]*From, convert func(*From) *To) map[string]*To {
	converted := make(map[string]*To, len(all))
	for name, one := range all {
		converted[name] = convert(one)
	}
	return converted
}
