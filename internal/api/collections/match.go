package collections

import (
	"net/url"
	"strings"
)

// SameURL compares addresses of consumers. Scheme, host and default port are compared after normalization, path and
// query exactly.
func SameURL(a, b string) bool { return normalURL(a) == normalURL(b) }

func normalURL(raw string) string {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return raw
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":443")
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment = ""
	return u.String()
}
