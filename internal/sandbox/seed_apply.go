package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// seedList is one list of a seed document. Each of its elements is the body of
// the operation, which judges and makes it, with what is needed around it.
type seedList struct {
	name       string
	operation  string
	collection string          // of financial management; empty: the list is of another service
	reference  *seedReference  // nil: an element refers to no other
	credential *seedCredential // nil: an element has none
}

// seedLists are the lists of a seed, but for those of financial management, in
// the order in which they are made: what is referred to comes first.
var seedLists = []seedList{
	{name: "customers", operation: "customers.create"},
	{name: "billing_accounts", operation: "billing_accounts.create", reference: &customerReference},
	{name: "subscriptions", operation: "subscriptions.create", reference: &accountReference},
	{name: "webhook_endpoints", operation: "webhook_endpoints.create", credential: &knownSecret},
	{name: "api_keys", operation: "api_keys.create", credential: &knownToken},
}

// seed makes what Options.SeedDocument holds, by the operations' own handlers.
// A list with a problem is looked through to its end and no list after it: what
// refers to a refused element would only repeat the refusal.
func (s *Server) seed(ctx context.Context, tx *store.Tx) error {
	if len(s.options.SeedDocument) == 0 {
		return nil
	}
	document, err := readSeed(s.options.SeedDocument)
	if err != nil {
		return err
	}
	e := &SeedError{}
	for _, list := range document.order() {
		for i, element := range document[list.name] {
			place := seedPlace(list.name, i)
			if err := list.make(ctx, s, tx, e, place, element); err != nil {
				return err
			}
		}
		if err := e.err(); err != nil {
			return err
		}
	}
	return nil
}

// make makes one element. What is wrong with it goes into e; an error is a
// fault of the sandbox.
func (l seedList) make(ctx context.Context, s *Server, tx *store.Tx, e *SeedError, place string, element any) error {
	object, ok := element.(map[string]any)
	if !ok {
		e.about(place, "must be an object")
		return nil
	}
	c := &call{
		server: s, organization: s.bootstrap.Organization, now: s.clock.Now(),
		path: map[string]string{"collection": l.collection},
	}
	if problem := l.reference.resolve(c, tx, object); problem != "" {
		e.about(place+"."+l.reference.field(), problem)
		return nil
	}
	credential, problem := l.credential.take(c, tx, object)
	if problem != "" {
		e.about(place+"."+l.credential.field, problem)
		return nil
	}
	var err error
	if c.body, err = encode(object); err != nil {
		return fmt.Errorf("seed %s: %w", place, err)
	}
	made, err := c.run(ctx, tx, l.operation)
	if errors.Is(err, errNoRoute) {
		e.about(place, "no collection can have this name")
		return nil
	}
	if err != nil {
		return e.refused(place, err)
	}
	return l.credential.keep(s, tx, made, credential)
}

// run runs an operation as a request does, but inside a transaction that is
// under way, and for no token. It answers the id of what was made.
func (c *call) run(ctx context.Context, tx *store.Tx, operation string) (id string, err error) {
	route, ok := operationNamed(operation)
	if !ok {
		return "", fmt.Errorf("no operation %s", operation)
	}
	if prepare, ok := preparations[operation]; ok {
		if err := prepare(ctx, c); err != nil {
			return "", err
		}
	}
	result, err := route.serve(c, tx)
	if err != nil {
		return "", err
	}
	return idOf(result)
}

// idOf reads the id of the one object in an answer, which comes in an envelope
// or bare (Tolerance.BareObjects). It is empty for an answer of several.
func idOf(result reply) (string, error) {
	document, err := encode(result.body)
	if err != nil {
		return "", err
	}
	var answered struct {
		ID   string `json:"id"`
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.Unmarshal(document, &answered)
	return cmp.Or(answered.Data.ID, answered.ID), err
}
