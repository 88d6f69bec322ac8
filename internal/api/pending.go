package api

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
)

const idempotencyHeader = "X-Idempotency-Key"

var errPending = errors.New("not built yet")

type Client struct{ cfg Config }

func New(cfg Config) (*Client, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Client{cfg: cfg}, nil
}

type Gate struct{ limit float64 }

func NewGate(requestsPerSecond float64) *Gate { return &Gate{limit: requestsPerSecond} }

type Request struct {
	Operation      string
	Path           map[string]string
	Query          url.Values
	Body           any
	IdempotencyKey string
}
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte
	RequestID string
}

func (c *Client) Do(ctx context.Context, r Request) (*Response, error) { return nil, errPending }

func One[T any](ctx context.Context, c *Client, r Request) (T, error) {
	var zero T
	return zero, errPending
}

type ListOptions[T any] struct {
	ID                func(T) string
	PerPage           int
	SortBy, SortOrder string
}

func List[T any](ctx context.Context, c *Client, r Request, o ListOptions[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { var zero T; yield(zero, errPending) }
}
func Delete(ctx context.Context, c *Client, r Request) error { return errPending }
func MaskJSON(body []byte) string                            { return "" }
func Settle[T any](ctx context.Context, s Settlement[T]) (result T, adopted bool, err error) {
	err = errPending
	return
}
