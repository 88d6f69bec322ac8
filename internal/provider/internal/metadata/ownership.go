package metadata

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// The two ways to own an object (custom_metadata_mode).
const (
	// In merge mode, the configuration owns the keys that it sets, at any depth.
	ModeMerge = "merge"
	// In replace mode, it owns the whole object.
	ModeReplace = "replace"
)

// Ownership describes which keys of an object one resource and its configuration own.
type Ownership struct {
	// Mode is ModeMerge or ModeReplace, or "" while it is unknown.
	Mode string
	// Defaults is the provider's default_custom_metadata. Every configured object is merged into it.
	Defaults Object
	// Owned is the object that this configuration owned when it was last applied, including defaults. It is nil before the
	// first apply: the configuration owns no key of a newly imported object, so it removes none.
	Owned Object
}

// Whole reports whether the configuration owns the whole object.
func (o Ownership) Whole() bool { return o.Mode == ModeReplace && o.Owned != nil }

// Change is the result of planning an object.
type Change struct {
	// Planned is the value of custom_metadata in the plan.
	Planned Value
	// Differs is true if the service's object must change.
	Differs bool
	// Result is the service's object after the apply, unless another system changes it; nil if unknown.
	Result Object
	// Desired is the configured object, including defaults; nil if unknown.
	Desired Object
	// Foreign are the top-level keys that a plan seems to remove but the service keeps, because an import never removes
	// keys.
	Foreign []string
	// Lost are the keys of other systems, with dots, that are removed because another value replaces the object that
	// contains them.
	Lost []string
	// MayLose are the keys that are removed if an unknown mode turns out to be ModeReplace.
	MayLose []string
	// Unseen are the keys, with dots, that are removed without a line in the plan, because a part of the object is
	// unknown.
	Unseen []string
}

// Desired returns the configured object, including defaults. It returns ErrUnknown while a part of it is unknown.
func (o Ownership) Desired(config Value) (Object, error) {
	object, err := config.Object()
	if err != nil {
		return nil, err
	}
	return Merge(o.Defaults, object), nil
}

// Result returns the service's object after desired is applied to remote. changing is the part of desired that is sent:
// in a plan, all of it; in an apply, only the changes that the plan has shown, because the object may have changed
// since.
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
// If the service's object need not change, the plan keeps the value in state, even if the configuration is spelled
// differently or has fewer keys. If the configuration has more keys, the plan shows them: only an apply can store their
// ownership (Owned).
func (o Ownership) Plan(config, state Value, remote Object) (Change, error) {
	desired, err := o.Desired(config)
	if errors.Is(err, ErrUnknown) {
		return o.planPartly(config, state, remote), nil
	}
	if err != nil {
		return Change{}, err
	}
	kept := config
	alike, _ := config.DynamicSemanticEquals(context.Background(), state)
	if alike && !state.IsAbsent() {
		kept = state
	}
	result, replaced := o.Result(remote, desired, desired), Ownership{Mode: ModeReplace, Owned: o.Owned}
	if o.Mode == "" && !same.JSON(result, replaced.Result(remote, desired, desired)) {
		if config.IsAbsent() && !state.IsAbsent() { // merge would keep the state's, as below
			kept = Unknown()
		}
		return Change{Planned: kept, Differs: true, MayLose: missing(result, desired)}, nil
	}
	if EqualKnowing(result, remote, o.Owned) {
		// A null in the state cannot replace a configured value: Terraform rejects such a plan. A newly configured key is in
		// the plan even if the service already has its value: the apply sends nothing, but stores the ownership.
		if o.names(desired, state) && (!state.IsAbsent() || config.IsAbsent()) {
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

// planPartly is Plan for a configuration that is unknown in part.
func (o Ownership) planPartly(config, state Value, remote Object) Change {
	change := Change{Planned: config, Differs: true}
	part, err := config.Partly()
	if err != nil {
		return change
	}
	desired := Merge(o.Defaults, part)
	shown, _ := state.Object()
	if o.Owned == nil {
		change.Foreign = missing(remote, desired)
	}
	keys := &change.Unseen
	if o.Mode == "" {
		o.Mode, keys = ModeReplace, &change.MayLose
	}
	*keys = unseen(remote, o.Result(remote, desired, desired), shown, "")
	return change
}

// unseen returns the keys of remote that are neither in result nor shown. An unknown value may contain any key.
func unseen(remote, result, shown Object, within string) (keys []string) {
	for key, value := range remote {
		have, isObject := value.(Object)
		left, stays := result[key]
		seen, isShown := shown[key]
		switch below, _ := left.(Object); {
		case left == any(later{}):
		case isObject && (stays || isShown):
			under, _ := seen.(Object)
			keys = append(keys, unseen(have, below, under, within+key+".")...)
		case !stays && !isShown:
			keys = append(keys, within+key)
		}
	}
	return keys
}

// missing returns the keys of remote that are not in result.
func missing(remote, result Object) (keys []string) {
	for key := range remote {
		if _, stays := result[key]; !stays {
			keys = append(keys, key)
		}
	}
	return keys
}

// lost returns the nested keys of remote that are neither in result nor owned. If a key is not an object in owned,
// everything below it is owned.
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

// names reports whether all keys of desired are owned or, after an import, shown in the state.
func (o Ownership) names(desired Object, state Value) bool {
	if o.Owned != nil {
		return names(o.Owned, desired)
	}
	shown, _ := state.Object()
	return names(shown, desired)
}

// names reports whether owned has all keys of desired, at any depth.
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

// Removes reports whether result lacks keys of remote. The service's merge cannot remove keys (Recurring billing §4).
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

// Seen returns custom_metadata after a refresh: the keys that this configuration owns, with the service's values. prior
// is the previous value, of a state or of an applied plan.
func (o Ownership) Seen(prior Value, remote Object) Value {
	shape, _ := prior.Object() // an applied value has no unknown part
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

// Payload returns the JSON of an object in a request.
func Payload(object Object) json.RawMessage { return json.RawMessage(Text(object)) }
