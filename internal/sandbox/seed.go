package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// SeedError tells why a seed document cannot be used. Nothing of it has been
// made.
type SeedError struct {
	// Problems each name a place and what is wrong there, such as
	// "subscriptions[2].plan_id: is required without items".
	Problems []string
}

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

// readSeed takes a seed document apart. What the elements hold is for the
// operations to judge. The error is a *SeedError.
func readSeed(document []byte) (seedDocument, error) {
	e := &SeedError{}
	value, err := decode(document)
	if err != nil {
		e.about("", notJSON(document, err))
		return nil, e
	}
	lists := seedDocument{}
	lists.take(e, "", value)
	return lists, e.err()
}

// take takes an object apart: the lists it holds, and the objects that hold
// lists. prefix is what stands before the names of its keys.
func (d seedDocument) take(e *SeedError, prefix string, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		e.about(strings.TrimSuffix(prefix, "."), "must be an object")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name := prefix + key
		switch {
		case slices.ContainsFunc(seedLists, func(l seedList) bool { return l.name == name }):
			elements, ok := object[key].([]any)
			if !ok {
				e.about(name, "must be an array")
			}
			d[name] = elements
		case slices.ContainsFunc(seedLists, func(l seedList) bool { return strings.HasPrefix(l.name, name+".") }):
			d.take(e, name+".", object[key])
		default:
			e.about(name, "is not a key of a seed; its lists are "+seedNames())
		}
	}
}

func seedNames() string {
	var names []string
	for _, list := range seedLists {
		names = append(names, list.name)
	}
	return strings.Join(names, ", ")
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
// An error that is no refusal is a fault of the sandbox and answered.
func (e *SeedError) refused(place string, err error) error {
	var refusal *apiError
	if !errors.As(err, &refusal) {
		return fmt.Errorf("seed %s: %w", place, err)
	}
	details, _ := refusal.details.(map[string]any)
	if fields, ok := details["fields"].(map[string]string); ok {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			e.about(place+"."+field, fields[field])
		}
		return nil
	}
	if field, ok := details["field"].(string); ok {
		place += "." + field
	}
	e.about(place, refusal.message)
	return nil
}

// seedPlace is where an element of a list stands.
func seedPlace(list string, i int) string {
	return list + "[" + strconv.Itoa(i) + "]"
}
