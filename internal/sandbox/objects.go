package sandbox

import (
	"cmp"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type (
	// ObjectState is an object as GET /objects lists it.
	ObjectState struct {
		Kind         string `json:"kind"`
		ID           string `json:"id"`
		Name         string `json:"name,omitempty"` // name, external_id, number or url
		Organization string `json:"organization,omitempty"`
		Deleted      bool   `json:"deleted,omitempty"`
		CustomerID   string `json:"customer_id,omitempty"` // of a billing account
		Collection   string `json:"collection,omitempty"`  // of a finance record
		Status       string `json:"status,omitempty"`      // of an API key: active, rotated, expired or revoked
		ReplacedBy   string `json:"replaced_by,omitempty"` // id of the API key by which a rotation replaced it
		// Writers are the last writers of the keys in custom_metadata, by path.
		Writers map[string]billing.Writer `json:"custom_metadata_writers,omitempty"`
		Value   any                       `json:"value,omitempty"` // as its service returns it, without credentials
		// CreatedAt is the time of the creation; zero for a plan.
		CreatedAt time.Time `json:"created_at,omitzero"`

		unique string // field by which a command can name it
		ended  bool   // deleted or canceled: another one may have its name since
		number int64  // in the order of creation
	}
	// RequestState is a request as GET /requests lists it.
	RequestState struct {
		Request
		Objects []string `json:"objects,omitempty"` // ids of those that it names or changed
		// Headers, with credentials masked, and Changes are shown only if they are asked for.
		Headers map[string]string `json:"headers,omitempty"`
		Changes []ObjectChange    `json:"changes,omitempty"`
	}
	// ObjectChange is an object before and after a request.
	ObjectChange struct {
		Kind   string `json:"kind"`
		ID     string `json:"id"`
		Name   string `json:"name,omitempty"`
		Before any    `json:"before,omitempty"`
		After  any    `json:"after,omitempty"`
	}
)

// describe returns the object of a table's row, which may contain credentials; ok is false for one without an object.
func (s *Server) describe(row any) (o ObjectState, ok bool) {
	switch r := row.(type) {
	case billing.CustomerRow:
		o = ObjectState{Kind: "customer", ID: r.Customer.ID, Name: r.Customer.Name, Deleted: r.Deleted, Value: r.Customer,
			Organization: r.Organization, CreatedAt: r.Customer.CreatedAt.Time, number: r.Number,
			unique: server.TextOf(r.Customer.ExternalID), ended: r.Deleted}
	case billing.AccountRow:
		o = ObjectState{Kind: "account", ID: r.Account.ID, Name: server.TextOf(r.Account.ExternalID), Value: r.Account,
			Organization: r.Organization, CustomerID: r.CustomerID, CreatedAt: r.Account.CreatedAt.Time, number: r.Number,
			ended: r.Account.Status == billing.AccountClosed}
		o.unique = o.Name
	case billing.SubscriptionRow:
		o = ObjectState{Kind: "subscription", ID: r.Subscription.ID, Name: server.TextOf(r.Subscription.ExternalID),
			Value:        map[string]any{"subscription": r.Subscription, "items": r.Items},
			Organization: r.Organization, CreatedAt: r.Subscription.CreatedAt.Time, number: r.Number,
			ended: r.Subscription.Status == billing.SubscriptionCanceled}
		o.unique = o.Name
	case billing.InvoiceRow:
		o = ObjectState{Kind: "invoice", ID: r.Invoice.ID, Name: r.Invoice.Number, Value: r.Invoice,
			Organization: r.Organization, CreatedAt: r.Invoice.CreatedAt.Time}
	case collections.EndpointRow:
		name, _, cut := strings.Cut(r.Endpoint.URL, "?") // the query may be a password
		if cut {
			name += "?…"
		}
		o = ObjectState{Kind: "endpoint", ID: r.Endpoint.ID, Name: name, Value: r.Endpoint,
			Organization: r.Organization, CreatedAt: r.Endpoint.CreatedAt.Time, number: r.Number, unique: r.Endpoint.URL}
	case collections.KeyRow:
		o = ObjectState{Kind: "key", ID: r.Key.ID, Name: r.Key.Name, Value: r.Key, ReplacedBy: r.SuccessorID,
			Status: r.Status(s.core.Clock.Now()), Organization: r.Organization, CreatedAt: r.Key.CreatedAt.Time,
			number: r.Number}
	case collections.DeliveryRow:
		o = ObjectState{Kind: "delivery", ID: r.ID, Name: r.Event, Value: r.Shown(),
			Organization: r.Organization, CreatedAt: r.CreatedAt, number: r.Number}
	case finance.RecordRow:
		fields, err := r.Decoded()
		if err != nil {
			return o, false
		}
		o = ObjectState{Kind: "record", ID: r.ID, Collection: r.Collection, Value: fields,
			Organization: r.Organization, CreatedAt: r.CreatedAt.Time, number: r.Number}
		o.Name, _ = finance.Simple(fields["name"])
	}
	return o, o.Kind != ""
}

// objects are all objects but deliveries, by kind, newest first. Plans of the catalogue have only a name.
func (s *Server) objects(tx *store.Tx) []ObjectState {
	all := []ObjectState{}
	all = appendObjects(s, all, s.billing.Customers.All(tx))
	all = appendObjects(s, all, s.billing.Accounts.All(tx))
	all = appendObjects(s, all, s.billing.Subscriptions.All(tx))
	all = appendObjects(s, all, s.billing.Invoices.All(tx))
	all = appendObjects(s, all, s.collections.Endpoints.All(tx))
	all = appendObjects(s, all, s.collections.Keys.All(tx))
	all = appendObjects(s, all, s.finance.Records.All(tx))
	for i := range all {
		all[i].Writers = s.billing.Writers(tx, all[i].ID)
	}
	slices.SortStableFunc(all, func(a, b ObjectState) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.number, a.number), cmp.Compare(b.Name, a.Name))
	})
	for id, name := range s.billing.Plans(tx) {
		all = append(all, ObjectState{Kind: "plan", ID: id, Name: name})
	}
	return all
}

func appendObjects[T any](s *Server, all []ObjectState, rows iter.Seq2[string, T]) []ObjectState {
	for _, row := range rows {
		if o, ok := s.describe(row); ok {
			all = append(all, o)
		}
	}
	return all
}

func (s *Server) controlObjects(*http.Request) (any, error) {
	if err := s.billing.Settle(s.core.Clock.Now()); err != nil {
		return nil, err
	}
	return store.Read(s.core.DB, s.objects), nil
}

// objectTables are the tables whose rows are objects.
var objectTables = []string{"customers", "billing_accounts", "subscriptions", "invoices", "webhook_endpoints",
	"webhook_deliveries", collections.KeysTable, "finance_records"}

// requestState adds to a request the objects that it names or changed.
func (s *Server) requestState(r Request, isWhole bool) RequestState {
	state := RequestState{Request: r}
	if r.Object != "" {
		state.Objects = []string{r.Object}
	}
	for _, c := range r.Changes {
		if !slices.Contains(objectTables, c.Table) {
			continue
		}
		if c.ID != r.Object {
			state.Objects = append(state.Objects, c.ID)
		}
		before, was := s.describe(c.Before)
		after, is := s.describe(c.After)
		if after.Deleted {
			after.Value = nil
		}
		if isWhole && (was || is) {
			state.Changes = append(state.Changes, ObjectChange{Kind: cmp.Or(after.Kind, before.Kind), ID: c.ID,
				Name: cmp.Or(after.Name, before.Name), Before: before.Value, After: after.Value})
		}
	}
	if isWhole {
		state.Headers = r.Headers
	} else {
		state.Response = nil
	}
	return state
}

func (s *Server) controlRequest(r *http.Request) (any, error) {
	id := r.PathValue("id")
	for _, request := range slices.Backward(s.server.Log.Since(0)) {
		if request.RequestID == id {
			return s.requestState(request, true), nil
		}
	}
	return nil, server.ErrNotFound.With("The log has no request " + quote(id) + ".")
}

// controlRequests lists requests. Those of one object are complete.
func (s *Server) controlRequests(r *http.Request) (any, error) {
	query := r.URL.Query()
	after, err := sequence(query.Get("after"))
	if err != nil {
		return nil, err
	}
	object, operation, found := query.Get("object"), query.Get("operation"), []RequestState{}
	for _, request := range s.server.Log.Since(after) {
		state := s.requestState(request, object != "")
		if query.Has("responses") {
			state.Response = request.Response
		}
		if (operation == "" || request.Operation == operation) &&
			(object == "" || slices.Contains(state.Objects, object)) {
			found = append(found, state)
		}
	}
	return found, nil
}
