package server

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// fallsAway silences or resets the connections if the request's fault demands it. If true, the request is not
// processed.
func (s *Server) fallsAway(service Service, f Fault) bool {
	switch {
	case f.Silent:
		s.connections.silence(string(service))
		return true
	case f.Outage > 0 && f.Status == 0:
		s.connections.reset()
		return true
	default:
		return false
	}
}

// connections tracks the open connections to the services, to group requests by client process into runs, such as the
// provider's in one plan or apply. Requests do not identify their process, and with a fixed clock pauses are invisible.
// But a process keeps connections open between requests and closes them on exit. So a request on a new connection joins
// the run of a client with other open connections, and otherwise starts a new run. A client whose last connection was
// cut during a request, by a fault or its own timeout, has some time to reconnect; so does a client that opens a
// connection for each request, whose end is invisible. Concurrent processes with the same User-Agent count as one run.
// A process that closes its idle connections counts as two.
type connections struct {
	mu     sync.Mutex
	open   map[*connection]bool
	last   uint64          // number of a run
	newest map[string]*run // by User-Agent
}

// connection can go silent: it then transfers no more data, but stays open until the client closes it or the server
// stops.
type connection struct {
	net.Conn
	all     *connections
	service string
	silent  atomic.Bool
	run     *run // nil: no request yet
	busy    bool // a request is being processed
}

type run struct {
	number uint64
	agent  string
	open   int       // connections
	keeps  bool      // a connection was kept after a request
	cut    time.Time // when a connection was cut during a request; zero after the next request
}

// maxAgents is the number of client names above which those without a connection are dropped.
const maxAgents = 1000

// retryTime is how long a client may take to retry after a cut connection within the same run.
const retryTime = time.Minute

func newConnections() *connections {
	return &connections{open: map[*connection]bool{}, newest: map[string]*run{}}
}

func (all *connections) add(accepted net.Conn, service string) *connection {
	all.mu.Lock()
	defer all.mu.Unlock()
	added := &connection{Conn: accepted, all: all, service: service}
	all.open[added] = true
	return added
}

func (all *connections) silence(service string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for c := range all.open {
		if c.service == service {
			c.silent.Store(true)
		}
	}
}

// reset resets every connection, as if cut during a request.
func (all *connections) reset() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for c := range all.open {
		c.busy = true
		abort(c.Conn)
		delete(all.open, c)
	}
}

// closeUnused closes connections without any request, which would delay the shutdown of the server.
func (all *connections) closeUnused() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for c := range all.open {
		if c.run == nil {
			_ = c.Conn.Close() // no request was sent
		}
	}
}

// abort resets a connection, as if the process had been killed.
func abort(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// Read implements net.Conn. A silent connection receives no data.
func (c *connection) Read(into []byte) (int, error) {
	for {
		n, err := c.Conn.Read(into)
		if err != nil || !c.silent.Load() {
			return n, err
		}
	}
}

// Write implements net.Conn. Data sent on a silent connection is lost.
func (c *connection) Write(b []byte) (int, error) {
	if c.silent.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn. The close of a silent connection is not sent to the client.
func (c *connection) Close() error {
	if c.silent.Load() {
		return nil
	}
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// fallible is a listener whose connections can go silent. It resets new connections during an outage.
type fallible struct {
	net.Listener
	server  *Server
	service string
}

// Accept implements net.Listener.
func (l fallible) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if f, away := l.server.Faults.outage(); !away || f.Status != 0 {
			return l.server.connections.add(accepted, l.service), nil
		}
		abort(accepted)
	}
}

type connectionKey struct{}

// withConnection makes the connection of a request available to join.
func withConnection(ctx context.Context, of net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, ofService(of))
}

// ofService returns the tracked connection; nil if it does not belong to a service.
func ofService(of net.Conn) *connection {
	if secure, ok := of.(*tls.Conn); ok {
		of = secure.NetConn()
	}
	c, _ := of.(*connection)
	return c
}

// join returns the number of the run that the request belongs to.
func (all *connections) join(r *http.Request) uint64 {
	all.mu.Lock()
	defer all.mu.Unlock()
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	if c == nil {
		return 0 // not received over a connection
	}
	if c.run == nil {
		agent := short(r.UserAgent())
		c.run, c.busy = all.newest[agent], true
		if c.run == nil || c.run.open == 0 && time.Since(c.run.cut) > retryTime {
			if len(all.newest) >= maxAgents {
				maps.DeleteFunc(all.newest, func(_ string, r *run) bool { return r.open == 0 })
			}
			all.last++
			c.run = &run{number: all.last, agent: agent}
			all.newest[agent] = c.run
		}
		c.run.open++
	}
	c.run.cut = time.Time{} // the client has reconnected
	return c.run.number
}

// answered records that a request has been processed, and is about to be answered. If its connection ends then, because
// the client asked for that in the request, it was not cut, unless the response is. The streams of HTTP/2 share a
// connection, whose state says when all have ended.
func (all *connections) answered(r *http.Request, cut bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	if c != nil && !cut && r.ProtoMajor == 1 && r.Context().Err() == nil {
		c.busy = false
	}
}

// follow records the state changes of a connection.
func (all *connections) follow(of net.Conn, state http.ConnState) {
	all.mu.Lock()
	defer all.mu.Unlock()
	c := ofService(of)
	switch {
	case c == nil || c.run == nil: // not of a service, or without a request
	case state != http.StateClosed && state != http.StateHijacked:
		c.busy = state == http.StateActive
		c.run.keeps = c.run.keeps || state == http.StateIdle
	default:
		c.run.open--
		if c.busy || !c.run.keeps {
			c.run.cut = time.Now()
		}
		if c.run.open == 0 && c.run.cut.IsZero() {
			delete(all.newest, c.run.agent)
		}
	}
}
