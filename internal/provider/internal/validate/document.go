// Package validate holds the validators that more than one object of the billing platform needs and that the framework's own
// validators do not have.
package validate

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
)

// Lengths of the two tax numbers, in digits.
const (
	cpfDigits  = 11
	cnpjDigits = 14
)

type cpfOrCNPJ struct{}

// CPFOrCNPJ requires 11 or 14 digits under any mask. Wrong check digits are only a warning: the service stores the number as sent,
// and test data often has invented ones.
func CPFOrCNPJ() validator.String { return cpfOrCNPJ{} }

func (cpfOrCNPJ) Description(context.Context) string {
	return "a CPF (11 digits) or a CNPJ (14 digits), with or without a mask"
}

func (v cpfOrCNPJ) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v cpfOrCNPJ) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	number := req.ConfigValue.ValueString()
	if strings.Trim(number, "0123456789.-/ ") != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid tax number",
			fmt.Sprintf("%q holds characters that no CPF or CNPJ has. Write 11 digits (CPF) or 14 digits (CNPJ), "+
				"if you like with a mask of dots, dashes, slashes and spaces, such as 529.982.247-25 or 11.222.333/0001-81.", number))
		return
	}
	digits := fwtype.Digits(number)
	if len(digits) != cpfDigits && len(digits) != cnpjDigits {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid tax number",
			fmt.Sprintf("%q has %d digits. A CPF has 11 digits, a CNPJ has 14; leading zeros count and belong in the text "+
				"(write the number in quotes).", number, len(digits)))
		return
	}
	if !CheckDigits(digits) {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Check digits of the tax number do not match",
			fmt.Sprintf("The last two digits of %q do not follow from the others, so this is probably a typing mistake. "+
				"The service stores the number as it is; invoices made for it may be refused by the tax authority.", number))
	}
}

// CheckDigits reports whether the last two digits of an 11- or 14-digit tax number follow from the others (modulo 11). Numbers of
// one repeated digit satisfy the arithmetic but are never issued.
func CheckDigits(digits string) bool {
	if len(digits) != cpfDigits && len(digits) != cnpjDigits {
		return false
	}
	if strings.Count(digits, digits[:1]) == len(digits) {
		return false
	}
	body := len(digits) - 2
	return checkDigit(digits[:body]) == digits[body] && checkDigit(digits[:body+1]) == digits[body+1]
}

// checkDigit weighs the digits from the right with 2, 3, 4 …; for a CNPJ the weights start over after 9.
func checkDigit(digits string) byte {
	const lastWeightOfCNPJ = 9
	sum, weight := 0, 2
	for i := len(digits) - 1; i >= 0; i-- {
		sum += int(digits[i]-'0') * weight
		weight++
		if weight > lastWeightOfCNPJ && len(digits) >= cnpjDigits-2 {
			weight = 2
		}
	}
	rest := 11 - sum%11
	if rest > 9 {
		rest = 0
	}
	return byte('0' + rest)
}
