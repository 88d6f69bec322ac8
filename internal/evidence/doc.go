// Package evidence holds what the billing services send and receive on the wire.
//
// It is written from the service descriptions and from the assumptions that the guide "What this provider assumes about
// the services" lists, never from the code of the client or of the sandbox. Those two keep their own structs on
// purpose: with shared ones a misspelled field name on both sides would pass every test. The package imports the
// standard library only.
//
// # Exchanges
//
// An [Exchange] is one request with its response, a JSON file under testdata that names its source ("Recurring billing
// §4 …" is a section of the service description, "wire contract: customers.create" an operation of the guide). The
// client's tests decode and encode them; the sandbox's tests compare shapes with them. To add one, put a file into
// testdata/<service>/ with the members source, operation, request and response: the package's tests check the rest.
//
// # Deliveries and signatures
//
// An [Event] is a webhook as the collections service sends it, and a [Signature] a test vector of its signing. Both
// were signed with a tool that is not part of this project. Their secrets, and those in exchanges, are invented and
// contain the word EXAMPLE; the package's tests accept no other.
package evidence
