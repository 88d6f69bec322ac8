package value

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// randomSet is a set of few different entries, in random order: null, unknown and empty texts too.
func randomSet(r *rand.Rand) StringSet {
	switch r.IntN(8) {
	case 0:
		return NoStrings()
	case 1:
		return StringSet{SetValue: types.SetUnknown(types.StringType)}
	}
	all := []attr.Value{types.StringValue("a"), types.StringValue("b"), types.StringValue(""), types.StringNull(),
		types.StringUnknown()}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return StringSet{SetValue: types.SetValueMust(types.StringType, all[:r.IntN(4)])}
}

// TestStringSet_equal: sets are equal exactly if the framework's are.
func TestStringSet_equal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	equal := 0
	for range 5000 {
		a, b := randomSet(r), randomSet(r)
		same, _ := a.SetSemanticEquals(t.Context(), b)
		want := a.SetValue.Equal(b.SetValue)
		if want {
			equal++
		}
		if a.Equal(b) != want || same != want {
			t.Errorf("%s and %s: Equal %t, SetSemanticEquals %t, want %t", a, b, a.Equal(b), same, want)
		}
	}
	if equal < 100 {
		t.Errorf("only %d pairs of equal sets", equal)
	}
}

// BenchmarkStringSet reports how the time of a validation and a comparison grows when a set has ten times the entries:
// by a factor of about ten; the framework's set by a hundred.
func BenchmarkStringSet(b *testing.B) {
	work := func(entries int) time.Duration {
		texts := make([]string, entries)
		for i := range texts {
			texts[i] = fmt.Sprintf("entry-%d", i)
		}
		one, other := SetOf(texts), SetOf(texts)
		raw, err := one.ToTerraformValue(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		Strings.Validate(b.Context(), raw, path.Empty())
		if !one.Equal(other) {
			b.Fatal("the sets differ")
		}
		return time.Since(start)
	}
	var few, many time.Duration
	for b.Loop() {
		few, many = few+work(100), many+work(1000)
	}
	b.ReportMetric(float64(many)/float64(few), "times-for-10x")
}
