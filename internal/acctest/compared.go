package acctest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// Compared makes a server also run through the framework each call for which it skips the framework. A difference is a
// panic, because a call cannot fail a test.
func Compared(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return compared(server, sync.OnceValue(func() *core.Schemas { return core.SchemasOf(server) }))
}

func compared(server tfprotov6.ProviderServer, schemas func() *core.Schemas) tfprotov6.ProviderServer {
	own, _ := server.(interface {
		Compare(compare func(typeName string, ours, theirs any, err error))
	})
	own.Compare(func(typeName string, ours, theirs any, err error) {
		a, b := partsOf(schemas(), typeName, ours), partsOf(schemas(), typeName, theirs)
		if resp, upgraded := theirs.(*tfprotov6.UpgradeResourceStateResponse); upgraded && resp != nil &&
			len(resp.Diagnostics) > 0 {
			return // Terraform itself reports an invalid state
		}
		for i := range a {
			have, isValue := a[i].(tftypes.Value)
			want, _ := b[i].(tftypes.Value)
			if err != nil || isValue && !have.Equal(want) || !isValue && !reflect.DeepEqual(a[i], b[i]) {
				panic(fmt.Sprintf("%s: the server returned in %T\n%v\nand the framework\n%v (%v)", typeName, ours, a[i], b[i], err))
			}
		}
	})
	return server
}

// ownSchemas caches the schemas of this provider, because tests start it a thousand times.
var ownSchemas = sync.OnceValue(func() *core.Schemas { return core.SchemasOf(provider.Server("test")()) })

// parts returns the relevant parts of a request to a resource, or of a response to Terraform.
func partsOf(t *core.Schemas, typeName string, of any) []any {
	object := func(v *tfprotov6.DynamicValue) any { return decoded(v, t.ResourceSchemas[typeName].ValueType()) }
	identity := func(d *tfprotov6.ResourceIdentityData) any {
		if d == nil {
			return nil
		}
		return decoded(d.IdentityData, t.Identities[typeName].ValueType())
	}
	switch of := of.(type) {
	case *tfprotov6.UpgradeResourceStateResponse:
		return []any{object(of.UpgradedState)}
	case *tfprotov6.ReadResourceResponse:
		return []any{object(of.NewState), identity(of.NewIdentity), notes(of.Private), len(of.Diagnostics), of.Deferred}
	case *tfprotov6.PlanResourceChangeResponse:
		return []any{object(of.PlannedState), identity(of.PlannedIdentity), notes(of.PlannedPrivate), len(of.Diagnostics),
			len(of.RequiresReplace), of.Deferred}
	case resource.ReadRequest:
		return []any{of.State.Raw, of.Identity.Raw, of.ClientCapabilities}
	case resource.ModifyPlanRequest:
		return []any{of.Config.Raw, of.State.Raw, of.Plan.Raw, of.Identity.Raw, of.ClientCapabilities}
	}
	panic(fmt.Sprintf("%T", of))
}

func decoded(v *tfprotov6.DynamicValue, as tftypes.Type) any {
	if v == nil {
		return nil
	}
	value, err := v.Unmarshal(as)
	if err != nil {
		panic(err)
	}
	return value
}

// notes returns the values of a private state.
func notes(raw []byte) map[string][]byte {
	values := map[string][]byte{}
	if len(raw) > 0 && json.Unmarshal(raw, &values) != nil {
		return nil
	}
	return values
}

// ResourceSchemas returns the schemas of the provider's resources by type.
func ResourceSchemas() map[string]*tfprotov6.Schema { return ownSchemas().ResourceSchemas }

// DataSourceSchemas returns those of its data sources.
func DataSourceSchemas() map[string]*tfprotov6.Schema { return ownSchemas().DataSourceSchemas }
