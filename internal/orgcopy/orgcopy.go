// Package orgcopy implements the format of a copy of an organization, which "billing-sandbox copy" writes, and
// "billing-sandbox serve --copy" and a rehearsal read.
//
// A copy consists of lines of JSON: a Header, the Objects, and a last line with the number of objects and the parts
// left out. A copy without the last line is incomplete. Objects are as the service returned them, including unknown
// fields, so a copy contains personal data. It contains no token, secret or credential, because the service does not
// return them.
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
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// Format is the first field of every copy of this version.
const Format = "billing-organization/2"

// BillingPrefix is the prefix of a collection of recurring billing where those of all services are named.
const BillingPrefix = "billing/"

type (
	// Header describes a copy.
	Header struct {
		Format       string            `json:"format"`
		Organization json.RawMessage   `json:"organization"` // the response to GET /v1/me
		Time         time.Time         `json:"time"`         // the service's time at the start of the copy
		Service      map[string]string `json:"service"`      // addresses of billing, finance and collections
	}
	// Object is one object of the organization.
	Object struct {
		// Kind is the name of an evidence.Kind. Records of recurring billing, such as plans, are evidence.Record too.
		Kind       string          `json:"kind"`
		Service    string          `json:"service,omitempty"`    // of a record
		Collection string          `json:"collection,omitempty"` // of a record
		Object     json.RawMessage `json:"object"`
		Items      json.RawMessage `json:"items,omitempty"` // of a subscription; absent if the service does not list them
	}
	// LeftOut are objects that could not be read.
	LeftOut struct {
		Kind       string `json:"kind"`
		Collection string `json:"collection,omitempty"` // of records, as in Collections
		Items      bool   `json:"items,omitempty"`      // only the items of the objects are left out
		Scope      string `json:"scope,omitempty"`      // that the token lacks
		Reason     string `json:"reason,omitempty"`     // for people
	}
	// Collections are those whose records a copy has, such as "payables", and "billing/invoices" of recurring billing.
	Collections struct {
		Copied []string `json:"copied"` // also those without a record
		Absent []string `json:"absent"` // that the service does not have
	}
	// End is the last line of a copy.
	End struct {
		Objects     int         `json:"objects"`
		LeftOut     []LeftOut   `json:"left_out"`
		Collections Collections `json:"collections"`
		// Key is the public prefix of the API key that read the copy; empty if no listed key has it.
		Key string `json:"key,omitempty"`
	}
)

// ID returns the id of an object; "" if it has none.
func (o Object) ID() string {
	var of struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(o.Object, &of) // "" has no object
	return of.ID
}

// UnknownStatus returns the status of an object that the descriptions of the services do not list, otherwise "". A copy
// keeps such a status and does not simulate it.
func (o Object) UnknownStatus() string {
	var of struct {
		Status string `json:"status"`
	}
	known := evidence.KindOf(o.Kind).Statuses
	if json.Unmarshal(o.Object, &of) != nil || len(known) == 0 || slices.Contains(known, of.Status) {
		return ""
	}
	return of.Status
}

// All reports whether all objects of a kind are left out; collection is that of records.
func (l LeftOut) All(kind, collection string) bool {
	return l.Kind == kind && l.Collection == collection && !l.Items
}

// String is what was left out and why, in half a sentence.
func (l LeftOut) String() string {
	text := evidence.KindOf(l.Kind).Noun + "s"
	switch {
	case l.Kind == evidence.Record:
		text = "records of " + strings.TrimPrefix(l.Collection, BillingPrefix)
	case l.Items:
		text = "items of " + text
	}
	if l.Scope != "" {
		return text + " (the token lacks the scope " + l.Scope + ")"
	}
	return text + " (" + l.Reason + ")"
}

// Error is an error in a copy, with its line; 0 is the whole copy.
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
func (w *Writer) End(e End) error {
	e.Objects = w.objects
	return w.encoder.Encode(map[string]End{"end": e})
}

// Reader reads a copy.
type Reader struct {
	Header Header
	End    // set after Objects
	lines  *bufio.Reader
	line   int
}

// NewReader reads the header. If the content is invalid, the error is an *Error.
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
		return nil, reader.wrong("the header lacks the organization or the time")
	}
	return reader, nil
}

// Line returns the number of the last line that was read.
func (r *Reader) Line() int { return r.line }

// Objects yields every object, and an object that changed during the copy again; and the first error, which is an
// *Error if the content is invalid.
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

// object reads a line: an object, or the last line.
func (r *Reader) object() (object Object, last *End, err error) {
	text, err := r.next()
	if errors.Is(err, io.EOF) {
		return object, nil, r.wrong(cut)
	}
	if err != nil {
		return object, nil, err
	}
	var line struct {
		Object
		End *End `json:"end"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		if _, more := r.lines.Peek(1); errors.Is(more, io.EOF) {
			return object, nil, r.wrong(cut)
		}
		return object, nil, r.wrong("is not valid JSON: " + err.Error())
	}
	if line.End != nil {
		return object, line.End, nil
	}
	if evidence.KindOf(line.Kind).Name != line.Kind {
		return object, nil, r.wrong(fmt.Sprintf("unknown kind of object %q", line.Kind))
	}
	if len(line.Object.Object) == 0 || line.Object.Object[0] != '{' {
		return object, nil, r.wrong("lacks the object")
	}
	return line.Object, nil, nil
}

func (r *Reader) finish(last End, count int) error {
	if last.Objects != count {
		return r.wrong(fmt.Sprintf("the copy has %d objects, want %d", count, last.Objects))
	}
	r.End = last
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		return r.wrong("unexpected content after the end of the copy")
	}
	return nil
}

// next returns the next nonempty line.
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

// cut is the problem of a copy that was not completed, reported on its last line.
const cut = "the copy is incomplete: it ends here; write it again"

func (r *Reader) wrong(problem string) *Error { return &Error{Line: r.line, Problem: problem} }
