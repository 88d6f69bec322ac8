// Package evidence holds what the billing services send and receive on the wire.
//
// It is written from the service descriptions and from the assumptions that README.md lists, never from the code of the
// client or of the sandbox. Those two keep their own structs on purpose: with shared ones a misspelled field name on
// both sides would pass every test.
//
// # Exchanges
//
// An [Exchange] is one request with its response, as JSON in the archive of its service (testdata/*.txtar), that names
// its source ("Recurring billing §4 …" is a section of the service description, "wire contract: customers.create" an
// operation of README.md). The client's tests decode and encode them; the sandbox's tests compare shapes with them.
// README.md says how one is added.
//
// # Deliveries and signatures
//
// An [Event] is a webhook as the collections service sends it, and a [Signature] a test vector of its signing. Both
// were signed with a tool that is not part of this project. Their secrets, and those in exchanges, are invented and
// contain the word EXAMPLE; the package's tests accept no other.
package evidence
