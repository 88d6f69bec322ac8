package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// randomObject draws from few keys and values, so that objects overlap.
func randomObject(r *rand.Rand, depth int) Object {
	object := Object{}
	for _, key := range []string{"a", "b", "c", "d"} {
		if r.IntN(2) == 0 {
			object[key] = randomTree(r, depth)
		}
	}
	return object
}

func randomTree(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n >= 4 && depth > 0:
		return randomObject(r, depth-1)
	case n == 0:
		return nil
	case n == 1:
		return []any{json.Number("1"), randomTree(r, 0)}
	case n == 2:
		return "text"
	default:
		return json.Number(fmt.Sprint(r.IntN(3)))
	}
}

// leaves lists what an object says by its paths; what is no object is a leaf.
func leaves(object Object, prefix string) map[string]any {
	found := map[string]any{}
	for key, value := range object {
		if below, ok := value.(Object); ok && len(below) > 0 {
			maps.Copy(found, leaves(below, prefix+"/"+key))
			continue
		}
		found[prefix+"/"+key] = value
	}
	return found
}

// named says whether object names the path of a leaf, or a part of the way to it that is no object.
func named(object Object, path []string) bool {
	value, there := object[path[0]]
	below, isObject := value.(Object)
	if !there || len(path) == 1 || !isObject {
		return there
	}
	return named(below, path[1:])
}

const rounds = 3000

// TestProperty_foreignKeysSurvive: whatever was owned and whatever is wanted now, a key that neither names is the same
// afterwards.
func TestProperty_foreignKeysSurvive(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		remote, owned, wanted := randomObject(r, 3), randomObject(r, 3), randomObject(r, 3)
		after := leaves(Ownership{Mode: ModeMerge, Owned: owned}.Result(remote, wanted, wanted), "")
		for path, before := range leaves(remote, "") {
			parts := splitPath(path)
			if named(owned, parts) || named(wanted, parts) {
				continue
			}
			if now, there := after[path]; !there || !same.JSON(before, now) {
				// An empty object that others own may get keys of ours below it.
				if empty, ok := before.(Object); ok && len(empty) == 0 {
					continue
				}
				t.Fatalf("%s was %v and is %v\nremote %s\nowned  %s\nwanted %s", path, before, now, Text(remote),
					Text(owned), Text(wanted))
			}
		}
	}
}

func splitPath(path string) []string {
	var parts []string
	for i := 1; i < len(path); i += 2 {
		parts = append(parts, path[i:i+1])
	}
	return parts
}

// TestProperty_wantedIsThere: after an apply the object shows exactly what was wanted, and a second apply changes
// nothing.
func TestProperty_wantedIsThere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		remote, owned, wanted := randomObject(r, 3), randomObject(r, 3), randomObject(r, 3)
		after := Ownership{Mode: ModeMerge, Owned: owned}.Result(remote, wanted, wanted)
		if shown := Project(wanted, after); !same.JSON(shown, wanted) {
			t.Fatalf("wanted %s, shown %s\nremote %s\nowned %s", Text(wanted), Text(shown), Text(remote), Text(owned))
		}
		again := Ownership{Mode: ModeMerge, Owned: wanted}.Result(after, wanted, wanted)
		if !same.JSON(again, after) {
			t.Fatalf("a second apply changes %s to %s", Text(after), Text(again))
		}
	}
}

// TestProperty_firstApplyRemovesNothing: without anything owned, every key of the service is still there.
func TestProperty_firstApplyRemovesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range rounds {
		remote, wanted := randomObject(r, 3), randomObject(r, 3)
		for _, mode := range []string{ModeMerge, ModeReplace} {
			result := Ownership{Mode: mode}.Result(remote, wanted, wanted)
			if Removes(remote, result) {
				t.Fatalf("%s: %s with %s becomes %s", mode, Text(remote), Text(wanted), Text(result))
			}
		}
	}
}

// TestProperty_mergeAndProject: laying a part of an object over it changes nothing, and Merge alone never removes.
func TestProperty_mergeAndProject(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range rounds {
		x, shape := randomObject(r, 3), randomObject(r, 3)
		// A null that only the shape names is shown although the object has dropped it, so shapes have none here.
		part := Project(withoutNulls(shape), x)
		if back := Merge(x, part); !same.JSON(back, x) {
			t.Fatalf("Merge(%s, %s) = %s", Text(x), Text(part), Text(back))
		}
		if whole := Project(x, x); !same.JSON(whole, x) {
			t.Fatalf("Project(x, x) = %s for %s", Text(whole), Text(x))
		}
		if Removes(x, Merge(x, shape)) {
			t.Fatalf("Merge(%s, %s) removes", Text(x), Text(shape))
		}
		if left := Release(x, x, nil); len(left) != 0 {
			t.Fatalf("releasing all of %s leaves %s", Text(x), Text(left))
		}
	}
}

func withoutNulls(object Object) Object {
	left := Object{}
	for key, value := range object {
		if below, ok := value.(Object); ok {
			value = withoutNulls(below)
		}
		if value != nil {
			left[key] = value
		}
	}
	return left
}

// FuzzOwnership: whatever the service has, whatever was owned and is wanted, an apply converges in one step, keeps what
// others own, and removes nothing after an import. With mode replace, the next apply removes the keys of others.
func FuzzOwnership(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"a":1,"b":{"c":2}}`, `{"b":{"c":2}}`, `{"b":{"d":3}}`}, {`{"a":null}`, `{}`, `{"a":null}`},
		{`{}`, `{"a":{"b":1}}`, `{}`}, {`{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, `{}`},
		{`{"a":[1,{"b":null}]}`, `null`, `{"a":{"b":1.0}}`}, {`{"a":{}}`, `{"a":{}}`, `{"a":{}}`},
		{`{"a":{"b":{}}}`, `{"a":{"b":{"c":1}}}`, `{"a":"x"}`}, {`{"a":1e2}`, `{"a":100}`, `{"a":1.0e2}`},
		{`{"":""}`, `{"":null}`, `{"":{"":0}}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]), []byte(seed[2]))
	}
	f.Fuzz(func(t *testing.T, remoteText, ownedText, wantedText []byte) {
		remote, errRemote := Parse(remoteText)
		owned, errOwned := Parse(ownedText)
		wanted, errWanted := Parse(wantedText)
		if errRemote != nil || errOwned != nil || errWanted != nil {
			return
		}
		for _, mode := range []string{ModeMerge, ModeReplace} {
			before := Ownership{Mode: mode, Owned: owned}
			after := before.Result(remote, wanted, wanted)
			if shown := Project(wanted, after); !same.JSON(shown, wanted) {
				t.Fatalf("%s: wanted %s, shown %s; remote %s, owned %s", mode, Text(wanted), Text(shown), Text(remote), Text(owned))
			}
			settled := Ownership{Mode: mode, Owned: Merge(nil, wanted)}
			if mode == ModeReplace && len(owned) == 0 {
				after = settled.Result(after, wanted, wanted) // the first apply after an import has removed nothing
			}
			if again := settled.Result(after, wanted, wanted); !same.JSON(again, after) {
				t.Fatalf("%s: a second apply changes %s to %s", mode, Text(after), Text(again))
			}
			if change, err := settled.Plan(FromObject(wanted), FromObject(wanted), after); err == nil && change.Differs {
				t.Fatalf("%s: the plan after an apply is not empty: %s, wanted %s", mode, Text(after), Text(wanted))
			}
			if imported := (Ownership{Mode: mode}).Result(remote, wanted, wanted); Removes(remote, imported) {
				t.Fatalf("%s: after an import, %s with %s becomes %s", mode, Text(remote), Text(wanted), Text(imported))
			}
		}
		// What is sent, the difference, has the effect of the whole.
		sent := Difference(remote, wanted, nil)
		merged := Merge(remote, sent)
		if !same.JSON(merged, Merge(remote, wanted)) || !same.JSON(Merge(merged, sent), merged) {
			t.Fatalf("%s and the difference %s are %s", Text(remote), Text(sent), Text(merged))
		}
		for key, have := range remote {
			_, ours := owned[key]
			_, named := wanted[key]
			if now, there := (Ownership{Mode: ModeMerge, Owned: owned}).Result(remote, wanted, wanted)[key]; !ours && !named &&
				(!there || !same.JSON(have, now)) {
				t.Fatalf("the key %q of others is %v instead of %v", key, now, have)
			}
		}
	})
}
