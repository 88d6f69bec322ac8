package metadata

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
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
	// Mode is ModeMerge or ModeReplace, "" while it is only known after apply.
	Mode string
	// Defaults is the provider's default_custom_metadata, which lies under every configured object.
	Defaults Object
	// Owned is what this configuration owned when it was last applied, defaults included. It is nil when nothing was
	// applied yet: a freshly imported object owns no key, so nothing is removed from it.
	Owned Object
}

// Whole reports that the configuration owns the whole object.
func (o Ownership) Whole() bool { return o.Mode == ModeReplace && o.Owned != nil }

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
	// Lost are the keys of others, with dots, that the service's object loses because a value takes the place of the
	// object that they are in.
	Lost []string
	// MayLose are the keys that the service's object loses if a mode that is not known yet turns out to be ModeReplace.
	MayLose []string
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

// Result is what the service's object will be once desired is applied to remote. changing is the part of desired that
// is sent: all of it in a plan, and in an apply, which may find another object than the plan, what the plan has shown
// as changing.
func (o Ownership) Result(remote, desired, changing Object) Object {
	switch {
	case o.Whole():
		return desired
	case o.Mode == ModeReplace:
		return Merge(remote, changing)
	default:
		return Merge(Release(remote, o.Owned, desired), changing)
	}
}

// Plan compares the configuration with the state. remote is the whole object as last read.
//
// When the service's object need not change, the state's value stays in the plan, even where the configuration is
// written differently or names fewer keys, but not where it names more: what the configuration owns is kept apart
// (Owned), and only an apply stores that.
func (o Ownership) Plan(config, state Value, remote Object) (Change, error) {
	desired, err := o.Desired(config)
	if errors.Is(err, ErrUnknown) {
		return Change{Planned: config, Differs: true}, nil
	}
	if err != nil {
		return Change{}, err
	}
	kept := config
	alike, _ := config.DynamicSemanticEquals(context.Background(), state)
	if alike && !config.IsAbsent() && !state.IsAbsent() {
		kept = state
	}
	result, replaced := o.Result(remote, desired, desired), Ownership{Mode: ModeReplace, Owned: o.Owned}
	if o.Mode == "" && !same.JSON(result, replaced.Result(remote, desired, desired)) {
		return Change{Planned: kept, Differs: true, MayLose: missing(result, desired)}, nil
	}
	if EqualKnowing(result, remote, o.Owned) {
		// A null in the state cannot stand for a configured value: Terraform rejects such a plan. A key that the
		// configuration newly names is in the plan, also where the service has its value already: the apply sends
		// nothing, and makes the key its own.
		if named := o.Owned == nil || names(o.Owned, desired); named && (!state.IsAbsent() || config.IsAbsent()) {
			kept = state
		}
		return Change{Planned: kept, Desired: desired}, nil
	}
	change := Change{Planned: kept, Differs: true, Result: result, Desired: desired}
	if !o.Whole() {
		change.Lost = lost(remote, result, o.Owned, "")
	}
	if o.Owned == nil {
		change.Foreign = missing(remote, desired)
	}
	return change, nil
}

// missing are the keys of remote that result has not.
func missing(remote, result Object) (keys []string) {
	for key := range remote {
		if _, stays := result[key]; !stays {
			keys = append(keys, key)
		}
	}
	return keys
}

// lost are the keys below the keys of remote that result has not and owned does not name. A key that owned names, and
// that is no object there, is owned with whatever is in it.
func lost(remote, result, owned Object, within string) (keys []string) {
	for key, value := range remote {
		name := within + key
		have, isObject := value.(Object)
		own, owns := owned[key]
		ownedBelow, ownsObject := own.(Object)
		switch _, stays := result[key]; {
		case owns && !ownsObject:
		case isObject:
			below, _ := result[key].(Object)
			keys = append(keys, lost(have, below, ownedBelow, name+".")...)
		case !stays && !owns:
			keys = append(keys, name)
		}
	}
	return keys
}

// names reports whether owned has every key of desired, at any depth.
func names(owned, desired Object) bool {
	for key, value := range desired {
		have, there := owned[key]
		if !there {
			return false
		}
		below, isObject := value.(Object)
		if under, _ := have.(Object); isObject && !names(under, below) {
			return false
		}
	}
	return true
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
// the value before, of a state or of a plan that was applied.
func (o Ownership) Seen(prior Value, remote Object) Value {
	shape, _ := prior.Object() // what is applied can be sent, and has no unknown part
	shown := Project(shape, remote)
	if o.Mode == ModeReplace {
		shown = Without(remote, o.Owned, shape)
	}
	switch {
	case prior.IsAbsent() && len(shown) == 0:
		return Null()
	case same.JSON(shape, shown):
		return prior
	}
	return FromObject(shown)
}

// Payload is the JSON that is sent for an object.
func Payload(object Object) json.RawMessage { return json.RawMessage(Text(object)) }
