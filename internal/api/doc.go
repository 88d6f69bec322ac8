// Package api is the client of the billing platform's services: transport,
// authentication, typed errors, retry, rate limit, paging, and the table of
// operations. It knows nothing of any single object, and nothing of Terraform.
//
// One call of [Client.Do] passes through small pieces, each in its own file:
//
//	client.go     the request is prepared: route, address, body, headers
//	run.go        the loop that decides what a response means: done, again, or over
//	gate.go       the limiter that all clients of one provider share: 429 and the client-side limit
//	outage.go     what all calls share about a service that does not respond
//	exchange.go   one attempt: send, read within the caps, notify the observer
//	connections.go the transport: TLS, proxies, and connections that go silent
//	decode.go     One, Delete, Optional, Many, Raw: the required form of a success
//	list.go       List, ListBackward: pages as one sequence
//	cursor.go     Cursor: the same where pages are chained by cursors
//	snapshot.go   Refreshed: single objects of a refresh from the pages of their list
//	settle.go     what to do when a create may or may not have happened
//	transition.go the same for a change of an object's state, and for what may happen twice
//
// # Why no ready-made retry library
//
// go-retryablehttp was considered and does not fit the rules that keep a
// billing client from charging twice. It repeats a POST on 5xx; it swallows the
// last response, unless told otherwise, and with it code and Request-Id; its
// backoff has no jitter and obeys Retry-After without a cap; it cannot know
// whether a connection was ever obtained, which is what makes a failed POST
// safe to repeat; it is done once the header has come and does not see a body
// cut short; and every client waits for itself, so a 429 slows down one request
// instead of all. The limit of requests per second is its own as well, because
// its rate changes with each 429 while requests wait for it.
package api
