package metadata

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// FuzzOwnership: whatever the service has, whatever was owned and is wanted, an apply converges in one step, keeps what
// others own, and removes nothing after an import.
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
