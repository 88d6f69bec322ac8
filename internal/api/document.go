package api

import "strings"

// SameDocument reports whether a and b are the same tax number. Mask and case are
// no difference.
func SameDocument(a, b string) bool { return PlainDocument(a) == PlainDocument(b) }

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
