package metadata

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// KeysStay is the summary of the warning that an import removes no keys.
const KeysStay = "Keys that the configuration does not name stay"

// ImportAttribute is custom_metadata of an object that no configuration was applied to yet, and the
// effective_custom_metadata beside it: the whole object, in both. raw is the object as the service returns it.
func ImportAttribute(raw json.RawMessage) (Value, basetypes.StringValue, error) {
	remote, err := Parse(raw)
	if err != nil {
		return Null(), basetypes.NewStringNull(), err
	}
	custom, err := Ownership{}.Seen(Null(), remote, true)
	return custom, Effective(basetypes.NewStringNull(), remote), err
}

// ReadAttribute is custom_metadata after a refresh, and the effective_custom_metadata beside it, both written as before
// where that means the same. raw is the object as the service returns it.
func (o Ownership) ReadAttribute(prior Value, effective basetypes.StringValue, raw json.RawMessage) (Value,
	basetypes.StringValue, error) {
	remote, err := Parse(raw)
	if err != nil {
		return prior, effective, err
	}
	custom, err := o.Seen(prior, remote, false)
	return custom, Effective(effective, remote), err
}

// PlanAttribute plans custom_metadata of an existing object and the effective_custom_metadata beside it, which differs
// from the state's exactly when the service's object must change. object names it in messages: `customer "Acme"`.
// defaultsUnknown says that the provider's defaults are only known after apply.
//
// The effective object is planned as it will be, so that a plan shows what changes and what stays. Should somebody else
// change it before the apply, the state keeps the planned text until the next refresh (see package settle).
//
// The third result is what the configuration owns once the plan is applied. The plan hands it to the apply in the
// private state: only the configuration of a plan respects ignore_changes. It is zero while a part of it is unknown;
// Terraform plans again before it applies.
func (o Ownership) PlanAttribute(config, state Value, effective basetypes.StringValue, defaultsUnknown bool,
	object string,
	diags *diag.Diagnostics) (Value, basetypes.StringValue, Owned) {
	if defaultsUnknown {
		return config, basetypes.NewStringUnknown(), Owned{}
	}
	remote, err := Parse([]byte(effective.ValueString()))
	if err != nil {
		diags.AddAttributeError(path.Root("effective_custom_metadata"), "Unreadable state", err.Error())
		return state, effective, Owned{}
	}
	change, err := o.Plan(config, state, remote)
	if err != nil {
		diags.AddAttributeError(path.Root("custom_metadata"), "Invalid custom_metadata", err.Error())
		return state, effective, Owned{}
	}
	owned := Owned{Object: change.Desired}
	if len(change.Foreign) > 0 {
		slices.Sort(change.Foreign)
		diags.AddAttributeWarning(path.Root("custom_metadata"), KeysStay,
			fmt.Sprintf("%s was imported with the keys %s, which the configuration does not name. The first apply "+
				"after an import removes nothing: they stay at the service, and the lines of this plan that show "+
				"them with a minus remove them from the state only. effective_custom_metadata shows what the object "+
				"will have.", apidiag.Capitalize(object), strings.Join(change.Foreign, ", ")))
	}
	switch {
	case !change.Differs:
		return change.Planned, effective, owned
	case change.Result == nil:
		return change.Planned, basetypes.NewStringUnknown(), owned
	default:
		return change.Planned, basetypes.NewStringValue(Text(change.Result)), owned
	}
}

// DesiredAttribute is Desired with the error on the attribute; false means that there was one.
func (o Ownership) DesiredAttribute(config Value, diags *diag.Diagnostics) (Object, bool) {
	desired, err := o.Desired(config)
	if err != nil {
		diags.AddAttributeError(path.Root("custom_metadata"), "Invalid custom_metadata", err.Error())
	}
	return desired, err == nil
}
