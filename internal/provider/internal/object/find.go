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

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// one looks the object up, and reports an error unless there is exactly one.
func (s Scheme[S, T]) one(ctx context.Context, client S, by Selector, diags *diag.Diagnostics) *T {
	operation := apidiag.Operation{Verb: "find", Object: "the " + s.Noun + " with " + by.String()}
	if by.ID != "" {
		object, err := s.Get(client, ctx, by.ID)
		switch {
		case err == nil:
			return object
		case api.IsNotFound(err):
			s.none(by, diags)
		default:
			apidiag.Add(diags, err, operation)
		}
		return nil
	}
	found, err := s.Find(ctx, client, by)
	switch {
	case err != nil:
		apidiag.Add(diags, err, operation)
	case len(found) == 0:
		s.none(by, diags)
	case len(found) == 1:
		return &found[0]
	default:
		inOrder(found, Ordering{})
		lines := make([]string, len(found))
		for i := range found {
			lines[i] = "  " + s.Summary(&found[i])
		}
		diags.AddError("More than one "+s.Noun, fmt.Sprintf("%d %ss have %s:\n\n%s\n\nUse the id of the one you mean.",
			len(found), s.Noun, by, strings.Join(lines, "\n")))
	}
	return nil
}

func (s Scheme[S, T]) none(by Selector, diags *diag.Diagnostics) {
	advice := "Check the id and the token."
	if by.ID == "" {
		advice = "Write the value as the service shows it, including its case, or use the id; and check the token."
	}
	text := fmt.Sprintf("The organization of this token has no %s with %s. %s", s.Noun, by, advice)
	if by.Field == keyURL && !strings.Contains(by.Value, "://") {
		text = "It is not a whole url. Write it as registered, such as https://hooks.example.com/billing."
	}
	if by.Field == "external_id" {
		text += " Customers, billing accounts and subscriptions have separate external_ids."
	}
	if typeName := by.Run.TypeOf(by.ID, s.TypeName); typeName != "" {
		text += fmt.Sprintf(" A %s of this configuration has this id.", typeName)
	}
	switch hint := s.howToImport(by.ID); {
	case by.Import != "":
		if hint != "" {
			text = apidiag.Capitalize(hint) + " " + text
		}
		diags.AddError("No such "+s.Noun+" to import as "+s.TypeName, text+" This is the import block with "+by.Import+".")
	case by.argument() != "":
		diags.AddAttributeError(path.Root(by.argument()), "No such "+s.Noun, text)
	default:
		diags.AddError("No such "+s.Noun, text)
	}
}

// Import finds the object and stores its id; the refresh that follows fills the rest of the state. It returns nil, with
// a diagnostic, if the object does not exist or cannot be managed.
func (s Scheme[S, T]) Import(ctx context.Context, service conn.Service[S], record *run.Run,
	req resource.ImportStateRequest, resp *resource.ImportStateResponse) *T {
	by := s.selection(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return nil
	}
	by.Run = record
	client, ready := service.For(s.TypeName, &resp.Diagnostics)
	if !ready {
		return nil
	}
	found := s.one(ctx, client, by, &resp.Diagnostics)
	if found != nil && s.CheckFound != nil {
		s.CheckFound(ctx, client, found, by, &resp.Diagnostics)
	}
	if found == nil || resp.Diagnostics.HasError() {
		return nil
	}
	s.imported(ctx, s.ID(found), resp)
	return found
}

// imported stores data for the first refresh.
func (s Scheme[S, T]) imported(ctx context.Context, id string, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(keyID), id)...)
	s.identify(ctx, types.StringValue(id), types.StringNull(), resp.Identity, &resp.Diagnostics)
	MarkImport(ctx, resp.Private, &resp.Diagnostics)
}

// selection reads the import id (an id, or <field>=<value>) or the identity. Terraform accepts an identity without
// values, so selection checks that.
func (s Scheme[S, T]) selection(ctx context.Context, req resource.ImportStateRequest,
	diags *diag.Diagnostics) Selector {
	selected := s.selected(ctx, req, diags)
	selected.Import = selected.String()
	if req.ID != "" && s.Key != keyURL {
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
		switch malformed := misnamed.MatchString(selector.ID) || strings.ContainsAny(selector.ID, "/ "); {
		case selector.ID == "" && selector.Value == "":
			diags.AddError("Invalid import id", how)
		case selector.ID != "" && !same.IsUUID(selector.ID) && (malformed || !s.AnyID):
			given := "this id"
			if s.Key != keyURL { // the path of an address may be secret
				given = fmt.Sprintf("the id %q", req.ID)
			}
			diags.AddError("Invalid import id", fmt.Sprintf("%s cannot be imported with %s: %s", s.TypeName, given,
				s.howToImport(selector.ID)))
		}
		return selector
	}
	var id, value types.String
	if req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(keyID), &id)...)
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(s.Key), &value)...)
	}
	if (id.ValueString() == "") == (value.ValueString() == "") {
		diags.AddError("Invalid import identity", fmt.Sprintf("Set exactly one of id and %s. %s", s.Key, how))
	}
	if id.ValueString() != "" {
		return by(keyID, id.ValueString())
	}
	return by(s.Key, value.ValueString())
}

// misnamed matches a field and a value in a syntax that import does not accept.
var misnamed = regexp.MustCompile(`^([A-Za-z_-]+) *[:=] *([^/].*)$`)

// keyURL is the key of an object that is found by its address.
const keyURL = "url"

// howToImport explains how to write an invalid import id; "" if it is an id.
func (s Scheme[S, T]) howToImport(id string) string {
	if id == "" || same.IsUUID(id) {
		return ""
	}
	value := id
	if parts := misnamed.FindStringSubmatch(id); parts != nil {
		value = strings.Trim(parts[2], "\"'")
		if !strings.EqualFold(strings.ReplaceAll(parts[1], "-", "_"), s.Key) {
			return fmt.Sprintf("it is imported by its id (a UUID), or by %s=<value>, not by %s.", s.Key, parts[1])
		}
	}
	if s.Key == keyURL {
		return "an id is a UUID. To import by url, write url= and the whole url as registered."
	}
	return fmt.Sprintf("an id is a UUID. To import by %s, write %[1]s=%s.", s.Key, value)
}
