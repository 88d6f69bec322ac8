package check

import (
	"context"
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Shown formats the value of an argument for a message; "" means that the message must only name the argument.
//
// A configuration may mark any value as sensitive, which a provider cannot see, and a malformed value may be a secret
// in the wrong place. So a message shows the names of objects (name, external_id, the host of a url) and what is
// neither personal nor a free text: ids, times, numbers and booleans. Terraform itself shows the line of an argument,
// with its value unless that is sensitive.
func Shown(argument string, v attr.Value) string {
	if v == nil {
		return ""
	}
	raw, err := v.ToTerraformValue(context.Background())
	if err != nil {
		return ""
	}
	return ShownRaw(argument, raw)
}

// ShownRaw is Shown for a value that is not converted.
func ShownRaw(argument string, raw tftypes.Value) string {
	var text string
	var number *big.Float
	var yes bool
	switch {
	case !raw.IsFullyKnown():
	case raw.IsNull():
		return "null"
	case raw.As(&text) == nil && strings.TrimSpace(text) == "":
		return strconv.Quote(text)
	case raw.As(&text) == nil:
		return ShownText(argument, text)
	case raw.As(&number) == nil:
		return NumberText(number)
	case raw.As(&yes) == nil:
		return strconv.FormatBool(yes)
	}
	return ""
}

// ShownText is Shown for a text.
func ShownText(argument, text string) string {
	_, isTime := api.ParseTime(text)
	switch {
	case text == "":
	case argument == "name", argument == "external_id":
		return Quoted(text)
	case argument == "url":
		return Host(text)
	case same.IsUUID(text), isTime && argument != "birthday":
		return strconv.Quote(text)
	}
	return ""
}

// Host formats an address without its path and query, which may be secret; "" if it has no host.
func Host(address string) string {
	if short := api.ShownURL(address); short != "" {
		return Quoted(short)
	}
	return ""
}

// NumberText formats a number; long ones are abbreviated, and nil is "".
func NumberText(number *big.Float) string {
	const longest = 40
	if number == nil {
		return ""
	}
	// Without an exponent, 1e1000000 has a million digits: numbers that are surely too long are not expanded first.
	if exponent := number.MantExp(nil); exponent < 4*longest && exponent > -4*longest {
		if text := number.Text('f', -1); len(text) <= longest {
			return text
		}
	}
	return number.Text('g', 20)
}
