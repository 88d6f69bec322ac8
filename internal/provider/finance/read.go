package finance

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// scheme names records. They are found by collection and id, and not by an id alone, so import and identity are their
// own.
var scheme = object.Scheme[*finance.Service, finance.Record]{
	TypeName: typeName, Noun: "finance record",
	Service: conn.Finance,
}

// Read refreshes the state. Only the service's own not-found drops the record.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	identify(ctx, prior, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(prior.Collection.ValueString(), prior.ID.ValueString(), prior.Response.ValueString())
	record, err := client.GetRecord(ctx, prior.Collection.ValueString(), prior.ID.ValueString())
	if api.IsNotFound(err) {
		r.Gone(ctx, types.StringValue(prior.place()), "the "+prior.displayName(), "was deleted",
			"creates it again, with a new id", resp)
		return
	}
	if err != nil {
		apidiag.AddRead(&resp.Diagnostics, err, operation("read", prior), !importing)
		return
	}
	state, err := fromAPI(prior.Collection, record)
	if err == nil && !importing {
		state, err = state.preserve(prior)
	}
	if err != nil {
		apidiag.Unreadable(&resp.Diagnostics, err)
		return
	}
	// The id that leads to the record, also where the service writes it differently.
	state.ID = prior.ID
	r.Run().Refreshed(typeName, state.place())
	save(ctx, state, &resp.State, resp.Identity, &resp.Diagnostics)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
}

// ImportState reads <collection>/<id>, or the identity, and makes sure that there is such a record; the refresh that
// follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	collection, id := selected(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Finance.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := model{ID: types.StringValue(id), Collection: types.StringValue(collection)}
	_, err := client.GetRecord(ctx, collection, id)
	if api.IsNotFound(err) {
		resp.Diagnostics.AddError("No "+found.displayName(), fmt.Sprintf("The workspace of this token has no record %s in "+
			"the collection %s. Check both, upper and lower case included, and the token.", id, collection))
		return
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, operation("find", found))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attrCollection), found.Collection)...)
	identify(ctx, found, resp.Identity, &resp.Diagnostics)
	object.MarkImport(ctx, resp.Private, true, &resp.Diagnostics)
}

// selected reads the import id or the identity.
func selected(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) (collection, id string) {
	collection, id, _ = strings.Cut(req.ID, "/")
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(attrCollection), &collection)...)
		diags.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &id)...)
	}
	if !diags.HasError() && (!validate.IsCollection(collection) || id == "" || strings.Contains(id, "/")) {
		diags.AddError("Invalid import id", "A record is named by its collection and its id. Write <collection>/<id>, "+
			"such as payables/7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a, or the identity with both.")
	}
	return collection, id
}

// identify writes the identity. It is nil where Terraform knows no identities.
func identify(ctx context.Context, m model, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root(attrCollection), m.Collection)...)
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), m.ID)...)
	}
}
