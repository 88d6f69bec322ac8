package encrypt

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"filippo.io/age"
)

// TestDecrypt: each form of a file and of an identity gives the text, and every error says what is wrong and never
// repeats an identity.
func TestDecrypt(t *testing.T) {
	t.Parallel()
	pair, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	hybrid, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(text string, recipients ...string) string {
		file, err := encrypt(text, recipients)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	file, key := sealed("sk_é", pair.Recipient().String()), pair.String()
	var raw bytes.Buffer
	if err := writeTo(&raw, "sk_é", []string{pair.Recipient().String()}); err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	binary := base64.StdEncoding.EncodeToString(raw.Bytes())
	// The key and the file are random: what is put in must differ from what
	// was there.
	typo := key[:len(key)-1] + "A"
	if typo == key {
		typo = key[:len(key)-1] + "C"
	}
	changed := file[:200] + "AAAA" + file[204:]
	if changed == file {
		changed = file[:200] + "BBBB" + file[204:]
	}
	for name, c := range map[string]struct{ file, identity, says string }{
		"armored":              {file, key, ""},
		"Base64":               {binary, key, ""},
		"white space":          {"\n  " + file + "\n", "  " + key + "\r\n", ""},
		"an identity file":     {file, "# created: 2026-01-01\n# public key: age1…\n" + key + "\n", ""},
		"several":              {file, other.String() + "\n" + key, ""},
		"small letters":        {file, strings.ToLower(key), "damaged"},
		"post-quantum":         {sealed("sk_é", hybrid.Recipient().String()), hybrid.String(), ""},
		"the wrong one":        {file, other.String(), "encrypted for other recipients"},
		"a public key":         {file, pair.Recipient().String(), "public key"},
		"a plugin":             {file, "AGE-PLUGIN-YUBIKEY-1X", "plugin"},
		"a typing error":       {file, typo, "damaged"},
		"something else":       {file, "hunter2", "not an age identity"},
		"nothing":              {file, " \n# none\n", "no age identity"},
		"a file as identity":   {file, file, "not an identity"},
		"swapped":              {key, key, "not an age file. Write the ciphertext first"},
		"no file":              {"hunter2", key, "not an age file"},
		"an empty file":        {"", key, "not an age file"},
		"Base64 of other text": {base64.StdEncoding.EncodeToString([]byte("hunter2")), key, "not an age file"},
		"cut":                  {file[:len(file)/2], key, "damaged age file"},
		"changed":              {changed, key, ""},
		"no text":              {sealed("\xff", pair.Recipient().String()), key, "not UTF-8"},
		"too large":            {sealed(strings.Repeat("x", largest+1), pair.Recipient().String()), key, "larger than"},
	} {
		identities, err := Identities(c.identity)
		text := ""
		if err == nil {
			text, err = Decrypt(c.file, identities)
		}
		if name == "changed" {
			if err == nil || text != "" {
				t.Errorf("a changed file gives %q", text)
			}
			continue
		}
		switch {
		case c.says == "" && (err != nil || text != "sk_é"):
			t.Errorf("%s: %q, %v", name, text, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v", name, err)
		case err != nil && (strings.Contains(err.Error(), key[20:40]) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: the error repeats a secret: %v", name, err)
		}
	}
}
