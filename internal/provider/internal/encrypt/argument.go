package encrypt

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Recipients is the argument. secret and encrypted are the attributes that it decides about.
func Recipients(secret, encrypted string) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, Computed: true, ElementType: types.StringType,
		Default: listdefault.StaticValue(None), Validators: []validator.List{publicKeys{}},
		MarkdownDescription: fmt.Sprintf("Public keys of [age](https://age-encryption.org), `age1…` or all "+
			"`age1pq1…`. If set, the state contains `%s` instead of `%s`; the next apply encrypts clear text in the state. "+
			"Defaults to `[]`. Recipients change with the next rotation.", encrypted, secret)}
}

// Encrypted is the attribute for the encrypted text of the attribute secret.
func Encrypted(secret string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true,
		MarkdownDescription: fmt.Sprintf("`%s`, encrypted to `age_recipients`: an ASCII-armored age file, which "+
			"`age -d` decrypts. Null after an import, and null if `age_recipients` is unset; an already "+
			"encrypted value stays until the next rotation.", secret)}
}

// publicKeys validates that each element is an age public key, and that all of them can be used together.
type publicKeys struct{}

var _ validator.List = publicKeys{}

// Description implements validator.Describer.
func (publicKeys) Description(context.Context) string { return "age public keys" }

// MarkdownDescription implements validator.Describer.
func (v publicKeys) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (publicKeys) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// check reports each element that is known and is not a recipient, and recipients that cannot be used together.
func check(at path.Path, recipients types.List, diags *diag.Diagnostics) {
	var located, bare diag.Diagnostics
	known, secret := true, false
	for i, element := range recipients.Elements() {
		text, isText := element.(types.String)
		if !isText || text.IsUnknown() {
			known = false
			continue
		}
		_, err := parse(text.ValueString())
		if text.IsNull() {
			err = errors.New("it is null. Remove the element")
		}
		if err != nil {
			element := at.AtListIndex(i)
			detail := fmt.Sprintf("%s: %s.", value.PathName(element), err)
			located.AddAttributeError(element, "Invalid age recipient", detail)
			bare.AddError("Invalid age recipient", detail)
			secret = secret || errors.Is(err, errPrivateKey) || errors.Is(err, errForeign)
		}
	}
	// With a path Terraform shows the line of the configuration, and so whatever is secret in it.
	if secret {
		located = bare
	}
	if diags.Append(located...); located.HasError() || !known || len(recipients.Elements()) == 0 {
		return
	}
	if err := writeTo(io.Discard, "", texts(recipients)); err != nil {
		diags.AddAttributeError(at, "Incompatible age recipients",
			fmt.Sprintf("%s: the recipients cannot be used together: %s. Post-quantum recipients (age1pq1…) "+
				"cannot be combined with others, because what is encrypted would be as weak as the others. "+
				"Write one kind only.", value.PathName(at), err))
	}
}
