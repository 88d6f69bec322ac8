package rehearsal

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
)

// Condition is one under which a report fails, such as monthly < -500.
type Condition struct {
	text, name, currency, operator string
	limit                          *big.Rat
}

var (
	conditionForm = regexp.MustCompile(`^\s*([a-z_]+)(?:\.([A-Z]{3}))?\s*(<=|>=|!=|<|>|=)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*$`)
	conditions    = []string{"monthly", "begins", "ends", "pauses", "refused", "not_known", "left_out", "later"}
)

// ParseCondition reads NAME OP NUMBER.
func ParseCondition(text string) (Condition, error) {
	parts := conditionForm.FindStringSubmatch(text)
	if parts == nil || parts[2] != "" && parts[1] != "monthly" {
		return Condition{}, fmt.Errorf("%q is not a condition such as \"monthly < -500\": NAME OP NUMBER, and OP is one of "+
			"< <= > >= = !=", text)
	}
	if !slices.Contains(conditions, parts[1]) {
		return Condition{}, fmt.Errorf("%q is not a name of a condition: use %s", parts[1], strings.Join(conditions, ", "))
	}
	limit, _ := new(big.Rat).SetString(parts[4])
	return Condition{strings.TrimSpace(text), parts[1], parts[2], parts[3], limit}, nil
}

// Failed is a condition that holds.
type Failed struct {
	Condition string `json:"condition"`
	Value     string `json:"value"` // what it was compared with
}

// Judge notes the conditions that hold. What is not known counts as holding, unless the rest decides.
func (r *Report) Judge(conditions []Condition) error {
	r.FailedOn = nil
	for _, c := range conditions {
		value, unknown, err := r.valueOf(c)
		if err != nil {
			return err
		}
		if holds := c.holds(value); holds || unknown > 0 {
			shown := value.FloatString(2)
			if value.IsInt() {
				shown = value.Num().String()
			}
			if unknown > 0 {
				shown += fmt.Sprintf(" + %d not known", unknown)
			}
			r.FailedOn = append(r.FailedOn, Failed{c.text, shown})
		}
	}
	return nil
}

func (c Condition) holds(value *big.Rat) bool {
	switch order := value.Cmp(c.limit); c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "=":
		return order == 0
	}
	return value.Cmp(c.limit) != 0
}

// valueOf is what a condition compares, and how many parts of it are not known.
func (r *Report) valueOf(c Condition) (value *big.Rat, unknown int, err error) {
	count := func(n int) (*big.Rat, int, error) { return big.NewRat(int64(n), 1), 0, nil }
	happening := func(verb Verb) int {
		n := 0
		for _, o := range r.Differences.Occurrences {
			if o.With && o.Kind == evidence.Subscription && o.What.Verb == verb {
				n++
			}
		}
		return n
	}
	switch c.name {
	case "begins":
		return count(happening(begins))
	case "ends":
		return count(happening(ends))
	case "pauses":
		return count(happening(becomes("paused")))
	case "refused":
		return count(len(r.Refused))
	case "left_out":
		return count(len(r.LeftOut))
	case "later":
		return count(len(r.Later))
	case "not_known":
		_, unknown := r.monthly("")
		return count(unknown)
	}
	sums, missing := r.monthly(c.currency)
	if c.currency == "" && len(sums) > 1 {
		return nil, 0, fmt.Errorf("the change is in several currencies: write monthly.%s instead of monthly",
			strings.Join(sorted(sums), " or monthly."))
	}
	value = new(big.Rat)
	for _, sum := range sums {
		value.Add(value, sum)
	}
	return value, missing, nil
}

// monthsOf are the months of the billing cycles.
var monthsOf = map[string]int64{"monthly": 1, "quarterly": 3, "semiannual": 6, "annual": 12}

// monthly are the differences of the prices a month, in whole units, by currency, and how many are not known.
func (r *Report) monthly(currency string) (sums map[string]*big.Rat, unknown int) {
	sums = map[string]*big.Rat{}
	add := func(of *money.Price, sign int64) {
		switch {
		case of == nil || currency != "" && of.Currency != currency:
		case !of.Known || monthsOf[of.Cycle] == 0:
			unknown++
		case sums[of.Currency] == nil:
			sums[of.Currency] = big.NewRat(sign*of.Cents, 100*monthsOf[of.Cycle])
		default:
			sums[of.Currency].Add(sums[of.Currency], big.NewRat(sign*of.Cents, 100*monthsOf[of.Cycle]))
		}
	}
	for _, one := range r.Differences.Subscriptions {
		add(one.Without, -1)
		add(one.With, 1)
	}
	return sums, unknown
}
