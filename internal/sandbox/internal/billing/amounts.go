package billing

import (
	"encoding/json"
	"math/big"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// In a copy, the amount of a subscription comes from, in this order: the amount that the source shows for itself, the
// one that it shows for a subscription that is billed now with the same terms, the plan and price records, and
// arithmetic that amounts of the source confirm. Everything else is unknown. Sources that contradict each other prove
// nothing.

// listedAmount is the amount of a plan or price record, for one currency and, if it is of a plan, one billing cycle.
type listedAmount struct {
	Subcents int64  `json:"subcents"`
	Currency string `json:"currency"`
	Cycle    string `json:"cycle,omitempty"`
}

// listAmount notes the amount of a plan or price record that has all that it depends on.
func (s *Service) listAmount(tx *store.Tx, collection string, record json.RawMessage) {
	var of struct {
		ID       string `json:"id"`
		Cents    *int64 `json:"amount_cents"`
		Subcents *int64 `json:"unit_amount_subcents"`
		Currency string `json:"currency"`
		Cycle    string `json:"billing_cycle"`
	}
	if json.Unmarshal(record, &of) != nil || of.Currency == "" {
		return
	}
	switch {
	case collection == "plans" && of.Cents != nil && of.Cycle != "":
		s.listed.Put(tx, of.ID, listedAmount{*of.Cents * subcentsPerCent, of.Currency, of.Cycle})
	case collection == "prices" && of.Subcents != nil:
		s.listed.Put(tx, of.ID, listedAmount{Subcents: *of.Subcents, Currency: of.Currency})
	}
}

// rules are what the amounts of a source prove about its arithmetic.
type rules struct {
	// Items is true if the amount of a subscription with items is the sum of plan and items. No example contradicts it.
	Items bool `json:"items"`
	// Net is true if shown amounts are after the discount, and Rounding has the kinds of rounding that every example of a
	// discount fits.
	Net      bool  `json:"net"`
	Rounding []int `json:"rounding"`
}

const rulesID = "rules"

// The kinds of rounding that a service may use for cents.
const (
	halfUp = iota
	halfEven
	down
	up
	roundings
)

// rounded divides and rounds. Amounts are not negative.
func rounded(n, divisor *big.Int, kind int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(n, divisor, new(big.Int))
	half := new(big.Int).Lsh(rest, 1).Cmp(divisor)
	if kind == up && rest.Sign() > 0 || kind == halfUp && half >= 0 ||
		kind == halfEven && (half > 0 || half == 0 && quotient.Bit(0) == 1) {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}

// learn derives the rules from the subscriptions that the source bills now.
func (s *Service) learn(tx *store.Tx) {
	found, fails := rules{}, rules{}
	fits := [roundings]bool{true, true, true, true}
	for _, row := range s.Subscriptions.All(tx) {
		switch {
		case row.Subscription.RecurringAmountCents == nil, !row.billedNow(), row.Subscription.DiscountCodeID != nil:
		case discountPoints(row.Subscription.DiscountPercent) > 0:
			s.learnDiscount(tx, row, &found, &fails, &fits)
		case len(row.Items) > 0:
			if sum := s.sum(tx, row); sum != nil {
				shown := big.NewInt(*row.Subscription.RecurringAmountCents)
				agrees := shown.Mul(shown, big.NewInt(subcentsPerCent)).Cmp(sum) == 0
				found.Items, fails.Items = found.Items || agrees, fails.Items || !agrees
			}
		}
	}
	found.Items, found.Net = found.Items && !fails.Items, found.Net && !fails.Net
	for kind, fit := range fits {
		if fit {
			found.Rounding = append(found.Rounding, kind)
		}
	}
	s.rules.Put(tx, rulesID, found)
}

// learnDiscount derives what the amount of one discounted subscription proves.
func (s *Service) learnDiscount(tx *store.Tx, row SubscriptionRow, found, fails *rules, fits *[roundings]bool) {
	base := s.undiscounted(tx, row)
	if base == nil {
		return
	}
	agrees := false
	for kind := range roundings {
		fit := discounted(*base, row, kind) == *row.Subscription.RecurringAmountCents
		agrees = agrees || fit
		fits[kind] = fits[kind] && fit
	}
	if discounted(*base, row, up) < *base { // a discount of less than a cent proves nothing
		found.Net, fails.Net = found.Net || agrees, fails.Net || !agrees
	}
}

// billedNow reports whether the amount of a subscription proves what the service bills today.
func (r SubscriptionRow) billedNow() bool {
	switch r.Subscription.Status {
	case SubscriptionActive, SubscriptionPastDue, subscriptionTrialing, subscriptionPaused:
		return true
	}
	return false
}

// discounted is an amount after the discount of a subscription.
func discounted(base int64, r SubscriptionRow, kind int) int64 {
	n := new(big.Int).Mul(big.NewInt(base), big.NewInt(allBasisPoints-discountPoints(r.Subscription.DiscountPercent)))
	return rounded(n, big.NewInt(allBasisPoints), kind).Int64()
}

// sum is the sum of the plan and the items of a subscription in subcents, without discounts; nil if a part is unknown.
func (s *Service) sum(tx *store.Tx, r SubscriptionRow) *big.Int {
	account, _ := s.Accounts.Get(tx, r.Subscription.BillingAccountID)
	currency := account.Account.Currency
	sum := new(big.Int)
	if id := r.Subscription.PlanID; id != nil {
		plan, ok := s.listed.Get(tx, *id)
		if !ok || plan.Currency != currency || plan.Cycle != r.Subscription.BillingCycle {
			return nil
		}
		sum.SetInt64(plan.Subcents)
	}
	for _, item := range r.Items {
		unit := item.UnitAmountSubcents
		if unit == nil {
			price, ok := s.listed.Get(tx, item.PriceID)
			if !ok || price.Currency != currency {
				return nil
			}
			unit = &price.Subcents
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(*unit), big.NewInt(item.Quantity)))
	}
	return sum
}

// undiscounted is the amount of a subscription without its discount; nil if it is unknown, or sources contradict each
// other.
func (s *Service) undiscounted(tx *store.Tx, r SubscriptionRow) *int64 {
	r.Subscription.DiscountPercent = nil
	shown, known := s.shown.Get(tx, s.terms(tx, r))
	var listed *int64
	proven, _ := s.rules.Get(tx, rulesID)
	if sum := s.sum(tx, r); sum != nil && (len(r.Items) == 0 || proven.Items) {
		if cents, rest := sum.QuoRem(sum, big.NewInt(subcentsPerCent), new(big.Int)); rest.Sign() == 0 && cents.IsInt64() {
			listed = new(cents.Int64())
		}
	}
	switch {
	case known && (shown.Cents == nil || listed != nil && *listed != *shown.Cents):
		return nil
	case known:
		return shown.Cents
	}
	return listed
}

// amountIn is an amount in a copy.
type amountIn struct {
	cents     *int64 // nil: unknown
	estimated bool   // by at most a cent: the source proves no kind of rounding
	billed    bool   // it is what is invoiced: amounts shown for a discount may be before it
}

// copied returns the amount of a subscription in a copy.
func (s *Service) copied(tx *store.Tx, r SubscriptionRow) amountIn {
	terms := s.terms(tx, r)
	proven, _ := s.rules.Get(tx, rulesID)
	isDiscounted := discountPoints(r.Subscription.DiscountPercent) > 0
	billed := r.Subscription.DiscountCodeID == nil && (!isDiscounted || proven.Net)
	shown, known := s.shown.Get(tx, terms)
	switch {
	case r.Shown != nil && r.Shown.Terms == terms:
		return amountIn{r.Shown.Cents, false, billed}
	case r.Subscription.DiscountCodeID != nil, isDiscounted && known:
		return amountIn{shown.Cents, false, billed}
	case !isDiscounted:
		return amountIn{s.undiscounted(tx, r), false, true}
	}
	base := s.undiscounted(tx, r)
	if base == nil || !proven.Net || len(proven.Rounding) == 0 {
		return amountIn{billed: billed}
	}
	cents, estimated := discounted(*base, r, proven.Rounding[0]), false
	for _, kind := range proven.Rounding[1:] {
		estimated = estimated || discounted(*base, r, kind) != cents
	}
	return amountIn{&cents, estimated, true}
}

// Certainty says how far the amounts of subscriptions and invoices in a copy can be trusted, by id.
type Certainty struct {
	Estimated map[string]bool // off by at most one cent
	Unknown   map[string]bool // the amount that is shown may not be the one that is invoiced
}

// Certainty returns that of all amounts of a copy.
func (s *Service) Certainty() Certainty {
	return store.Read(s.DB, func(tx *store.Tx) Certainty {
		c := Certainty{map[string]bool{}, map[string]bool{}}
		for id, row := range s.Subscriptions.All(tx) {
			amount := s.copied(tx, row)
			c.Estimated[id], c.Unknown[id] = amount.estimated, !amount.billed
		}
		for id, row := range s.Invoices.All(tx) {
			c.Estimated[id] = row.Estimated
		}
		return c
	})
}
