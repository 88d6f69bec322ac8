package sandbox

import (
	"encoding/json"
	"strconv"

	"github.com/google/uuid"
)

// canonicalUUID is the length of a UUID as the service writes it; the parser
// takes other spellings too.
const canonicalUUID = 36

var (
	// aUUID takes any version: the description says version 4, but ids given
	// out elsewhere (plans, prices, products) are not the sandbox's to judge.
	aUUID = textWhere("must be a UUID", func(s string) bool {
		_, err := uuid.Parse(s)
		return err == nil && len(s) == canonicalUUID
	})
	moment = textWhere("must be a date, or a date with time and zone", func(s string) bool {
		_, ok := parseMoment(s)
		return ok
	})
)

// both checks by two rules; the second is asked only if the first passes.
func both(first, second rule) rule {
	return func(p problems, path string, value any) {
		if first(p, path, value); p[path] == "" {
			second(p, path, value)
		}
	}
}

// integerBetween is an integer from least to most.
func integerBetween(least, most int64) rule {
	return func(p problems, path string, value any) {
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil || n < least || n > most {
			p[path] = "must be an integer from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
		}
	}
}

// percent is a number from 0 to 100.
func percent(p problems, path string, value any) {
	number, ok := value.(json.Number)
	n, err := number.Float64()
	if !ok || err != nil || n < 0 || n > 100 {
		p[path] = "must be a number from 0 to 100"
	}
}
