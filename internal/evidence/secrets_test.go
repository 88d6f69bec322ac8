package evidence_test

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"testing"
)

var (
	// secretForm matches secrets, which must not remain once placeholders are removed.
	secretForm = regexp.MustCompile(
		`(?i)(bearer|basic) |"authorization"|"x-gateway-key":|whsec_|"token"|"secret"|password|"type":"header"[^}]*"value"`)
	// placeholder matches a member with the name of a secret and an obviously invented value, in the service's format.
	placeholder = regexp.MustCompile(
		`"(?:secret|token|password|value|Authorization|X-Gateway-Key)":"(?:Bearer |[a-z]+:)?(?:whsec_|key_)?EXAMPLE\w*(?:-\w+)*",?`)
	basicForm = regexp.MustCompile(`Basic ([A-Za-z0-9+/]+=*)`)
)

// findSecret returns a part of a JSON text that looks like a secret, or nil.
func findSecret(raw []byte) []byte {
	// A delivered body is in the evidence as text.
	readable := bytes.ReplaceAll(raw, []byte(`\"`), []byte(`"`))
	readable = basicForm.ReplaceAllFunc(readable, func(match []byte) []byte {
		pair, err := base64.StdEncoding.DecodeString(string(basicForm.FindSubmatch(match)[1]))
		if err != nil {
			return match
		}
		return pair
	})
	return secretForm.Find(placeholder.ReplaceAll(readable, nil))
}

func checkNoSecret(t *testing.T, raw []byte) {
	t.Helper()
	if secret := findSecret(raw); secret != nil {
		t.Errorf("contains text that looks like a secret: %q", secret)
	}
}

// TestSecretsAreFound checks that secrets other than the placeholders are found.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	for raw, secret := range map[string]bool{
		`{"secret":"whsec_EXAMPLE_not_a_secret_0001","id":"1"}`:                           false,
		`{"secret":"whsec_9fK2mPq7"}`:                                                     true,
		`{"note":"whsec_EXAMPLE_not_a_secret_0001"}`:                                      true,
		`{"secret":"whsec_EXAMPLE_not_a_secret_0001","old":"whsec_9fK2mPq7"}`:             true,
		`{"token":"key_EXAMPLE01_not_a_token"}`:                                           false,
		`{"token":"key_9fK2mPq7"}`:                                                        true,
		`{"type":"basic","username":"ana","password":"EXAMPLE-not-a-password"}`:           false,
		`{"type":"basic","username":"ana","password":"ana123"}`:                           true,
		`{"type":"header","name":"X-Gateway-Key","value":"EXAMPLE-not-a-credential"}`:     false,
		`{"type":"header","name":"X-Gateway-Key","value":"9fK2mPq7"}`:                     true,
		`{"Authorization":"Bearer EXAMPLE-not-a-token"}`:                                  false,
		`{"Authorization":"Bearer 9fK2mPq7"}`:                                             true,
		`{"Authorization":"Basic aW50ZWdyYWNhbzpFWEFNUExFLW5vdC1hLXBhc3N3b3Jk"}`:          false,
		`{"Authorization":"Basic YW5hOmFuYTEyMw=="}`:                                      true,
		`{"body":"{\"data\":{\"token\":\"9fK2mPq7\"}}"}`:                                  true,
		`{"X-Gateway-Key":"9fK2mPq7"}`:                                                    true,
		`{"phones":[{"kind":"mobile","value":"+55 19 99812-4407"}],"keyPrefix":"key_9f"}`: false,
	} {
		if found := findSecret([]byte(raw)); (found != nil) != secret {
			t.Errorf("%s\nfound %q", raw, found)
		}
	}
}
