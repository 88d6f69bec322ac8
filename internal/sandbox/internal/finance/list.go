package finance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Pages of financial management (service description, Financial management §4).
const (
	mostRecords    = 100
	defaultRecords = 25
)

// listCollection serves the listing of a collection that has its own path.
func (s *Service) listCollection(name string) server.Handler {
	return func(c *server.Call, tx *store.Tx) (server.Reply, error) {
		c.Path = map[string]string{"collection": name}
		return s.listRecords(c, tx)
	}
}

// listRecords serves finance.records.list, in the order in which the records
// were made. A page begins after the last record of the one before it, so that
// creations and deletions in between move no other record.
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
		if !c.Tolerance.IgnoreFilters && !wanted.pass(object) {
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

// limit is how many records a page holds.
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

// cursorPosition is what a cursor says.
type cursorPosition struct {
	After int64 `json:"after"` // number of the last record that was returned
}

// cursorPurpose binds a cursor to the listing that it belongs to: it is not valid
// for other filters, another collection or another organization.
func (s *Service) cursorPurpose(c *server.Call, collection string) string {
	filters := url.Values{}
	for name, values := range c.Query {
		if !slices.Contains(cursorPaging, name) {
			filters[name] = values
		}
	}
	return "finance cursor " + CollectionKey(c.Organization, collection) + "?" + filters.Encode()
}

// signCursor makes the cursor of a position: the same one each time, so that a
// page that has not changed is the same page.
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

// readCursor returns the number of the record to continue after, 0 without a
// cursor. A cursor that was not made here, or for another listing, is rejected.
func (s *Service) readCursor(c *server.Call, collection string) (after int64, err error) {
	if !c.Query.Has("cursor") {
		return 0, nil
	}
	cursor := c.Query.Get("cursor")
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder reads over line breaks; a cursor with one has been changed.
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
