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
			"name](../guides/custom-metadata.md); keys of other systems stay. It is stored in state: no secrets."}
}

// EffectiveAttribute is effective_custom_metadata, which shows the whole object.
func EffectiveAttribute() schema.StringAttribute {
	return schema.StringAttribute{Computed: true,
		MarkdownDescription: "The whole `custom_metadata` at the service, as a JSON string."}
}

// Defaults is the provider's default_custom_metadata, which may depend on values that are only known after apply.
type Defaults struct {
	Object  Object
	Unknown bool
}

// Under is what a creation sends: the configured custom_metadata over the defaults. false means that it has reported an
// error on the attribute.
func (d Defaults) Under(config Value, diags *diag.Diagnostics) (Owned, bool) {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	if err != nil {
		addInvalid(err, diags)
	}
	return Owned{Object: desired}, err == nil
}

// Effective is effective_custom_metadata in the plan of a creation.
func (d Defaults) Effective(config Value) basetypes.StringValue {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	if d.Unknown || err != nil { // what is wrong with it is reported with the argument
		return basetypes.NewStringUnknown()
	}
	return basetypes.NewStringValue(Text(desired))
}

func addInvalid(err error, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("custom_metadata"), "Invalid custom_metadata",
		fmt.Sprintf("custom_metadata cannot be used: %s. Write an object such as { key = \"value\" }, with values that JSON "+
			"has.", err))
}

// Import is custom_metadata of an object that no configuration was applied to yet, and the effective_custom_metadata
// beside it: the whole object, in both. raw is the object as the service returns it.
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

// Read is custom_metadata after a refresh, and the effective_custom_metadata beside it, both written as prior and
// effective write them where that means the same. imported is what Import has made of the response.
func (o Ownership) Read(prior Value, effective basetypes.StringValue, imported Value) (Value, basetypes.StringValue) {
	before, err := Parse([]byte(effective.ValueString()))
	if known := !effective.IsNull() && !effective.IsUnknown(); !known || err != nil || !same.JSON(before, imported.whole) {
		effective = basetypes.NewStringValue(Text(imported.whole))
	}
	return o.Seen(prior, imported.whole), effective
}

// Planning is what a plan knows about custom_metadata of an existing object.
type Planning struct {
	// Config and State are custom_metadata, Effective is effective_custom_metadata of the state, Mode the planned
	// custom_metadata_mode.
	Config, State   Value
	Effective, Mode basetypes.StringValue
	Defaults        Defaults
	// Object names the object in messages: `customer "Acme"`.
	Object string
}

// Plan plans custom_metadata and the effective_custom_metadata beside it, which differs from the state's exactly when
// the service's object must change.
//
// The effective object is planned as it will be, so that a plan shows what changes and what stays. Should somebody else
// change it before the apply, the state keeps the planned text until the next refresh.
//
// The third result is what the configuration owns once the plan is applied. The plan hands it to the apply in the
// private state: only the configuration of a plan respects ignore_changes. It is zero while a part of it is unknown;
// Terraform plans again before it applies.
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

// WarnImported is WarnForeign for a plan that changes nothing of custom_metadata itself.
func (d Defaults) WarnImported(config, state Value, object string, diags *diag.Diagnostics) {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	had, unread := state.Object()
	if err != nil || unread != nil {
		return
	}
	Change{Foreign: missing(had, desired)}.WarnForeign(path.Root("custom_metadata"), object,
		moreForeign, diags)
}

// WarnForeign reports the keys that a plan seems to drop. object names the object in messages, and more ends the
// message.
func (c Change) WarnForeign(at path.Path, object, more string, diags *diag.Diagnostics) {
	if len(c.Foreign) == 0 {
		return
	}
	slices.Sort(c.Foreign)
	diags.AddAttributeWarning(at, "Keys of an imported object that the configuration does not name stay",
		fmt.Sprintf("The %s was imported with the keys %s. The first apply after an import removes nothing: lines with a "+
			"minus in this plan remove them from the state only.%s", object, strings.Join(c.Foreign, ", "), more))
}

// WarnLost reports the keys that a plan really drops. object names the object in messages.
func (c Change) WarnLost(at path.Path, object string, diags *diag.Diagnostics) {
	if len(c.Lost) == 0 {
		return
	}
	slices.Sort(c.Lost)
	diags.AddAttributeWarning(at, fmt.Sprintf("custom_metadata of %s removes keys that others have set: %s", object,
		strings.Join(c.Lost, ", ")), "They are inside of an object that this configuration replaces by another value. To "+
		"keep them, write an object in its place, or use another key.")
}

// warnMayLose reports the keys that a mode which is not known yet may remove.
func (c Change) warnMayLose(object string, diags *diag.Diagnostics) {
	if len(c.MayLose) == 0 {
		return
	}
	slices.Sort(c.MayLose)
	diags.AddAttributeWarning(path.Root("custom_metadata_mode"), fmt.Sprintf("This apply may remove keys of %s that "+
		"others have set: %s", object, strings.Join(c.MayLose, ", ")), "custom_metadata_mode is only known after apply. If "+
		"it turns out to be \"replace\", the apply removes these keys. Write the mode as a value that a plan knows.")
}

// Owned is the object that a configuration owned when it was last applied, as the private state keeps it, numbers
// exact. Nil means that no configuration was applied yet.
type Owned struct{ Object Object }

// Under is the ownership under a custom_metadata_mode.
func (o Owned) Under(mode basetypes.StringValue) Ownership {
	return Ownership{Mode: mode.ValueString(), Owned: o.Object}
}

// Payload is what a creation sends: nothing for an empty object.
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
