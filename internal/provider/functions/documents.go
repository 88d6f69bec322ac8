package functions

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// longestCPF is the maximum number of digits of a CPF for the service.
const longestCPF = 11

// NewDocumentType returns the function document_type.
func NewDocumentType() function.Function {
	return fn{"document_type", function.Definition{
		Summary: "Type of a tax number",
		MarkdownDescription: "Returns the type of a tax number by its length, as the service does: `\"cpf\"` for 11 or " +
			"fewer digits, `\"cnpj\"` for more digits and for the 14 characters of a CNPJ with letters. Mask and case are " +
			"ignored. To validate check digits, use `normalize_document`. A string without digits is an error, and so are " +
			"letters at any other length.",
		Parameters: []function.Parameter{function.StringParameter{Name: "number",
			MarkdownDescription: "The tax number, with or without a mask."}},
		Return: function.StringReturn{},
	}, runDocumentType}
}

// NewNormalizeDocument returns the function normalize_document.
func NewNormalizeDocument() function.Function {
	return fn{"normalize_document", function.Definition{
		Summary: "Validates and normalizes a tax number",
		MarkdownDescription: "Validates a CPF or CNPJ, removes its mask and converts letters to capitals: " +
			"`\"529.982.247-25\"` becomes `\"52998224725\"`, `\"12.abc.345/01de-35\"` becomes `\"12ABC34501DE35\"`. Other " +
			"lengths and wrong check digits are errors.",
		Parameters: []function.Parameter{function.StringParameter{Name: "number",
			MarkdownDescription: "The tax number: 11 digits (CPF) or 14 characters (CNPJ: 12 digits or letters and two check " +
				"digits), with or without dots, dashes, slashes and spaces."}},
		Return: function.StringReturn{},
	}, runNormalizeDocument}
}

// runDocumentType infers the type (service description, Recurring billing §2).
func runDocumentType(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var number string
	if resp.Error = req.Arguments.Get(ctx, &number); resp.Error != nil {
		return
	}
	plain := same.PlainDocument(number)
	switch _, wrong := value.TaxNumber(number); {
	case !strings.ContainsAny(plain, "0123456789"):
		resp.Error = invalid("It contains no digit, so it is not a tax number. Write a CPF (11 digits) or a CNPJ (14 " +
			"characters)")
	case strings.Trim(plain, "0123456789") != "" && wrong != "":
		resp.Error = invalid("%s", wrong)
	case len(plain) <= longestCPF:
		resp.Error = resp.Result.Set(ctx, "cpf")
	default:
		resp.Error = resp.Result.Set(ctx, "cnpj")
	}
}

func runNormalizeDocument(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var number string
	if resp.Error = req.Arguments.Get(ctx, &number); resp.Error != nil {
		return
	}
	plain, wrong := value.TaxNumber(number)
	switch {
	case wrong != "":
		resp.Error = invalid("%s", wrong)
	case !value.CheckDigits(plain):
		resp.Error = invalid("The check digits are wrong: the last two digits do not match the others. It is probably a typo")
	default:
		resp.Error = resp.Result.Set(ctx, plain)
	}
}
