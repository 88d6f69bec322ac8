package metadata

import (
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// The two ways to own an object (custom_metadata_mode).
const (
	// Merge owns the keys that the configuration names, at any depth.
	ModeMerge = "merge"
	// Replace owns the whole object.
	ModeReplace = "replace"
)

// Ownership is what one resource and its configuration say about the keys of an object.
type Ownership struct {
	// Mode is ModeMerge or ModeReplace.
	Mode string
	// ModeUnknown says that the mode is only known after apply.
	ModeUnknown bool
	// Defaults is the provider's default_custom_metadata, which lies under every configured object.
	Defaults Object
	// Owned is what this configuration owned when it was last applied, defaults included. It is nil when nothing was
	// applied yet: a freshly imported object owns no key, so nothing is removed from it.
	Owned Object
}

// Change is the outcome of planning an object.
type Change struct {
	// Planned is the value of custom_metadata in the plan.
	Planned Value
	// Differs says that the service's object must change.
	Differs bool
	// Result is what the service's object will be, unless somebody else changes it meanwhile; nil while that is not
	// known.
	Result Object
	// Desired is what the configuration asks for, defaults included, never nil; nil while that is not known.
	Desired Object
	// Foreign are the top-level keys that a plan seems to drop but that stay at the service, because an import never
	// removes.
	Foreign []string
}

// Desired is the object that the configuration asks for, defaults included. It returns ErrUnknown while a part of it is
// unknown.
func (o Ownership) Desired(config Value) (Object, error) {
	object, err := config.Object()
	if err != nil {
		return nil, err
	}
	return Merge(o.Defaults, object), nil
}

// Result is what the service's object will be once desired is applied to remote.
func (o Ownership) Result(remote, desired Object) Object {
	switch {
	case o.Mode == ModeReplace && o.Owned != nil:
		return desired
	case o.Mode == ModeReplace:
		return Merge(remote, desired)
	default:
		return Merge(Release(remote, o.Owned, desired), desired)
	}
}

// Plan compares the configuration with the state. remote is the whole object as last read.
//
// When the service's object need not change, the state's value stays in the plan, even where the configuration is
// written differently or names fewer keys: what the configuration owns is kept apart (Owned).
func (o Ownership) Plan(config, state Value, remote Object) (Change, error) {
	desired, err := o.Desired(config)
	if errors.Is(err, ErrUnknown) {
		return Change{Planned: config, Differs: true}, nil
	}
	if err != nil {
		return Change{}, err
	}
	if o.ModeUnknown && o.modeMatters(remote, desired) {
		return Change{Planned: keepIfSame(config, state), Differs: true}, nil
	}
	result := o.Result(remote, desired)
	if EqualKnowing(result, remote, o.Owned) {
		return Change{Planned: keep(config, state), Desired: desired}, nil
	}
	change := Change{Planned: keepIfSame(config, state), Differs: true, Result: result, Desired: desired}
	if o.Owned == nil {
		for key := range remote {
			if _, named := desired[key]; !named {
				change.Foreign = append(change.Foreign, key)
			}
		}
	}
	return change, nil
}

// modeMatters reports whether the two modes lead to different objects.
func (o Ownership) modeMatters(remote, desired Object) bool {
	replacing := o
	replacing.Mode = ModeReplace
	return !Equal(o.Result(remote, desired), replacing.Result(remote, desired))
}

// keep prefers the state's value. A null in the state cannot stand for a configured value (Terraform refuses such a
// plan).
func keep(config, state Value) Value {
	if state.IsAbsent() && !config.IsAbsent() {
		return config
	}
	return state
}

func keepIfSame(config, state Value) Value {
	a, errA := config.Object()
	b, errB := state.Object()
	if errA == nil && errB == nil && !config.IsAbsent() && !state.IsAbsent() && Equal(a, b) {
		return state
	}
	return config
}

// Removes reports whether reaching result takes keys away from remote, which the service's merge cannot do (Recurring
// billing §4: merge deletes no key).
func Removes(remote, result Object) bool {
	for key, have := range remote {
		left, there := result[key]
		if !there {
			return true
		}
		under, hasObject := have.(Object)
		below, leavesObject := left.(Object)
		if hasObject && leavesObject && Removes(under, below) {
			return true
		}
	}
	return false
}

// Seen is the value of custom_metadata after a refresh: what this configuration owns, as the service has it. prior is
// the state's value before; for an import it is absent and whole is set, and the whole object is taken in.
func (o Ownership) Seen(prior Value, remote Object, whole bool) (Value, error) {
	if whole {
		if len(remote) == 0 {
			return Null(), nil
		}
		return FromObject(remote), nil
	}
	shape, err := prior.Object()
	if err != nil {
		return Value{}, err
	}
	shown := Project(shape, remote)
	if o.Mode == ModeReplace {
		shown = Without(remote, o.Owned, shape)
	}
	switch {
	case prior.IsAbsent() && len(shown) == 0:
		return Null(), nil
	case Equal(shape, shown):
		return prior, nil
	}
	return FromObject(shown), nil
}

// Effective is the text of effective_custom_metadata for the service's object. prior is kept when it means the same.
func Effective(prior basetypes.StringValue, remote Object) basetypes.StringValue {
	if before, err := Parse([]byte(prior.ValueString())); err == nil && !prior.IsNull() && !prior.IsUnknown() &&
		Equal(before, remote) {
		return prior
	}
	return basetypes.NewStringValue(Text(remote))
}

// Payload is the JSON that is sent for an object.
func Payload(object Object) json.RawMessage { return json.RawMessage(Text(object)) }
