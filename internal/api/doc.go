// Package api is the client of the billing platform's services. It implements transport, authentication, typed errors,
// retries, rate limits, paging and the table of operations. It does not depend on Terraform.
//
// [Client.Do] is implemented in these files:
//
//	client.go      prepares the request: route, address, body, headers
//	run.go         repeats attempts until a response is final
//	limiter.go        limits the requests of all clients of a provider: 429 and the configured limit
//	outage.go      shares the state of an unavailable service among calls
//	exchange.go    makes one attempt: sends, reads within limits, notifies the observer
//	connections.go implements the transport: TLS, proxies, and connections that stop responding
//	decode.go      One, Delete, Optional, Many, Raw: decode successful responses
//	list.go        List, ListBackward: pages as one sequence
//	cursor.go      Cursor: the same for pages chained by cursors
//	snapshot.go    Refreshed: objects of a refresh from the pages of their list
//	creation.go    determines whether a creation without a response has happened
//	transition.go  does the same for changes of an object's state, and repeats harmless requests
//
// # Why not go-retryablehttp
//
// It cannot guarantee that a customer is charged once. It repeats a POST after a 5xx and, by default, discards the last
// response with its code and Request-Id. Its backoff has no jitter and follows any Retry-After. It does not know
// whether a connection was established, and only without one is a failed POST safe to repeat. It stops at the header,
// so it misses a truncated body. Each request waits on its own, so a 429 slows down one request instead of all.
package api
