package finance

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Record is an object of any collection. Its shape is open (service description,
// Financial management §2): an id, a name where it has one, and all of it.
type Record struct {
	ID   string          // "" where a listed item shows none
	Name string          // "" where there is none
	Raw  json.RawMessage // the whole object, as answered
}

// UnmarshalJSON keeps the whole object, and picks out what is known.
func (r *Record) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*r = Record{ID: text(fields["id"]), Name: text(fields["name"]), Raw: bytes.Clone(data)}
	return nil
}

var errNoRecordID = errors.New("the answer holds no record with an id")

// Check refuses an answer without what everything else hangs on.
func (r *Record) Check() error {
	if r.ID == "" {
		return errNoRecordID
	}
	return nil
}

// text is a string's text, a number as it is written, and "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
