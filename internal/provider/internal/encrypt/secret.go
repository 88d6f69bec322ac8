// Package encrypt encrypts secrets that a service shows once to age recipients, so that the state does not contain them
// in clear text.
package encrypt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Argument is the name of the argument with the recipients.
const Argument = "age_recipients"

// None is the argument of an object without recipients. An empty list and null mean the same.
var None = types.ListValueMust(types.StringType, []attr.Value{})

// Secret is a secret in plan or state: its clear text, or its encrypted text. Both are null if the secret is not known.
type Secret struct{ Clear, Encrypted types.String }

// Planned returns the planned values of the secret s in state. renewed is true if the object gets, or may get, a new
// secret.
//
// Each encryption returns another text, so it is unknown only if the apply encrypts something: a new secret, or the
// clear text in state. An encrypted secret is kept, because the provider cannot decrypt it.
func (s Secret) Planned(recipients types.List, renewed bool) Secret {
	switch none := len(recipients.Elements()) == 0 && !recipients.IsUnknown(); {
	case !renewed && (none || s.Clear.IsNull()):
		return s
	case recipients.IsUnknown():
		return Secret{types.StringUnknown(), types.StringUnknown()}
	case !none:
		return Secret{types.StringNull(), types.StringUnknown()}
	case s.Encrypted.IsNull():
		return Secret{types.StringUnknown(), types.StringNull()}
	}
	// A rotation that depends on an unknown value may not happen, and then the encrypted text is kept.
	return Secret{types.StringUnknown(), types.StringUnknown()}
}

// Stored returns the values of the secret s for the state: with recipients, its clear text is encrypted and removed.
//
// Encryption fails only for recipients that Reject rejects before the request. If it fails nevertheless, the secret is
// not stored, which is only a warning: an error would taint a new object.
func (s Secret) Stored(recipients types.List, diags *diag.Diagnostics) Secret {
	s = Secret{value.Known(s.Clear), value.Known(s.Encrypted)}
	if s.Clear.IsNull() || len(recipients.Elements()) == 0 {
		return s
	}
	text, err := encrypt(s.Clear.ValueString(), texts(recipients))
	if err != nil {
		diags.AddAttributeWarning(path.Root(Argument), "A new secret could not be encrypted",
			fmt.Sprintf("The API returned a secret, and encrypting it failed: %s. It is not stored in the state, because it "+
				"would be in clear text. Correct age_recipients, then rotate to get a new secret.", err))
		return Secret{types.StringNull(), types.StringNull()}
	}
	return Secret{types.StringNull(), types.StringValue(text)}
}

// Reject reports invalid recipients if the apply encrypts something. It is called before the request that returns a
// secret, for values that were unknown during validation.
func (s Secret) Reject(recipients types.List, diags *diag.Diagnostics) {
	if s.Encrypted.IsUnknown() {
		checkRecipients(path.Root(Argument), recipients, diags)
	}
}

// Names are the names in messages about an object.
type Names struct {
	// Object names the object inside a sentence.
	Object string
	// Clear and Encrypted are the attributes, and Trigger the argument that rotates the secret.
	Clear, Encrypted, Trigger string
}

// Warn reports that a change of recipients does not affect the already encrypted secret s in state. had are the
// recipients in state, has those in the plan, possibly unknown.
func (s Secret) Warn(had, has types.List, names Names, diags *diag.Diagnostics) {
	if s.Encrypted.IsNull() || !has.IsUnknown() && sameRecipients(had, has) {
		return
	}
	if len(has.Elements()) == 0 && !has.IsUnknown() {
		diags.AddAttributeWarning(path.Root(Argument), "The encrypted secret of "+names.Object+" stays encrypted",
			fmt.Sprintf("The state contains only the encrypted secret, which the provider cannot decrypt: %s is kept and %s "+
				"stays null until a rotation stores a new secret in clear text. To rotate, change a value in %s.",
				names.Encrypted, names.Clear, names.Trigger))
		return
	}
	diags.AddAttributeWarning(path.Root(Argument), "The encrypted secret of "+names.Object+" keeps its recipients",
		fmt.Sprintf("The state contains only the encrypted secret, so it cannot be encrypted again: only its previous "+
			"recipients can decrypt %s until a rotation. To rotate, change a value in %s.", names.Encrypted, names.Trigger))
}

// sameRecipients reports whether two lists have the same recipients, ignoring order and repetition.
func sameRecipients(a, b types.List) bool {
	all := func(list types.List) []string { return slices.Compact(slices.Sorted(slices.Values(texts(list)))) }
	return slices.Equal(all(a), all(b))
}

func texts(list types.List) []string {
	all := make([]string, 0, len(list.Elements()))
	for _, element := range list.Elements() {
		if s, ok := element.(types.String); ok {
			all = append(all, s.ValueString())
		}
	}
	return all
}

// Recipients is the argument. secret and encrypted are the attributes for the clear and the encrypted text.
func Recipients(secret, encrypted string) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, Computed: true, ElementType: types.StringType,
		Default: listdefault.StaticValue(None), Validators: []validator.List{publicKeys{"age public keys"}},
		MarkdownDescription: fmt.Sprintf("Public keys of [age](https://age-encryption.org), `age1…` or all "+
			"`age1pq1…`. If set, the state contains `%s` instead of `%s`; the next apply encrypts clear text in the state. "+
			"Defaults to `[]`. New recipients apply from the next rotation.", encrypted, secret)}
}

// Encrypted is the attribute with the encrypted text of the attribute secret.
func Encrypted(secret string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true,
		MarkdownDescription: fmt.Sprintf("`%s`, encrypted to `age_recipients`: an ASCII-armored age file, which "+
			"`age -d` decrypts. Null after an import, and null if `age_recipients` is unset; an already "+
			"encrypted value stays until the next rotation.", secret)}
}

// publicKeys validates that each element is an age public key, and that all of them can be used together.
type publicKeys struct{ check.Described }

func (publicKeys) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	checkRecipients(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// checkRecipients reports each known element that is not a recipient, and recipients that cannot be combined.
func checkRecipients(at path.Path, recipients types.List, diags *diag.Diagnostics) {
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
			detail := fmt.Sprintf("%s: %s.", check.PathName(element), err)
			located.AddAttributeError(element, "Invalid age recipient", detail)
			bare.AddError("Invalid age recipient", detail)
			secret = secret || errors.Is(err, errPrivateKey) || errors.Is(err, errForeign)
		}
	}
	// With a path, Terraform shows the line of the configuration, including a secret in it.
	if secret {
		located = bare
	}
	if diags.Append(located...); located.HasError() || !known || len(recipients.Elements()) == 0 {
		return
	}
	if err := writeTo(io.Discard, "", texts(recipients)); err != nil {
		diags.AddAttributeError(at, "Incompatible age recipients",
			fmt.Sprintf("%s: the recipients cannot be combined: %s. Post-quantum recipients (age1pq1…) cannot be combined "+
				"with others, because the encryption would be as weak as the others. Write one kind "+
				"only.", check.PathName(at), err))
	}
}
