package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// One carries out an operation that returns one object, bare or inside
// {data: …}. A response without an object is an error; so is one that is not
// JSON, whatever its status says. After a request that must not be repeated
// such a response is an *AmbiguousError: something happened, and what is unknown.
//
// A *T that has a method Check() error is asked whether it can be used; its
// error counts like a body that cannot be decoded.
func One[T any](ctx context.Context, c *Client, r Request) (T, error) {
	response, err := c.Do(ctx, r)
	if err != nil {
		var zero T
		return zero, err
	}
	return decodeOne[T](c, response)
}

// decodeAs decodes an object, and checks that it can be used.
func decodeAs[T any](object json.RawMessage) (value T, err error) {
	err = decodeInto(object, &value)
	if checked, ok := any(&value).(interface{ Check() error }); ok && err == nil {
		err = checked.Check()
	}
	return value, err
}

func decodeOne[T any](c *Client, response *Response) (value T, err error) {
	object, err := objectOf(response)
	if err == nil {
		value, err = decodeAs[T](object)
	}
	if err == nil {
		err = c.checkSubject(response, object)
	}
	if err != nil {
		var zero T
		return zero, c.unusable(response, err)
	}
	c.showed(response.call.operation, object)
	return value, nil
}

var errErrorObject = errors.New("an error object came with the status of a success")

// ReadBack returns what a change has returned. Where it succeeded and its response
// does not show the object, as it has no body or is a proxy's page, the object is
// read. Only for what may be repeated: after any other request such a response is
// an *AmbiguousError.
func ReadBack[T any](ctx context.Context, value T, err error, read func(context.Context) (T, error)) (T, error) {
	var other *OtherObjectError
	_, ambiguous := AsAmbiguous(err)
	if e, ok := AsError(err); !ok || !e.unshown || ambiguous || errors.As(err, &other) {
		return value, err
	}
	return read(ctx)
}

// Delete carries out a deletion: 204 or 200 with {data: {deleted: true}}. An
// object that does not exist is deleted ([IsNotFound]). Where an earlier attempt
// may have deleted it and the last one got a 404 that proves nothing, where the
// service responds with a conflict, and where a success is the page of a proxy,
// the object is read: the deletion is done when the service says that the object
// does not exist.
func Delete(ctx context.Context, c *Client, r Request) error {
	return Revoke(ctx, c, r, func(struct{}) bool { return false })
}

// Revoke is [Delete] for an object that can still be read afterwards. ended reports
// whether an object that was read is complete.
func Revoke[T any](ctx context.Context, c *Client, r Request, ended func(T) bool) error {
	response, err := c.Do(ctx, r)
	if IsNotFound(err) {
		return nil
	}
	e, ok := AsError(err)
	if doubtful := ok && (e.Status == http.StatusConflict || e.Status == http.StatusNotFound && e.Uncertain); doubtful &&
		isGone(ctx, c, r, ended) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(response.Body)) == 0 {
		return nil
	}
	object, err := objectOf(response)
	if err == nil {
		err = c.checkSubject(response, object)
	}
	if err != nil && !isJSON(response.Header) && isGone(ctx, c, r, ended) {
		return nil
	}
	if err != nil {
		return c.unusable(response, err)
	}
	var result struct {
		Deleted *bool `json:"deleted"`
	}
	if err := decodeInto(object, &result); err != nil {
		return c.unusable(response, err)
	}
	if result.Deleted != nil && !*result.Deleted {
		return c.responseError(response, "the service responded that it did not delete the object (deleted: false)")
	}
	return nil
}

// unusable words a success whose body is not what the operation promises.
func (c *Client) unusable(response *Response, cause error) error {
	var other *OtherObjectError
	if !errors.As(cause, &other) {
		e := c.responseError(response, cause.Error())
		e.unshown, e.noList = !errors.Is(cause, errErrorObject), errors.Is(cause, errNoList)
		cause = e
	}
	if response.call.repeatable && !isJSON(response.Header) && other == nil {
		return c.outage.report(response.call, c.cfg.Service, unresponsive, cause)
	}
	if response.call.repeatable {
		return cause
	}
	return &AmbiguousError{
		Service: c.cfg.Service, Operation: response.call.operation,
		RequestID: response.RequestID, SentAt: response.sentAt, Err: cause,
	}
}

func (c *Client) responseError(response *Response, message string) *Error {
	e := c.newError(response.call, response.Status, response.Header, nil)
	e.Message = c.scrub(message)
	return e
}

// objectOf finds the object in a response.
func objectOf(response *Response) (json.RawMessage, error) {
	top, err := topOf(response)
	if err != nil {
		return nil, err
	}
	_, hasID := top["id"]
	data, enveloped := top["data"]
	_, hasError := top["error"]
	switch {
	case hasID || len(top) > 0 && !enveloped && !hasError:
		return response.Body, nil
	case enveloped && !isNothing(data):
		return data, nil
	case hasError && !enveloped:
		return nil, errErrorObject
	}
	return nil, errors.New("the response contains no object")
}

// topOf parses the outermost object of a response.
func topOf(response *Response) (map[string]json.RawMessage, error) {
	body := bytes.TrimSpace(response.Body)
	if len(body) == 0 {
		return nil, errors.New("the response has no body")
	}
	if !isJSON(response.Header) && checkJSON(body) != nil {
		what := hint(body, response.Header.Get("Content-Type"))
		return nil, fmt.Errorf("the response is not JSON, its content type is %q: %s; check the configured address",
			cleanLine(response.Header.Get("Content-Type"), maxHintRunes), what)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil || top == nil {
		return nil, errors.New("the response is not a JSON object")
	}
	return top, nil
}

func isNothing(raw json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(raw, &fields) == nil && len(fields) == 0
}

// decodeInto decodes with exact numbers, and names the field that does not fit.
func decodeInto(data []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(target)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		where := "the response"
		if mismatch.Field != "" {
			where = fmt.Sprintf("the field %q of the response", mismatch.Field)
		}
		return fmt.Errorf("%s contains a JSON %s, where the service documents another type", where,
			cleanLine(mismatch.Value, maxHintRunes))
	}
	if err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	return nil
}
