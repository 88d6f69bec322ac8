// Package object implements what all resources have in common. A Scheme describes how objects are found; import, data
// sources and list resources are derived from it. Every resource embeds Resource, which reads the request of each
// operation and writes its response.
//
// Calls go one way: begin.go and modify_plan.go, where a resource enters, use what an operation (op.go) and a plan
// (plan.go) consist of, and these use the scheme. finish.go ends an apply.
package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
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

// textOf returns a string attribute of a model.
func textOf(model any, name string) types.String {
	text, _ := value.Field(model, name).(types.String)
	return text
}

// wrote tells the client when the object in m was last written.
func (s Scheme[S, T]) wrote(client S, m any) {
	if s.Wrote != nil {
		s.Wrote(client, textOf(m, keyID).ValueString(), textOf(m, "created_at").ValueString(),
			textOf(m, "updated_at").ValueString())
	}
}

// keyExternalID is the argument that identifies an object of recurring billing in other systems.
const keyExternalID = "external_id"

// keyImport is the key of the progress of an import. The run that imports an object ends with the next refresh or the
// next update.
var keyImport = private.Key("import")

type importing string

const (
	// importFound is set before the first refresh.
	importFound importing = "found"
	// importRead is set after it.
	importRead importing = "read"
)

// MarkImport records that the object was found and its first refresh follows.
func MarkImport(ctx context.Context, store private.State, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyImport, importFound, diags)
}

// Imports reports whether this run imports the object.
func Imports(ctx context.Context, store private.State, diags *diag.Diagnostics) bool {
	return private.Get[importing](ctx, store, keyImport, diags) != ""
}
