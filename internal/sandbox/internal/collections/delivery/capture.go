package delivery

import (
	"net/http"
	"slices"
	"strings"
)

// Redacted replaces a sensitive value
// (service description, Collections §2 Delivery record).
const Redacted = "[REDACTED]"

// maxCapture bounds what is kept of a response's body, in bytes.
const maxCapture = 16 << 10

// scrubber takes secrets out of what is kept of an exchange.
type scrubber struct {
	replace *strings.Replacer
	longest int // secret, in bytes
}

// newScrubber leaves empty secrets alone: they would match everywhere.
func newScrubber(secrets ...string) scrubber {
	secrets = slices.DeleteFunc(secrets, func(secret string) bool { return secret == "" })
	// The longest first, so that none is left over because a part of it was
	// another one.
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range secrets {
		pairs = append(pairs, secret, Redacted)
	}
	longest := 0
	if len(secrets) > 0 {
		longest = len(secrets[0])
	}
	return scrubber{strings.NewReplacer(pairs...), longest}
}

func (s scrubber) text(text string) string {
	return s.replace.Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

// headers captures headers, the values of the sensitive ones redacted whole.
func (s scrubber) headers(header http.Header, sensitive ...string) map[string]string {
	captured := map[string]string{}
	for name, values := range header {
		captured[name] = s.text(strings.Join(values, ", "))
		if slices.Contains(sensitive, name) {
			captured[name] = Redacted
		}
	}
	return captured
}

// body captures a body; one that was cut short says so, and loses its end,
// which may be the beginning of a secret.
func (s scrubber) body(content []byte, cut bool) string {
	text := s.replace.Replace(string(content))
	if cut {
		text = text[:max(len(text)-s.longest, 0)] + "\n[truncated]"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
