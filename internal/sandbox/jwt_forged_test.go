package sandbox_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const headerHS512 = `{"alg":"HS512","typ":"JWT"}`

var segment = base64.RawURLEncoding

// signed is a JWT signed with a key by a hash.
func signed(algorithm func() hash.Hash, key, header, payload string) string {
	text := segment.EncodeToString([]byte(header)) + "." + segment.EncodeToString([]byte(payload))
	mac := hmac.New(algorithm, []byte(key))
	mac.Write([]byte(text))
	return text + "." + segment.EncodeToString(mac.Sum(nil))
}

// payloadOf is what a token says.
func payloadOf(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	payload, err := segment.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}

// Financial management §5: a JWT signed with HS512, anything else is 401.
func TestForgedJWTs(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := book(t, server)
	good, key := c.token, server.SigningKey()
	payload := payloadOf(t, good)
	parts := strings.Split(good, ".")
	fraud := segment.EncodeToString([]byte(strings.Replace(payload, `"jti":"`, `"jti":"x`, 1)))
	last := strings.Index("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", parts[2][len(parts[2])-1:])
	for name, token := range map[string]string{
		"alg none":                     segment.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		"alg none, its signature left": segment.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "." + parts[2],
		"alg none, signed":             server.SignJWT(`{"alg":"none"}`, payload),
		"HS256":                        signed(sha256.New, key, `{"alg":"HS256","typ":"JWT"}`, payload),
		"HS256 that says HS512":        signed(sha256.New, key, headerHS512, payload),
		"HS384":                        signed(sha512.New384, key, `{"alg":"HS384","typ":"JWT"}`, payload),
		"RS256, signed as HS512":       server.SignJWT(`{"alg":"RS256","typ":"JWT"}`, payload),
		"alg in lower case":            server.SignJWT(`{"alg":"hs512","typ":"JWT"}`, payload),
		"no alg":                       server.SignJWT(`{"typ":"JWT"}`, payload),
		"a header that is no JSON":     server.SignJWT(`HS512`, payload),
		"another key":                  signed(sha512.New, key+"x", headerHS512, payload),
		"no key":                       signed(sha512.New, "", headerHS512, payload),
		"a changed payload":            parts[0] + "." + fraud + "." + parts[2],
		"no signature":                 parts[0] + "." + parts[1] + ".",
		"a truncated signature":        good[:len(good)-4],
		"two parts":                    parts[0] + "." + parts[1],
		"one part":                     parts[0],
		"four parts":                   good + "." + parts[2],
		"a fourth, empty part":         good + ".",
		"padding":                      good + "==",
		"the alphabet of other base64": parts[0] + "." + parts[1] + "." + standard(t, parts[2]),
		"other bits after the last byte": good[:len(good)-1] +
			string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[last^1]),
		"another organization":      server.SignJWT(headerHS512, strings.Replace(payload, server.Organization().ID, plan, 1)),
		"no organization":           server.SignJWT(headerHS512, `{"jti":"1","scope":"*"}`),
		"a payload that is no JSON": server.SignJWT(headerHS512, `*`), "a payload that is a list": server.SignJWT(headerHS512,
			`[`+payload+`]`),
		"an expiry that is no number":  server.SignJWT(headerHS512, strings.Replace(payload, `{`, `{"exp":"never",`, 1)),
		"an expiry of 1970":            server.SignJWT(headerHS512, strings.Replace(payload, `{`, `{"exp":0,`, 1)),
		"a token of recurring billing": server.BillingToken(),
		"a key of collections":         server.CollectionsKey(),
		"the token of another sandbox": start(t, sandbox.Options{Organization: server.Organization()}).FinanceToken(),
		"the token's name in the request": "jwt_sandbox_" + strings.SplitN(strings.TrimPrefix(payload, `{"jti":"`), `"`,
			2)[0],
	} {
		if token == good {
			t.Errorf("%s: the token is the good one", name)
		}
		if r := c.with(token).do("GET", "/v1/accounts", ""); r.status != 401 || r.text("error", "code") != "invalid_token" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	c.do("GET", "/v1/accounts", "").want(200)
	c.with(server.SignJWT(headerHS512, payload)).do("GET", "/v1/accounts", "").want(200)
}

// standard is a segment in the alphabet of other base64, from which it differs
// in - and _ only.
func standard(t *testing.T, text string) string {
	t.Helper()
	changed := strings.NewReplacer("-", "+", "_", "/").Replace(text)
	if changed == text { // 86 characters have neither once in 15 signatures
		return "+" + text[1:]
	}
	return changed
}
