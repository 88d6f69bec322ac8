package encrypt

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// largest bounds the bytes of a decrypted text.
const largest = 1 << 20

// magic begins an age file that is not armored.
const magic = "age-encryption.org/"

// Identities returns the private keys of an identity file: one in each line, next to comments. No error repeats a key.
func Identities(text string) ([]age.Identity, error) {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		upper := strings.ToUpper(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(upper, "AGE-PLUGIN-"):
			return nil, errors.New("it is an identity of an age plugin, and the provider runs no plugins. Use one that " +
				"age-keygen creates, AGE-SECRET-KEY-…")
		case strings.HasPrefix(upper, "AGE1"):
			return nil, errors.New("it is a public key (a recipient), which only encrypts. Use the private key that " +
				"belongs to it, AGE-SECRET-KEY-…, from the file that age-keygen has written")
		case strings.HasPrefix(line, armor.Header):
			return nil, errors.New("it is an age file and not an identity. Where it is an identity file with a passphrase, " +
				"decrypt it first; where the arguments are swapped, write the ciphertext first")
		case !strings.HasPrefix(upper, "AGE-SECRET-KEY-"):
			return nil, errors.New("it is not an age identity, which begins with AGE-SECRET-KEY-. The value is not shown, " +
				"because it may be secret")
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, errors.New("it contains no age identity. Use the content of the file that age-keygen has written, or " +
			"its line AGE-SECRET-KEY-…")
	}
	identities, err := age.ParseIdentities(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return nil, errors.New("it begins as an age identity does, and is damaged: a character is wrong or missing. The " +
			"value is not shown, because it is secret")
	}
	return identities, nil
}

// Decrypt returns the text of an age file, which is ASCII-armored, or in Base64.
func Decrypt(file string, identities []age.Identity) (string, error) {
	raw, err := reading(strings.TrimSpace(file))
	if err != nil {
		return "", err
	}
	decrypted, err := age.Decrypt(raw, identities...)
	var mismatch *age.NoIdentityMatchError
	switch {
	case errors.As(err, &mismatch):
		return "", errors.New("it was encrypted for other recipients: the identity does not decrypt it. What is encrypted " +
			"keeps its recipients when age_recipients changes")
	case err != nil:
		return "", fmt.Errorf("it is a damaged age file: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(decrypted, largest+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("it is a damaged age file: %w", err)
	case len(text) > largest:
		return "", fmt.Errorf("its content is larger than %d bytes", largest)
	case !utf8.Valid(text):
		return "", errors.New("its content is not UTF-8 text, which a string of Terraform is")
	}
	return string(text), nil
}

// reading returns the bytes of an age file.
func reading(file string) (io.Reader, error) {
	if strings.HasPrefix(file, armor.Header) {
		return armor.NewReader(strings.NewReader(file)), nil
	}
	if raw, err := base64.StdEncoding.DecodeString(file); err == nil && strings.HasPrefix(string(raw), magic) {
		return strings.NewReader(string(raw)), nil
	}
	if strings.Contains(strings.ToUpper(file), "AGE-SECRET-KEY-") {
		return nil, errors.New("it is an age identity and not an age file. Write the ciphertext first and the identity " +
			"second. The value is not shown, because it is secret")
	}
	return nil, fmt.Errorf("it is not an age file, which begins with %q or is the Base64 of a binary one. The value is "+
		"not shown, because it may be secret", armor.Header)
}
