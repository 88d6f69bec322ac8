package encrypt

import (
	"io"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const secretText = "whsec_0123456789"

func list(recipients ...string) types.List {
	elements := make([]attr.Value, len(recipients))
	for i, r := range recipients {
		elements[i] = types.StringValue(r)
	}
	return types.ListValueMust(types.StringType, elements)
}

func identity(t *testing.T) *age.X25519Identity {
	t.Helper()
	i, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func hybrid(t *testing.T) *age.HybridIdentity {
	t.Helper()
	i, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func decrypt(text string, by age.Identity) (string, error) {
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(text)), by)
	if err != nil {
		return "", err
	}
	out, err := io.ReadAll(r)
	return string(out), err
}

// TestStored: every recipient decrypts what is stored, nobody else does, and no clear text is left.
func TestStored(t *testing.T) {
	t.Parallel()
	one, two, other, pq := identity(t), identity(t), identity(t), hybrid(t)
	for name, c := range map[string]struct {
		recipients types.List
		by         []age.Identity
	}{
		"one":          {list(one.Recipient().String()), []age.Identity{one}},
		"two":          {list(one.Recipient().String(), two.Recipient().String()), []age.Identity{one, two}},
		"one twice":    {list(one.Recipient().String(), one.Recipient().String()), []age.Identity{one}},
		"post-quantum": {list(pq.Recipient().String()), []age.Identity{pq}},
	} {
		var diags diag.Diagnostics
		stored := Secret{types.StringValue(secretText), types.StringNull()}.Stored(c.recipients, &diags)
		text := stored.Encrypted.ValueString()
		if !stored.Clear.IsNull() || strings.Contains(text, secretText) ||
			!strings.HasPrefix(text, "-----BEGIN AGE ENCRYPTED FILE-----\n") {
			t.Errorf("%s: stored %+v", name, stored)
		}
		for _, by := range c.by {
			if have, err := decrypt(text, by); have != secretText || err != nil {
				t.Errorf("%s: decrypted %q, %v", name, have, err)
			}
		}
		if _, err := decrypt(text, other); err == nil {
			t.Errorf("%s: another identity decrypts it", name)
		}
		if len(diags) != 0 {
			t.Error(name, diags)
		}
		// Encrypted text is never encrypted again.
		if again := stored.Stored(c.recipients, &diags); again != stored {
			t.Errorf("%s: %+v became %+v", name, stored, again)
		}
	}
}

// TestStoredWithoutRecipients: the secret stays as it is.
func TestStoredWithoutRecipients(t *testing.T) {
	t.Parallel()
	for _, none := range []types.List{None, types.ListNull(types.StringType)} {
		for _, s := range []Secret{
			{types.StringValue(secretText), types.StringNull()}, {types.StringNull(), types.StringValue("x")},
			{types.StringNull(), types.StringNull()},
		} {
			var diags diag.Diagnostics
			if have := s.Stored(none, &diags); have != s || len(diags) > 0 {
				t.Errorf("%+v became %+v, %v", s, have, diags)
			}
		}
	}
}

// TestStoredFails: what cannot be encrypted is not stored in clear text, and no message has it.
func TestStoredFails(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	have := Secret{types.StringValue(secretText), types.StringNull()}.Stored(list("age1x"), &diags)
	if !have.Clear.IsNull() || !have.Encrypted.IsNull() || diags.HasError() || len(diags) != 1 ||
		strings.Contains(diags[0].Detail(), secretText) {
		t.Errorf("stored %+v, %v", have, diags)
	}
}

// TestPlanned: a value is unknown only where the apply encrypts something, or may.
func TestPlanned(t *testing.T) {
	t.Parallel()
	null, unknown := types.StringNull(), types.StringUnknown()
	plain, sealed := Secret{types.StringValue(secretText), null}, Secret{null, types.StringValue("x")}
	nothing, both := Secret{null, null}, Secret{unknown, unknown}
	some := types.ListValueMust(types.StringType, []attr.Value{unknown})
	for name, c := range map[string]struct {
		state      Secret
		recipients types.List
		renewed    bool
		want       Secret
	}{
		"created, in clear":            {nothing, None, true, Secret{unknown, null}},
		"created, encrypted":           {nothing, list("r"), true, Secret{null, unknown}},
		"created, recipient unknown":   {nothing, some, true, Secret{null, unknown}},
		"created, recipients unknown":  {nothing, types.ListUnknown(types.StringType), true, both},
		"nothing new, in clear":        {plain, None, false, plain},
		"nothing new, encrypted":       {sealed, list("r"), false, sealed},
		"nothing new, nothing known":   {nothing, list("r"), false, nothing},
		"removed":                      {sealed, None, false, sealed},
		"added":                        {plain, list("r"), false, Secret{null, unknown}},
		"added, unknown":               {plain, types.ListUnknown(types.StringType), false, both},
		"changed, unknown":             {sealed, types.ListUnknown(types.StringType), false, sealed},
		"imported, unknown":            {nothing, types.ListUnknown(types.StringType), false, nothing},
		"rotated, in clear":            {plain, None, true, Secret{unknown, null}},
		"rotated, encrypted":           {sealed, list("r"), true, Secret{null, unknown}},
		"rotated, added":               {plain, list("r"), true, Secret{null, unknown}},
		"rotated, removed":             {sealed, None, true, both},
		"rotated, recipients unknown":  {sealed, types.ListUnknown(types.StringType), true, both},
		"rotated after an import":      {nothing, list("r"), true, Secret{null, unknown}},
		"nothing new, null recipients": {plain, types.ListNull(types.StringType), false, plain},
	} {
		if have := c.state.Planned(c.recipients, c.renewed); have != c.want {
			t.Errorf("%s: planned %+v, want %+v", name, have, c.want)
		}
	}
}

// TestRecipients: each element that is not a recipient is reported by its index, with what is wrong.
func TestRecipients(t *testing.T) {
	t.Parallel()
	key, pq := identity(t), hybrid(t)
	public := key.Recipient().String()
	for name, c := range map[string]struct {
		recipients types.List
		says       []string
	}{
		"valid":        {list(public, public, identity(t).Recipient().String()), nil},
		"post-quantum": {list(pq.Recipient().String(), hybrid(t).Recipient().String()), nil},
		"empty list":   {None, nil},
		"no list":      {types.ListNull(types.StringType), nil},
		"unknown list": {types.ListUnknown(types.StringType), nil},
		"unknown element": {types.ListValueMust(types.StringType,
			[]attr.Value{types.StringUnknown(), types.StringValue(public)}), nil},
		"mixed": {list(public, pq.Recipient().String()),
			[]string{"Incompatible age recipients", "age_recipients: the recipients cannot be combined"}},
		"null": {types.ListValueMust(types.StringType, []attr.Value{types.StringNull()}),
			[]string{"age_recipients[0]: it is null"}},
		"empty":             {list(public, ""), []string{"age_recipients[1]: it is empty"}},
		"secret, line feed": {list("hunter2\n"), []string{"is not an age public key", "not shown"}},
		"line feed": {list(public + "\n"),
			[]string{"age_recipients[0]: it begins or ends with white space", "trimspace"}},
		"two in one": {list(public + "\n" + public), []string{"contains white space", "one key per element"}},
		"mistyped": {list(public, public[:len(public)-1]+"b"),
			[]string{"age_recipients[1]", "is not an age public key"}},
		"too short":    {list("age1qqqq"), []string{"is not an age public key"}},
		"upper case":   {list(strings.ToUpper(public)), []string{"begins with age1"}},
		"plugin":       {list("age1yubikey1qwerty"), []string{"of an age plugin", "age-keygen"}},
		"SSH key":      {list("ssh-ed25519 AAAAC3"), []string{"SSH key"}},
		"another text": {list("hunter2-hunter2"), []string{"is not an age public key", "not shown"}},
		"beside an unknown": {types.ListValueMust(types.StringType,
			[]attr.Value{types.StringUnknown(), types.StringValue("x")}), []string{"age_recipients[1]"}},
		"two that are wrong": {list("", "age1x"), []string{"age_recipients[0]", "age_recipients[1]"}},
	} {
		resp := &validator.ListResponse{}
		publicKeys{}.ValidateList(t.Context(), validator.ListRequest{Path: path.Root(Argument), ConfigValue: c.recipients},
			resp)
		var said strings.Builder
		for _, d := range resp.Diagnostics {
			said.WriteString(d.Summary() + ": " + d.Detail() + "\n")
		}
		if (said.Len() > 0) != (len(c.says) > 0) || strings.Contains(said.String(), "hunter2") {
			t.Errorf("%s: %s", name, said.String())
		}
		for _, part := range c.says {
			if !strings.Contains(said.String(), part) {
				t.Errorf("%s: %q does not say %q", name, said.String(), part)
			}
		}
	}
}

// TestPrivateKey: a private key is rejected as one, and neither the message nor the line that Terraform would show has
// it.
func TestPrivateKey(t *testing.T) {
	t.Parallel()
	key, pq := identity(t), hybrid(t)
	file := "# created: 2026-01-01T00:00:00Z\n# public key: " + key.Recipient().String() + "\n" + key.String() + "\n"
	for name, text := range map[string]string{
		"key": key.String(), "lower case": strings.ToLower(key.String()), "post-quantum": pq.String(), "key file": file,
		"plugin": "AGE-PLUGIN-YUBIKEY-1QWERTY", "SSH": "-----BEGIN OPENSSH PRIVATE KEY-----\nqwerty",
	} {
		var diags diag.Diagnostics
		// The mistake next to it may be written on the same line.
		checkRecipients(path.Root(Argument), list("age1oops", text), &diags)
		if len(diags) != 2 || !diags.HasError() {
			t.Fatalf("%s: %v", name, diags)
		}
		detail := diags[0].Detail() + diags[1].Detail()
		for _, d := range diags {
			if _, located := d.(diag.DiagnosticWithPath); located {
				t.Errorf("%s: Terraform shows the line of %s", name, d.Detail())
			}
		}
		if !strings.Contains(detail, "age_recipients[1]: this is a private key") {
			t.Errorf("%s: %s", name, detail)
		}
		for _, secret := range []string{key.String(), pq.String(), strings.ToLower(key.String()), "QWERTY", "qwerty"} {
			if strings.Contains(detail, secret) {
				t.Errorf("%s: the message repeats the key", name)
			}
		}
	}
}

// TestReject: recipients are checked again only where something is encrypted.
func TestReject(t *testing.T) {
	t.Parallel()
	for planned, errors := range map[types.String]int{types.StringUnknown(): 1, types.StringNull(): 0,
		types.StringValue("x"): 0} {
		var diags diag.Diagnostics
		Secret{types.StringNull(), planned}.Reject(list("age1x"), &diags)
		if diags.ErrorsCount() != errors {
			t.Errorf("%s: %v", planned, diags)
		}
	}
}

// TestWarn: only other recipients of an encrypted secret are worth a warning.
func TestWarn(t *testing.T) {
	t.Parallel()
	sealed, names := Secret{types.StringNull(), types.StringValue("x")},
		Names{"key 1", "token", "encrypted_token", "trigger"}
	for name, c := range map[string]struct {
		secret   Secret
		had, has types.List
		says     string
	}{
		"changed":  {sealed, list("a"), list("b"), "To rotate, change a value in trigger."},
		"one more": {sealed, list("a"), list("a", "b"), "cannot be encrypted again"},
		"removed": {sealed, list("a"), None,
			"encrypted_token is kept and token stays null until a rotation stores a new secret in clear text."},
		"order":           {sealed, list("a", "b"), list("b", "a", "a"), ""},
		"unknown":         {sealed, list("a"), types.ListUnknown(types.StringType), "only its previous recipients"},
		"none, as before": {sealed, types.ListNull(types.StringType), None, ""},
		"in clear":        {Secret{types.StringValue(secretText), types.StringNull()}, None, list("a"), ""},
		"nothing known":   {Secret{types.StringNull(), types.StringNull()}, list("a"), list("b"), ""},
	} {
		var diags diag.Diagnostics
		c.secret.Warn(c.had, c.has, names, &diags)
		if (len(diags) > 0) != (c.says != "") || len(diags) > 0 && !strings.Contains(diags[0].Detail(), c.says) ||
			diags.HasError() {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
