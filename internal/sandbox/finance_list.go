package sandbox

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

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Pages of financial management (service description, Financial management §4).
const (
	mostRecords    = 100
	defaultRecords = 25
)

// listCollection serves the listing of a collection that has a path of its own.
func listCollection(name string) handler {
	return func(c *call, tx *store.Tx) (reply, error) {
		c.path = map[string]string{"collection": name}
		return listRecords(c, tx)
	}
}

// listRecords serves finance.records.list, in the order in which the records
// were made. A page begins after the last record of the one before it, so that
// what is made or deleted meanwhile moves no other record.
func listRecords(c *call, tx *store.Tx) (reply, error) {
	collection, err := c.collection()
	if err != nil {
		return reply{}, err
	}
	limit, err := c.limit()
	if err != nil {
		return reply{}, err
	}
	wanted, err := readRecordFilters(c.query)
	if err != nil {
		return reply{}, err
	}
	after, err := c.readCursor(collection)
	if err != nil {
		return reply{}, err
	}
	objects, last, more := []map[string]any{}, after, false
	for _, row := range c.server.recordsInOrder(tx, c.organization, collection) {
		if row.Number <= after || !c.server.lag.shows(row.ID) {
			continue
		}
		object, err := row.public()
		if err != nil {
			return reply{}, err
		}
		if !c.server.options.Tolerance.IgnoreFilters && !wanted.pass(object) {
			continue
		}
		if more = len(objects) == limit; more {
			break
		}
		objects, last = append(objects, object), row.Number
	}
	meta := map[string]any{"next_cursor": nil}
	if more {
		if meta["next_cursor"], err = c.signCursor(collection, last); err != nil {
			return reply{}, err
		}
	}
	return reply{status: http.StatusOK, body: map[string]any{"data": objects, "meta": meta}}, nil
}

// limit is how many records a page holds.
func (c *call) limit() (int, error) {
	limit := defaultRecords
	if c.query.Has("limit") {
		var err error
		if limit, err = strconv.Atoi(c.query.Get("limit")); err != nil || limit < 1 || limit > mostRecords {
			return 0, errMalformed.with(fmt.Sprintf("The parameter limit must be an integer from 1 to %d.", mostRecords)).
				about(map[string]any{"fields": map[string]string{"limit": fmt.Sprintf("must be an integer from 1 to %d", mostRecords)}})
		}
	}
	return min(limit, c.server.options.MaxPerPage), nil
}

// cursorPosition is what a cursor says.
type cursorPosition struct {
	After int64 `json:"after"` // number of the last record that was answered
}

// cursorPurpose binds a cursor to the listing that it belongs to: it is good
// neither for other filters nor for another collection or organization.
func (c *call) cursorPurpose(collection string) string {
	filters := url.Values{}
	for name, values := range c.query {
		if !slices.Contains(cursorPaging, name) {
			filters[name] = values
		}
	}
	return "finance cursor " + collectionKey(c.organization, collection) + "?" + filters.Encode()
}

// signCursor makes the cursor of a position: the same one each time, so that a
// page that has not changed is the same page.
func (c *call) signCursor(collection string, after int64) (string, error) {
	position, err := json.Marshal(cursorPosition{After: after})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(c.cursorSignature(collection, position), position...)), nil
}

func (c *call) cursorSignature(collection string, position []byte) []byte {
	mac := hmac.New(sha256.New, []byte(c.server.bootstrap.SigningKey))
	fmt.Fprintf(mac, "%s\x00%s", c.cursorPurpose(collection), position)
	return mac.Sum(nil)
}

// readCursor answers the number of the record to go on after, 0 without a
// cursor. A cursor that was not made here, or for another listing, is refused.
func (c *call) readCursor(collection string) (after int64, err error) {
	if !c.query.Has("cursor") {
		return 0, nil
	}
	cursor := c.query.Get("cursor")
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder reads over line breaks; a cursor with one has been changed.
	if err != nil || len(text) < sha256.Size || strings.ContainsAny(cursor, "\r\n") {
		return 0, errCursor
	}
	signature, position := text[:sha256.Size], text[sha256.Size:]
	if !hmac.Equal(signature, c.cursorSignature(collection, position)) {
		return 0, errCursor
	}
	var at cursorPosition
	if err := json.Unmarshal(position, &at); err != nil {
		return 0, fmt.Errorf("read a cursor that was made here: %w", err)
	}
	return at.After, nil
}
