// Package object implements what all resources have in common. A Scheme describes how objects are found; import, data
// sources and list resources are derived from it. Every resource embeds Resource, which reads the request of each
// operation and writes its response.
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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

const keyID = "id"

// Scheme describes how objects of a kind are identified and found. S is their service's client, T the client's type of
// the object.
//
// The stored identity is only the id, unless CompositeID is set: the other field only selects the object to import, so
// that changing it does not change the identity.
type Scheme[S, T any] struct {
	// TypeName is the Terraform type of the resource and of the data source of one.
	TypeName string
	// Noun names the kind of object, such as "customer"; with an s it is the plural.
	Noun string
	// AnyID allows ids that are not UUIDs.
	AnyID bool
	// MutableIdentity allows updates that change the id.
	MutableIdentity bool
	// Key is the field, other than the id, by which an object can be imported.
	Key string
	// CompositeID is set if an id is unique only among the objects with the same Key, such as the collection of a record:
	// both together identify an object, written <key>/<id>.
	CompositeID bool
	// MoreKeys are further fields by which the data source finds an object.
	MoreKeys []string
	// Service returns the service of the objects.
	Service func(*conn.Conn) conn.Service[S]
	// ID returns the id of an object.
	ID func(*T) string
	// Get reads one object by its id, or <key>/<id> if CompositeID is set.
	Get func(client S, ctx context.Context, id string) (*T, error)
	// Refresh is Get for the refresh of a resource, which may read lists (bulk_refresh). unchanged means that the list
	// shows no change since the last refresh. Defaults to Get.
	Refresh func(client S, ctx context.Context, id string) (_ *T, unchanged bool, _ error)
	// Wrote tells the client when the object was last written according to the state, so that the client repeats a read
	// that returns an older version. It is optional.
	Wrote func(client S, id, created, updated string)
	// Find lists all objects with the value in the selector's field, which is not the id.
	Find func(ctx context.Context, client S, by Selector) ([]T, error)
	// Summary describes one of several matches.
	Summary func(*T) string
	// Codes maps error codes that come without a field to attributes; optional.
	Codes map[string]string
	// Recreation completes the sentence about the plan of an object that is gone: "the plan …".
	Recreation string
	// Choices describes the accepted values of an argument, see apidiag.Operation; optional.
	Choices func(argument string) string
	// CheckFound reports an error for an object that cannot be managed and therefore not imported. It is optional.
	CheckFound func(ctx context.Context, client S, found *T, by Selector, diags *diag.Diagnostics)
}

// keys returns the fields by which the data source finds an object.
func (s Scheme[S, T]) keys() []string { return slices.Concat([]string{keyID, s.Key}, s.MoreKeys) }

// exactlyOne requires exactly one of the arguments by which a data source finds an object.
type exactlyOne struct {
	check.Described
	typeName, noun string
	names          []string
}

func newExactlyOne(typeName, noun string, names []string) exactlyOne {
	return exactlyOne{check.Described("exactly one of " + enumerated(names)), typeName, noun, names}
}

// enumerated joins at least two names for a sentence.
func enumerated(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// ValidateDataSource implements datasource.ConfigValidator. An unknown value may turn out to be null.
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
		resp.Diagnostics.AddError("Missing argument to find the "+v.noun+"", fmt.Sprintf("Set %s. To search by anything "+
			"else, list them with the data source %ss.", v.Described, v.typeName))
	case len(given) > 1:
		resp.Diagnostics.AddAttributeError(path.Root(given[1]), "More than one argument to find the "+v.noun+" by",
			fmt.Sprintf("%s are set, and a %s is found by %s. Remove all but one.", strings.Join(given, " and "), v.noun,
				v.Described))
	}
}

// identitySchema is the schema of the identity.
func (s Scheme[S, T]) identitySchema() identityschema.Schema {
	if s.CompositeID {
		return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
			s.Key: identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", s.Key)},
			keyID: identityschema.StringAttribute{RequiredForImport: true,
				Description: fmt.Sprintf("Id of the %s in that %s.", s.Noun, s.Key)},
		}}
	}
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		keyID: identityschema.StringAttribute{OptionalForImport: true,
			Description: fmt.Sprintf("Id of the %s. Set exactly one of id and %s.", s.Noun, s.Key)},
		s.Key: identityschema.StringAttribute{OptionalForImport: true,
			Description: fmt.Sprintf("The %s of the %s, used only to look it up.", s.Key, s.Noun)},
	}}
}

// Identify writes the identity of the object in m, a model. identity is nil if Terraform does not support identities.
func (s Scheme[S, T]) Identify(ctx context.Context, m any, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	key := types.StringNull()
	if s.CompositeID {
		key = textOf(m, s.Key)
	}
	s.identify(ctx, textOf(m, keyID), key, identity, diags)
}

// identify writes the whole identity at once: in the framework, setting one attribute takes as long as decoding a
// state.
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

// name returns the argument of Get for the object in m.
func (s Scheme[S, T]) name(m any) string {
	id := textOf(m, keyID).ValueString()
	if s.CompositeID {
		return textOf(m, s.Key).ValueString() + "/" + id
	}
	return id
}

// Selector selects an object by its id, or by the value of another field.
type Selector struct {
	ID string
	// Field and Value are the other field; empty if ID is set.
	Field, Value string
	// Import is the object's identifier in the import block; "" outside of an import.
	Import string
	// Run knows whether an object of another type has the id; nil outside of an import.
	Run *run.Run
}

// argument returns the corresponding argument of a data source.
func (s Selector) argument() string {
	if s.ID != "" {
		return keyID
	}
	return s.Field
}

// by selects by the value of a field, including the id.
func by(field, value string) Selector {
	if field == keyID {
		return Selector{ID: value}
	}
	return Selector{Field: field, Value: value}
}

// String describes the selector in messages.
func (s Selector) String() string {
	if s.ID != "" {
		return "id " + s.ID
	}
	if shown := check.ShownText(s.Field, s.Value); shown != "" {
		return s.Field + " " + shown
	}
	return "this " + s.Field
}

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
