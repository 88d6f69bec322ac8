package server

import (
	"encoding/json"
	"strconv"

	"github.com/google/uuid"
)

// UUIDLength is the length of a UUID as the service writes it; the parser
// takes other spellings too.
const UUIDLength = 36

var (
	// UUID takes any version: the description says version 4, but ids given
	// out elsewhere (plans, prices, products) are not the sandbox's to judge.
	UUID = TextWhere("must be a UUID", func(s string) bool {
		_, err := uuid.Parse(s)
		return err == nil && len(s) == UUIDLength
	})
	// DateOrTime is a date, or a date with time and zone.
	DateOrTime = TextWhere("must be a date, or a date with time and zone", func(s string) bool {
		_, ok := ParseTime(s)
		return ok
	})
)

// Both checks by two rules; the second is asked only if the first passes.
func Both(first, second Rule) Rule {
	return func(p Problems, path string, value any) {
		if first(p, path, value); p[path] == "" {
			second(p, path, value)
		}
	}
}

// IntegerBetween is an integer from least to most.
func IntegerBetween(least, most int64) Rule {
	return func(p Problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil || n < least || n > most {
			p[path] = "must be an integer from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
		}
	}
}

// Percent is a number from 0 to 100.
func Percent(p Problems, path string, value any) {
	number, ok := value.(json.Number)
	n, err := number.Float64()
	if !ok || err != nil || n < 0 || n > 100 {
		p[path] = "must be a number from 0 to 100"
	}
}
