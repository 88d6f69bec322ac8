// Package sandbox implements the three billing services for tests and local use. It is written from the service
// descriptions and the wire contract, and does not depend on the client.
//
// It serves HTTPS on loopback with its own certificate authority. Each service has a listener, and a control listener
// reports on the sandbox and changes its state. Recurring billing has all operations of the wire contract: me,
// customers, billing accounts, subscriptions and invoices. Collections has all of its operations: webhook endpoints,
// deliveries and API keys. Financial management has the records of any collection. Options.Web adds a page
// that shows all of this.
//
// Where the descriptions leave a choice, the sandbox is strict. It responds with 422 to unknown fields, fields of the
// wrong type, create-only fields in an update, unknown or repeated query parameters, and an unknown sort_by. An id that
// is not a UUID is an object that does not exist. It responds with 400 to a body that is not a JSON object, a page that
// is not an integer (one out of range is clamped, as documented), and a request without Content-Type: application/json.
// It accepts null only where the description says "or null". The body may be missing if all fields are optional. Nulls
// sort before values, and equal values by id. A canceled subscription accepts only its deletion, and a billing account
// can be deleted only if its subscriptions are canceled. A running trial is the current period; the first invoice is
// created at the first renewal, or at the end of the trial. A delivery that is pending or has succeeded cannot be
// resent by hand, an expired key cannot be rotated, and each change of an endpoint's authentication must contain the
// credential.
//
// This package assembles the packages in internal and is their only public interface. sandbox.go starts and stops a
// server and defines the options that change its behavior; access.go reads and changes a running one; control.go and
// status.go implement the control listener; tokens.go and seed.go create the initial state. internal/server handles
// requests; billing, collections and finance each implement a service, with its tables, operations and routes, and do
// not import each other; page reads all of them. internal/store stores rows.
package sandbox
