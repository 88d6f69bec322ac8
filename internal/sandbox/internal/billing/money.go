package billing

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
)

// What a plan or a price costs that is not in the catalogue follows from its id, so
// that the same id always costs the same: 10.00 to 509.99 in whole cents.
const (
	subcentsPerCent = 100
	leastCents      = 1_000
	centsRange      = 50_000
)

// priceAmount is what a plan or a price costs, in subcents (ten-thousandths).
func priceAmount(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	cents := leastCents + binary.BigEndian.Uint64(sum[:8])%centsRange
	return int64(cents) * subcentsPerCent
}

// allBasisPoints is 100 %: basis points are hundredths of a percent.
const allBasisPoints = 10_000

// amount is what the subscription costs a billing cycle, in cents: the plan and
// every item, less the discount, rounded half up only then. A discount code
// has no effect, because no document states its value. nil says that
// the sum is not a 64-bit number.
func (r SubscriptionRow) amount(costs pricing) *int64 {
	sum := new(big.Int)
	if r.Subscription.PlanID != nil {
		sum.SetInt64(costs(*r.Subscription.PlanID))
	}
	for _, item := range r.Items {
		unit := costs(item.PriceID)
		if item.UnitAmountSubcents != nil {
			unit = *item.UnitAmountSubcents
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(unit), big.NewInt(item.Quantity)))
	}
	sum.Mul(sum, big.NewInt(allBasisPoints-discountPoints(r.Subscription.DiscountPercent)))
	const divisor = allBasisPoints * subcentsPerCent
	sum.Add(sum, big.NewInt(divisor/2))
	sum.Div(sum, big.NewInt(divisor))
	if !sum.IsInt64() {
		return nil
	}
	cents := sum.Int64()
	return &cents
}

// formatPercent writes a percent that has passed its rule as the service
// returns it, with two places (wire contract: discount_percent).
func formatPercent(number *json.Number) *string {
	if number == nil {
		return nil
	}
	// The rule has parsed it before.
	value, _ := number.Float64()
	text := strconv.FormatFloat(math.Abs(value), 'f', 2, 64)
	return &text
}

// discountPoints reads what formatPercent wrote, in basis points.
func discountPoints(percent *string) int64 {
	if percent == nil {
		return 0
	}
	// formatPercent writes nothing that does not parse.
	value, _ := strconv.ParseFloat(*percent, 64)
	return int64(math.Round(value * 100))
}
