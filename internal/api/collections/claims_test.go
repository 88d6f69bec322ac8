package collections

import "testing"

// TestClaims takes one id from many sides at the same time: one of them gets it.
func TestClaims(t *testing.T) {
	t.Parallel()
	var c claims
	if c.has("e1") {
		t.Error("an id is claimed from the start")
	}
	got := make(chan bool)
	const sides = 50
	for range sides {
		go func() { got <- c.take("e1") }()
	}
	count := 0
	for range sides {
		if <-got {
			count++
		}
	}
	if count != 1 || !c.has("e1") || c.has("e2") || !c.take("e2") {
		t.Errorf("%d of %d got it", count, sides)
	}
}
