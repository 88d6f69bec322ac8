package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const masked = "(masked)"

// secretText matches secrets in any text: webhook secrets, JWTs, bearer tokens and Authorization headers.
var secretText = regexp.MustCompile(`whsec_[A-Za-z0-9+/=_-]+` +
	`|eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*` +
	`|(?i:\bbearer\s+[A-Za-z0-9._~+/=-]{20,})` +
	`|(?i:\bauthorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?[^\s"',;]+)`)

// newSecrets masks known secrets, the longest first, because one may be a prefix of another.
func newSecrets(known ...string) *strings.Replacer {
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range known {
		if secret != "" {
			pairs = append(pairs, secret, masked)
		}
	}
	return strings.NewReplacer(pairs...)
}

// MaskJSON returns a JSON body for a log, with every secret masked: the values of keys for secrets (token, secret,
// password, authorization, api_key and their compounds), all values in an authentication object, and texts that look
// like secrets. It also masks JSON text in strings. Keys are sorted, and numbers unchanged. For a body that is not
// JSON, it returns only the length.
func MaskJSON(body []byte) string {
	value, err := decodeAny(body)
	if err != nil {
		return fmt.Sprintf("[%d bytes not JSON]", len(body))
	}
	return encodeMasked(maskValue(value, false))
}

func decodeAny(body []byte) (any, error) {
	if tooDeep(body) {
		return nil, errTooDeep
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errMalformed
	}
	return value, nil
}

// maskSecrets masks known secrets in all strings and keys of a decoded value.
func maskSecrets(value any, scrub func(string) string) any {
	switch v := value.(type) {
	case map[string]any:
		shown := make(map[string]any, len(v))
		for key, inner := range v {
			shown[scrub(key)] = maskSecrets(inner, scrub)
		}
		return shown
	case []any:
		for i := range v {
			v[i] = maskSecrets(v[i], scrub)
		}
	case string:
		return scrub(v)
	}
	return value
}

// escape matches an ASCII character as JSON, or JSON in JSON, may escape it.
var escape = regexp.MustCompile(`\\+(?:u00([0-7][0-9a-fA-F])|([/"]))`)

// unescaped returns a text without such escapes.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(match string) string {
		found := escape.FindStringSubmatch(match)
		if code, err := strconv.ParseUint(found[1], 16, 8); err == nil {
			return string(rune(code))
		}
		return found[2]
	})
}

func encodeMasked(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "[cannot be shown]"
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func maskValue(value any, authentication bool) any {
	switch v := value.(type) {
	case map[string]any:
		return maskObject(v, authentication)
	case []any:
		for i := range v {
			v[i] = maskValue(v[i], authentication)
		}
	case string:
		return maskString(v)
	}
	return value
}

// maskObject returns a new map, because a key can contain a secret too.
func maskObject(object map[string]any, authentication bool) map[string]any {
	shown := make(map[string]any, len(object))
	for key, value := range object {
		name := normalKey(key)
		switch {
		case value == nil:
		case isSecretKey(name), authentication && name == "value":
			value = masked
		default:
			value = maskValue(value, authentication || name == "authentication")
		}
		shown[maskText(key)] = value
	}
	return shown
}

// maskString masks JSON text in a string, such as the body in a delivery.
func maskString(text string) string {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if value, err := decodeAny([]byte(trimmed)); err == nil {
			return encodeMasked(maskValue(value, false))
		}
	}
	return maskText(text)
}

// maskText first looks for the prefixes of secrets, because the regular expression is slow and few texts contain a
// secret.
func maskText(text string) string {
	lower := strings.ToLower(text)
	for _, start := range []string{"whsec_", "eyj", "bearer", "authorization"} {
		if strings.Contains(lower, start) {
			return secretText.ReplaceAllString(text, masked)
		}
	}
	return text
}

var keyNoise = strings.NewReplacer("_", "", "-", "", " ", "")

// normalKey returns the same text for api_key, apiKey and X-Api-Key.
func normalKey(key string) string { return keyNoise.Replace(strings.ToLower(key)) }

// isSecretKey checks the end of a normalized key, so that it matches accessToken and webhook_secret, but not
// key_prefix.
func isSecretKey(name string) bool {
	for _, end := range []string{
		"token", "tokens", "secret", "secrets", "password", "passphrase", "authorization",
		"apikey", "privatekey", "credential", "credentials", "cookie",
	} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
