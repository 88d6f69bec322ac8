package metadata

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Attribute is the argument custom_metadata of a kind of object, named by a noun.
func Attribute(noun string) schema.DynamicAttribute {
	return schema.DynamicAttribute{Optional: true, Computed: true, CustomType: Type{},
		MarkdownDescription: "Your own data on the " + noun + ", as an object. [You own the keys you " +
			"set](../guides/custom-metadata.md); other keys stay. Stored in state: no secrets."}
}

// EffectiveAttribute is effective_custom_metadata, the whole object.
func EffectiveAttribute() schema.StringAttribute {
	return schema.StringAttribute{Computed: true,
		MarkdownDescription: "The whole `custom_metadata` at the service, as a JSON string."}
}

// Defaults is the provider's default_custom_metadata. It may depend on values that are known only after apply.
type Defaults struct {
	Object  Object
	Unknown bool
}

// Under returns what a creation sends: the defaults, overridden by the configured custom_metadata. It returns false
// after it has reported an error on the attribute.
func (d Defaults) Under(config Value, diags *diag.Diagnostics) (Owned, bool) {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	if err != nil {
		addInvalid(err, diags)
	}
	return Owned{Object: desired}, err == nil
}

// Effective returns effective_custom_metadata in the plan of a creation.
func (d Defaults) Effective(config Value) basetypes.StringValue {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	if d.Unknown || err != nil { // the error is reported on the argument
		return basetypes.NewStringUnknown()
	}
	return basetypes.NewStringValue(Text(desired))
}

func addInvalid(err error, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("custom_metadata"), "Invalid custom_metadata",
		fmt.Sprintf("custom_metadata cannot be used: %s. Write an object such as { key = \"value\" }, with values that "+
			"JSON supports.", err))
}

// Import returns custom_metadata and effective_custom_metadata of an imported object: both are the whole object. raw is
// the object in the response.
func Import(raw json.RawMessage) (Value, basetypes.StringValue, error) {
	remote, err := Parse(raw)
	if err != nil {
		return Null(), basetypes.NewStringNull(), err
	}
	text := basetypes.NewStringValue(Text(remote))
	if len(remote) == 0 {
		return Null(), text, nil
	}
	return Value{FromObject(remote).DynamicValue, remote}, text, nil
}

// Read returns custom_metadata and effective_custom_metadata after a refresh. They keep the spelling of prior and
// effective if they are semantically equal. imported is the result of Import.
func (o Ownership) Read(prior Value, effective basetypes.StringValue, imported Value) (Value, basetypes.StringValue) {
	before, err := Parse([]byte(effective.ValueString()))
	if known := !effective.IsNull() && !effective.IsUnknown(); !known || err != nil || !same.JSON(before, imported.whole) {
		effective = basetypes.NewStringValue(Text(imported.whole))
	}
	return o.Seen(prior, imported.whole), effective
}

// Planning is the input of a plan of custom_metadata for an existing object.
type Planning struct {
	// Config and State are custom_metadata, Effective is effective_custom_metadata of the state, Mode the planned
	// custom_metadata_mode.
	Config, State   Value
	Effective, Mode basetypes.StringValue
	Defaults        Defaults
	// Object names the object in messages: `customer "Acme"`.
	Object string
}

// Plan plans custom_metadata and effective_custom_metadata. The latter differs from the state if and only if the
// service's object must change.
//
// The planned effective object is the future one, so that a plan shows which keys change. If another system changes it
// before the apply, the state keeps the planned value until the next refresh.
//
// The third result is the object that the configuration owns after the apply. The plan passes it to the apply in the
// private state, because only the configuration of a plan respects ignore_changes. It is zero while a part of it is
// unknown; Terraform plans again before it applies.
func (o Owned) Plan(p Planning, diags *diag.Diagnostics) (Value, basetypes.StringValue, Owned) {
	if p.Defaults.Unknown {
		return p.Config, basetypes.NewStringUnknown(), Owned{}
	}
	remote, err := Parse([]byte(p.Effective.ValueString()))
	if err != nil {
		diags.AddAttributeError(path.Root("effective_custom_metadata"), "Unreadable state",
			fmt.Sprintf("effective_custom_metadata cannot be read: %s. Run terraform apply -refresh-only, which reads it "+
				"from the service again.", err))
		return p.State, p.Effective, Owned{}
	}
	owner := Ownership{Mode: p.Mode.ValueString(), Defaults: p.Defaults.Object, Owned: o.Object}
	change, err := owner.Plan(p.Config, p.State, remote)
	if err != nil {
		addInvalid(err, diags)
		return p.State, p.Effective, Owned{}
	}
	more := moreForeign
	if owner.Mode == ModeReplace {
		more += " custom_metadata_mode is replace, so the apply after this one removes them."
	}
	change.WarnForeign(path.Root("custom_metadata"), p.Object, more, diags)
	change.WarnLost(path.Root("custom_metadata"), p.Object, diags)
	change.warnMayLose(p.Object, diags)
	switch {
	case !change.Differs:
	case change.Result == nil:
		p.Effective = basetypes.NewStringUnknown()
	default:
		p.Effective = basetypes.NewStringValue(Text(change.Result))
	}
	return change.Planned, p.Effective, Owned{Object: change.Desired}
}

// moreForeign ends the message of WarnForeign.
const moreForeign = " effective_custom_metadata shows what the object will have."

// WarnImported is WarnForeign for a plan that does not change custom_metadata itself.
func (d Defaults) WarnImported(config, state Value, object string, diags *diag.Diagnostics) {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	had, unread := state.Object()
	if err != nil || unread != nil {
		return
	}
	Change{Foreign: missing(had, desired)}.WarnForeign(path.Root("custom_metadata"), object,
		moreForeign, diags)
}

// WarnForeign reports the keys that a plan seems to remove. object names the object in messages; more is appended to
// the message.
func (c Change) WarnForeign(at path.Path, object, more string, diags *diag.Diagnostics) {
	if len(c.Foreign) == 0 {
		return
	}
	slices.Sort(c.Foreign)
	diags.AddAttributeWarning(at, "Imported keys that are not configured are kept",
		fmt.Sprintf("The %s was imported with the keys %s. The first apply after an import does not remove them: lines "+
			"with a minus in this plan only affect the state.%s", object, strings.Join(c.Foreign, ", "), more))
}

// WarnLost reports the keys that a plan will remove. object names the object in messages.
func (c Change) WarnLost(at path.Path, object string, diags *diag.Diagnostics) {
	if len(c.Lost) == 0 {
		return
	}
	slices.Sort(c.Lost)
	diags.AddAttributeWarning(at, fmt.Sprintf("custom_metadata of %s removes keys set by other systems: %s", object,
		strings.Join(c.Lost, ", ")), "They are in an object that this configuration replaces with another type of value. "+
		"To keep them, write an object there, or use another key.")
}

// warnMayLose reports the keys that may be removed, depending on an unknown mode.
func (c Change) warnMayLose(object string, diags *diag.Diagnostics) {
	if len(c.MayLose) == 0 {
		return
	}
	slices.Sort(c.MayLose)
	diags.AddAttributeWarning(path.Root("custom_metadata_mode"), fmt.Sprintf("This apply may remove keys of %s set by "+
		"other systems: %s", object, strings.Join(c.MayLose, ", ")), "custom_metadata_mode is known only after apply. If "+
		"it turns out to be \"replace\", the apply removes these keys. Use a value that is known at plan time.")
}

// Owned is the object that the configuration owned when it was last applied, as stored in the private state with exact
// numbers. Nil means that no configuration has been applied yet.
type Owned struct{ Object Object }

// Under returns the ownership under a custom_metadata_mode.
func (o Owned) Under(mode basetypes.StringValue) Ownership {
	return Ownership{Mode: mode.ValueString(), Owned: o.Object}
}

// Payload returns what a creation sends: nil for an empty object.
func (o Owned) Payload() json.RawMessage {
	if len(o.Object) == 0 {
		return nil
	}
	return Payload(o.Object)
}

// MarshalJSON writes the object, or null.
func (o Owned) MarshalJSON() ([]byte, error) {
	if o.Object == nil {
		return []byte("null"), nil
	}
	return json.Marshal(o.Object)
}

// UnmarshalJSON reads the object, or null.
func (o *Owned) UnmarshalJSON(text []byte) (err error) {
	o.Object, err = Parse(text)
	return err
}
