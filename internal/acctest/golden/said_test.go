package golden

import "testing"

// TestAsks checks that a section counts as used only by its whole name, in a scenario or in a test.
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
		{"expect messages other lost-key\n", "lost-key", true},
		{"expect messages lost-key-2 my-lost-key\n", "lost-key", false},
		{`golden.Said(t, "other lost-key last", all)`, "lost-key", true},
	} {
		if have := asks(c.text, c.name); have != c.want {
			t.Errorf("%s in %q: %t", c.name, c.text, have)
		}
	}
}
