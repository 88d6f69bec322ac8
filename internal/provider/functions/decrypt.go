package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
)

// Decrypt is age_decrypt.
type Decrypt struct{}

var _ function.Function = (*Decrypt)(nil)

// NewDecrypt makes the function.
func NewDecrypt() function.Function { return &Decrypt{} }

// Metadata names the function.
func (*Decrypt) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "age_decrypt"
}

// Definition describes the function.
func (*Decrypt) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Decrypts an age file",
		MarkdownDescription: "Returns the text of an [age](https://age-encryption.org) file, such as `encrypted_token` or " +
			"`encrypted_secret`. With an ephemeral identity the result is ephemeral: a write-only argument takes it, in the " +
			"apply that created it, and it is in no plan and no state. With any other identity the result is in plan and " +
			"state where it is used. Sends no request.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "ciphertext", AllowNullValue: true,
				MarkdownDescription: "The age file: ASCII-armored, or a binary one in Base64."},
			function.StringParameter{Name: "identity",
				MarkdownDescription: "The private key, `AGE-SECRET-KEY-…`, or the whole file that `age-keygen` writes. " +
					"Several lines are several keys."},
		},
		Return: function.StringReturn{},
	}
}

// Run decrypts the file. Of the identity nothing is ever part of a message.
func (*Decrypt) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var ciphertext *string
	var identity string
	if resp.Error = req.Arguments.Get(ctx, &ciphertext, &identity); resp.Error != nil {
		return
	}
	if ciphertext == nil {
		resp.Error = refuse("ciphertext is null. encrypted_token and encrypted_secret are null after an import, and " +
			"without age_recipients, until the next rotation")
		return
	}
	identities, err := encrypt.Identities(identity)
	if err != nil {
		resp.Error = refuseArgument(1, "%s", err)
		return
	}
	text, err := encrypt.Decrypt(*ciphertext, identities)
	if err != nil {
		resp.Error = refuse("%s", err)
		return
	}
	resp.Error = resp.Result.Set(ctx, text)
}
