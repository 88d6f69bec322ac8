package collections

import (
	"net/url"
	"strings"
)

// SameURL compares addresses of consumers. Scheme, host and a default port compare as
// they are resolved; path and query are the consumer's own, and compare as they are
// written.
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
