package front_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// things is a provider of one resource type.
type things struct{ make func() resource.Resource }

func (things) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "test"
}

func (things) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (things) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (things) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (t things) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{t.make}
}

// thing is a resource of schema version 2.
type thing struct{ resource.Resource }

func (thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "test_thing"
}

func (thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Version: 2, Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "any": schema.DynamicAttribute{Optional: true},
		"list": schema.ListAttribute{Optional: true, ElementType: types.Int64Type},
	}}
}

func serverOf(t *testing.T, r resource.Resource) *front.Server {
	t.Helper()
	p := things{func() resource.Resource { return r }}
	framework, ok := providerserver.NewProtocol6(p)().(front.Framework)
	if !ok {
		t.Fatal("the framework's server lacks calls")
	}
	return front.New(framework, p.Resources(t.Context()))
}

func TestUpgradeReturnsTheStateOfTheCurrentVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state   *tfprotov6.RawState
		version int64
		echoed  bool
	}{
		"current version": {
			&tfprotov6.RawState{
				JSON: []byte(
					`{"id":"x","any":{"value":{"a":[1,null]},"type":["object",{"a":["tuple",["number","string"]]}]},"list":[9007199254740993]}`)}, 2, true},
		"without an attribute":    {&tfprotov6.RawState{JSON: []byte(`{"id":"x"}`)}, 2, true},
		"older version":           {&tfprotov6.RawState{JSON: []byte(`{"id":"x"}`)}, 1, false},
		"newer version":           {&tfprotov6.RawState{JSON: []byte(`{"id":"x"}`)}, 3, false},
		"state of Terraform 0.11": {&tfprotov6.RawState{Flatmap: map[string]string{"id": "x"}}, 2, false},
		"no state":                {nil, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := acctest.Compared(serverOf(t, thing{})).UpgradeResourceState(t.Context(),
				&tfprotov6.UpgradeResourceStateRequest{TypeName: "test_thing", Version: c.version, RawState: c.state})
			if err != nil {
				t.Fatal(err)
			}
			echoed := result.UpgradedState != nil && len(result.UpgradedState.MsgPack) == 0
			if echoed != c.echoed || echoed && string(result.UpgradedState.JSON) != string(c.state.JSON) {
				t.Errorf("returned %+v", result.UpgradedState)
			}
		})
	}
}

func TestUpgradeOfAnUnknownType(t *testing.T) {
	t.Parallel()
	result, err := serverOf(t, thing{}).UpgradeResourceState(t.Context(),
		&tfprotov6.UpgradeResourceStateRequest{TypeName: "test_other", Version: 2,
			RawState: &tfprotov6.RawState{JSON: []byte(`{}`)}})
	if err != nil || len(result.Diagnostics) == 0 {
		t.Errorf("%+v, %v", result, err)
	}
}
