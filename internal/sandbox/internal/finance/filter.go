package finance

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// recordFilter is one filter of a listing: a field, how it is compared, and
// with what.
type recordFilter struct{ field, operator, wanted string }

type recordFilters []recordFilter

// filterOperators are the operators of a filter; none means equal
// (service description, Financial management §4).
var filterOperators = []string{"gte", "gt", "lte", "lt"}

var filterName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(?:\[([a-z]+)\])?$`)

// readRecordFilters extracts the filters from the query: every parameter that is
// not of the paging.
func readRecordFilters(query url.Values) (recordFilters, error) {
	var filters recordFilters
	for name, values := range query {
		if name == "limit" || name == "cursor" {
			continue
		}
		parts := filterName.FindStringSubmatch(name)
		if parts == nil || parts[2] != "" && !slices.Contains(filterOperators, parts[2]) {
			return nil, server.ErrMalformed.With(
				"A filter must be the name of a field, alone or followed by [gte], [gt], [lte] or [lt].").
				About(map[string]any{"fields": map[string]string{name: "is not a filter"}})
		}
		filters = append(filters, recordFilter{field: parts[1], operator: parts[2], wanted: values[0]})
	}
	return filters, nil
}

// pass reports whether a record passes all filters.
func (f recordFilters) pass(object map[string]any) bool {
	return !slices.ContainsFunc(f, func(one recordFilter) bool { return !one.passes(object[one.field]) })
}

// passes compares a field. Nothing, objects and lists pass no filter.
func (f recordFilter) passes(value any) bool {
	have, ok := Simple(value)
	if !ok {
		return false
	}
	if f.operator == "" {
		return have == f.wanted
	}
	order, ok := f.order(have)
	if !ok {
		return false
	}
	switch f.operator {
	case "gte":
		return order >= 0
	case "gt":
		return order > 0
	case "lte":
		return order <= 0
	default:
		return order < 0
	}
}

// order compares a field with the bound: timestamps as timestamps, numbers by their
// value, and else text. A bound that is a date alone is that whole day in UTC,
// and a time within it is equal to it.
func (f recordFilter) order(have string) (order int, ok bool) {
	at, isMoment := server.ParseTime(have)
	bound, boundIsMoment := server.ParseTime(f.wanted)
	if isMoment && boundIsMoment {
		if len(f.wanted) == len(time.DateOnly) {
			at = at.Truncate(24 * time.Hour)
		}
		return at.Compare(bound), true
	}
	number, isNumber := decimal(have)
	limit, limitIsNumber := decimal(f.wanted)
	if isNumber && limitIsNumber {
		return number.Cmp(limit), true
	}
	// A date is not compared with something else as if both were text.
	return strings.Compare(have, f.wanted), isMoment == boundIsMoment && isNumber == limitIsNumber
}

// decimalText is a number as JSON writes it; the parser takes fractions and
// other bases as well, which are not numbers to a client. An exponent of more
// digits would only fill the memory.
var decimalText = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$`)

func decimal(s string) (*big.Rat, bool) {
	if !decimalText.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// Simple is the text of a simple value.
func Simple(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool:
		return fmt.Sprint(value), true
	case server.Timestamp:
		return value.UTC().Format(server.TimestampLayout), true
	default:
		return "", false
	}
}
