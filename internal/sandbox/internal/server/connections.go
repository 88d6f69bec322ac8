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

// fallsAway silences or resets the connections, as the fault of
// a request says. True: the request is not processed.
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

// connections are those of the services that are open, and tell which requests come from the same process, such as the
// provider's in one plan or one apply: they are a run. No request
// names its process, and a fixed clock shows no pause. But a process keeps connections open between its requests, and
// they end with it: a request on a new connection belongs to the run of a client that has others open, and otherwise
// begins another one. A client with nothing open whose last connection was cut in a request, by a fault or its own
// timeout, has some time to come back. Processes of the same User-Agent that run at the same time are one run; one that
// is idle for so long that it closes its connections is two.
type connections struct {
	mu     sync.Mutex
	open   map[*connection]bool
	last   uint64          // number of a run
	newest map[string]*run // by User-Agent
}

// connection can go silent: it is then read and written no more,
// and stays open until the client closes it or the server ends.
type connection struct {
	net.Conn
	all     *connections
	service string
	silent  atomic.Bool
	run     *run // nil: it has had no request
	busy    bool // a request is under way
}

type run struct {
	number uint64
	agent  string
	open   int       // connections
	cut    time.Time // when a connection ended in a request, if no request has come since
}

// maxAgents is from how many names of clients on those without a connection are forgotten.
const maxAgents = 1000

// retryTime is how long a client has to repeat a request whose connection was cut, for it to be the same run.
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

// reset breaks every connection off, as in a request.
func (all *connections) reset() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for c := range all.open {
		c.busy = true
		abort(c.Conn)
		delete(all.open, c)
	}
}

// closeUnused closes the connections that have had no request: a client that opens more than it needs would hold up the
// end of the server.
func (all *connections) closeUnused() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for c := range all.open {
		if c.run == nil {
			_ = c.Conn.Close() // nothing was sent
		}
	}
}

// abort closes a connection with a reset, as a process that is killed does.
func abort(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// Read implements net.Conn: nothing arrives on a silent connection.
func (c *connection) Read(into []byte) (int, error) {
	for {
		n, err := c.Conn.Read(into)
		if err != nil || !c.silent.Load() {
			return n, err
		}
	}
}

// Write implements net.Conn: what is sent on a silent connection is lost.
func (c *connection) Write(b []byte) (int, error) {
	if c.silent.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn. The client does not learn of the end of a silent
// connection.
func (c *connection) Close() error {
	if c.silent.Load() {
		return nil
	}
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// fallible is a listener whose connections can go silent, and that resets those
// that come in an outage.
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

// withConnection lets join know the connection of a request.
func withConnection(ctx context.Context, of net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, ofService(of))
}

// ofService is what add has made of a connection; nil: it is not of a service.
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
		return 0 // it has not come over a connection
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
	c.run.cut = time.Time{} // if it was cut, it has come back
	return c.run.number
}

// follow notes what becomes of a connection.
func (all *connections) follow(of net.Conn, state http.ConnState) {
	all.mu.Lock()
	defer all.mu.Unlock()
	c := ofService(of)
	switch {
	case c == nil || c.run == nil: // of no service, or without a request
	case state != http.StateClosed && state != http.StateHijacked:
		c.busy = state == http.StateActive
	default:
		c.run.open--
		if c.busy {
			c.run.cut = time.Now()
		}
		if c.run.open == 0 && c.run.cut.IsZero() {
			delete(all.newest, c.run.agent)
		}
	}
}
