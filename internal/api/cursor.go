package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
)

// largestLimit is the most items that the service puts on a page (service description, Financial management §8).
const largestLimit = 100

// CursorOptions say how a list with cursors is read.
type CursorOptions[T any] struct {
	ID    func(T) string // distinguishes items; nil: none is ever taken for a duplicate
	Limit int            // items per page asked for, at most 100; 0 means 100
}

// Cursor reads a list whose pages are chained by cursors while it is consumed;
// breaking out of the loop stops it. The cursor of a page is sent with the next
// request exactly as it came, together with the whole query of the first one, as
// a cursor belongs to its filters (service description, Financial management §4;
// wire contract: behaviour). A cursor that is null, empty or left out ends the
// list; one that came before, or one that is not a text, is an error, because what
// follows is unknown then. Each object comes once, also when it is on two
// pages.
//
// The last yield may be an error, with the zero T.
func Cursor[T any](ctx context.Context, c *Client, r Request, o CursorOptions[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		chain := &chain[T]{client: c, request: r, options: o, used: map[string]bool{}}
		items := &reading[T]{client: c, request: r, options: ListOptions[T]{ID: o.ID}, yield: yield,
			yielded: map[string]bool{}}
		seen, pages := map[string]bool{}, map[string]bool{}
		for !chain.ended && !items.stopped {
			page, err := chain.next(ctx)
			switch {
			case err != nil:
			case pages[page.data] && items.unnamed > 0: // without ids nothing else shows it
				err = fmt.Errorf("%s %s: the service repeats a page, so the list seems to have no end", c.cfg.Service, r.Operation)
			default:
				pages[page.data] = true
				err = chain.progress(items.emit(page.items, seen))
			}
			if err != nil && !items.stopped {
				items.fail(err)
			}
		}
	}
}

// chain follows the cursors of one list.
type chain[T any] struct {
	client  *Client
	request Request
	options CursorOptions[T]

	cursor string // of the page to come; "" is the first
	used   map[string]bool
	pages  int
	idle   int // pages in a row that brought nothing new
	ended  bool
}

// next reads the next page, and the cursor of the one after it.
func (l *chain[T]) next(ctx context.Context) (*page[T], error) {
	r := l.request
	r.Query = l.query()
	response, err := l.client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	p, err := decodePage[T](response)
	if err == nil {
		l.cursor, err = cursorOf(response)
	}
	if err == nil && l.used[l.cursor] {
		err = errors.New("the service returned a cursor that it has returned before, so the list would never end; none of " +
			"its items can be relied on")
	}
	if err != nil {
		return nil, l.client.unusable(response, err)
	}
	if l.ended = l.cursor == ""; !l.ended {
		l.used[l.cursor] = true
	}
	l.pages++
	return p, nil
}

// progress ends a list that would never end although every cursor is new.
func (l *chain[T]) progress(fresh int) error {
	if l.idle++; fresh > 0 {
		l.idle = 0
	}
	switch {
	case l.ended:
		return nil
	case l.pages >= maxPages:
		return fmt.Errorf("%s %s: the list has more than %d pages, which cannot be", l.client.cfg.Service,
			l.request.Operation, maxPages)
	case l.idle >= mostVainPages:
		return fmt.Errorf("%s %s: %d pages in a row brought nothing new, so the list seems to have no end",
			l.client.cfg.Service, l.request.Operation, l.idle)
	}
	return nil
}

func (l *chain[T]) query() url.Values {
	query := url.Values{}
	for name, values := range l.request.Query {
		query[name] = values
	}
	limit := l.options.Limit
	if limit <= 0 || limit > largestLimit {
		limit = largestLimit
	}
	query.Set("limit", strconv.Itoa(limit))
	if l.cursor != "" {
		query.Set("cursor", l.cursor)
	}
	return query
}

// cursorOf returns meta.next_cursor of a page. Unlike the numbers of other
// lists it is required: an unreadable cursor is an error, because the truncated list would
// look complete.
func cursorOf(response *Response) (string, error) {
	top, err := topOf(response)
	if err != nil {
		return "", err
	}
	var meta struct {
		NextCursor json.RawMessage `json:"next_cursor"`
	}
	if raw := bytes.TrimSpace(top["meta"]); len(raw) > 0 && json.Unmarshal(raw, &meta) != nil {
		return "", errors.New("the meta of the list is not an object, so it is not known whether more follows")
	}
	var cursor *string
	if len(meta.NextCursor) > 0 && json.Unmarshal(meta.NextCursor, &cursor) != nil {
		return "",
			errors.New("the cursor of the next page (meta.next_cursor) is not a string, so it is not known what follows")
	}
	if cursor == nil {
		return "", nil
	}
	return *cursor, nil
}
