package encrypt

import (
	"errors"
	"fmt"
	"io"
	"strings"

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

// What is wrong with a text that is, or may be, secret. No message repeats it.
var (
	errPrivateKey = errors.New("it is a private key, which decrypts. Write the public key that belongs to it, age1…, " +
		"which `age-keygen -y` prints. Regard the private key as disclosed if the configuration is stored or shared")
	errForeign = errors.New("it is not an age public key, which begins with age1. The value is not shown, because it " +
		"may be secret")
)

// parse returns the recipient of a public key, or an error that says what is wrong with it. The error repeats the text
// only if it begins as a public key does: anything else may be secret.
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
			errors.New("it contains white space or another character that no public key has. Write one key in each element")
	case kind == "pq":
		recipient, err = age.ParseHybridRecipient(text)
	case strings.Count(text, "1") > 1:
		return nil,
			fmt.Errorf("%q is a public key of the age plugin %q, and the provider runs no plugins. Write one that `age-keygen` "+
				"creates: age1…, or age1pq1… with -pq", text, kind)
	default:
		recipient, err = age.ParseX25519Recipient(text)
	}
	if err != nil {
		// The library repeats the text in front of the cause.
		cause := strings.TrimPrefix(err.Error(), fmt.Sprintf("malformed recipient %q: ", text))
		return nil, fmt.Errorf("%q is not an age public key: %s. Compare it with what `age-keygen -y` prints", text, cause)
	}
	return recipient, nil
}
