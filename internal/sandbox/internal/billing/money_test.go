package billing

import (
	"math"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// Document numbers are compared without mask and case.
func TestPlainDocument(t *testing.T) {
	t.Parallel()
	if got := plainDocument("12.abz.345/01de-90 [`:@"); got != "12ABZ34501DE90" {
		t.Error(got)
	}
}

// Subcents are summed before rounding; half a cent is rounded up.
func TestAmount(t *testing.T) {
	t.Parallel()
	unit := func(subcents int64) *int64 { return &subcents }
	percent := func(number float64) *string { return formatPercent(&number) }
	plan := priceAmount(planA) / amounts.SubcentsPerCent
	tests := map[string]struct {
		row  SubscriptionRow
		want int64
	}{
		"nothing":        {SubscriptionRow{}, 0},
		"plan":           {SubscriptionRow{Subscription: subscription{PlanID: &planA}}, plan},
		"half a cent":    {SubscriptionRow{Items: []item{{Quantity: 1, UnitAmountSubcents: unit(50)}}}, 1},
		"less than half": {SubscriptionRow{Items: []item{{Quantity: 1, UnitAmountSubcents: unit(49)}}}, 0},
		"three times a third": {SubscriptionRow{Items: []item{{Quantity: 3, UnitAmountSubcents: unit(1_050_125)}}},
			31_504},
		"the price's own amount": {SubscriptionRow{Items: []item{{Quantity: 2, PriceID: planB}}},
			2 * priceAmount(planB) / amounts.SubcentsPerCent},
		"a free item": {SubscriptionRow{Items: []item{{Quantity: 2, PriceID: planB, UnitAmountSubcents: unit(0)}}}, 0},
		"plan and item": {SubscriptionRow{Subscription: subscription{PlanID: &planA},
			Items: []item{{Quantity: 2, UnitAmountSubcents: unit(100)}}}, plan + 2},
		"discount": {SubscriptionRow{Subscription: subscription{DiscountPercent: percent(12.5)},
			Items: []item{{Quantity: 1, UnitAmountSubcents: unit(1_000_000)}}}, 8_750},
		"whole discount": {SubscriptionRow{Subscription: subscription{PlanID: &planA, DiscountPercent: percent(100)}}, 0},
		"beyond 2^53": {SubscriptionRow{Items: []item{{Quantity: 100, UnitAmountSubcents: unit(9_007_199_254_740_993)}}},
			9_007_199_254_740_993},
	}
	for name, test := range tests {
		if got := test.row.amount(amounts.Arithmetic{}, priceAmount).Cents; got == nil || *got != test.want {
			t.Errorf("%s: %v, want %d", name, got, test.want)
		}
	}
	if got := (SubscriptionRow{Items: []item{{Quantity: math.MaxInt64, UnitAmountSubcents: unit(math.MaxInt64)}}}).
		amount(amounts.Arithmetic{}, priceAmount); got.Cents != nil {
		t.Errorf("a sum beyond 64 bits is %d, want none", *got.Cents)
	}
}

// The price of an id is stable, in whole cents within the documented range.
func TestPriceAmount(t *testing.T) {
	t.Parallel()
	if a, b := priceAmount(planA), priceAmount(planB); a == b || a != priceAmount(planA) {
		t.Errorf("prices %d and %d", a, b)
	}
	for _, id := range []string{planA, planB, "", "x"} {
		if got := priceAmount(id); got%amounts.SubcentsPerCent != 0 || got < 100_000 || got > 5_099_900 {
			t.Errorf("price of %q: %d subcents", id, got)
		}
	}
}

// wire contract: discount_percent.
func TestFormatPercent(t *testing.T) {
	t.Parallel()
	for number, want := range map[float64]string{
		0: "0.00", math.Copysign(0, -1): "0.00", 10: "10.00", 12.5: "12.50", 33.333: "33.33", 100: "100.00", 1e-300: "0.00",
	} {
		if got := formatPercent(&number); got == nil || *got != want {
			t.Errorf("%v: %v, want %s", number, got, want)
		}
	}
	if formatPercent(nil) != nil {
		t.Error("no percent has a form")
	}
}
