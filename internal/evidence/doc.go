// Package evidence contains recorded exchanges with the billing services.
//
// They are written from the service descriptions and the assumptions in README.md, never from the code of the client or
// the sandbox. Those two have separate structs on purpose: with shared ones, a misspelled field name would pass every
// test.
//
// # Exchanges
//
// An [Exchange] is one request with its response, as JSON in the archive of its service (testdata/*.txtar). It names
// its source: "Recurring billing §4 …" is a section of the service description, "wire contract: customers.create" an
// operation of README.md. The client's tests decode and encode exchanges; the sandbox's tests compare shapes with them.
// README.md explains how to add one.
//
// # Deliveries and signatures
//
// An [Event] is a webhook as the collections service sends it, and a [Signature] is a test vector of its signing. Both
// were signed with a tool that is not part of this project. Their secrets, and those in exchanges, are invented and
// contain the word EXAMPLE; the package's tests reject others.
package evidence
