package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
)

// NewDecrypt returns the function age_decrypt.
func NewDecrypt() function.Function {
	return fn{"age_decrypt", function.Definition{
		Summary: "Decrypts an age file",
		MarkdownDescription: "Returns the text of an [age](https://age-encryption.org) file, such as `encrypted_token` or " +
			"`encrypted_secret`. If the identity is ephemeral, so is the result: pass it to a write-only argument in the " +
			"apply that created the file, and it appears in no plan or state. Otherwise the result appears in plan and state " +
			"where you use it.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "ciphertext", AllowNullValue: true,
				MarkdownDescription: "The age file, ASCII-armored or Base64."},
			function.StringParameter{Name: "identity",
				MarkdownDescription: "The private key, `AGE-SECRET-KEY-…`, or the whole file from `age-keygen`. One key per " +
					"line."},
		},
		Return: function.StringReturn{},
	}, runDecrypt}
}

// runDecrypt reports errors without any part of the identity.
func runDecrypt(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var ciphertext *string
	var identity string
	if resp.Error = req.Arguments.Get(ctx, &ciphertext, &identity); resp.Error != nil {
		return
	}
	if ciphertext == nil {
		resp.Error = invalid("ciphertext is null. encrypted_token and encrypted_secret are null after an import, and " +
			"without age_recipients, until the next rotation")
		return
	}
	identities, err := encrypt.Identities(identity)
	if err != nil {
		resp.Error = invalidArgument(1, "%s", err)
		return
	}
	text, err := encrypt.Decrypt(*ciphertext, identities)
	if err != nil {
		resp.Error = invalid("%s", err)
		return
	}
	resp.Error = resp.Result.Set(ctx, text)
}
