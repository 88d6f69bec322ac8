package same

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Text reports whether two texts are one for a user: equal but for white space around them and their Unicode form.
// Identity is never a likeness: for what a service makes of a text that it was sent, see [Wording].
func Text(a, b string) bool { return a == b || plain(a) == plain(b) }

func plain(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// Contact is [Text] for an e-mail address, whose domain has no case, or a phone number.
func Contact(a, b string) bool { return a == b || contact(a) == contact(b) }

func contact(text string) string {
	text = plain(text)
	at := strings.LastIndexByte(text, '@') + 1
	if at == 0 {
		return text
	}
	return text[:at] + strings.ToLower(text[at:])
}

// URL is [Text] for an address: scheme and host have no case and one form of international names, and a default port or
// a slash at the end makes no difference.
func URL(a, b string) bool {
	if a == b {
		return true
	}
	one, isURL := address(a)
	other, areURLs := address(b)
	return isURL && areURLs && one == other
}

func address(text string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	u.Scheme = strings.ToLower(u.Scheme)
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		host = strings.ToLower(u.Hostname())
	}
	if port := u.Port(); port != "" && (u.Scheme != "https" || port != "443") {
		host += ":" + port
	}
	u.Host, u.Path, u.RawPath, u.Fragment = host, strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/"), ""
	return u.String(), true
}
