package sandbox

import (
	"context"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// BillingURL is the base address of recurring billing, without a final slash.
func (s *Server) BillingURL() string { return s.server.Address(string(Billing)) }

// RoundTrip carries out a request to a service in the caller's goroutine, for a sandbox without listeners.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) { return s.server.RoundTrip(r) }

// WithFault makes a request on ctx meet the fault that meets returns for its operation, if any, when RoundTrip carries
// it out. The fault needs an ID for the log.
func WithFault(ctx context.Context, meets func(operation string) (Fault, bool)) context.Context {
	return server.WithFault(ctx, meets)
}

// FinanceURL is the base address of financial management.
func (s *Server) FinanceURL() string { return s.server.Address(string(Finance)) }

// CollectionsURL is the base address of collections.
func (s *Server) CollectionsURL() string { return s.server.Address(string(Collections)) }

// ControlURL is the address at which the running sandbox is queried and controlled.
func (s *Server) ControlURL() string { return s.server.Address(controlListener) }

// WebURL is the address of the web page; empty without Options.Web.
func (s *Server) WebURL() string { return s.server.Address(webListener) }

// ControlToken is the bearer token of the control listener.
func (s *Server) ControlToken() string { return s.bootstrap.ControlToken }

// CAPEM is the certificate of the authority that has signed the listeners'.
func (s *Server) CAPEM() []byte { return s.bootstrap.Authority.Certificate }

// CAFile is the absolute path of the file that holds CAPEM; empty for plain http.
func (s *Server) CAFile() string { return s.caFile }

// BillingToken is the first token of recurring billing, which may do everything.
func (s *Server) BillingToken() string { return s.bootstrap.Credentials[Billing] }

// FinanceToken is the first token of financial management, a JWT.
func (s *Server) FinanceToken() string { return s.bootstrap.Credentials[Finance] }

// CollectionsKey is the first API key of collections.
func (s *Server) CollectionsKey() string { return s.bootstrap.Credentials[Collections] }

// Env is the environment in which the provider finds this sandbox, and the
// sandbox command its control listener.
func (s *Server) Env() map[string]string {
	env := map[string]string{
		"BILLING_BASE_URL":              s.BillingURL(),
		"BILLING_TOKEN":                 s.BillingToken(),
		"BILLING_FINANCE_BASE_URL":      s.FinanceURL(),
		"BILLING_FINANCE_TOKEN":         s.FinanceToken(),
		"BILLING_COLLECTIONS_BASE_URL":  s.CollectionsURL(),
		"BILLING_COLLECTIONS_API_KEY":   s.CollectionsKey(),
		"BILLING_CA_CERTIFICATE_FILE":   s.CAFile(),
		"BILLING_SANDBOX_CONTROL_URL":   s.ControlURL(),
		"BILLING_SANDBOX_CONTROL_TOKEN": s.ControlToken(),
	}
	if s.CAFile() == "" {
		delete(env, "BILLING_CA_CERTIFICATE_FILE")
	}
	if header := s.options.CollectionsAuthHeader; header != "" {
		env["BILLING_COLLECTIONS_AUTH_HEADER"] = header
	}
	return env
}

// Organization is the one the default tokens belong to.
func (s *Server) Organization() Organization {
	return store.Read(s.core.DB, func(tx *store.Tx) Organization {
		organization, _ := s.core.Organizations.Get(tx, s.bootstrap.Organization)
		return organization
	})
}

// NewOrganization makes another organization, whose id a Token may name.
func (s *Server) NewOrganization(o Organization) (Organization, error) {
	o = s.core.OrganizationWithDefaults(o)
	err := s.core.DB.Update(func(tx *store.Tx) error {
		s.core.Organizations.Put(tx, o.ID, o)
		return nil
	})
	return o, err
}

// SeedIgnored reports that Options.SeedDocument was not used, because the state
// file has been used before.
func (s *Server) SeedIgnored() bool { return s.seedIgnored }

// MovedPorts are the listeners that have another port than at the last start over the same state file, because theirs
// was taken.
func (s *Server) MovedPorts() []string { return s.movedPorts }

// Stopped is closed when a user asks the sandbox to stop, over the control listener. It is for the caller of Start to
// call Close then.
func (s *Server) Stopped() <-chan struct{} { return s.stopped }

// Clock is the sandbox's clock.
func (s *Server) Clock() *Clock { return s.core.Clock }

// AddFault activates a fault and returns its id.
func (s *Server) AddFault(f Fault) string { return s.server.Faults.Add(f) }

// Late is how many requests that were answered have still to be processed, see Fault.Late.
func (s *Server) Late() int { return s.server.Late() }

// RemoveFault ends one fault, and reports whether it was still in force.
func (s *Server) RemoveFault(id string) bool { return s.server.Faults.Remove(id) }

// Faults returns the faults in force, with the remaining Times and Skip.
func (s *Server) Faults() []Fault { return s.server.Faults.List() }

// ClearFaults removes every fault.
func (s *Server) ClearFaults() { s.server.Faults.Clear() }

// Requests returns the request log of the three services, oldest first.
func (s *Server) Requests() []Request { return s.RequestsSince(0) }

// RequestsSince returns the requests after the one with that sequence number.
func (s *Server) RequestsSince(sequence uint64) []Request { return s.server.Log.Since(sequence) }

// ResetRequests empties the request log.
func (s *Server) ResetRequests() { s.server.Log.Reset() }

// EndpointSecret returns the secret that the deliveries of a webhook endpoint are
// signed with. It fails when there is no such endpoint.
func (s *Server) EndpointSecret(id string) (string, error) { return s.collections.SecretOf(id) }

// Emit makes a business event of the server's own organization happen, such as
// charge.paid, and returns its id. Data is the resource, which must encode as a
// JSON object; nil means an empty one, and for charge.paid for a charge
// with an id and a status. The deliveries are on their way when Emit returns;
// WaitDeliveries waits for them.
func (s *Server) Emit(event string, data any) (id string, err error) {
	return s.collections.Emit(s.bootstrap.Organization, event, data)
}

// Deliveries returns every delivery there is, in the order they were made, those
// of endpoints that have been removed among them.
func (s *Server) Deliveries() []DeliveryState { return s.collections.DeliveryStates() }

// AuditTrail returns the entries of the audit trail, oldest first.
func (s *Server) AuditTrail() ([]AuditEntry, error) {
	err := s.billing.Settle(s.core.Clock.Now())
	return store.Read(s.core.DB, s.core.AuditTrail), err
}

// WaitDeliveries returns when every attempt that is due by the clock has been
// made and none is under way, or with ctx's error. An endpoint that does not
// respond delays it by ten seconds for each attempt.
func (s *Server) WaitDeliveries(ctx context.Context) error { return s.collections.WaitDeliveries(ctx) }

// Types and functions of the internal packages that users of a sandbox need.
type (
	// Service names one of the three services.
	Service = server.Service
	// Organization is who a token belongs to.
	Organization = server.Organization
	// Token is a credential of one service.
	Token = server.Token
	// Clock is the sandbox's clock.
	Clock = server.Clock
	// Fault is something that goes wrong with matching requests.
	Fault = server.Fault
	// Request is one line of the request log.
	Request = server.Request

	// DeliveryState is a delivery with every attempt that was made of it.
	DeliveryState = collections.DeliveryState
	// Message is the request of one attempt to deliver an event.
	Message = delivery.Message
	// Listener is an endpoint whose deliveries are forwarded to a local address.
	Listener = collections.Listener
	// AuditEntry is a transition, a redelivery, or a rotation or revocation of a credential.
	AuditEntry = server.AuditEntry
	// KeyState is an API key as the control listener lists it.
	KeyState = collections.KeyState
)

// Signature returns the value of X-Webhook-Signature for a body that is sent at that time.
func Signature(secret string, at time.Time, body []byte) string {
	return delivery.Signature(secret, at, body)
}

// What every attempt to deliver an event has in common.
const (
	// SignatureHeader is the name of the header with the signature.
	SignatureHeader = delivery.SignatureHeader
	// MaxAttempts is the number of attempts before a delivery is exhausted.
	MaxAttempts = delivery.MaxAttempts
	// DeliveryTimeout is the time that an endpoint has to respond.
	DeliveryTimeout = delivery.Timeout
)

// Loopback reports whether a host, in lower case, is this machine.
func Loopback(host string) bool { return server.Loopback(host) }

// The three services.
const (
	Billing     = server.Billing
	Finance     = server.Finance
	Collections = server.Collections
)

const (
	// FaultSpecHelp says how a fault is written on a command line.
	FaultSpecHelp = server.FaultSpecHelp
	// ExampleCompany is the first company of the example data.
	ExampleCompany = finance.ExampleCompany
	// ExampleSecondCompany is the second one.
	ExampleSecondCompany = finance.ExampleSecondCompany
)

// ForeignKinds returns the kinds of Fault.Foreign, sorted.
func ForeignKinds() []string { return server.ForeignKinds() }

// ParseDuration reads a duration of Go, with weeks, days and words too: 46d, 1d12h, 2w, 3 days.
func ParseDuration(text string) (time.Duration, error) { return server.ParseDuration(text) }

// FaultKeys are the keys of a fault, with = where a value follows.
func FaultKeys() []string { return server.FaultKeys() }

// Nearest returns the word that another one is a misspelling of, if one is near.
func Nearest(word string, words []string) (string, bool) { return server.Nearest(word, words) }

// Operation is one that a service of the sandbox serves.
type Operation struct {
	Service Service `json:"service"`
	Name    string  `json:"operation"` // in the wire contract, such as "customers.create"
	Method  string  `json:"method"`
	Path    string  `json:"path"` // with placeholders, such as "/v1/customers/{id}"
}

// Operations lists what the services serve, by service, in the order of the
// wire contract.
func Operations() []Operation {
	var all []Operation
	for _, service := range []struct {
		name   Service
		routes []server.Route
	}{
		{Billing, new(billing.Service).Routes()}, {Finance, new(finance.Service).Routes()},
		{Collections, new(collections.Service).Routes()},
	} {
		for _, r := range service.routes {
			all = append(all, Operation{Service: service.name, Name: r.Name, Method: r.Method, Path: r.Pattern})
		}
	}
	return all
}

// ParseFault reads a fault as FaultSpecHelp describes it. The error names the
// key that is wrong, and what it may be.
func ParseFault(spec string) (Fault, error) {
	var names []string
	for _, o := range Operations() {
		names = append(names, o.Name)
	}
	return server.ParseFault(spec, names)
}
