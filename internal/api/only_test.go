package api

import (
	"errors"
	"testing"
)

func TestOnly(t *testing.T) {
	t.Parallel()
	source := func(yield func(int, error) bool) {
		for i := range 5 {
			if !yield(i, nil) {
				return
			}
		}
		yield(0, errReset)
	}
	var got []int
	var failure error
	for n, err := range Only(source, func(n int) bool { return n%2 == 1 }) {
		if err != nil {
			failure = err
			break
		}
		got = append(got, n)
	}
	if len(got) != 2 || got[0] != 1 || got[1] != 3 || !errors.Is(failure, errReset) {
		t.Errorf("got %v, %v", got, failure)
	}
	for _, err := range Only(source, func(int) bool { return true }) {
		if err != nil {
			t.Error(err)
		}
		break // the source must not be asked again: it would panic
	}
}
