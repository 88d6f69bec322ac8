package object

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const keyImporting = "importing"

// Import finds the object that an import names and stores its id; the refresh that follows fills the rest of the
// state. It returns nil when there is no such object, or none that can be managed, and has reported that.
func (s Scheme[S, T]) Import(ctx context.Context, service conn.Service[S], req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) *T {
	by := s.Select(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return nil
	}
	client, ready := service.For(s.TypeName, &resp.Diagnostics)
	if !ready {
		return nil
	}
	found := s.One(ctx, client, by, &resp.Diagnostics)
	if found != nil && s.Refuse != nil {
		s.Refuse(ctx, client, found, by, &resp.Diagnostics)
	}
	if found == nil || resp.Diagnostics.HasError() {
		return nil
	}
	s.imported(ctx, s.ID(found), resp)
	return found
}

// imported writes what an import leaves for the first refresh.
func (s Scheme[S, T]) imported(ctx context.Context, id string, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(keyID), id)...)
	s.Identify(ctx, types.StringValue(id), resp.Identity, &resp.Diagnostics)
	MarkImport(ctx, resp.Private, true, &resp.Diagnostics)
}

// Select reads the import id (an id, or <field>=<value>) or the identity. Terraform accepts an identity without any
// value, so that is checked here.
func (s Scheme[S, T]) Select(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) Selector {
	selected := s.selected(ctx, req, diags)
	selected.Import = fmt.Sprintf("identity = { %s = %q }", selected.argument(), selected.ID+selected.Value)
	if req.ID != "" {
		selected.Import = fmt.Sprintf("id = %q", req.ID)
	}
	return selected
}

func (s Scheme[S, T]) selected(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) Selector {
	how := fmt.Sprintf("Write either the id of the %s, or %s=<value>.", s.Noun, s.Key)
	if req.ID != "" {
		selector := by(keyID, strings.TrimPrefix(req.ID, keyID+"="))
		if value, given := strings.CutPrefix(req.ID, s.Key+"="); given {
			selector = by(s.Key, value)
		}
		switch malformed := misnamed.MatchString(selector.ID); {
		case selector.ID == "" && selector.Value == "":
			diags.AddError("Invalid import id", how)
		case selector.ID != "" && !same.IsUUID(selector.ID) && (malformed || !s.AnyID):
			diags.AddError("Invalid import id", fmt.Sprintf("%s cannot be imported by %q: %s", s.TypeName, req.ID,
				strings.TrimSpace(s.howToImport(selector.ID))))
		}
		return selector
	}
	var id, value types.String
	if req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(keyID), &id)...)
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(s.Key), &value)...)
	}
	if (id.ValueString() == "") == (value.ValueString() == "") {
		diags.AddError("Invalid import identity", fmt.Sprintf("Give exactly one of id and %s. %s", s.Key, how))
	}
	if id.ValueString() != "" {
		return by(keyID, id.ValueString())
	}
	return by(s.Key, value.ValueString())
}

// misnamed is a field and a value that are not written as an import takes them.
var misnamed = regexp.MustCompile(`^([A-Za-z_]+) *[:=] *([^/].*)$`)

// howToImport says how an import names the object that id was probably meant to name; "" where it is an id.
func (s Scheme[S, T]) howToImport(id string) string {
	if id == "" || same.IsUUID(id) {
		return ""
	}
	value := id
	if parts := misnamed.FindStringSubmatch(id); parts != nil {
		value = strings.Trim(parts[2], "\"'")
		if !strings.EqualFold(parts[1], s.Key) {
			return fmt.Sprintf(" it is imported by its id (a UUID), or by %s=<value>, not by %s.", s.Key, parts[1])
		}
	}
	return fmt.Sprintf(" %q is not an id: ids are UUIDs. To import by %s, write %s=%s.", id, s.Key, s.Key, value)
}

// MarkImport notes whether the object is between its import and the first refresh after it.
func MarkImport(ctx context.Context, store private.Store, importing bool, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyImporting, importing, diags)
}

// Importing reports whether the object is between its import and the first refresh after it.
func Importing(ctx context.Context, store private.Store, diags *diag.Diagnostics) bool {
	return private.Get[bool](ctx, store, keyImporting, diags)
}
