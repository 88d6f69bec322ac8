// Package same reports whether two texts of the services mean the same thing.
package same

import (
	"regexp"
	"strings"
)

var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// IsUUID reports whether s is a UUID of any version, in letters of either case.
func IsUUID(s string) bool { return uuid.MatchString(s) }

// ID reports whether a and b are the same id. UUIDs compare without case, any
// other id or code as it is.
func ID(a, b string) bool {
	return a == b || IsUUID(a) && strings.EqualFold(a, b)
}

// Document reports whether a and b are the same tax number. Mask and case are
// not a difference.
func Document(a, b string) bool { return PlainDocument(a) == PlainDocument(b) }

// PlainDocument is a tax number without its mask, in capital letters: a CNPJ
// has letters as well as digits.
func PlainDocument(number string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
			return r
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return -1
	}, number)
}
