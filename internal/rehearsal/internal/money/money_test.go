package money

import "testing"

func TestMoney(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]Money{"BRL 792.00": Exactly(79200), "≈ BRL 1,792.00": {Cents: 179200, Known: true,
		Estimated: 2},
		"BRL 792.00 + 3 not known": {Cents: 79200, Unknown: 3}, "not known": missing(), "2 not known": {Unknown: 2},
		"-BRL 1,000,000.05": Exactly(-100_000_005), "BRL 0.00": Exactly(0)} {
		if got := of.In("BRL"); got != want {
			t.Errorf("%+v: %s, want %s", of, got, want)
		}
	}
	if got := Exactly(5).Minus(missing()); got != missing() {
		t.Errorf("a difference to what is not known: %+v", got)
	}
}
