package metadata

import "github.com/recurring-billing/terraform-provider-billing/internal/api/same"

// EqualKnowing compares as JSON, but a null of wanted that known names may be missing from remote: some services
// store a null, others drop it, and once it has been sent neither is a difference. A null that remote has and wanted
// lacks is one: its key has to be removed.
func EqualKnowing(wanted, remote, known Object) bool {
	return same.JSON(withoutDropped(wanted, remote, known), remote)
}

// withoutDropped is wanted without the nulls that known names and remote lacks.
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

// Merge lays over on top of base as the service does (Recurring billing §4, custom_metadata_mode): objects merge,
// everything else replaces the key, nulls are kept. Neither argument is changed.
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

// Difference is the part of desired that remote does not have: merged into remote, it makes remote say what desired
// says. A null that known names and remote lacks is no difference, see EqualKnowing.
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

// Project shows of remote only what shape names, at any depth. A null that shape names stays, also when remote has
// dropped it.
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

// Release takes out of remote what owned names and wanted does not any more. An object that only held such keys goes
// with them; one that also holds keys of others stays, with those.
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

// Without takes out of remote the keys of defaults whose value is the default's, except those that shape names itself.
// It is what a configuration that owns the whole object sees of it when the provider's defaults lie under it.
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
