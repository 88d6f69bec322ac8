package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// seedList is one list of a seed document. Each of its elements is the body of
// the operation, which judges and makes it, with what is needed around it.
type seedList struct {
	name      string
	operation string
	// add makes an element where no operation does; nil: the operation makes it.
	add        func(*billing.Service, *server.Call, *store.Tx) (server.Reply, error)
	collection string          // of financial management; empty: the list is of another service
	reference  *seedReference  // nil: an element refers to no other
	credential *seedCredential // nil: an element has none
}

// seedLists are the lists of a seed, but for those of financial management, in
// the order in which they are made: what is referred to comes first.
var seedLists = []seedList{
	{name: "plans", add: (*billing.Service).AddPlan},
	{name: "products", add: (*billing.Service).AddProduct},
	{name: "prices", add: (*billing.Service).AddPrice},
	{name: "customers", operation: "customers.create"},
	{name: "billing_accounts", operation: "billing_accounts.create", reference: &customerReference},
	{name: "subscriptions", operation: "subscriptions.create", reference: &accountReference},
	{name: "webhook_endpoints", operation: "webhook_endpoints.create", credential: &knownSecret},
	{name: "api_keys", operation: "api_keys.create", credential: &knownToken},
}

// Seed makes what a seed document holds, by the operations' own handlers. A list
// with a problem is checked completely and no list after it: what refers
// to a rejected element would only repeat the rejection.
func (s *Control) Seed(ctx context.Context, tx *store.Tx, text []byte) error {
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
func (s *Control) make(
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
		Organization: s.Bootstrap.Organization, Now: s.Clock.Now(), Source: s.Source,
		Path: map[string]string{"collection": list.collection},
	}
	var err error
	if c.Body, err = server.Encode(object); err != nil {
		return fmt.Errorf("seed %s: %w", place, err)
	}
	if list.add != nil {
		if _, err := list.add(s.billing, c, tx); err != nil {
			return e.refused(place, err)
		}
		return nil
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
func (s *Control) run(ctx context.Context, c *server.Call, tx *store.Tx, operation string) (id string, err error) {
	route, ok := server.Named(s.routes(), operation)
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
func (s *Control) routes() []server.Route {
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
