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
			"set](../guides/custom-metadata.md); other keys stay. **No secrets:** " +
			"`effective_custom_metadata` shows them in plans, even if they are sensitive here."}
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

// Attributes are the attributes of custom_metadata in a model, which embeds them.
type Attributes struct {
	CustomMetadata          Value                 `tfsdk:"custom_metadata"`
	CustomMetadataMode      basetypes.StringValue `tfsdk:"custom_metadata_mode"`
	EffectiveCustomMetadata basetypes.StringValue `tfsdk:"effective_custom_metadata"`
}

// Import returns the attributes of an imported object, named name: custom_metadata is raw, the whole object in the
// response. An error means that it is not an object; the attributes are then empty, see Unread.
func Import(name string, raw json.RawMessage) (Attributes, error) {
	remote, err := Parse(raw)
	if err != nil {
		err = fmt.Errorf("custom_metadata of %s: %w", name, err)
	}
	a := Attributes{CustomMetadata: Null(), CustomMetadataMode: basetypes.NewStringValue(ModeMerge),
		EffectiveCustomMetadata: basetypes.NewStringValue(Text(remote))}
	if len(remote) > 0 {
		a.CustomMetadata = Value{FromObject(remote).DynamicValue, remote}
	}
	return a, err
}

// Seen returns the attributes after a response, a being the result of Import. They keep the mode of prior, a state or a
// plan, and its spelling of semantically equal values.
func (a Attributes) Seen(prior Attributes, own Owned) Attributes {
	whole, effective := a.CustomMetadata.whole, prior.EffectiveCustomMetadata
	before, err := Parse([]byte(effective.ValueString()))
	if known := !effective.IsNull() && !effective.IsUnknown(); !known || err != nil || !same.JSON(before, whole) {
		effective = basetypes.NewStringValue(Text(whole))
	}
	return Attributes{CustomMetadata: own.Under(prior.CustomMetadataMode).Seen(prior.CustomMetadata, whole),
		CustomMetadataMode: prior.CustomMetadataMode, EffectiveCustomMetadata: effective}
}

// Unread returns the attributes of prior, a state or a plan, after a response from which they cannot be read.
func Unread(prior Attributes) Attributes {
	if prior.EffectiveCustomMetadata.IsUnknown() {
		prior.EffectiveCustomMetadata = basetypes.NewStringNull()
	}
	return prior
}

// Plan plans the attributes of an existing object, a being the plan so far; object names the object in messages:
// `customer "Acme"`. effective_custom_metadata differs from the state if and only if the service's object must change.
//
// The planned effective object is the future one, so that a plan shows which keys change. If another system changes it
// before the apply, the state keeps the planned value until the next refresh.
//
// The result is the object that the configuration owns after the apply. The plan passes it to the apply in the private
// state, because only the configuration of a plan respects ignore_changes. It is zero while a part of it is unknown;
// Terraform plans again before it applies.
func (a *Attributes) Plan(config, state Attributes, own Owned, defaults Defaults, object string,
	diags *diag.Diagnostics) Owned {
	if defaults.Unknown {
		a.CustomMetadata, a.EffectiveCustomMetadata = config.CustomMetadata, basetypes.NewStringUnknown()
		return Owned{}
	}
	a.CustomMetadata, a.EffectiveCustomMetadata = state.CustomMetadata, state.EffectiveCustomMetadata
	remote, err := Parse([]byte(state.EffectiveCustomMetadata.ValueString()))
	if err != nil {
		diags.AddAttributeError(path.Root("effective_custom_metadata"), "Unreadable state",
			fmt.Sprintf("effective_custom_metadata cannot be read: %s. Run terraform apply -refresh-only, which reads it "+
				"from the service again.", err))
		return Owned{}
	}
	owner := Ownership{Mode: a.CustomMetadataMode.ValueString(), Defaults: defaults.Object, Owned: own.Object}
	change, err := owner.Plan(config.CustomMetadata, state.CustomMetadata, remote)
	if err != nil {
		addInvalid(err, diags)
		return Owned{}
	}
	more := moreForeign
	if owner.Mode == ModeReplace {
		more += " custom_metadata_mode is replace, so the apply after this one removes them."
	}
	change.WarnForeign(path.Root("custom_metadata"), object, more, diags)
	change.WarnLost(path.Root("custom_metadata"), object, diags)
	change.warnMayLose(object, diags)
	a.CustomMetadata = change.Planned
	switch {
	case !change.Differs:
	case change.Result == nil:
		a.EffectiveCustomMetadata = basetypes.NewStringUnknown()
	default:
		a.EffectiveCustomMetadata = basetypes.NewStringValue(Text(change.Result))
	}
	return Owned{Object: change.Desired}
}

const moreForeign = " effective_custom_metadata shows what the object will have."

// WarnImported is WarnForeign for a plan that does not change the free-form object itself.
func (d Defaults) WarnImported(at path.Path, config, state Value, object string, diags *diag.Diagnostics) {
	desired, err := Ownership{Defaults: d.Object}.Desired(config)
	had, unread := state.Object()
	if err != nil || unread != nil {
		return
	}
	more := ""
	if at.Equal(path.Root("custom_metadata")) {
		more = moreForeign
	}
	Change{Foreign: missing(had, desired)}.WarnForeign(at, object, more, diags)
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
			"with a minus in this plan only affect the state.%s", strings.TrimPrefix(object, "the "), strings.Join(c.Foreign, ", "), more))
}

// WarnLost reports the keys that a plan will remove. object names the object in messages.
func (c Change) WarnLost(at path.Path, object string, diags *diag.Diagnostics) {
	if slices.Sort(c.Unseen); len(c.Unseen) > 0 {
		diags.AddAttributeWarning(at, fmt.Sprintf("%s of %s removes keys that the plan does not show: %s", at, object,
			strings.Join(c.Unseen, ", ")), "A part of it is known only after apply, so only the apply shows the whole object. "+
			"To keep one of these keys, configure it.")
	}
	if len(c.Lost) == 0 {
		return
	}
	slices.Sort(c.Lost)
	diags.AddAttributeWarning(at, fmt.Sprintf("%s of %s removes keys set by other systems: %s", at, object,
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
