// Package imports reads which object an import means, and remembers until the first refresh that the object was imported.
package imports

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const (
	byExternalID = "external_id="
	byID         = "id="
	keyImporting = "importing"
)

// Identity is the resource identity of everything that has an external_id. What is kept is the id alone: external_id only selects the
// object to import, so that its change is no change of identity.
type Identity struct {
	ID         types.String `tfsdk:"id"`
	ExternalID types.String `tfsdk:"external_id"`
}

// IdentitySchema is the schema of Identity for a kind of object, named by a noun such as "customer".
func IdentitySchema(noun string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id":          identityschema.StringAttribute{OptionalForImport: true, Description: "Id of the " + noun + ". Give either id or external_id."},
		"external_id": identityschema.StringAttribute{OptionalForImport: true, Description: "external_id of the " + noun + " to import. Only used to find it."},
	}}
}

// Identify writes the identity of the object with the id. identity is nil where Terraform knows no identities.
func Identify(ctx context.Context, id types.String, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.Set(ctx, Identity{ID: id, ExternalID: types.StringNull()})...)
	}
}

// Selector says which object is meant: by its id or by its external_id.
type Selector struct{ ID, ExternalID string }

// String words the selector for messages.
func (s Selector) String() string {
	if s.ID != "" {
		return "id " + s.ID
	}
	return fmt.Sprintf("external_id %q", s.ExternalID)
}

// Select reads the import id (an id, or external_id=<value>) or the identity. Terraform accepts an identity without any value, so
// that is checked here.
func Select(ctx context.Context, req resource.ImportStateRequest, noun string, diags *diag.Diagnostics) Selector {
	how := fmt.Sprintf("Write either the id of the %s, or external_id=<value> with its external_id.", noun)
	if req.ID != "" {
		externalID, given := strings.CutPrefix(req.ID, byExternalID)
		switch {
		case !given:
			return Selector{ID: strings.TrimPrefix(req.ID, byID)}
		case externalID == "":
			diags.AddError("Invalid import id", how)
		}
		return Selector{ExternalID: externalID}
	}
	var identity Identity
	if req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.Get(ctx, &identity)...)
	}
	id, externalID := identity.ID.ValueString(), identity.ExternalID.ValueString()
	if (id == "") == (externalID == "") {
		diags.AddError("Invalid import identity", "Give exactly one of id and external_id. "+how)
	}
	return Selector{ID: id, ExternalID: externalID}
}

// Mark notes whether the object is between its import and the first refresh after it.
func Mark(ctx context.Context, store private.Store, importing bool, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyImporting, importing, diags)
}

// Marked reports whether the object is between its import and the first refresh after it.
func Marked(ctx context.Context, store private.Store, diags *diag.Diagnostics) bool {
	return private.Get[bool](ctx, store, keyImporting, diags)
}
