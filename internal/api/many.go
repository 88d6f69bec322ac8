package api

import (
	"bytes"
	"context"
	"encoding/json"
)

// Many carries out an operation that returns a list without pages, bare or
// inside {data: …}. A response without a body, or a JSON object without such a
// list, says nothing about the items: they are nil then, without an error. A
// response that is not JSON is an error, with any status.
func Many[T any](ctx context.Context, c *Client, r Request) ([]T, error) {
	response, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	list, err := bareOrData(response)
	if err != nil {
		return nil, c.unusable(response, err)
	}
	if !isList(list) {
		return nil, nil
	}
	items := []T{}
	if err := decodeInto(list, &items); err != nil {
		return nil, c.unusable(response, err)
	}
	return items, nil
}

func bareOrData(response *Response) (json.RawMessage, error) {
	body := bytes.TrimSpace(response.Body)
	if len(body) == 0 || isList(body) && json.Valid(body) {
		return body, nil
	}
	top, err := topOf(response)
	if err != nil {
		return nil, err
	}
	if _, hasError := top["error"]; hasError {
		return nil, errErrorObject
	}
	return top["data"], nil
}

func isList(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }
