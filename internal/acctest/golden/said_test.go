package golden

import "testing"

// TestAsks: a section is used by the whole name of it, in a scenario or in a test.
func TestAsks(t *testing.T) {
	t.Parallel()
	const scenario = "apply\nexpect messages lost-key # comes back\n-- main.tf --\n"
	const test = `golden.Said(t, "lost-key", all)`
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{scenario, "lost-key", true},
		{test, "lost-key", true},
		{scenario, "lost", false},
		{scenario, "key", false},
		{test, "lost", false},
		{"# expect messages lost-key\n", "lost-key", false},
	} {
		if have := asks(c.text, c.name); have != c.want {
			t.Errorf("%s in %q: %t", c.name, c.text, have)
		}
	}
}
