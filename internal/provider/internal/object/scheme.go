// Package object is what all objects of the services have in common. A Scheme says how one is found; from that follow
// the import, the data sources of one and of many, and the list resource. Resource is embedded by every resource: it
// reads what a plan, a creation, an update or a deletion begins with, and writes what comes out.
package object

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

const keyID = "id"

// Scheme is how objects of a kind are named and found. S is the client of their service, T the client's type of the
// object.
//
// What is kept as identity is the id alone, unless Within says otherwise: the other field only selects the object to
// import, so that its change is not a change of identity.
type Scheme[S, T any] struct {
	// TypeName is the Terraform type of the resource and of the data source of one.
	TypeName string
	// Noun names the kind of object, such as "customer"; with an s it is the plural.
	Noun string
	// AnyID says that an id need not be a UUID.
	AnyID bool
	// MutableIdentity says that an update may change the id.
	MutableIdentity bool
	// Key is the field, next to the id, that names an object for import.
	Key string
	// Within says that an id is unique only among the objects with the same Key, such as the collection of a record: both
	// together name an object, written <key>/<id>, and are its identity.
	Within bool
	// MoreKeys are further fields by which the data source finds an object.
	MoreKeys []string
	// Service is the way to the client.
	Service func(*conn.Conn) conn.Service[S]
	// ID is the id of an object.
	ID func(*T) string
	// Get reads one object by its name: its id, or what Within says.
	Get func(client S, ctx context.Context, id string) (*T, error)
	// Listed is Get for the refresh of a resource, which may read lists (bulk_refresh). unchanged says that a list shows
	// no later change than is known. nil is Get.
	Listed func(client S, ctx context.Context, id string) (_ *T, unchanged bool, _ error)
	// Wrote tells the client when the object with an id was written, as Terraform has it: a response that is older is
	// read again. It is optional.
	Wrote func(client S, id, created, updated string)
	// Find lists all objects that have the value in the selector's field, which is not the id.
	Find func(ctx context.Context, client S, by Selector) ([]T, error)
	// Line describes one of several matches.
	Line func(*T) string
	// Codes are the attributes that the service's codes speak of, for codes that come without a field; optional.
	Codes map[string]string
	// Again ends the sentence that says what the plan does about an object that is gone: "the plan …".
	Again string
	// Choices says which values an argument could have, see apidiag.Operation; optional.
	Choices func(argument string) string
	// Refuse reports an error for an object that cannot be managed, so that it is not imported. It is optional.
	Refuse func(ctx context.Context, client S, found *T, by Selector, diags *diag.Diagnostics)
}

// Keys are the fields by which the data source finds an object.
func (s Scheme[S, T]) Keys() []string { return slices.Concat([]string{keyID, s.Key}, s.MoreKeys) }

// exactlyOne requires exactly one of the arguments by which a data source finds an object.
type exactlyOne struct {
	typeName, noun string
	names          []string
}

func (v exactlyOne) Description(context.Context) string {
	return "exactly one of " + enumerated(v.names)
}

// enumerated are at least two names inside a sentence.
func enumerated(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (v exactlyOne) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateDataSource implements datasource.ConfigValidator. A value that is not known yet may turn out to be null.
func (v exactlyOne) ValidateDataSource(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse) {
	var given []string
	for _, name := range v.names {
		var value attr.Value
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		switch {
		case resp.Diagnostics.HasError() || value.IsUnknown():
			return
		case !value.IsNull():
			given = append(given, name)
		}
	}
	switch {
	case len(given) == 0:
		resp.Diagnostics.AddError("No argument to find the "+v.noun+" by", fmt.Sprintf("Set %s. To find one by anything "+
			"else, such as a name, list them with the data source %ss.", v.Description(ctx), v.typeName))
	case len(given) > 1:
		resp.Diagnostics.AddAttributeError(path.Root(given[1]), "More than one argument to find the "+v.noun+" by",
			fmt.Sprintf("%s are set, and a %s is found by %s. Remove all but one.", strings.Join(given, " and "), v.noun,
				v.Description(ctx)))
	}
}

// IdentitySchema is the schema of the identity.
func (s Scheme[S, T]) IdentitySchema() identityschema.Schema {
	if s.Within {
		return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
			s.Key: identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", s.Key)},
			keyID: identityschema.StringAttribute{RequiredForImport: true,
				Description: fmt.Sprintf("Id of the %s in that %s.", s.Noun, s.Key)},
		}}
	}
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		keyID: identityschema.StringAttribute{OptionalForImport: true,
			Description: fmt.Sprintf("Id of the %s. Give exactly one of id and %s.", s.Noun, s.Key)},
		s.Key: identityschema.StringAttribute{OptionalForImport: true,
			Description: fmt.Sprintf("The %s of the %s, used to look it up. The identity of the %s is its id.", s.Key,
				s.Noun, s.Noun)},
	}}
}

// Identify writes the identity of the object that m shows, a model. identity is nil where Terraform knows no
// identities.
func (s Scheme[S, T]) Identify(ctx context.Context, m any, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	key := types.StringNull()
	if s.Within {
		key = textOf(m, s.Key)
	}
	s.identify(ctx, textOf(m, keyID), key, identity, diags)
}

// identify writes an identity as a whole: to set one attribute takes the framework as long as to decode a state.
func (s Scheme[S, T]) identify(ctx context.Context, id, key types.String, identity *tfsdk.ResourceIdentity,
	diags *diag.Diagnostics) {
	if identity == nil {
		return
	}
	attributes, described := map[string]tftypes.Value{}, map[string]tftypes.Type{}
	for name, text := range map[string]types.String{keyID: id, s.Key: key} {
		value, err := text.ToTerraformValue(ctx)
		if err != nil {
			apidiag.Unreadable(diags, err)
			return
		}
		attributes[name], described[name] = value, tftypes.String
	}
	identity.Raw = tftypes.NewValue(tftypes.Object{AttributeTypes: described}, attributes)
}

// name names the object that m shows, as Get takes it.
func (s Scheme[S, T]) name(m any) string {
	id := textOf(m, keyID).ValueString()
	if s.Within {
		return textOf(m, s.Key).ValueString() + "/" + id
	}
	return id
}

// Selector says which object is meant: by its id, or by the value of another field.
type Selector struct {
	ID string
	// Field and Value are the other field; empty when the id is given.
	Field, Value string
	// Import is how an import block names the object; "" for everything but an import.
	Import string
}

// argument is the argument of a data source that selects so.
func (s Selector) argument() string {
	if s.ID != "" {
		return keyID
	}
	return s.Field
}

// by selects by the value of a field, which may be the id.
func by(field, value string) Selector {
	if field == keyID {
		return Selector{ID: value}
	}
	return Selector{Field: field, Value: value}
}

// String words the selector for messages.
func (s Selector) String() string {
	if s.ID != "" {
		return "id " + s.ID
	}
	return fmt.Sprintf("%s %q", s.Field, s.Value)
}

// One looks the object up and reports when there is none, or more than one.
func (s Scheme[S, T]) One(ctx context.Context, client S, by Selector, diags *diag.Diagnostics) *T {
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
		lines := make([]string, len(found))
		for i := range found {
			lines[i] = "  " + s.Line(&found[i])
		}
		diags.AddError("More than one "+s.Noun, fmt.Sprintf("%d %ss have %s:\n\n%s\n\nUse the id of the one you mean.",
			len(found), s.Noun, by, strings.Join(lines, "\n")))
	}
	return nil
}

func (s Scheme[S, T]) none(by Selector, diags *diag.Diagnostics) {
	text := fmt.Sprintf("The organization of this token has no %s with %s. Check the value, upper and lower case "+
		"included, and the token.", s.Noun, by)
	if by.Field == "external_id" {
		text += " Customers, billing accounts and subscriptions each have an external_id of their own."
	}
	switch hint := s.howToImport(by.ID); {
	case by.Import != "":
		if hint != "" {
			text = apidiag.Capitalize(hint) + " " + text
		}
		diags.AddError("No such "+s.Noun+" to import as "+s.TypeName, text+" Terraform does not show which import this is: "+
			"it is the one with "+by.Import+".")
	case by.argument() != "":
		diags.AddAttributeError(path.Root(by.argument()), "No such "+s.Noun, text)
	default:
		diags.AddError("No such "+s.Noun, text)
	}
}

// Import finds the object that an import names and stores its id; the refresh that follows fills the rest of the
// state. It returns nil when there is no such object, or none that can be managed, and has reported that.
func (s Scheme[S, T]) Import(ctx context.Context, service conn.Service[S], req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) *T {
	by := s.selection(ctx, req, &resp.Diagnostics)
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
	s.identify(ctx, types.StringValue(id), types.StringNull(), resp.Identity, &resp.Diagnostics)
	MarkImport(ctx, resp.Private, &resp.Diagnostics)
}

// selection reads the import id (an id, or <field>=<value>) or the identity. Terraform accepts an identity without any
// value, so that is checked here.
func (s Scheme[S, T]) selection(ctx context.Context, req resource.ImportStateRequest,
	diags *diag.Diagnostics) Selector {
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
			return fmt.Sprintf("it is imported by its id (a UUID), or by %s=<value>, not by %s.", s.Key, parts[1])
		}
	}
	return fmt.Sprintf("%q is not an id: ids are UUIDs. To import by %s, write %s=%s.", id, s.Key, s.Key, value)
}
