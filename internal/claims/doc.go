// Package claims checks statements about the billing services against a running service.
//
// A [Claim] is a numbered statement that is checked over plain net/http. [Run] checks claims against any [Target], the
// sandbox or a real test environment: a claim creates its own objects under unique names, removes them, and tolerates
// other objects. A claim about what happens when time passes needs a target whose clock can be moved, one about
// deliveries a receiver that the service can reach; both report it where there is none.
//
// To add one, append it to the list of its subject (claims_*.go) with the next free number, below the consequence
// (otherwise) that a user notices when it does not hold. A number is never reused, because reports name it. Then add
// the fault that it is meant to find to the
// tests (faults*_test.go), which run every claim against a sandbox behind a proxy that plants the fault: a claim that
// no fault can fail proves nothing.
//
// Only what the provider relies on is a claim: what a service does beyond that, such as how strictly it rejects, is
// none of check's business, and is tested at the sandbox.
//
// The claims are written from the service descriptions and from the assumptions in internal/evidence/README.md, never
// from the code of the client or of the sandbox.
package claims
