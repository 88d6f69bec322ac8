package server

import (
	"net"
	"sync"
	"sync/atomic"
)

// fallsAway silences or resets the connections, as the fault of
// a request says. True: the request is not processed.
func (s *Server) fallsAway(service Service, f Fault) bool {
	switch {
	case f.Silent:
		s.lines.silence(string(service))
		return true
	case f.Outage > 0 && f.Status == 0:
		s.runs.interrupt()
		s.lines.reset()
		return true
	default:
		return false
	}
}

// refuses reports whether the services accept no connection.
func (s *Server) refuses() bool {
	f, away := s.Faults.outage()
	return away && f.Status == 0
}

// lines are the open connections of the services.
type lines struct {
	mu   sync.Mutex
	open map[*line]bool
}

// line is a connection that can go silent: it is then read and written no more,
// and stays open until the client closes it or the server ends.
type line struct {
	net.Conn
	lines   *lines
	service string
	silent  atomic.Bool
}

func (l *lines) add(connection net.Conn, service string) net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*line]bool{}
	}
	added := &line{Conn: connection, lines: l, service: service}
	l.open[added] = true
	return added
}

// silence makes the connections of a service go silent.
func (l *lines) silence(service string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.service == service {
			c.silent.Store(true)
		}
	}
}

// reset breaks every connection off.
func (l *lines) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		abort(c.Conn)
		delete(l.open, c)
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
func (c *line) Read(into []byte) (int, error) {
	for {
		n, err := c.Conn.Read(into)
		if err != nil || !c.silent.Load() {
			return n, err
		}
	}
}

// Write implements net.Conn: what is sent on a silent connection is lost.
func (c *line) Write(b []byte) (int, error) {
	if c.silent.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn. The client does not learn of the end of a silent
// connection.
func (c *line) Close() error {
	if c.silent.Load() {
		return nil
	}
	c.lines.mu.Lock()
	delete(c.lines.open, c)
	c.lines.mu.Unlock()
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
		connection, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.server.refuses() {
			return l.server.lines.add(connection, l.service), nil
		}
		abort(connection)
	}
}

// protocols are what the services speak, the preferred one first.
func (o Options) protocols() []string {
	if o.HTTP2 {
		return []string{"h2", "http/1.1"}
	}
	return nil
}
