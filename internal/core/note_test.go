package core_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// service stores notes. lost makes it lose the response to the next request after it has stored the note, and written
// is called at that time.
type service struct {
	notes   map[string]string
	lost    bool
	written func()
}

func (s *service) store(id, text string) error {
	s.notes[id] = text
	if s.written != nil {
		s.written()
	}
	if s.lost {
		s.lost = false
		return errors.New("the connection was closed")
	}
	return nil
}

// noteProvider has one resource, example_note. If a bug is set, it returns another text than was planned.
type noteProvider struct {
	service *service
	bug     bool
}

func (p *noteProvider) serve() tfprotov6.ProviderServer {
	server, err := providerserver.NewProtocol6WithError(p)()
	if err != nil {
		panic(err)
	}
	return server
}

func (p *noteProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "example"
}

func (p *noteProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p *noteProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p *noteProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *noteProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &note{p} }}
}

// note is the resource, and noteModel its object.
type note struct{ *noteProvider }

type noteModel struct {
	ID   types.String `tfsdk:"id"`
	Text types.String `tfsdk:"text"`
}

func (n *note) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "example_note"
}

func (n *note) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"text": schema.StringAttribute{Required: true},
	}}
}

func (n *note) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.ID = types.StringValue(fmt.Sprintf("note-%d", len(n.service.notes)+1))
	if n.bug {
		m.Text = types.StringValue("something else")
	}
	if err := n.service.store(m.ID.ValueString(), m.Text.ValueString()); err != nil {
		resp.Diagnostics.AddError("The note may have been created", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (n *note) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m noteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	text, exists := n.service.notes[m.ID.ValueString()]
	if !exists {
		resp.State.RemoveResource(ctx)
		return
	}
	m.Text = types.StringValue(text)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (n *note) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if err := n.service.store(m.ID.ValueString(), m.Text.ValueString()); err != nil {
		resp.Diagnostics.AddError("The note may have been changed", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (n *note) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m noteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	delete(n.service.notes, m.ID.ValueString())
}
