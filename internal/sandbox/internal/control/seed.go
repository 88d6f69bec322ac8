package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// SeedError reports why a seed document cannot be used. Nothing of it has been
// made.
type SeedError struct {
	// Problems each name a place and what is wrong there, such as
	// "subscriptions[2].plan_id: is required without items".
	Problems []string
}

// Error implements error.
func (e *SeedError) Error() string {
	return "the seed cannot be used:\n  " + strings.Join(e.Problems, "\n  ")
}

// about adds a problem at a place of the document; an empty place is the
// document itself.
func (e *SeedError) about(place, problem string) {
	if place != "" {
		problem = place + ": " + problem
	}
	e.Problems = append(e.Problems, problem)
}

func (e *SeedError) err() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

// seedDocument holds the elements of a seed by the name of their list.
type seedDocument map[string][]any

// readSeed splits a seed document into its lists. What the elements hold is for the
// operations to judge. The error is a *SeedError.
func readSeed(document []byte) (seedDocument, error) {
	e := &SeedError{}
	value, err := server.Decode(document)
	if err != nil {
		e.about("", notJSON(document, err))
		return nil, e
	}
	lists := seedDocument{}
	lists.take(e, value)
	return lists, e.err()
}

// seedFinance is the key of the object that holds the collections of financial
// management, which have any name.
const seedFinance = "finance"

// take splits the document into its lists.
func (d seedDocument) take(e *SeedError, value any) {
	for key, held := range entries(e, "", value) {
		switch {
		case key == seedFinance:
			for collection, records := range entries(e, key, held) {
				d.list(e, key+"."+collection, records)
			}
		case slices.ContainsFunc(seedLists, func(l seedList) bool { return l.name == key }):
			d.list(e, key, held)
		default:
			e.about(key, "is not a key of a seed; there are "+seedKeys())
		}
	}
}

// list takes a list.
func (d seedDocument) list(e *SeedError, name string, value any) {
	elements, ok := value.([]any)
	if !ok {
		e.about(name, "must be an array")
	}
	d[name] = elements
}

// entries yields the keys and values of what has to be an object, in the order
// of the keys.
func entries(e *SeedError, place string, value any) iter.Seq2[string, any] {
	object, ok := value.(map[string]any)
	if !ok {
		e.about(place, "must be an object")
	}
	return func(yield func(string, any) bool) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if !yield(key, object[key]) {
				return
			}
		}
	}
}

// order returns the lists of the document in the order in which they are made.
func (d seedDocument) order() []seedList {
	lists := slices.Clone(seedLists)
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if collection, ok := strings.CutPrefix(name, seedFinance+"."); ok {
			lists = append(lists, seedList{name: name, operation: "finance.records.create", collection: collection})
		}
	}
	return lists
}

func seedKeys() string {
	var keys []string
	for _, list := range seedLists {
		keys = append(keys, list.name)
	}
	return strings.Join(keys, ", ") + " and " + seedFinance
}

// notJSON says where a document stops being JSON.
func notJSON(document []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return "is not valid JSON: " + err.Error()
	}
	read := document[:min(int(syntax.Offset), len(document))]
	return fmt.Sprintf("line %d: is not valid JSON: %v", 1+bytes.Count(read, []byte("\n")), err)
}

// refused adds what an operation has to say against the element at a place.
// An error that is not a rejection is a bug of the sandbox and returned.
func (e *SeedError) refused(place string, err error) error {
	var refusal *server.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("seed %s: %w", place, err)
	}
	details, _ := refusal.Details.(map[string]any)
	if fields, ok := details["fields"].(map[string]string); ok {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			e.about(place+"."+field, fields[field])
		}
		return nil
	}
	if field, ok := details["field"].(string); ok {
		place += "." + field
	}
	e.about(place, refusal.Message)
	return nil
}

// seedPlace is the place of an element of a list.
func seedPlace(list string, i int) string {
	return list + "[" + strconv.Itoa(i) + "]"
}
