// Package claims checks statements about the billing services against a running service.
//
// A [Claim] is a numbered statement that is checked over plain net/http. [Run] checks claims against any [Target], the
// sandbox or a real test environment: a claim creates its own objects under unique names, removes them, and tolerates
// other objects. A claim about what happens when time passes needs a target whose clock can be moved, one about
// deliveries a receiver that the service can reach; both report it where there is none.
//
// To add one, append it to the list of its subject (claims_*.go) with the next free number. Numbers are never used
// twice nor given to another statement, because reports name them. Then add the fault that it is meant to find to the
// tests (faults*_test.go), which run every claim against a sandbox behind a proxy that plants the fault: a claim that
// no fault can fail proves nothing.
//
// The claims are written from the service descriptions and from the assumptions that the guide "What this provider
// assumes about the services" lists, never from the code of the client or of the sandbox.
package claims
