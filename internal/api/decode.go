package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"time"
)

// One carries out an operation that returns one object, bare or inside {data: …}. A response without an object, or one
// that is not JSON, is an error, whatever its status. After a request that must not be repeated, it is an
// *AmbiguousError.
//
// If *T has a method Check() error, its error is treated like that of a body that cannot be decoded.
func One[T any](ctx context.Context, c *Client, r Request) (T, error) {
	response, err := c.Do(ctx, r)
	if err != nil {
		var zero T
		return zero, err
	}
	return decodeOne[T](c, response)
}

// Object is [One], but returns a pointer; nil with an error.
func Object[T any](ctx context.Context, c *Client, r Request) (*T, error) {
	object, err := One[T](ctx, c, r)
	if err != nil {
		return nil, err
	}
	return &object, nil
}

// Present is the Check of a response that must contain a value: what names it.
func Present(what, value string) error {
	if value == "" {
		return errors.New("the response contains no " + what)
	}
	return nil
}

// decodeAs decodes an object and checks that it can be used. If drop is set, fields of another type than documented are
// left out.
func decodeAs[T any](object json.RawMessage, drop bool) (value T, err error) {
	if err = decodeInto(object, &value); err != nil && drop {
		if fitted, ok := fit(object, reflect.TypeFor[T](), true); ok && !isNull(fitted) {
			value = *new(T)
			err = decodeExact(fitted, &value)
		}
	}
	if checked, ok := any(&value).(interface{ Check() error }); ok && err == nil {
		err = checked.Check()
	}
	return value, err
}

func decodeOne[T any](c *Client, response *Response) (value T, err error) {
	object, err := objectOf(response)
	if err == nil {
		// What a creation has made must not be lost for a field that cannot be read. The next read reports it.
		value, err = decodeAs[T](object, operations[response.call.operation].creates.noun != "")
	}
	if err == nil {
		err = c.checkSubject(response, object)
	}
	if err != nil {
		var zero T
		return zero, c.unusable(response, err)
	}
	c.recordRead(response.call.operation, object)
	return value, nil
}

var errErrorObject = errors.New("the response has the status of a success but contains an error object")

// ReadBack returns the result of a change. If the change succeeded, but its response does not contain the object,
// because it has no body or is a proxy's page, ReadBack reads the object. It is only for repeatable requests: after any
// other request, such a response is an *AmbiguousError.
func ReadBack[T any](ctx context.Context, value T, err error, read func(context.Context) (T, error)) (T, error) {
	var other *OtherObjectError
	_, ambiguous := AsAmbiguous(err)
	if e, ok := AsError(err); !ok || !e.unshown || ambiguous || errors.As(err, &other) {
		return value, err
	}
	return read(ctx)
}

// Delete carries out a deletion: 204, or 200 with {data: {deleted: true}}. It succeeds if the object does not exist
// ([IsNotFound]). It reads the object to decide if an earlier attempt may have deleted it and the last one got an
// unproven 404, if the service responded with a conflict, or if the successful response is a proxy's page. The deletion
// has happened if the service then responds that the object does not exist.
func Delete(ctx context.Context, c *Client, r Request) error {
	return Revoke(ctx, c, r, func(struct{}) bool { return false })
}

// Revoke is [Delete] for an object that can still be read afterwards. ended reports whether the object that was read
// has ended.
func Revoke[T any](ctx context.Context, c *Client, r Request, ended func(T) bool) error {
	response, err := c.Do(ctx, r)
	if IsNotFound(err) {
		return nil
	}
	if err != nil {
		if e, ok := AsError(err); ok && e.leavesOpen() && isGone(ctx, c, r, ended) {
			return nil
		}
		return err
	}
	if len(bytes.TrimSpace(response.Body)) == 0 {
		return nil
	}
	object, err := objectOf(response)
	if err == nil {
		err = c.checkSubject(response, object)
	}
	if err == nil {
		return c.checkDeleted(response, object)
	}
	if !isJSON(response.Header) && isGone(ctx, c, r, ended) {
		return nil
	}
	return c.unusable(response, err)
}

// leavesOpen reports whether a rejected deletion may be about an object that is already gone.
func (e *Error) leavesOpen() bool {
	return e.Status == http.StatusConflict || e.Missing() && e.Uncertain
}

func (c *Client) checkDeleted(response *Response, object json.RawMessage) error {
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

// unusable returns the error for a success whose body does not fit the operation.
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

func topOf(response *Response) (map[string]json.RawMessage, error) {
	body := bytes.TrimSpace(response.Body)
	if len(body) == 0 {
		return nil, errors.New("the response has no body")
	}
	if !isJSON(response.Header) && checkJSON(body) != nil {
		what := notShown
		if !response.call.once() {
			what = hint(body, response.Header.Get("Content-Type"))
		}
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

// decodeInto decodes with exact numbers. A value of another type than documented is converted, if that loses nothing;
// otherwise, the error contains the name of the field.
func decodeInto(data []byte, target any) error {
	err := decodeExact(data, target)
	if err == nil {
		return nil
	}
	value := reflect.ValueOf(target).Elem()
	if fitted, ok := fit(data, value.Type(), false); ok && !isNull(fitted) {
		value.SetZero()
		return decodeExact(fitted, target)
	}
	return err
}

func isNull(raw []byte) bool { return string(raw) == "null" }

func decodeExact(data []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(target)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		where := "the response"
		if mismatch.Field != "" {
			where = fmt.Sprintf("the field %q of the response", mismatch.Field)
		}
		return fmt.Errorf("%s contains a JSON %s, but the service documents another type", where,
			cleanLine(mismatch.Value, maxHintRunes))
	}
	if err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	return nil
}

// Many carries out an operation that returns a list without pages, bare or inside {data: …}. If the response has no
// body, or is a JSON object without such a list, it returns nil items and no error. A response that is not JSON is an
// error, whatever its status.
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

// Raw carries out an operation whose response is a document other than JSON, such as YAML, and returns it, without a
// byte-order mark. Request.Accept is its media type. An HTML page, as from a proxy or a wrong address, and an empty
// response are errors.
func Raw(ctx context.Context, c *Client, r Request) ([]byte, error) {
	response, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := checkDocument(response); err != nil {
		return nil, c.unusable(response, err)
	}
	return response.Body, nil
}

func checkDocument(response *Response) error {
	body := bytes.TrimSpace(response.Body)
	contentType := response.Header.Get("Content-Type")
	mediaType, _, err := mime.ParseMediaType(contentType)
	switch {
	case len(body) == 0:
		return errors.New("the response has no body")
	case err == nil && mediaType == "text/html", bytes.HasPrefix(body, []byte("<")):
		return fmt.Errorf("the response is a web page, not the requested document; its content type is %q; check the "+
			"configured address",
			cleanLine(contentType, maxHintRunes))
	}
	return nil
}

// Optional is One for an operation whose response may have no object: without a body, found is false, and there is no
// error.
func Optional[T any](ctx context.Context, c *Client, r Request) (value T, found bool, err error) {
	response, err := c.Do(ctx, r)
	if err != nil || len(bytes.TrimSpace(response.Body)) == 0 {
		return value, false, err
	}
	value, err = decodeOne[T](c, response)
	return value, err == nil, err
}

// Field is one key of a PATCH body: absent (the zero value, with the tag option omitzero), null, or a value. An absent
// key does not change the field; null clears it.
//
// A nil slice as the value is encoded as null; to empty a list, set a slice of length zero.
type Field[T any] struct {
	value T
	state fieldState
}

type fieldState uint8

const (
	fieldAbsent fieldState = iota
	fieldNull
	fieldSet
)

// Set returns a field that is sent with the value v.
func Set[T any](v T) Field[T] { return Field[T]{value: v, state: fieldSet} }

// Null returns a field that is sent as null.
func Null[T any]() Field[T] { return Field[T]{state: fieldNull} }

// IsZero reports whether the field is absent, for omitzero.
func (f Field[T]) IsZero() bool { return f.state == fieldAbsent }

// Get returns the value; false if the field is null or absent.
func (f Field[T]) Get() (T, bool) { return f.value, f.state == fieldSet }

// MarshalJSON encodes the value, or null.
func (f Field[T]) MarshalJSON() ([]byte, error) {
	if f.state != fieldSet {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (f *Field[T]) UnmarshalJSON(text []byte) error {
	*f = Null[T]()
	if string(text) == "null" {
		return nil
	}
	f.state = fieldSet
	return json.Unmarshal(text, &f.value)
}

// ParseTime parses a DateTime of a service: a date with time and zone, or a date, which means midnight in UTC (service
// description, Recurring billing §1). It returns false for anything else.
func ParseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// IsDate reports whether a time of a service is a date without a time of day.
func IsDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// OrEmpty returns a text of a service, or "" for null.
func OrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
