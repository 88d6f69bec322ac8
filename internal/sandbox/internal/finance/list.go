package finance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Limits of pages (service description, Financial management §4).
const (
	mostRecords    = 100
	defaultRecords = 25
)

// listCollection serves the listing of a collection with its own path.
func (s *Service) listCollection(name string) server.Handler {
	return server.With(server.Form{}, func(c *server.Call, tx *store.Tx) (server.Reply, error) {
		c.Path = map[string]string{"collection": name}
		return s.listRecords(c, tx)
	})
}

// listRecords serves finance.records.list in order of creation. A page starts after the last record of the previous
// one, so that concurrent creations and deletions do not shift records.
func (s *Service) listRecords(c *server.Call, tx *store.Tx) (server.Reply, error) {
	collection, err := s.collection(c)
	if err != nil {
		return server.Reply{}, err
	}
	limit, err := s.limit(c)
	if err != nil {
		return server.Reply{}, err
	}
	wanted, err := readRecordFilters(c.Query)
	if err != nil {
		return server.Reply{}, err
	}
	after, err := s.readCursor(c, collection)
	if err != nil {
		return server.Reply{}, err
	}
	objects, last, more := []map[string]any{}, after, false
	for _, row := range s.recordsInOrder(tx, c.Organization, collection) {
		if row.Number <= after {
			continue
		}
		object, err := row.public()
		if err != nil {
			return server.Reply{}, err
		}
		if !wanted.pass(object) {
			continue
		}
		if more = len(objects) == limit; more {
			break
		}
		objects, last = append(objects, object), row.Number
	}
	meta := map[string]any{"next_cursor": nil}
	if more {
		if meta["next_cursor"], err = s.signCursor(c, collection, last); err != nil {
			return server.Reply{}, err
		}
	}
	return server.Reply{Status: http.StatusOK, Body: map[string]any{"data": objects, "meta": meta}}, nil
}

func (s *Service) limit(c *server.Call) (int, error) {
	limit := defaultRecords
	if c.Query.Has("limit") {
		var err error
		if limit, err = strconv.Atoi(c.Query.Get("limit")); err != nil || limit < 1 || limit > mostRecords {
			must := fmt.Sprintf("must be an integer from 1 to %d", mostRecords)
			return 0, server.ErrMalformed.With("The parameter limit " + must + ".").
				About(map[string]any{"fields": map[string]string{"limit": must}})
		}
	}
	return min(limit, c.MaxPerPage), nil
}

type cursorPosition struct {
	After int64 `json:"after"` // number of the last returned record
}

// cursorPurpose binds a cursor to its listing: it is not valid for other filters, collections or organizations.
func (s *Service) cursorPurpose(c *server.Call, collection string) string {
	filters := url.Values{}
	for name, values := range c.Query {
		if !slices.Contains(cursorPaging, name) {
			filters[name] = values
		}
	}
	return "finance cursor " + CollectionKey(c.Organization, collection) + "?" + filters.Encode()
}

// signCursor returns the cursor of a position. It is deterministic, so that an unchanged page has the same content.
func (s *Service) signCursor(c *server.Call, collection string, after int64) (string, error) {
	position, err := json.Marshal(cursorPosition{After: after})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(s.cursorSignature(c, collection, position), position...)), nil
}

func (s *Service) cursorSignature(c *server.Call, collection string, position []byte) []byte {
	mac := hmac.New(sha256.New, s.CursorKey)
	fmt.Fprintf(mac, "%s\x00%s", s.cursorPurpose(c, collection), position)
	return mac.Sum(nil)
}

// readCursor returns the number of the record to continue after, 0 without a cursor. Cursors from elsewhere or for
// another listing are rejected.
func (s *Service) readCursor(c *server.Call, collection string) (after int64, err error) {
	if !c.Query.Has("cursor") {
		return 0, nil
	}
	cursor := c.Query.Get("cursor")
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder skips line breaks, so reject them here: the cursor has been altered.
	if err != nil || len(text) < sha256.Size || strings.ContainsAny(cursor, "\r\n") {
		return 0, errCursor
	}
	signature, position := text[:sha256.Size], text[sha256.Size:]
	if !hmac.Equal(signature, s.cursorSignature(c, collection, position)) {
		return 0, errCursor
	}
	var at cursorPosition
	if err := json.Unmarshal(position, &at); err != nil {
		return 0, fmt.Errorf("read a cursor that was made here: %w", err)
	}
	return at.After, nil
}

// recordFilter compares a field with a bound.
type recordFilter struct{ field, operator, wanted string }

type recordFilters []recordFilter

// filterOperators are the operators of a filter; the default is equality (service description, Financial management
// §4).
var filterOperators = []string{"gte", "gt", "lte", "lt"}

var filterName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(?:\[([a-z]+)\])?$`)

// readRecordFilters parses the filters: all query parameters except those for paging.
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

func (f recordFilters) pass(object map[string]any) bool {
	return !slices.ContainsFunc(f, func(one recordFilter) bool { return !one.passes(object[one.field]) })
}

// passes compares a field. Missing values, objects and lists match no filter.
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

// order compares a field with the bound: timestamps chronologically, numbers numerically, everything else as text. A
// bound without a time covers the whole day in UTC; any time on that day is equal to it.
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
	// A date is not compared with other text.
	return strings.Compare(have, f.wanted), isMoment == boundIsMoment && isNumber == limitIsNumber
}

// decimalText matches JSON numbers; the parser also accepts fractions and other bases. The number of digits in the
// exponent is limited to save memory.
var decimalText = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$`)

func decimal(s string) (*big.Rat, bool) {
	if !decimalText.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// Simple returns the text of a scalar value.
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
