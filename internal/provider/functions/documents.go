package functions

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// Lengths of the two tax numbers, in digits.
const (
	cpfDigits  = 11
	cnpjDigits = 14
)

// DocumentType is document_type.
type DocumentType struct{}

// NormalizeDocument is normalize_document.
type NormalizeDocument struct{}

var (
	_ function.Function = (*DocumentType)(nil)
	_ function.Function = (*NormalizeDocument)(nil)
)

// NewDocumentType makes the function.
func NewDocumentType() function.Function { return &DocumentType{} }

// NewNormalizeDocument makes the function.
func NewNormalizeDocument() function.Function { return &NormalizeDocument{} }

// Metadata names the function.
func (*DocumentType) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "document_type"
}

// Metadata names the function.
func (*NormalizeDocument) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "normalize_document"
}

// Definition describes the function.
func (*DocumentType) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Kind of a tax number",
		MarkdownDescription: "Tells a CPF from a CNPJ as the service does, by the number of digits: `\"cpf\"` for 11 or fewer, `\"cnpj\"` for more. A mask does not count, and the check " +
			"digits are not looked at; see `normalize_document` for that. A text without any digit is an error. No service is asked.",
		Parameters: []function.Parameter{function.StringParameter{Name: "number", MarkdownDescription: "The tax number, with or without a mask."}},
		Return:     function.StringReturn{},
	}
}

// Definition describes the function.
func (*NormalizeDocument) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Digits of a tax number",
		MarkdownDescription: "Takes the mask off a CPF or CNPJ and checks it: `\"529.982.247-25\"` becomes `\"52998224725\"`. A number of another length, or one whose check digits do not " +
			"follow from the others, is an error; so a typing mistake is found before the service stores it. No service is asked.",
		Parameters: []function.Parameter{function.StringParameter{Name: "number",
			MarkdownDescription: "The tax number: 11 digits (CPF) or 14 digits (CNPJ), with or without a mask of dots, dashes, slashes and spaces."}},
		Return: function.StringReturn{},
	}
}

// Run infers the type (service description, Recurring billing §2).
func (*DocumentType) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var number string
	if resp.Error = req.Arguments.Get(ctx, &number); resp.Error != nil {
		return
	}
	digits := len(fwtype.Digits(number))
	if digits == 0 {
		resp.Error = refuse("%q has no digit, so it is no tax number. Give a CPF (11 digits) or a CNPJ (14 digits).", number)
		return
	}
	kind := "cnpj"
	if digits <= cpfDigits {
		kind = "cpf"
	}
	resp.Error = resp.Result.Set(ctx, kind)
}

// Run checks the number and takes its mask off.
func (*NormalizeDocument) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var number string
	if resp.Error = req.Arguments.Get(ctx, &number); resp.Error != nil {
		return
	}
	digits := fwtype.Digits(number)
	switch {
	case strings.Trim(number, "0123456789.-/ ") != "":
		resp.Error = refuse("%q holds characters that no CPF or CNPJ has. Its mask may be of dots, dashes, slashes and spaces.", number)
	case len(digits) != cpfDigits && len(digits) != cnpjDigits:
		resp.Error = refuse("%q has %d digits. A CPF has %d digits, a CNPJ has %d; leading zeros count, so write the number in quotes.",
			number, len(digits), cpfDigits, cnpjDigits)
	case !validate.CheckDigits(digits):
		resp.Error = refuse("The check digits of %q are wrong: the last two digits do not follow from the others. "+
			"This is probably a typing mistake.", number)
	default:
		resp.Error = resp.Result.Set(ctx, digits)
	}
}
