package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/url"
	"strconv"
)

// largestLimit is the service's maximum number of items per page (service description, Financial management §8).
const largestLimit = 100

// CursorOptions configures the reading of a list with cursors.
type CursorOptions[T any] struct {
	ID    func(T) string // identifies items; nil: duplicates are not detected
	Limit int            // items per page, at most 100; 0 means 100
}

// Cursor reads a list whose pages are chained by cursors while it is consumed; breaking out of the loop stops it. The
// cursor of a page is sent unchanged with the next request, together with the whole query of the first one, because a
// cursor belongs to its filters (service description, Financial management §4; wire contract: behaviour). A null, empty
// or missing cursor ends the list. A repeated cursor, or one that is not a string, is an error, because the rest of the
// list is unknown. Each object is returned once, even if it is on two pages.
//
// The last yield may be an error, with the zero T.
func Cursor[T any](ctx context.Context, c *Client, r Request, o CursorOptions[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		l := &reading[T]{client: c, request: r, options: ListOptions[T]{ID: o.ID}, yield: yield, yielded: map[string]bool{}}
		seen, used, pages := map[string]bool{}, map[string]bool{}, map[[sha256.Size]byte]bool{}
		cursor, vain := "", 0
		for number := 1; ; number++ {
			p, next, err := follow[T](ctx, c, r, o.Limit, cursor, used)
			if err != nil {
				l.fail(err)
				return
			}
			if pages[p.hash] && l.unnamed > 0 { // without ids, duplicates are not detected otherwise
				l.endless("the service repeats a page")
				return
			}
			if vain++; l.emit(p, seen) > 0 {
				vain = 0
			}
			switch {
			case l.stopped || next == "":
				return
			case number >= maxPages:
				l.endless("more than %d pages", maxPages)
				return
			case vain >= mostVainPages:
				l.endless("%d pages in a row brought nothing new", vain)
				return
			}
			cursor, used[next], pages[p.hash] = next, true, true
		}
	}
}

// follow reads the page of a cursor, and returns the next cursor. used contains the earlier ones.
func follow[T any](ctx context.Context, c *Client, r Request, limit int, cursor string,
	used map[string]bool) (p *page[T], next string, err error) {
	query := maps.Clone(r.Query)
	if query == nil {
		query = url.Values{}
	}
	if limit <= 0 || limit > largestLimit {
		limit = largestLimit
	}
	query.Set("limit", strconv.Itoa(limit))
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	r.Query = query
	response, err := c.Do(ctx, r)
	if err != nil {
		return nil, "", err
	}
	if p, err = decodePage[T](response); err == nil {
		next, err = cursorOf(response)
	}
	if err == nil && used[next] {
		err = errors.New("the service returned the same cursor twice, so the list would never end; its items were discarded")
	}
	if err != nil {
		return nil, "", c.unusable(response, err)
	}
	return p, next, nil
}

// cursorOf returns meta.next_cursor of a page. Unlike the page numbers of other lists, it is required: with an
// unreadable cursor, the truncated list would look complete.
func cursorOf(response *Response) (string, error) {
	top, err := topOf(response)
	if err != nil {
		return "", err
	}
	var meta struct {
		NextCursor json.RawMessage `json:"next_cursor"`
	}
	if raw := bytes.TrimSpace(top["meta"]); len(raw) > 0 && json.Unmarshal(raw, &meta) != nil {
		return "", errors.New("the meta of the list is not an object, so the list may be incomplete")
	}
	var cursor *string
	if len(meta.NextCursor) > 0 && json.Unmarshal(meta.NextCursor, &cursor) != nil {
		return "",
			errors.New("the cursor of the next page (meta.next_cursor) is not a string, so the list may be incomplete")
	}
	if cursor == nil {
		return "", nil
	}
	return *cursor, nil
}
