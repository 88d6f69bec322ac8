package metadata

import "github.com/recurring-billing/terraform-provider-billing/internal/api/same"

// EqualKnowing compares two objects as JSON, but a null of wanted may be missing from remote if its key is in known:
// some services store nulls, others drop them, so after it has been sent, both are equal. A null in remote without its
// key in wanted is a difference: the key must be removed.
func EqualKnowing(wanted, remote, known Object) bool {
	return same.JSON(withoutDropped(wanted, remote, known), remote)
}

// Taken reports whether a service has taken the wanted object: like EqualKnowing, but the service may word a text
// otherwise. A text that remains as it was before is not taken.
func Taken(wanted, remote, before, known Object) bool {
	return EqualKnowing(worded(wanted, remote, before), remote, known)
}

// worded returns wanted with the texts of remote, unless they are those of before.
func worded(wanted, remote, before Object) Object {
	out := make(Object, len(wanted))
	for key, value := range wanted {
		out[key] = wordedIn(value, remote[key], before[key])
	}
	return out
}

func wordedIn(value, is, was any) any {
	switch value := value.(type) {
	case Object:
		below, ok := is.(Object)
		under, _ := was.(Object)
		if ok {
			return worded(value, below, under)
		}
	case []any:
		below, ok := is.([]any)
		if !ok || len(below) != len(value) {
			return value
		}
		out := make([]any, len(value))
		for i := range value {
			out[i] = wordedIn(value[i], below[i], nil)
		}
		return out
	case string:
		if text, ok := is.(string); ok && is != was {
			return text
		}
	}
	return value
}

// withoutDropped returns wanted without the nulls whose keys are in known but not in remote.
func withoutDropped(wanted, remote, known Object) Object {
	if len(known) == 0 {
		return wanted
	}
	kept := make(Object, len(wanted))
	for key, value := range wanted {
		other, there := remote[key]
		below, named := known[key]
		if value == nil && named && !there {
			continue
		}
		if inner, ok := value.(Object); ok {
			under, _ := other.(Object)
			knownBelow, _ := below.(Object)
			value = withoutDropped(inner, under, knownBelow)
		}
		kept[key] = value
	}
	return kept
}

// Merge merges over into base as the service does (Recurring billing §4, custom_metadata_mode): objects are merged,
// other values replace the key, nulls are kept. The arguments are not modified.
func Merge(base, over Object) Object {
	merged := make(Object, len(base)+len(over))
	for key, value := range base {
		merged[key] = value
	}
	for key, value := range over {
		below, isObject := value.(Object)
		under, wasObject := merged[key].(Object)
		if isObject && wasObject {
			merged[key] = Merge(under, below)
			continue
		}
		merged[key] = value
	}
	return merged
}

// Difference returns the part of desired that is missing from remote, so that merging it into remote results in
// desired. For nulls with keys in known, see EqualKnowing.
func Difference(remote, desired, known Object) Object {
	difference := Object{}
	for key, want := range desired {
		have, there := remote[key]
		below, named := known[key]
		under, hasObject := have.(Object)
		wanted, wantsObject := want.(Object)
		switch {
		case hasObject && wantsObject:
			knownBelow, _ := below.(Object)
			if inner := Difference(under, wanted, knownBelow); len(inner) > 0 {
				difference[key] = inner
			}
		case there && same.JSON(have, want), !there && want == nil && named:
		default:
			difference[key] = want
		}
	}
	return difference
}

// Project reduces remote to the keys in shape, at any depth. It keeps a null of shape, even if remote has dropped it.
func Project(shape, remote Object) Object {
	shown := make(Object, len(shape))
	for key, want := range shape {
		have, there := remote[key]
		if !there {
			if want == nil {
				shown[key] = nil
			}
			continue
		}
		below, wantsObject := want.(Object)
		under, hasObject := have.(Object)
		if wantsObject && hasObject {
			have = Project(below, under)
		}
		shown[key] = have
	}
	return shown
}

// Release removes from remote the keys that are in owned but no longer in wanted. An object that becomes empty is
// removed too; keys of other systems are kept.
func Release(remote, owned, wanted Object) Object {
	left := make(Object, len(remote))
	for key, have := range remote {
		was, ours := owned[key]
		want, still := wanted[key]
		if !ours {
			left[key] = have
			continue
		}
		wasBelow, wasObject := was.(Object)
		under, hasObject := have.(Object)
		wantBelow, wantsObject := want.(Object)
		switch {
		case wasObject && hasObject && (wantsObject || !still):
			rest := Release(under, wasBelow, wantBelow)
			if still || len(rest) > 0 {
				left[key] = rest
			}
		case still:
			left[key] = have
		}
	}
	return left
}

// Without removes from remote the keys with their value in defaults, except those in shape. The result is the part that
// a configuration owns in addition to the provider's defaults, if it owns the whole object.
func Without(remote, defaults, shape Object) Object {
	left := make(Object, len(remote))
	for key, have := range remote {
		preset, isDefault := defaults[key]
		named, isNamed := shape[key]
		if !isDefault {
			left[key] = have
			continue
		}
		under, hasObject := have.(Object)
		presetBelow, presetObject := preset.(Object)
		if hasObject && presetObject {
			namedBelow, _ := named.(Object)
			rest := Without(under, presetBelow, namedBelow)
			if isNamed || len(rest) > 0 {
				left[key] = rest
			}
			continue
		}
		if isNamed || !same.JSON(have, preset) {
			left[key] = have
		}
	}
	return left
}
