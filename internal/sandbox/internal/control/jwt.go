package control

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// jwtHeader is that of every token the sandbox issues.
const jwtHeader = `{"alg":"HS512","typ":"JWT"}`

// jwtClaims are what a token of financial management says.
type jwtClaims struct {
	ID           string `json:"jti"`
	Organization string `json:"sub"`
	Issued       int64  `json:"iat"`
	Expires      *int64 `json:"exp,omitempty"` // seconds since 1970; nil: never
	Scope        string `json:"scope"`         // separated by spaces
}

// mintJWT makes a token of financial management: a JWT signed with HS512
// (service description, Financial management §5).
func (s *Control) mintJWT(id string, t server.Token) (string, error) {
	claims := jwtClaims{
		ID: id, Organization: t.Organization, Issued: s.Clock.Now().Unix(), Scope: strings.Join(t.Scopes, " "),
	}
	if !t.Expires.IsZero() {
		claims.Expires = new(t.Expires.Unix())
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode claims: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(jwtHeader)) + "." + encode(payload)
	return signed + "." + encode(s.signJWT(signed)), nil
}

func (s *Control) signJWT(signed string) []byte {
	mac := hmac.New(sha512.New, []byte(s.Bootstrap.SigningKey))
	mac.Write([]byte(signed))
	return mac.Sum(nil)
}

// ReadJWT verifies a token by its signature alone, as a service does that keeps
// no list of them; the list only says which are revoked. Whether it has expired
// is for the caller to see.
func (s *Control) ReadJWT(tx *store.Tx, value string) (server.StoredToken, bool) {
	parts := strings.Split(value, ".")
	if len(parts) != 3 {
		return server.StoredToken{}, false
	}
	var header struct {
		Algorithm string `json:"alg"`
	}
	var claims jwtClaims
	decode := base64.RawURLEncoding.Strict().DecodeString
	signature, err := decode(parts[2])
	if err != nil || !hmac.Equal(signature, s.signJWT(parts[0]+"."+parts[1])) {
		return server.StoredToken{}, false
	}
	for i, into := range []any{&header, &claims} {
		text, err := decode(parts[i])
		if err != nil || json.Unmarshal(text, into) != nil {
			return server.StoredToken{}, false
		}
	}
	if _, ok := s.Organizations.Get(tx, claims.Organization); !ok || header.Algorithm != "HS512" {
		return server.StoredToken{}, false
	}
	listed, _ := s.tokens.Get(tx, server.Digest(value))
	// An empty scope is one that covers nothing: a token without scopes would have all.
	token := server.StoredToken{Prefix: jwtPrefix + claims.ID, Token: server.Token{
		Service: server.Finance, Organization: claims.Organization,
		Scopes: strings.Split(claims.Scope, " "), Revoked: listed.Revoked, Blocked: listed.Blocked,
	}}
	if claims.Expires != nil {
		token.Expires = time.Unix(*claims.Expires, 0)
	}
	return token, true
}
