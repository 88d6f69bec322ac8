package object

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

var errDown = errors.New("the line is down")

// counting yields the numbers from 1 to n, then err unless it is nil; asked counts how many were asked for.
func counting(n int, err error, asked *int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := 1; i <= n; i++ {
			*asked++
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// TestCollect: everything is converted in order, or as much as the limit allows, and nothing more is asked for than
// that.
func TestCollect(t *testing.T) {
	t.Parallel()
	spell := func(i *int) (string, error) {
		if *i == 4 {
			return "", errDown
		}
		return strconv.Itoa(*i), nil
	}
	for name, c := range map[string]struct {
		n     int
		ends  error
		limit types.Int64
		want  []string // nil for an error
		asked int
	}{
		"all":                     {3, nil, types.Int64Null(), []string{"1", "2", "3"}, 3},
		"none":                    {0, nil, types.Int64Null(), []string{}, 0},
		"limit":                   {3, nil, types.Int64Value(2), []string{"1", "2"}, 2},
		"limit that is the end":   {3, errDown, types.Int64Value(3), []string{"1", "2", "3"}, 3},
		"limit beyond the end":    {3, nil, types.Int64Value(9), []string{"1", "2", "3"}, 3},
		"failure":                 {3, errDown, types.Int64Null(), nil, 3},
		"unreadable":              {9, nil, types.Int64Null(), nil, 4},
		"unreadable beyond limit": {9, nil, types.Int64Value(3), []string{"1", "2", "3"}, 3},
	} {
		asked := 0
		have, err := Collect(counting(c.n, c.ends, &asked), c.limit, spell)
		if !slices.Equal(have, c.want) || (have == nil) != (c.want == nil) || (err != nil) != (c.want == nil) ||
			asked != c.asked {
			t.Errorf("%s: %v, %v, after %d", name, have, err, asked)
		}
		if err != nil && !errors.Is(err, errDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
