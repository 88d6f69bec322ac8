package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
)

// SignJWT signs a header and a payload, whatever they say, as the sandbox signs
// its own tokens.
func (s *Server) SignJWT(header, payload string) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode([]byte(payload))
	mac := hmac.New(sha512.New, []byte(s.SigningKey()))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}

// SigningKey is what the sandbox signs its tokens with.
func (s *Server) SigningKey() string { return s.bootstrap.SigningKey }

// Reset is what a user requests with `reset`.
func (s *Server) Reset(ctx context.Context) error { return s.reset(ctx) }
