package sandbox

import "encoding/base64"

// SignJWT signs a header and a payload, whatever they say, as the sandbox signs
// its own tokens.
func (s *Server) SignJWT(header, payload string) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode([]byte(payload))
	return signed + "." + encode(s.signJWT(signed))
}

// SigningKey is what the sandbox signs its tokens with.
func (s *Server) SigningKey() string { return s.bootstrap.SigningKey }
