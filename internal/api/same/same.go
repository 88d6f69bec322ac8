// Package same reports whether two texts or values of the services mean the same thing.
package same

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
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

// JSON compares two values that were decoded with [json.Number]: numbers by their exact value, objects without
// regard to the order of their keys. An object that is nil is an empty one, and not null.
func JSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, JSON)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, JSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || decimalOf(a) == decimalOf(b))
	}
	return a == b
}

// JSONText compares two JSON texts like [JSON]. What is not JSON equals nothing.
func JSONText(a, b []byte) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && JSON(x, y)
}

func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// decimal is a number in its one plain form: its digits without zeros at either end, and the power of ten of the last
// one. Unlike a big.Rat it costs nothing when the exponent is absurd.
type decimal struct {
	negative bool
	digits   string
	power    int64
}

func decimalOf(n json.Number) decimal {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	power, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, 32)
	if err != nil {
		return decimal{digits: n.String()} // too large to mean anything: as it is written
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	digits := strings.TrimRight(all, "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{negative, digits, power - int64(len(fraction)) + int64(len(all)-len(digits))}
}
