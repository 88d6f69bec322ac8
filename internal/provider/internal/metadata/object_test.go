package metadata

import (
	"reflect"
	"testing"
)

// TestEqualKnowing: only a null that is known to have been sent may be missing, and only from what the service has.
func TestEqualKnowing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wanted, remote, known string
		want                  bool
	}{
		{`{"a":null}`, `{}`, `{"a":null}`, true},
		{`{}`, `{"a":null}`, `{"a":null}`, false},
		{`{}`, `{"a":null}`, `{}`, false},
		{`{"a":{"c":1}}`, `{"a":{"b":null,"c":1}}`, `{"a":{"b":null}}`, false},
		{`{"a":null}`, `{}`, `{}`, false},
		{`{"a":null}`, `{}`, ``, false},
		{`{"a":1}`, `{}`, `{"a":1}`, false},
		{`{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`, `{"a":{"b":null}}`, true},
		{`{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`, `{"a":null}`, false},
		{`{"a":[{"b":null}]}`, `{"a":[{}]}`, `{"a":[{"b":null}]}`, false},
		{`{"a":null}`, `{"a":1}`, `{"a":null}`, false},
	} {
		if have := EqualKnowing(parsed(t, c.wanted), parsed(t, c.remote), parsed(t, c.known)); have != c.want {
			t.Errorf("EqualKnowing(%s, %s, %s) = %v", c.wanted, c.remote, c.known, have)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, over, want string }{
		{``, ``, `{}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a":1}`, `{"a":2,"b":3}`, `{"a":2,"b":3}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"c":3,"d":4}}`, `{"a":{"b":1,"c":3,"d":4}}`},
		{`{"a":{"b":1}}`, `{"a":null}`, `{"a":null}`},
		{`{"a":{"b":1}}`, `{"a":{"b":null}}`, `{"a":{"b":null}}`},
		{`{"a":{"b":1}}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{`{"a":1}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`},
		{`{"a":{"b":1}}`, `{"a":{}}`, `{"a":{"b":1}}`},
	} {
		base, over := parsed(t, c.base), parsed(t, c.over)
		if have := Text(Merge(base, over)); have != c.want {
			t.Errorf("Merge(%s, %s) = %s, want %s", c.base, c.over, have, c.want)
		}
		if !reflect.DeepEqual(base, parsed(t, c.base)) || !reflect.DeepEqual(over, parsed(t, c.over)) {
			t.Errorf("Merge(%s, %s) changed its arguments", c.base, c.over)
		}
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ shape, remote, want string }{
		{``, `{"a":1}`, `{}`},
		{`{"a":1}`, `{"a":2,"b":3}`, `{"a":2}`},
		{`{"a":{"b":1}}`, `{"a":{"b":2,"c":3},"d":4}`, `{"a":{"b":2}}`},
		{`{"a":{}}`, `{"a":{"b":2}}`, `{"a":{}}`},
		{`{"a":1}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`},
		{`{"a":{"b":1}}`, `{"a":7}`, `{"a":7}`},
		{`{"a":1,"b":null}`, `{}`, `{"b":null}`},
		{`{"b":null}`, `{"b":1}`, `{"b":1}`},
		{`{"a":[1]}`, `{"a":[1,2,3]}`, `{"a":[1,2,3]}`},
	} {
		if have := Text(Project(parsed(t, c.shape), parsed(t, c.remote))); have != c.want {
			t.Errorf("Project(%s, %s) = %s, want %s", c.shape, c.remote, have, c.want)
		}
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ remote, owned, wanted, want string }{
		{`{"a":1,"b":2}`, ``, ``, `{"a":1,"b":2}`},
		{`{"a":1,"b":2}`, `{"a":1}`, ``, `{"b":2}`},
		{`{"a":1,"b":2}`, `{"a":1}`, `{"a":3}`, `{"a":1,"b":2}`},
		{`{"a":{"b":1,"x":2}}`, `{"a":{"b":1}}`, ``, `{"a":{"x":2}}`},
		{`{"a":{"b":1}}`, `{"a":{"b":1}}`, ``, `{}`},
		{`{"a":{"b":1,"c":2,"x":3}}`, `{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, `{"a":{"b":1,"x":3}}`},
		{`{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":{}}`, `{"a":{}}`},
		{`{"a":{"x":1}}`, `{"a":5}`, ``, `{}`},
		{`{"a":7}`, `{"a":{"b":1}}`, ``, `{}`},
		{`{"a":{"b":{"c":1,"x":2},"y":3}}`, `{"a":{"b":{"c":1}}}`, ``, `{"a":{"b":{"x":2},"y":3}}`},
		{`{}`, `{"a":1}`, ``, `{}`},
	} {
		if have := Text(Release(parsed(t, c.remote), parsed(t, c.owned), parsed(t, c.wanted))); have != c.want {
			t.Errorf("Release(%s, %s, %s) = %s, want %s", c.remote, c.owned, c.wanted, have, c.want)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ remote, defaults, shape, want string }{
		{`{"a":1,"b":2}`, ``, ``, `{"a":1,"b":2}`},
		{`{"a":1,"b":2}`, `{"a":1}`, ``, `{"b":2}`},
		{`{"a":9}`, `{"a":1}`, ``, `{"a":9}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, ``, `{"a":{"c":2}}`},
		{`{"a":{"b":1}}`, `{"a":{"b":1}}`, ``, `{}`},
		{`{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":{}}`, `{"a":{}}`},
		{`{"a":{"b":1.0}}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":{"b":1.0}}`},
	} {
		if have := Text(Without(parsed(t, c.remote), parsed(t, c.defaults), parsed(t, c.shape))); have != c.want {
			t.Errorf("Without(%s, %s, %s) = %s, want %s", c.remote, c.defaults, c.shape, have, c.want)
		}
	}
}

func TestRemoves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		remote, result string
		want           bool
	}{
		{``, `{"a":1}`, false},
		{`{"a":1}`, `{"a":2,"b":1}`, false},
		{`{"a":1}`, `{}`, true},
		{`{"a":{"b":1}}`, `{"a":{}}`, true},
		{`{"a":{"b":1}}`, `{"a":{"b":2,"c":3}}`, false},
		{`{"a":{"b":1}}`, `{"a":null}`, false},
		{`{"a":null}`, `{}`, true},
	} {
		if have := Removes(parsed(t, c.remote), parsed(t, c.result)); have != c.want {
			t.Errorf("Removes(%s, %s) = %v", c.remote, c.result, have)
		}
	}
}
