package server

import "strings"

// Administration is the scope that managing API keys needs; empty scopes do
// not include it (wire contract: a key with empty scopes).
const Administration = "api_keys:*"

// Covers reports whether a scope grants a permission. A scope is a pattern, in
// which every * matches any text (service description, Collections §5).
func Covers(scope, permission string) bool {
	parts := strings.Split(scope, "*")
	if len(parts) == 1 {
		return scope == permission
	}
	rest, ok := strings.CutPrefix(permission, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}
