// Package orgcopy is the format of a copy of an organization: what "billing-sandbox copy" writes, and what
// "billing-sandbox serve --copy" and a rehearsal begin with.
//
// A copy is lines of JSON. The first is the Header, each further one an Object, and the last one says how many objects
// there are and what was left out: a copy without it was not completed. The objects are as the service returned them,
// fields that nobody knows included, so a copy has personal data. It has no token, secret or credential: the service
// returns none.
package orgcopy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// Format is the first field of every copy that this version reads and writes.
const Format = "billing-organization/1"

// Kinds of objects, in the order in which a copy has them: what is referred to comes first.
const (
	Record       = "record" // of a collection of recurring billing (Service "billing") or of financial management
	Customer     = "customer"
	Account      = "account"
	Subscription = "subscription"
	Endpoint     = "endpoint"
	Key          = "key"
)

// Kinds are all kinds.
func Kinds() []string { return []string{Record, Customer, Account, Subscription, Endpoint, Key} }

type (
	// Header says what a copy is of.
	Header struct {
		Format       string            `json:"format"`
		Organization json.RawMessage   `json:"organization"` // the response to GET /v1/me
		Time         time.Time         `json:"time"`         // of the service, when the copy was begun
		Service      map[string]string `json:"service"`      // addresses that were read, by billing, finance and collections
		// Key is the public prefix of the API key that the copy was read with; empty when no listed key has it.
		Key string `json:"key,omitempty"`
	}
	// Object is one object of the organization.
	Object struct {
		Kind       string          `json:"kind"`
		Service    string          `json:"service,omitempty"`    // of a record
		Collection string          `json:"collection,omitempty"` // of a record
		Object     json.RawMessage `json:"object"`
		Items      json.RawMessage `json:"items,omitempty"` // of a subscription; absent: the service does not list them
	}
	// LeftOut is something that could not be read, or was not asked for.
	LeftOut struct {
		What   string `json:"what"`            // such as "API keys" or "records of payables"
		Scope  string `json:"scope,omitempty"` // that the token lacks
		Reason string `json:"reason,omitempty"`
	}
	end struct {
		Objects int       `json:"objects"`
		LeftOut []LeftOut `json:"left_out"`
	}
)

// String is what was left out and why, in half a sentence.
func (l LeftOut) String() string {
	switch {
	case l.Scope != "":
		return l.What + " (the token lacks the scope " + l.Scope + ")"
	case l.Reason != "":
		return l.What + " (" + l.Reason + ")"
	}
	return l.What
}

// Error is what is wrong with a copy, and in which line; 0 stands for the whole.
type Error struct {
	Line    int
	Problem string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
}

// Writer writes a copy.
type Writer struct {
	encoder *json.Encoder
	objects int
}

// NewWriter writes the header. Its format is Format.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Format = Format
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return &Writer{encoder: encoder}, encoder.Encode(h)
}

// Put writes an object.
func (w *Writer) Put(o Object) error {
	w.objects++
	return w.encoder.Encode(o)
}

// End completes the copy.
func (w *Writer) End(leftOut []LeftOut) error {
	return w.encoder.Encode(map[string]end{"end": {Objects: w.objects, LeftOut: leftOut}})
}

// Reader reads a copy.
type Reader struct {
	Header  Header
	LeftOut []LeftOut // complete once Objects has yielded everything
	lines   *bufio.Reader
	line    int
}

// NewReader reads the header. The error is an *Error where the content is wrong.
func NewReader(r io.Reader) (*Reader, error) {
	reader := &Reader{lines: bufio.NewReader(r)}
	text, err := reader.next()
	if errors.Is(err, io.EOF) {
		return nil, &Error{Problem: "the file is empty"}
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &reader.Header); err != nil {
		return nil, reader.wrong("is not the header of a copy: " + err.Error())
	}
	switch h := reader.Header; {
	case h.Format != Format:
		return nil, reader.wrong(fmt.Sprintf("the format is %q, and this version reads %q; write the copy again with "+
			"\"billing-sandbox copy\" of this version", h.Format, Format))
	case len(h.Organization) == 0 || h.Time.IsZero():
		return nil, reader.wrong("the header has no organization or no time")
	}
	return reader, nil
}

// Line is the number of the line that was read last.
func (r *Reader) Line() int { return r.line }

// Objects yields every object, and one that changed while it was copied again; and the first error, which is an *Error
// where the content is wrong.
func (r *Reader) Objects() iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for count := 0; ; count++ {
			object, last, err := r.object()
			switch {
			case err != nil:
				yield(Object{}, err)
				return
			case last != nil:
				if err := r.finish(*last, count); err != nil {
					yield(Object{}, err)
				}
				return
			case !yield(object, nil):
				return
			}
		}
	}
}

// object reads a line: an object, or the end.
func (r *Reader) object() (object Object, last *end, err error) {
	text, err := r.next()
	if errors.Is(err, io.EOF) {
		return object, nil, r.wrong("the copy ends here and is not complete; write it again")
	}
	if err != nil {
		return object, nil, err
	}
	var line struct {
		Object
		End *end `json:"end"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return object, nil, r.wrong("is not valid JSON: " + err.Error())
	}
	if line.End != nil {
		return object, line.End, nil
	}
	if !slices.Contains(Kinds(), line.Kind) {
		return object, nil, r.wrong(fmt.Sprintf("there is no kind of object %q", line.Kind))
	}
	if len(line.Object.Object) == 0 || line.Object.Object[0] != '{' {
		return object, nil, r.wrong("has no object")
	}
	return line.Object, nil, nil
}

func (r *Reader) finish(last end, count int) error {
	if last.Objects != count {
		return r.wrong(fmt.Sprintf("the copy has %d objects and should have %d", count, last.Objects))
	}
	r.LeftOut = last.LeftOut
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		return r.wrong("something follows the end of the copy")
	}
	return nil
}

// next is the next line that is not empty.
func (r *Reader) next() ([]byte, error) {
	for {
		text, err := r.lines.ReadBytes('\n')
		r.line++
		if text = bytes.TrimSpace(text); len(text) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *Reader) wrong(problem string) *Error { return &Error{Line: r.line, Problem: problem} }
