// Package sandbox is a server of the three billing services, written from the
// service descriptions and the wire contract, for tests and for trying things
// out. It knows nothing of the client that talks to it.
//
// It serves https on loopback with a certificate authority of its own, one
// listener a service and one more, control, over which a running sandbox is
// asked and steered. Recurring billing serves every operation of the wire
// contract: me, customers, billing accounts, subscriptions and invoices;
// collections every one too: webhook endpoints, deliveries and API keys;
// financial management the records of any collection.
//
// Options.Web adds a page for browsers that shows all of this and changes none
// of it. web.go serves it, the other web files collect what it shows, and
// internal/page writes it.
//
// Time moves subscriptions: trials and periods end, pauses run out, pending
// plans and scheduled cancellations arrive. Whatever has come due by the clock
// has happened, at its own moment and in order, when the next request is
// answered; nothing happens between requests. machine.go has the steps that are
// asked for, due.go those that time makes.
//
// Webhooks are really sent: an event is stored, a delivery made for each
// endpoint that wants it, and a worker makes each attempt at its moment by the
// clock, beside the requests; WaitDeliveries waits for it. One that the clock
// has jumped over is made, and signed, at the moment at which it was due.
// pipeline.go has the worker; internal/delivery the states, the schedule, the
// signature and one attempt over the network; internal/netguard what may not be
// reached. Names that are reserved for documentation are taken at registration
// and lead nowhere. Secrets and credentials of endpoints lie encrypted in the
// state file; their key is in the file of that name with .key behind it, which
// a state with endpoints does not start without. A token is kept as a digest.
//
// Where the descriptions leave a choice, the sandbox is strict. Unknown
// fields, fields of the wrong type and create-only fields in an update are
// 422, as are unknown or repeated query parameters, an unknown sort_by, and a
// page that is no integer (one out of range is clamped, as documented). An id
// that is no UUID is an object that does not exist. A body that is no JSON
// object, and a request without Content-Type: application/json, are 400.
// A null is taken where the description says "or null" and nowhere else, and an
// operation whose fields are all optional may come without a body. Nulls sort
// before values, equal values by id. A canceled subscription takes no further
// operation but its deletion; a billing account with a subscription that is not
// canceled cannot be deleted. While a trial runs, it is the current period; the
// first invoice comes with the first renewal, or with the end of the trial. A
// delivery that is pending or has succeeded cannot be sent again by hand, an
// expired key cannot be rotated, and a credential must be sent with every change
// of an endpoint's authentication.
//
// How it is laid out: serve.go is the way of a request, route.go the table of
// operations, body.go the rules for bodies, list.go and sort.go the listings,
// errors.go every error; then one file or two an object. seed.go takes apart
// what a new state begins with, and seed_apply.go makes it by the operations.
// Rows live in internal/store.
package sandbox
