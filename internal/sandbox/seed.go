package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
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

// seedList is one list of a seed document. Each of its elements is the body of
// the operation, which judges and makes it, with what is needed around it.
type seedList struct {
	name       string
	operation  string          // one of the service, or for the catalogue one that only a seed has
	collection string          // of financial management; empty: the list is of another service
	reference  *seedReference  // nil: an element refers to no other
	credential *seedCredential // nil: an element has none
}

// seedLists are the lists of a seed, but for those of financial management, in
// the order in which they are made: what is referred to comes first.
var seedLists = []seedList{
	{name: "plans", operation: "plans.create"},
	{name: "products", operation: "products.create"},
	{name: "prices", operation: "prices.create"},
	{name: "customers", operation: "customers.create"},
	{name: "billing_accounts", operation: "billing_accounts.create", reference: &customerReference},
	{name: "subscriptions", operation: "subscriptions.create", reference: &accountReference},
	{name: "webhook_endpoints", operation: "webhook_endpoints.create", credential: &knownSecret},
	{name: "api_keys", operation: "api_keys.create", credential: &knownToken},
}

// seed makes what a seed document holds, by the operations' own handlers. A list
// with a problem is checked completely and no list after it: what refers
// to a rejected element would only repeat the rejection.
func (s *Server) seed(ctx context.Context, tx *store.Tx, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	document, err := readSeed(text)
	if err != nil {
		return err
	}
	e := &SeedError{}
	for _, list := range document.order() {
		for i, element := range document[list.name] {
			place := seedPlace(list.name, i)
			if err := s.make(ctx, tx, e, list, place, element); err != nil {
				return err
			}
		}
		if err := e.err(); err != nil {
			return err
		}
	}
	return nil
}

// make makes one element of a list. What is wrong with it goes into e; an error
// is a bug of the sandbox.
func (s *Server) make(
	ctx context.Context, tx *store.Tx, e *SeedError, list seedList, place string, element any,
) error {
	object, ok := element.(map[string]any)
	if !ok {
		e.about(place, "must be an object")
		return nil
	}
	if problem := list.reference.resolve(s, tx, object); problem != "" {
		e.about(place+"."+list.reference.field(), problem)
		return nil
	}
	credential, problem := list.credential.take(s, tx, object)
	if problem != "" {
		e.about(place+"."+list.credential.field, problem)
		return nil
	}
	c := &server.Call{
		Organization: s.bootstrap.Organization, Now: s.core.Clock.Now(), Source: s.core.Source,
		Path: map[string]string{"collection": list.collection},
	}
	var err error
	if c.Body, err = server.Encode(object); err != nil {
		return fmt.Errorf("seed %s: %w", place, err)
	}
	made, err := s.run(ctx, c, tx, list.operation)
	if errors.Is(err, server.ErrNoRoute) {
		e.about(place, "no collection can have this name")
		return nil
	}
	if err != nil {
		return e.refused(place, err)
	}
	return list.credential.keep(s, tx, made, credential)
}

// run runs an operation as a request does, but inside a transaction that is
// under way, and for no token. It returns the id of what was made.
func (s *Server) run(ctx context.Context, c *server.Call, tx *store.Tx, operation string) (id string, err error) {
	route, ok := server.Named(slices.Concat(s.routes(), s.billing.SeedOnly()), operation)
	if !ok {
		return "", fmt.Errorf("no operation %s", operation)
	}
	if route.Prepare != nil {
		if err := route.Prepare(ctx, c); err != nil {
			return "", err
		}
	}
	result, err := route.Serve(c, tx)
	if err != nil {
		return "", err
	}
	return idOf(result)
}

// routes are the operations of all services.
func (s *Server) routes() []server.Route {
	return slices.Concat(s.billing.Routes(), s.finance.Routes(), s.collections.Routes())
}

// idOf reads the id of the one object in a response, which comes in an envelope
// or bare. It is empty for a response of several.
func idOf(result server.Reply) (string, error) {
	document, err := server.Encode(result.Body)
	if err != nil {
		return "", err
	}
	var responded struct {
		ID   string `json:"id"`
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.Unmarshal(document, &responded)
	return cmp.Or(responded.Data.ID, responded.ID), err
}
