package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// SeedError reports why a seed document cannot be used. Nothing of it has been
// made.
type SeedError struct {
	// Problems each name a place and its problem, such as
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

// seedLists are the lists of a seed document, in the order of creation: an object comes after those it refers to.
// Those of financial management follow, see seedFinance. Each element is the body of the create operation of its list,
// which judges and makes it.
var seedLists = []string{"plans", "products", "prices", "customers", "billing_accounts", "subscriptions",
	"webhook_endpoints", "api_keys"}

// seedFinance is the key of the object that holds the collections of financial
// management, which have any name.
const seedFinance = "finance"

// seed makes what a seed document holds, by the operations' own handlers. A list
// with a problem is checked completely and no list after it: what refers
// to a rejected element would only repeat the rejection.
func (s *Server) seed(ctx context.Context, tx *store.Tx, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	e := &SeedError{}
	elements := e.read(text)
	if err := e.err(); err != nil {
		return err
	}
	names := slices.Clone(seedLists)
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		if strings.HasPrefix(name, seedFinance+".") {
			names = append(names, name)
		}
	}
	for _, list := range names {
		for i, element := range elements[list] {
			if err := s.make(ctx, tx, e, list, fmt.Sprintf("%s[%d]", list, i), element); err != nil {
				return err
			}
		}
		if err := e.err(); err != nil {
			return err
		}
	}
	return nil
}

// read splits a seed document into its lists. The operations validate the elements.
func (e *SeedError) read(document []byte) map[string][]any {
	value, err := server.DecodeStrictly(document)
	if err != nil {
		e.about("", notJSON(document, err))
		return nil
	}
	lists, elements := e.object("", value), map[string][]any{}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		switch {
		case name == seedFinance:
			collections := e.object(name, lists[name])
			for _, collection := range slices.Sorted(maps.Keys(collections)) {
				elements[name+"."+collection] = e.array(name+"."+collection, collections[collection])
			}
		case slices.Contains(seedLists, name):
			elements[name] = e.array(name, lists[name])
		default:
			e.about(name, "is not a key of a seed; there are "+strings.Join(seedLists, ", ")+" and "+seedFinance)
		}
	}
	return elements
}

func (e *SeedError) array(place string, value any) []any {
	array, ok := value.([]any)
	if !ok {
		e.about(place, "must be an array")
	}
	return array
}

func (e *SeedError) object(place string, value any) map[string]any {
	object, ok := value.(map[string]any)
	if !ok {
		e.about(place, "must be an object")
	}
	return object
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

// refused adds an operation's errors about the element at a place.
// An error that is not a rejection is a bug of the sandbox and returned.
func (e *SeedError) refused(place string, err error) error {
	var refusal *server.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("seed %s: %w", place, err)
	}
	details, _ := refusal.Details.(map[string]any)
	if fields, ok := details["fields"].(map[string]string); ok {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			e.about(place+"."+index.ReplaceAllString(field, "[$1]"), fields[field])
		}
		return nil
	}
	if field, ok := details["field"].(string); ok {
		place += "." + field
	}
	e.about(place, refusal.Message)
	return nil
}

// make makes one element of a list. What is wrong with it goes into e; an error
// is a bug of the sandbox.
func (s *Server) make(ctx context.Context, tx *store.Tx, e *SeedError, list, place string, element any) error {
	object := e.object(place, element)
	if object == nil {
		return nil
	}
	if field, problem := s.refer(tx, list, object); problem != "" {
		e.about(place+"."+field, problem)
		return nil
	}
	credential, problem := s.takeCredential(tx, list, object)
	if problem != "" {
		e.about(place+"."+seedCredentials[list].field, problem)
		return nil
	}
	operation, collection := list+".create", ""
	if name, ok := strings.CutPrefix(list, seedFinance+"."); ok {
		operation, collection = "finance.records.create", name
	}
	made, err := s.run(ctx, tx, operation, collection, object)
	if errors.Is(err, server.ErrNoRoute) {
		e.about(place, "no collection can have this name")
		return nil
	}
	if err != nil {
		return e.refused(place, err)
	}
	switch {
	case credential == "":
	case list == "api_keys":
		s.collections.SetToken(tx, made, server.PublicPrefix(credential), credential)
	default:
		s.collections.SetSecret(tx, made, credential)
	}
	return nil
}

// run runs an operation as a request does, but inside a transaction that is
// under way, and for no token. It returns the id of the created object.
func (s *Server) run(ctx context.Context, tx *store.Tx, operation, collection string, object any) (string, error) {
	routes := slices.Concat(s.billing.Routes(), s.billing.SeedOnly(), s.finance.Routes(), s.collections.Routes())
	route, _ := server.Named(routes, operation)
	c := &server.Call{
		Organization: s.bootstrap.Organization, Now: s.core.Clock.Now(), Source: s.core.Source,
		Path: map[string]string{"collection": collection}, Operation: operation,
	}
	var err error
	if c.Body, err = server.Encode(object); err != nil {
		return "", err
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
	document, err := server.Encode(result.Body)
	if err != nil {
		return "", err
	}
	var responded struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	return responded.Data.ID, json.Unmarshal(document, &responded)
}

// refer replaces the code of an object that an element refers to by its id: ids are not known before the sandbox runs.
// It returns the field and its problem. The operation validates everything else in the field.
func (s *Server) refer(tx *store.Tx, list string, element map[string]any) (field, problem string) {
	var kind, key, missing string
	switch list {
	case "billing_accounts":
		element, _ = element["customer"].(map[string]any)
		field, key, kind, missing = "customer.id", "id", "customer", "no customer has this external_id"
	case "subscriptions":
		field, key, kind = "billing_account_id", "billing_account_id", "account"
		// A reader of the documentation expects to find that account.
		missing = "no billing account has this external_id; the account that comes with a customer has none: " +
			"list it under billing_accounts, and give the customer \"create_billing_account\": false"
	}
	code, _ := element[key].(string)
	if !strings.HasPrefix(code, "external_id=") {
		return field, ""
	}
	id, err := s.find(tx, kind, code)
	if err != nil {
		return field, missing
	}
	element[key] = id
	return field, ""
}

// index is the index of an element in the name of a field, as a service writes it.
var index = regexp.MustCompile(`\.(\d+)`)

// seedCredentials are the fields of elements that say which credential the
// object gets, so that tests can know it. The service has no such field: it
// generates every credential, and so does an element without it.
//
// The part of a token before the last underscore is the public prefix, as in one that is made up.
var seedCredentials = map[string]struct {
	field   string
	pattern *regexp.Regexp
	must    string
}{
	"webhook_endpoints": {"secret", regexp.MustCompile(`^whsec_[!-~]{16,}$`),
		"must be whsec_ and at least 16 characters without spaces"},
	"api_keys": {"token", regexp.MustCompile(`^ck_sandbox_[A-Za-z0-9]+_[A-Za-z0-9]{16,}$`),
		"must be ck_sandbox_NAME_SECRET, of letters and digits, SECRET at least 16 of them"},
}

// takeCredential removes the credential from an element, because the operation does not know
// the field, and returns it, or its problem.
func (s *Server) takeCredential(tx *store.Tx, list string, element map[string]any) (value, problem string) {
	known := seedCredentials[list]
	given, ok := element[known.field]
	if !ok || known.field == "" {
		return "", ""
	}
	delete(element, known.field)
	value, _ = given.(string)
	switch {
	case !known.pattern.MatchString(value):
		return "", known.must
	case list == "api_keys" && s.collections.HasPrefix(tx, server.PublicPrefix(value)):
		return "", "another one has it, or its public part"
	}
	return value, ""
}
