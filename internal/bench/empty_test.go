//go:build linux

package bench_test

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// emptyProvider is the least that a provider can be: one resource of 30 texts, and no service.
type emptyProvider struct{}

func (emptyProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "empty"
}

func (emptyProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (emptyProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (emptyProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (emptyProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return emptyResource{} }}
}

// emptyResource keeps what is planned.
type emptyResource struct{}

func (emptyResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "empty_thing"
}

func (emptyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema.Attributes = map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}}
	for i := range 29 {
		resp.Schema.Attributes[fmt.Sprintf("a%d", i)] = schema.StringAttribute{Optional: true}
	}
}

func (emptyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), "x")...)
}

func (emptyResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (emptyResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (emptyResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// emptyObject is an unchanged object of it.
func emptyObject(as tftypes.Type) acctest.Recording {
	values, inJSON := map[string]tftypes.Value{}, []byte(`{"id":"x"`)
	for i := range 29 {
		name := fmt.Sprintf("a%d", i)
		values[name] = tftypes.NewValue(tftypes.String, "some text")
		inJSON = fmt.Appendf(inJSON, `,%q:"some text"`, name)
	}
	encoded := func(id any) []byte {
		values["id"] = tftypes.NewValue(tftypes.String, id)
		v, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, values))
		if err != nil {
			panic(err)
		}
		return v.MsgPack
	}
	return acctest.Recording{TypeName: "empty_thing", Config: encoded(nil), State: encoded("x"),
		StateJSON: append(inJSON, '}')}
}
