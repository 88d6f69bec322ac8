// Package sandbox is a server of the three billing services, written from the
// service descriptions and the wire contract, for tests and for trying things
// out. It does not depend on the client.
//
// It serves https on loopback with its own certificate authority, one
// listener for each service and one more, control, over which a running sandbox is
// queried and controlled. Recurring billing serves every operation of the wire
// contract: me, customers, billing accounts, subscriptions and invoices;
// collections every one too: webhook endpoints, deliveries and API keys;
// financial management the records of any collection. Options.Web adds a page
// for browsers that shows all of this and changes none of it.
//
// Where the descriptions leave a choice, the sandbox is strict. Unknown
// fields, fields of the wrong type and create-only fields in an update are
// 422, as are unknown or repeated query parameters, an unknown sort_by, and a
// page that is not an integer (one out of range is clamped, as documented). An id
// that is not a UUID is an object that does not exist. A body that is not a JSON
// object, and a request without Content-Type: application/json, are 400.
// A null is accepted where the description says "or null" and nowhere else, and an
// operation whose fields are all optional may come without a body. Nulls sort
// before values, equal values by id. A canceled subscription accepts no further
// operation except its deletion; a billing account with a subscription that is not
// canceled cannot be deleted. While a trial runs, it is the current period; the
// first invoice comes with the first renewal, or with the end of the trial. A
// delivery that is pending or has succeeded cannot be sent again by hand, an
// expired key cannot be rotated, and a credential must be sent with every change
// of an endpoint's authentication.
//
// This package assembles the packages below internal and is their only public
// interface: sandbox.go starts and ends a server and has the options that make
// it differ from the plain one, access.go is what a running one offers and what these packages define; control.go and
// status.go serve the control listener, tokens.go and seed.go have what a new state begins with.
// internal/server handles a request; billing, collections and finance are a service each, with its tables, operations
// and routes, and do not use each other; page reads them all. Rows are in internal/store.
package sandbox
