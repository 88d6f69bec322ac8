package api

import (
	"bytes"
	"context"
)

// Optional is One for an operation that needs no object in its response: a
// response without a body is not an error, and found is false.
func Optional[T any](ctx context.Context, c *Client, r Request) (value T, found bool, err error) {
	response, err := c.Do(ctx, r)
	if err != nil || len(bytes.TrimSpace(response.Body)) == 0 {
		return value, false, err
	}
	value, err = decodeOne[T](c, response)
	return value, err == nil, err
}
