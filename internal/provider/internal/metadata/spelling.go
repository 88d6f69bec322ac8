package metadata

import (
	"encoding/json"
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// composed returns a tree as Terraform stores it: Terraform converts every key and every text to NFC. Of two keys that
// are one in NFC, it keeps the value of the one that is in NFC; the other is one of [Twins].
func composed(tree any) any {
	switch tree := tree.(type) {
	case string:
		return norm.NFC.String(tree)
	case []any:
		for i := range tree {
			tree[i] = composed(tree[i])
		}
	case Object:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			value := composed(tree[key])
			plain := norm.NFC.String(key)
			if plain != key {
				delete(tree, key)
				if _, twin := tree[plain]; twin {
					continue
				}
			}
			tree[plain] = value
		}
	}
	return tree
}

// Twins returns the keys of an object in a response that are one key in Terraform, such as a composed and a decomposed
// "é".
func Twins(raw json.RawMessage) (keys []string) {
	whole, _ := parse(raw)
	return twins(whole)
}

func twins(tree any) (keys []string) {
	switch tree := tree.(type) {
	case []any:
		for _, item := range tree {
			keys = append(keys, twins(item)...)
		}
	case Object:
		seen := map[string]bool{}
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			plain := norm.NFC.String(key)
			if seen[plain] {
				keys = append(keys, plain)
			}
			seen[plain] = true
			keys = append(keys, twins(tree[key])...)
		}
	}
	return keys
}

// Respelled is Spelled for an object that has not been read. It is read only if a service may spell a key otherwise
// than Terraform, which stores keys in NFC.
func Respelled(object Object, whole bool, read func() (json.RawMessage, error)) (Object, error) {
	if !Respellable(object) {
		return object, nil
	}
	raw, err := read()
	if err != nil {
		return nil, err
	}
	return Spelled(object, raw, whole), nil
}

// Respellable reports whether a service may spell a key of an object otherwise than Terraform.
func Respellable(object Object) bool {
	for key, value := range object {
		below, _ := value.(Object)
		if norm.NFD.String(key) != key || Respellable(below) {
			return true
		}
	}
	return false
}

// Spelled returns an object with the keys as the object in a response spells them. If whole is set, the result replaces
// that object, so it also has the twins of its keys.
func Spelled(object Object, raw json.RawMessage, whole bool) Object {
	remote, _ := parse(raw)
	return spelled(object, remote, whole)
}

func spelled(object, remote Object, whole bool) Object {
	out := make(Object, len(object))
	for key, value := range object {
		name, have := spelling(key, remote)
		below, isObject := value.(Object)
		under, hasObject := have.(Object)
		if isObject && hasObject {
			value = spelled(below, under, whole)
		}
		out[name] = value
	}
	for key, value := range remote {
		plain := norm.NFC.String(key)
		if _, wanted := object[plain]; whole && wanted {
			if _, there := out[key]; !there {
				out[key] = value
			}
		}
	}
	return out
}

// spelling returns how an object spells a key, and its value.
func spelling(key string, remote Object) (string, any) {
	if value, there := remote[key]; there {
		return key, value
	}
	for _, name := range slices.Sorted(maps.Keys(remote)) {
		if norm.NFC.String(name) == key {
			return name, remote[name]
		}
	}
	return key, nil
}
