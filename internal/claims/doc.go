// Package claims checks statements about the billing services against a running service.
//
// A [Claim] is a numbered statement, checked with plain net/http. [Run] checks claims against any [Target]: the sandbox
// or a real test environment. A claim creates its own objects under unique names, removes them, and tolerates other
// objects. A claim about the passage of time needs a target whose clock can be moved, and a claim about deliveries
// needs a receiver that the service can reach. Without them, the claim is reported as not checked.
//
// To add a claim, append it with the next free number to the list of its subject (claims_*.go), below the consequence
// (otherwise) that users notice if it does not hold. Numbers are never reused, because reports contain them. Then add
// the fault that the claim should find to the tests (faults*_test.go). They run every claim against a sandbox behind a
// proxy that injects the fault: a claim that no fault can fail proves nothing. The claim about the fault must fail
// first; name the claims on which others rest (restsOn) if these fail too.
//
// Claims cover only behavior that the provider relies on. The sandbox's tests cover the rest, such as how strictly a
// service rejects requests.
//
// Claims are written from the service descriptions and the assumptions in internal/evidence/README.md, never from the
// code of the client or the sandbox.
package claims
