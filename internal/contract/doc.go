// Package contract holds evidence of what the billing services say on the wire.
// The evidence is written from the service descriptions and from the assumptions
// that the guide "What this provider assumes about the services" lists, never
// from the code of the client or of the sandbox. Those two keep their own
// structs on purpose: with shared ones a misspelt field name on both sides would
// pass every test. The package imports the standard library only.
//
// # Exchanges
//
// An [Exchange] is one request with its answer, a JSON file under testdata that
// names its source ("Recurring billing §4 …" is a section of the service
// description, "wire contract: customers.create" an operation of the guide).
// The client's tests decode and encode them; the sandbox's tests compare shapes
// with them. To add one, put a file into testdata/<service>/ with the members
// source, operation, request and response: the package's tests check the rest.
//
// # Deliveries and signatures
//
// An [Event] is a webhook as the collections service sends it, and a [Signature]
// a test vector of its signing. Both were signed with a tool that is no part of
// this project. Their secrets, and those in exchanges, are invented and hold the
// word EXAMPLE; the package's tests let no other stand in evidence.
//
// # Claims
//
// A [Claim] is a numbered statement about a running service that is checked over
// plain net/http. [Run] checks claims against any [Target], the sandbox or a
// real test environment: a claim makes its own objects under unique names, takes
// them away again, and tolerates other objects beside them. A claim about what
// happens when time passes needs a target whose clock can be moved, one about
// deliveries a receiver that the service can reach; both say so where there is none.
//
// To add one, append it to the list of its subject (claims_*.go) with the next
// free number. Numbers are never used twice nor given to another statement,
// because reports name them. Then add the fault that it is meant to find to
// the tests (faults*_test.go): a claim that no fault can fail proves nothing.
package contract
