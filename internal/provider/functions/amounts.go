package functions

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// unit is a part of the currency unit (service description, Recurring billing §1): cents are hundredths, subcents, the
// unit of prices, are ten-thousandths.
type unit struct {
	name     string
	part     string // of the currency unit, in words
	decimals int
	written  string // which values have this form
	// amount and whole are the same amount in both forms, for descriptions and errors.
	amount, whole string
}

var (
	cents = unit{name: "cents", part: "hundredths", decimals: 2, written: "the form of amounts in financial " +
		"management, which are always positive: their direction is the `type`", amount: "10.50", whole: "1050"}
	subcents = unit{name: "subcents", part: "ten-thousandths", decimals: 4, written: "the form of a unit price",
		amount: "10.5012", whole: "105012"}
)

// longestAmount limits the digits of an amount in its unit: far more than any sum of money has, and few enough to be
// exact in Terraform's numbers.
const longestAmount = 60

// precision is that of Terraform's numbers, in bits.
const precision = 512

// NewCents returns the function cents.
func NewCents() function.Function { return cents.parser() }

// NewSubcents returns the function subcents.
func NewSubcents() function.Function { return subcents.parser() }

// NewFormatCents returns the function format_cents.
func NewFormatCents() function.Function { return cents.formatter() }

// NewFormatSubcents returns the function format_subcents.
func NewFormatSubcents() function.Function { return subcents.formatter() }

func (u unit) parser() function.Function {
	return fn{u.name, function.Definition{
		Summary: fmt.Sprintf("Converts an amount to %s", u.name),
		MarkdownDescription: fmt.Sprintf("Converts an amount such as `%q` to a whole number of %s, %s of the currency "+
			"unit: `%s`. Arguments that end in `_%s` use this unit. The conversion never rounds: more than %d decimals are "+
			"an error. The inverse is `format_%s`.",
			u.amount, u.name, u.part, u.whole, u.name, u.decimals, u.name),
		Parameters: []function.Parameter{function.StringParameter{Name: "amount",
			MarkdownDescription: fmt.Sprintf("The amount: digits with a dot before at most %d decimals, and a minus sign if "+
				"negative, without currency or thousands separators.", u.decimals)}},
		Return: function.NumberReturn{},
	}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
		var amount string
		var whole *big.Int
		if resp.Error = req.Arguments.Get(ctx, &amount); resp.Error != nil {
			return
		}
		if whole, resp.Error = u.parse(amount); resp.Error == nil {
			resp.Error = resp.Result.Set(ctx, new(big.Float).SetPrec(precision).SetInt(whole))
		}
	}}
}

func (u unit) formatter() function.Function {
	return fn{"format_" + u.name, function.Definition{
		Summary: fmt.Sprintf("Formats an amount in %s", u.name),
		MarkdownDescription: fmt.Sprintf("Converts a whole number of %s, %s of the currency unit, such as `%s`, to a "+
			"string with %d decimals, `%q`, %s. A negative number keeps its minus sign. Other numbers are errors. The "+
			"inverse is `%s`.", u.name, u.part, u.whole,
			u.decimals, u.amount, u.written, u.name),
		Parameters: []function.Parameter{function.NumberParameter{Name: u.name,
			MarkdownDescription: fmt.Sprintf("The amount as a whole number of %s.", u.name)}},
		Return: function.StringReturn{},
	}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
		number := new(big.Float)
		if resp.Error = req.Arguments.Get(ctx, &number); resp.Error != nil {
			return
		}
		amount, failed := u.format(number)
		if resp.Error = failed; failed == nil {
			resp.Error = resp.Result.Set(ctx, amount)
		}
	}}
}

// parse parses an amount exactly. More decimals than the unit has are rejected even if they are zeros: "1.500" may be
// one and a half, or fifteen hundred with a thousands separator.
func (u unit) parse(amount string) (*big.Int, *function.FuncError) {
	how := fmt.Sprintf("Write digits without thousands separators, and a dot before at most %d decimals, such as %q.",
		u.decimals, u.amount)
	whole, decimals, dotted := strings.Cut(strings.TrimPrefix(amount, "-"), ".")
	digits := whole + decimals
	switch {
	case strings.TrimSpace(amount) == "":
		return nil, invalid("The amount is empty. %s", how)
	case strings.Contains(amount, ","):
		return nil, invalid("The amount contains a comma. %s", how)
	case strings.Contains(decimals, "."):
		return nil, invalid("The amount contains more than one dot. %s", how)
	case strings.Trim(digits, "0123456789") != "":
		return nil, invalid("The amount contains characters other than digits, one dot and a leading minus sign. %s", how)
	case whole == "" || dotted && decimals == "":
		return nil, invalid("In the amount, digits are missing before or after the dot. %s", how)
	case len(decimals) > u.decimals:
		return nil, invalid("The amount has %d decimals, but %s have at most %d, and amounts are not rounded. %s",
			len(decimals), u.name, u.decimals, how)
	}
	digits += strings.Repeat("0", u.decimals-len(decimals))
	if len(strings.TrimLeft(digits, "0")) > longestAmount {
		return nil, u.tooLong()
	}
	number, _ := new(big.Int).SetString(digits, 10)
	if strings.HasPrefix(amount, "-") {
		number.Neg(number)
	}
	return number, nil
}

// format formats a whole number of the unit as an amount.
func (u unit) format(number *big.Float) (string, *function.FuncError) {
	if !number.IsInt() {
		return "", invalid("%s is not a whole number of %s. An amount such as %q is converted by %s(%q).",
			number.Text('g', 20), u.name, u.amount, u.name, u.amount)
	}
	// Check the length before formatting: 1e1000000 is a whole number too.
	if number.MantExp(nil) > precision {
		return "", u.tooLong()
	}
	whole, _ := number.Int(nil)
	sign, digits := "", whole.String()
	if whole.Sign() < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) > longestAmount {
		return "", u.tooLong()
	}
	if missing := u.decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - u.decimals
	return sign + digits[:point] + "." + digits[point:], nil
}

func (u unit) tooLong() *function.FuncError {
	return invalid("The number of %s has more than %d digits.", u.name, longestAmount)
}

// invalid returns an error in the only argument.
func invalid(format string, args ...any) *function.FuncError {
	return invalidArgument(0, format, args...)
}

// invalidArgument returns an error in one argument. Terraform adds the full stop.
func invalidArgument(position int64, format string, args ...any) *function.FuncError {
	return function.NewArgumentFuncError(position, strings.TrimSuffix(fmt.Sprintf(format, args...), "."))
}
