package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// retryTime is how long a client has to repeat a request whose connection was cut, for it to be the same run.
const retryTime = time.Minute

// runs tell which requests come from the same process, such as the provider's in one plan or one apply. No request
// names its process, and a fixed clock shows no pause. But a process keeps connections open between its requests, and
// they end with it: a request on a new connection belongs to the run of a client that has others open, and otherwise
// begins another one. A client with nothing open whose last connection was cut in a request, by a fault or its own
// timeout, has some time to come back. Processes of the same User-Agent that run at the same time are one run; one that
// is idle for so long that it closes its connections is two.
type runs struct {
	mu     sync.Mutex
	last   uint64
	newest map[string]*run // by User-Agent
	places map[net.Conn]*place
}

type run struct {
	number uint64
	agent  string
	open   int       // connections
	cut    time.Time // when a connection ended in a request, if no request has come since
}

// place is a connection in its run; busy while a request is under way.
type place struct {
	run  *run
	busy bool
}

type connectionKey struct{}

// withConnection lets join know the connection of a request.
func withConnection(ctx context.Context, connection net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// join returns the number of the run that the request belongs to.
func (s *runs) join(r *http.Request) uint64 {
	connection, _ := r.Context().Value(connectionKey{}).(net.Conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.places[connection]; known != nil {
		known.run.cut = time.Time{} // it has come back
		return known.run.number
	}
	if s.places == nil {
		s.newest, s.places = map[string]*run{}, map[net.Conn]*place{}
	}
	joined := s.newest[r.UserAgent()]
	if joined == nil || joined.open == 0 && time.Since(joined.cut) > retryTime {
		s.last++
		joined = &run{number: s.last, agent: r.UserAgent()}
		s.newest[joined.agent] = joined
	}
	joined.open++
	joined.cut = time.Time{}
	s.places[connection] = &place{run: joined, busy: true}
	return joined.number
}

// follow notes what becomes of a connection.
func (s *runs) follow(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.places[connection]
	if known == nil {
		return // it has had no request, or none to a service
	}
	if state != http.StateClosed && state != http.StateHijacked {
		known.busy = state == http.StateActive
		return
	}
	delete(s.places, connection)
	known.run.open--
	if known.busy {
		known.run.cut = time.Now()
	}
	if known.run.open == 0 && known.run.cut.IsZero() {
		delete(s.newest, known.run.agent)
	}
}

// interrupt notes that the sandbox is about to cut all connections.
func (s *runs) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.places {
		known.busy = true
	}
}
