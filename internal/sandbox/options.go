package sandbox

import (
	"crypto/x509"
	"log/slog"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver = netguard.Resolver

// Options configure a sandbox. The zero value is a
// server in memory, on free ports of 127.0.0.1, on the real clock.
type Options struct {
	// Addr is the host that the services and control bind to, "127.0.0.1" when
	// empty.
	Addr string
	// The ports of the listeners; 0 takes a free one.
	BillingPort, FinancePort, CollectionsPort, ControlPort int

	// HTTP2 lets the services speak HTTP/2 too. A fault that drops a connection
	// resets then the stream of its request alone.
	HTTP2 bool

	// Web serves a page for browsers that shows what is in the sandbox, over
	// plain http and on loopback only, at WebPort; 0 takes a free one, and any
	// other turns the page on.
	Web     bool
	WebPort int

	// StateFile keeps everything in a file, in which a confirmed write
	// survives a crash of the process; empty means memory only.
	StateFile string
	// CAFile is where the PEM of the certificate authority is written. Empty
	// means next to the state file, or without one a temporary file that Close
	// removes.
	CAFile string

	// Start is the time at which the clock stands still until it is moved; zero uses
	// the real clock.
	Start time.Time
	// Seed, when not zero, is what ids, tokens and shuffles come from, so that
	// the same requests in the same order get the same responses.
	Seed uint64
	// SeedDocument is the JSON of what the organization begins with: an object
	// of lists (customers, billing_accounts, subscriptions, webhook_endpoints,
	// api_keys) and of finance, an object of lists by collection. Each element
	// is the body of the operation that makes it. When something is wrong with
	// it, Start fails with a *SeedError and nothing has been made. Only a new
	// state is seeded; see Server.SeedIgnored.
	SeedDocument []byte
	// MaxPerPage is the largest page size; zero means 100, as documented. A test sets
	// 2, so that every listing crosses a page boundary.
	MaxPerPage int
	// Tolerance makes the server differ in ways that a client must tolerate.
	Tolerance Tolerance

	// NoExampleData lets financial management begin empty, and not with the
	// accounts, payables and receivables of two companies. A seed replaces the
	// example data as well. Ignored when the state file is not new.
	NoExampleData bool

	// Organization is what the first tokens belong to. Fields left empty
	// get example values; Environment is "sandbox". Ignored when the state file
	// has one already.
	Organization Organization

	// CollectionsAuthHeader is the header that carries the bare key of
	// collections; empty means Authorization with Bearer.
	CollectionsAuthHeader string
	// AllowLoopbackReceivers lets webhook endpoints be on this machine. All
	// other internal networks stay rejected, and https stays required.
	AllowLoopbackReceivers bool
	// ReceiverCAs are the authorities that webhook receivers may have their
	// certificates from; nil means the system's.
	ReceiverCAs *x509.CertPool
	// Resolver is asked for the addresses of receivers, at registration and again
	// at every attempt. Nil means the system's, which is not asked for names that
	// are reserved for documentation and tests.
	Resolver Resolver

	// OnRequest is called for every request after its response, from several
	// goroutines at the same time; nil logs them with the Logger, at debug.
	OnRequest func(Request)
	// Logger logs broken connections at debug and failures of the
	// sandbox itself at error; nil means no log.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1"
	}
	if o.MaxPerPage <= 0 {
		o.MaxPerPage = server.DocumentedMaxPerPage
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) server() server.Options {
	return server.Options{Addr: o.Addr, HTTP2: o.HTTP2, MaxPerPage: o.MaxPerPage, Tolerance: o.Tolerance,
		OnRequest: o.OnRequest, Logger: o.Logger}
}
