// Package imports reads which object an import means, and remembers until the first refresh that the object was imported.
package imports

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const (
	byID         = "id="
	keyImporting = "importing"
)

// Scheme is how objects of a kind are named for import: by their id, or by one other field. What is kept as identity is the id alone:
// the other field only selects the object to import, so that its change is no change of identity.
type Scheme struct {
	// Noun names the kind of object, such as "customer".
	Noun string
	// Key is the other field.
	Key string
}

// ByExternalID is the scheme of everything that has an external_id.
func ByExternalID(noun string) Scheme { return Scheme{Noun: noun, Key: "external_id"} }

// IdentitySchema is the schema of the identity.
func (s Scheme) IdentitySchema() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id":  identityschema.StringAttribute{OptionalForImport: true, Description: fmt.Sprintf("Id of the %s. Give exactly one of id and %s.", s.Noun, s.Key)},
		s.Key: identityschema.StringAttribute{OptionalForImport: true, Description: fmt.Sprintf("The %s of the %s, to find it by. What identifies the %s is its id.", s.Key, s.Noun, s.Noun)},
	}}
}

// Identify writes the identity of the object with the id. identity is nil where Terraform knows no identities.
func (s Scheme) Identify(ctx context.Context, id types.String, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
		diags.Append(identity.SetAttribute(ctx, path.Root(s.Key), types.StringNull())...)
	}
}

// Imported notes the object with the id as the one that is imported, up to its first refresh, which fills the rest of the state.
func (s Scheme) Imported(ctx context.Context, id string, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	s.Identify(ctx, types.StringValue(id), resp.Identity, &resp.Diagnostics)
	Mark(ctx, resp.Private, true, &resp.Diagnostics)
}

// Selector says which object is meant: by its id, or by the value of the scheme's other field.
type Selector struct {
	ID string
	// Field and Value are the other field; empty when the id is given.
	Field, Value string
}

// String words the selector for messages.
func (s Selector) String() string {
	if s.ID != "" {
		return "id " + s.ID
	}
	return fmt.Sprintf("%s %q", s.Field, s.Value)
}

// Selector is the selector for an id, or else for a value of the other field.
func (s Scheme) Selector(id, value string) Selector {
	if id != "" {
		return Selector{ID: id}
	}
	return Selector{Field: s.Key, Value: value}
}

// Select reads the import id (an id, or <field>=<value>) or the identity. Terraform accepts an identity without any value, so that is
// checked here.
func (s Scheme) Select(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) Selector {
	how := fmt.Sprintf("Write either the id of the %s, or %s=<value>.", s.Noun, s.Key)
	if req.ID != "" {
		value, given := strings.CutPrefix(req.ID, s.Key+"=")
		switch {
		case !given:
			return Selector{ID: strings.TrimPrefix(req.ID, byID)}
		case value == "":
			diags.AddError("Invalid import id", how)
		}
		return s.Selector("", value)
	}
	var id, value types.String
	if req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &id)...)
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(s.Key), &value)...)
	}
	if (id.ValueString() == "") == (value.ValueString() == "") {
		diags.AddError("Invalid import identity", fmt.Sprintf("Give exactly one of id and %s. %s", s.Key, how))
	}
	return s.Selector(id.ValueString(), value.ValueString())
}

// Mark notes whether the object is between its import and the first refresh after it.
func Mark(ctx context.Context, store private.Store, importing bool, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyImporting, importing, diags)
}

// Marked reports whether the object is between its import and the first refresh after it.
func Marked(ctx context.Context, store private.Store, diags *diag.Diagnostics) bool {
	return private.Get[bool](ctx, store, keyImporting, diags)
}
