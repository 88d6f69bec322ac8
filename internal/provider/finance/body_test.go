package finance

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

func parsed(t *testing.T, text string) metadata.Object {
	t.Helper()
	object, err := metadata.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return object
}

// TestSeen: of what the configuration names the service's value is shown, and nothing of what it does not name.
func TestSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prior, before, now, want string }{
		{`{"a":1}`, `{"a":1,"id":"x"}`, `{"a":1,"id":"x","b":2}`, `{"a":1}`},
		{`{"a":1}`, `{"a":1}`, `{"a":2}`, `{"a":2}`},
		{`{"a":1}`, `{"a":1}`, `{}`, `{}`},
		{`{"a":null}`, `{}`, `{}`, `{"a":null}`},
		{`{"a":null}`, `{"a":null}`, `{"a":1}`, `{"a":1}`},
		// Never returned, so the configured value is kept; returned from now on, so it is compared.
		{`{"a":1,"s":"x"}`, `{"a":1}`, `{"a":1}`, `{"a":1,"s":"x"}`},
		{`{"a":1,"s":"x"}`, `{"a":1}`, `{"a":1,"s":"y"}`, `{"a":1,"s":"y"}`},
		{`{"o":{"a":1,"s":"x"}}`, `{"o":{"a":1}}`, `{"o":{"a":1,"b":2}}`, `{"o":{"a":1,"s":"x"}}`},
		{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":{"b":2}}`, `{"o":{}}`},
		{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":"text"}`, `{"o":"text"}`},
		{`{"o":{"a":1}}`, ``, `{}`, `{"o":{"a":1}}`},
		{`{"o":{"a":1,"s":"x"}}`, `{}`, `{"o":{"a":2}}`, `{"o":{"a":2}}`},
		// Zeros at the end of an amount say nothing.
		{`{"a":"10.00"}`, `{"a":"10.00"}`, `{"a":"10.0"}`, `{"a":"10.00"}`},
		{`{"l":[{"a":"-0.5"}]}`, `{}`, `{"l":[{"a":"-0.50","id":7}]}`, `{"l":[{"a":"-0.5"}]}`},
		{`{"a":"10.00"}`, `{"a":"10.00"}`, `{"a":"10.01"}`, `{"a":"10.01"}`},
		{`{"a":"10"}`, `{"a":"10"}`, `{"a":"100"}`, `{"a":"100"}`},
		{`{"a":"01.10"}`, `{"a":"01.10"}`, `{"a":"01.1"}`, `{"a":"01.1"}`},
		// What the service adds inside of lists is overlooked while the items can be matched.
		{`{"l":[{"a":1},{"a":2}]}`, `{}`, `{"l":[{"a":1,"id":7},{"a":2,"id":8}]}`, `{"l":[{"a":1},{"a":2}]}`},
		{`{"l":[{"a":1}]}`, `{}`, `{"l":[{"a":3,"id":7}]}`, `{"l":[{"a":3}]}`},
		{`{"l":[{"a":1}]}`, `{}`, `{"l":[{"a":1,"id":7},{"a":2,"id":8}]}`, `{"l":[{"a":1,"id":7},{"a":2,"id":8}]}`},
		{`{"l":[[{"a":1}]]}`, `{}`, `{"l":[[{"a":1,"id":7}]]}`, `{"l":[[{"a":1}]]}`},
		{`{"l":[{"o":{"a":1}}]}`, `{}`, `{"l":[{"o":{"a":1,"id":7},"id":8}]}`, `{"l":[{"o":{"a":1}}]}`},
		{`{"l":[{"m":[{"a":1}]}]}`, `{}`, `{"l":[{"m":[{"a":1,"id":7}],"id":8}]}`, `{"l":[{"m":[{"a":1}]}]}`},
		{`{"l":[1,"x",null]}`, `{}`, `{"l":[1,"x",null]}`, `{"l":[1,"x",null]}`},
		{`{"l":[1]}`, `{}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1}]}`},
		{`{"l":{"a":1}}`, `{"l":{"a":1}}`, `{"l":[1]}`, `{"l":[1]}`},
	} {
		have := seen(parsed(t, c.prior), parsed(t, c.prior), parsed(t, c.before), parsed(t, c.now))
		if want := parsed(t, c.want); !reflect.DeepEqual(have, want) {
			t.Errorf("seen(%s, %s, %s) = %s, want %s", c.prior, c.before, c.now, metadata.Text(have), c.want)
		}
	}
}

// TestChanges: the body that is sent makes the record the desired one, and removes nothing of other systems.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ owned, stored, whole, desired, want string }{
		{`{"a":1}`, `{"a":1}`, `{"a":1,"id":"x"}`, `{"a":1}`, `{}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1.0}`, `{}`},
		{`{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"b":3}`},
		{`{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":1}`, `{"b":null}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1,"b":2}`, `{"b":2}`},
		{`{"a":1}`, `{}`, `{}`, `{"a":1}`, `{"a":1}`},
		// A null that was sent before, and that the service has dropped.
		{`{"a":null}`, `{}`, `{}`, `{"a":null}`, `{}`},
		{`{}`, `{}`, `{}`, `{"a":null}`, `{"a":null}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":null}`, `{"a":null}`},
		// The service replaces a top-level key: what others have put inside goes along.
		{`{"o":{"a":1,"b":2}}`, `{"o":{"a":1,"b":2}}`, `{"o":{"a":1,"b":2,"theirs":3}}`, `{"o":{"a":4}}`,
			`{"o":{"a":4,"theirs":3}}`},
		{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":{"a":1,"theirs":3}}`, `{"o":{"a":1}}`, `{}`},
		{`{"o":{"p":{"a":1}}}`, `{"o":{"p":{"a":1}}}`, `{"o":{"p":{"a":1,"t":2},"t":3}}`, `{"o":{"p":{"a":2}}}`,
			`{"o":{"p":{"a":2,"t":2},"t":3}}`},
		{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":{"a":1,"theirs":3}}`, `{"o":"text"}`, `{"o":"text"}`},
		{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":{"a":1,"theirs":3}}`, `{}`, `{"o":{"theirs":3}}`},
		{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":{"a":1}}`, `{}`, `{"o":null}`},
		// A key that is never returned.
		{`{"s":"x"}`, `{"s":"x"}`, `{}`, `{"s":"y"}`, `{"s":"y"}`},
		{`{"s":{"a":1}}`, `{"s":{"a":1}}`, `{}`, `{"s":{"a":2}}`, `{"s":{"a":2}}`},
		{`{"s":"x"}`, `{"s":"x"}`, `{}`, `{}`, `{"s":null}`},
		// Lists are sent whole, and only when they differ in what the configuration names.
		{`{"l":[{"a":1}]}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1,"id":7}]}`, `{"l":[{"a":2}]}`, `{"l":[{"a":2}]}`},
		{``, `{"l":[{"a":1,"id":7}]}`, `{"l":[{"a":1,"id":7}]}`, `{"l":[{"a":1}]}`, `{}`},
		// Nothing is owned after an import, so nothing is removed.
		{``, `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":3}`, `{"a":3}`},
	} {
		own := metadata.Ownership{Mode: metadata.ModeMerge, Owned: parsed(t, c.owned)}
		have := changes(own, parsed(t, c.stored), parsed(t, c.whole), parsed(t, c.desired))
		if want := parsed(t, c.want); !reflect.DeepEqual(have, want) {
			text, err := json.Marshal(have)
			t.Errorf("owned %s, stored %s, whole %s, desired %s: send %s (%v), want %s", c.owned, c.stored, c.whole, c.desired,
				text, err, c.want)
		}
	}
}

// TestArgumentsStayAsTheyAre: no object that is looked at is changed.
func TestArgumentsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	const text = `{"a":1,"l":[{"a":1,"id":7}],"o":{"a":1,"t":2}}`
	shape, remote := parsed(t, `{"l":[{"a":2}],"o":{"a":3},"s":4}`), parsed(t, text)
	seen(shape, shape, remote, remote)
	changes(metadata.Ownership{Mode: metadata.ModeMerge, Owned: shape}, remote, remote, shape)
	if have := metadata.Text(remote); have != text {
		t.Errorf("it became %s", have)
	}
}
