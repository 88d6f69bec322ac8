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

// encrypt returns text as an ASCII-armored age file for the recipients.
func encrypt(text string, recipients []string) (string, error) {
	var file strings.Builder
	armored := armor.NewWriter(&file)
	if err := writeTo(armored, text, recipients); err != nil {
		return "", err
	}
	if err := armored.Close(); err != nil {
		return "", err
	}
	return file.String(), nil
}

func writeTo(file io.Writer, text string, recipients []string) error {
	parsed := make([]age.Recipient, len(recipients))
	for i, recipient := range recipients {
		var err error
		if parsed[i], err = parse(recipient); err != nil {
			return err
		}
	}
	w, err := age.Encrypt(file, parsed...)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return w.Close()
}

// Errors about a text that is, or may be, secret. They do not repeat it.
var (
	errPrivateKey = errors.New("this is a private key. Write its public key, age1…, which `age-keygen -y` prints. " +
		"Consider the private key compromised if the configuration is stored or shared")
	errForeign = errors.New("it is not an age public key, which begins with age1. The value is not shown, because it " +
		"may be secret")
)

// parse parses a public key. Its error never contains the text, which may be secret.
func parse(text string) (recipient age.Recipient, err error) {
	kind, _, _ := strings.Cut(strings.TrimPrefix(text, "age1"), "1")
	switch upper := strings.ToUpper(text); {
	case strings.Contains(upper, "AGE-SECRET-KEY-") || strings.Contains(upper, "AGE-PLUGIN-") ||
		strings.Contains(upper, "PRIVATE KEY"):
		return nil, errPrivateKey
	case strings.TrimSpace(text) == "":
		return nil, errors.New("it is empty. Remove the element or write a public key, age1…")
	case strings.HasPrefix(text, "ssh-"):
		return nil, errors.New("it is an SSH key. Write an age public key, age1…, which `age-keygen` creates")
	case !strings.HasPrefix(strings.TrimSpace(text), "age1"):
		return nil, errForeign
	case strings.TrimSpace(text) != text:
		return nil, errors.New("it begins or ends with white space. Remove it, for the content of a file with trimspace(…)")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil,
			errors.New("it contains white space or another character that is not allowed in a public key. Write one key per " +
				"element")
	case kind == "pq":
		recipient, err = age.ParseHybridRecipient(text)
	case strings.Count(text, "1") > 1:
		return nil,
			errors.New("it is a public key of an age plugin, but the provider does not run plugins. Write one created by " +
				"`age-keygen`: age1…, or age1pq1… with -pq")
	default:
		recipient, err = age.ParseX25519Recipient(text)
	}
	if err != nil {
		// The library's error contains the text.
		return nil, errors.New("it is not an age public key. Compare it with the output of `age-keygen -y`")
	}
	return recipient, nil
}

// largest is the maximum size of a decrypted text in bytes.
const largest = 1 << 20

// magic is the beginning of an age file that is not armored.
const magic = "age-encryption.org/"

// Identities returns the private keys of an identity file: one per line, with comments. Errors do not contain keys.
func Identities(text string) ([]age.Identity, error) {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		upper := strings.ToUpper(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(upper, "AGE-PLUGIN-"):
			return nil, errors.New("it is an identity of an age plugin, but the provider does not run plugins. Use one " +
				"created by age-keygen, AGE-SECRET-KEY-…")
		case strings.HasPrefix(upper, "AGE1"):
			return nil, errors.New("it is a public key (a recipient), which only encrypts. Use its private key, " +
				"AGE-SECRET-KEY-…, from the file written by age-keygen")
		case strings.HasPrefix(line, armor.Header):
			return nil, errors.New("it is an age file, not an identity. If it is an identity file with a passphrase, decrypt " +
				"it first; if the arguments are swapped, write the ciphertext first")
		case !strings.HasPrefix(upper, "AGE-SECRET-KEY-"):
			return nil, errors.New("it is not an age identity, which begins with AGE-SECRET-KEY-. The value is not shown, " +
				"because it may be secret")
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, errors.New("it contains no age identity. Use the content of the file written by age-keygen, or its " +
			"line AGE-SECRET-KEY-…")
	}
	identities, err := age.ParseIdentities(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return nil, errors.New("it begins like an age identity, but is damaged: a character is wrong or missing. The " +
			"value is not shown, because it is secret")
	}
	return identities, nil
}

// Decrypt returns the text of an age file, ASCII-armored or in Base64.
func Decrypt(file string, identities []age.Identity) (string, error) {
	raw, err := reading(strings.TrimSpace(file))
	if err != nil {
		return "", err
	}
	decrypted, err := age.Decrypt(raw, identities...)
	var mismatch *age.NoIdentityMatchError
	switch {
	case errors.As(err, &mismatch):
		return "", errors.New("it was encrypted for other recipients: the identity does not decrypt it. Encrypted values " +
			"keep their recipients when age_recipients changes")
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
		return "", errors.New("its content is not UTF-8 text, as required for a Terraform string")
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
		return nil, errors.New("it is an age identity, not an age file. Write the ciphertext first and the identity " +
			"second. The value is not shown, because it is secret")
	}
	return nil, fmt.Errorf("it is not an age file. An age file begins with %q or is the Base64 of a binary one. The "+
		"value is "+
		"not shown, because it may be secret", armor.Header)
}
