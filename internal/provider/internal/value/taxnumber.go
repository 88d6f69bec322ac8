package value

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// Lengths of the two tax numbers without a mask, each including two check digits at the end.
const (
	cpfLength   = 11
	cnpjLength  = 14
	checkLength = 2
)

const (
	decimalDigits = "0123456789"
	// aboutTaxNumbers describes valid numbers in messages.
	aboutTaxNumbers = "Write 11 digits (CPF) or 14 characters (CNPJ: 12 digits or letters and two check digits), with " +
		"or without a mask of " +
		"dots, dashes, slashes and spaces, such as 529.982.247-25, 11.222.333/0001-81 or 12.ABC.345/01DE-35."
)

// groupsOfCNPJ distinguishes a CNPJ with letters from a number preceded by a word, such as CPF.
var groupsOfCNPJ = regexp.MustCompile(
	`^[./ -]*[0-9A-Z]{2}[./ -]*[0-9A-Z]{3}[./ -]*[0-9A-Z]{3}[./ -]*[0-9A-Z]{4}[./ -]*[0-9]{2}[./ -]*$`)

// DocumentType is the type of a Brazilian tax number (CPF or CNPJ). Numbers that differ only in mask or case are equal.
type DocumentType = TextType[taxNumber]

// Document is a tax number in configuration, plan or state, including its mask.
type Document = Text[taxNumber]

// DocumentPointer wraps a number from a response; nil is null.
func DocumentPointer(number *string) Document { return pointer[taxNumber](number) }

type taxNumber struct{}

func (taxNumber) name() string { return "DocumentType" }

func (taxNumber) same(a, b string) bool { return same.Document(a, b) }

type cpfOrCNPJ struct{ check.Described }

// CPFOrCNPJ requires a CPF or a CNPJ under any mask. Wrong check digits are only a warning: the service stores the
// number as sent, and test data often has invented ones.
func CPFOrCNPJ() validator.String {
	return cpfOrCNPJ{"a CPF (11 digits) or a CNPJ (14 characters), with or without a mask"}
}

func (cpfOrCNPJ) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	number := req.ConfigValue.ValueString()
	plain, wrong := TaxNumber(number)
	switch {
	case wrong != "":
		check.Invalid(req.Path, req.ConfigValue, wrong, &resp.Diagnostics)
	case !CheckDigits(plain):
		resp.Diagnostics.AddAttributeWarning(check.Line(req.Path),
			"Check digits of "+check.PathName(req.Path)+" do not match",
			fmt.Sprintf("%s: the last two digits do not match the others, so this is probably a typo. The service stores the "+
				"number as it is; the tax authority may reject invoices for it.", check.PathName(req.Path)))
	}
}

// TaxNumber returns a CPF or CNPJ without its mask, in capital letters; or what is wrong with it and what to write
// instead.
func TaxNumber(number string) (plain, wrong string) {
	plain = same.PlainDocument(number)
	letters := strings.Trim(plain, decimalDigits) != ""
	switch {
	case strings.Trim(strings.ToUpper(number), decimalDigits+"ABCDEFGHIJKLMNOPQRSTUVWXYZ.-/ ") != "" || !isASCII(number):
		return "", "It contains characters that are not allowed in a CPF or CNPJ. " + aboutTaxNumbers
	case len(plain) == cnpjLength && strings.Trim(plain[cnpjLength-checkLength:], decimalDigits) != "":
		return "", "It does not end in two check digits: only the first 12 characters of a CNPJ can be letters. " +
			aboutTaxNumbers
	case len(plain) == cnpjLength && letters && !groupsOfCNPJ.MatchString(strings.ToUpper(number)):
		return "", "It does not have the groups of a CNPJ, as in 12.ABC.345/01DE-35. " + aboutTaxNumbers
	case len(plain) == cnpjLength, len(plain) == cpfLength && !letters:
		return plain, ""
	case letters:
		return "", fmt.Sprintf("It has letters, like a CNPJ, but %d characters instead of 14. %s", len(plain),
			aboutTaxNumbers)
	default:
		return "", fmt.Sprintf("It has %d digits. A CPF has 11 digits, a CNPJ has 14 characters; leading zeros count, so "+
			"write the number in quotes.", len(plain))
	}
}

// DocumentKind returns the document_type that the service infers from a tax number: cpf for 11 digits or fewer, else
// cnpj (Recurring billing §2). Without a number it is null. The service's description does not mention letters.
func DocumentKind(number Document) types.String {
	plain := same.PlainDocument(number.ValueString())
	switch {
	case number.IsNull():
		return types.StringNull()
	case number.IsUnknown(), strings.Trim(plain, decimalDigits) != "":
		return types.StringUnknown()
	case len(plain) > cpfLength:
		return types.StringValue("cnpj")
	default:
		return types.StringValue("cpf")
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

// CheckDigits reports whether the check digits of a CPF or CNPJ without a mask are correct (modulo 11). Numbers of one
// repeated digit satisfy the arithmetic but are never issued.
func CheckDigits(plain string) bool {
	if len(plain) != cpfLength && len(plain) != cnpjLength {
		return false
	}
	if strings.Count(plain, plain[:1]) == len(plain) {
		return false
	}
	body := len(plain) - checkLength
	return checkDigit(plain[:body]) == plain[body] && checkDigit(plain[:body+1]) == plain[body+1]
}

// checkDigit weighs the characters from the right with 2, 3, 4 …; for a CNPJ the weights start over after 9. A digit
// counts as itself, a letter as its ASCII code less that of 0.
func checkDigit(characters string) byte {
	const lastWeightOfCNPJ = 9
	sum, weight := 0, 2
	for i := len(characters) - 1; i >= 0; i-- {
		sum += int(characters[i]-'0') * weight
		weight++
		if weight > lastWeightOfCNPJ && len(characters) >= cnpjLength-checkLength {
			weight = 2
		}
	}
	rest := 11 - sum%11
	if rest > 9 {
		rest = 0
	}
	return byte('0' + rest)
}
