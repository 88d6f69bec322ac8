// Package claims checks statements about the billing services against a running service.
//
// A [Claim] is a numbered statement, checked with plain net/http. [Run] checks claims against any [Target]: the sandbox
// or a real test environment. A claim creates its own objects under unique names, removes them, and tolerates other
// objects. A claim about the passage of time needs a target whose clock can be moved, and a claim about deliveries
// needs a receiver that the service can reach. Without them, the claim is reported as not checked.
//
// A claim is one of two things. Most are a law (laws.go) about a kind of objects (kinds.go): "the filter external_id
// returns the customers with this value and no others". The others are facts, which are files (facts/*.txtar, in the
// notation of [Facts]): a pause, a delivery. Every response, whatever the claim, is compared with its documented shape.
//
// Numbers are never reused, because reports contain them. Those of laws are in numbers.txt, those of facts in their
// files. Each claim must be able to fail: the tests plant faults in a sandbox, one for each member, parameter and
// status of what the claims send and get, and some by hand.
//
// Claims cover only behavior that the provider relies on. The sandbox's tests cover the rest, such as how strictly a
// service rejects requests.
//
// Kinds, laws and facts are written from the service descriptions and the assumptions in internal/evidence/README.md,
// never from the code of the client or the sandbox.
package claims
