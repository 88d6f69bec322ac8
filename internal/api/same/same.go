// Package same reports whether two texts or values of the services are equivalent.
package same

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// IsUUID reports whether s is a UUID of any version, in letters of either case.
func IsUUID(s string) bool { return uuid.MatchString(s) }

// ID reports whether a and b are the same id. UUIDs are compared without case, other ids and codes exactly.
func ID(a, b string) bool {
	return a == b || IsUUID(a) && strings.EqualFold(a, b)
}

// Document reports whether a and b are the same tax number, ignoring mask and case.
func Document(a, b string) bool { return PlainDocument(a) == PlainDocument(b) }

// PlainDocument returns a tax number without its mask, in capital letters: a CNPJ may contain letters.
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

// JSON compares two values decoded with [json.Number]: whole numbers by their exact value, fractions by their double,
// because a service may store doubles; objects in any order of keys. A nil object is an empty object, not null.
func JSON(a, b any) bool { return equal(a, b, func(a, b string) bool { return a == b }) }

// equal compares two values; texts compares their texts.
func equal(a, b any, texts func(a, b string) bool) bool {
	below := func(a, b any) bool { return equal(a, b, texts) }
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, below)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, below)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || decimalOf(a) == decimalOf(b) || sameFraction(a, b))
	case string:
		b, ok := b.(string)
		return ok && texts(a, b)
	}
	return a == b
}

// JSONText compares two JSON texts like [JSON]. Invalid JSON equals nothing.
func JSONText(a, b []byte) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && JSON(x, y)
}

// WordedJSON compares two JSON texts like [JSONText], but the texts in them like [Wording].
func WordedJSON(a, b []byte) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && equal(x, y, Wording)
}

func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// sameFraction reports whether two numbers with fractions are the same double.
func sameFraction(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x == y && x != math.Trunc(x)
}

// decimal is a number in normal form: its digits without leading and trailing zeros, and the exponent of the last one.
// Unlike with big.Rat, absurd exponents cost nothing.
type decimal struct {
	negative bool
	digits   string
	power    int64
}

func decimalOf(n json.Number) decimal {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	power, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, 32)
	if err != nil {
		return decimal{digits: n.String()} // too large to be meaningful: as written
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
