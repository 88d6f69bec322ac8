package sandbox

import (
	"context"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// BillingURL is the base address of recurring billing, without a final slash.
func (s *Server) BillingURL() string { return s.server.Address(string(Billing)) }

// FinanceURL is the base address of financial management.
func (s *Server) FinanceURL() string { return s.server.Address(string(Finance)) }

// CollectionsURL is the base address of collections.
func (s *Server) CollectionsURL() string { return s.server.Address(string(Collections)) }

// ControlURL is the address at which the running sandbox is queried and controlled.
func (s *Server) ControlURL() string { return s.server.Address(controlListener) }

// WebURL is the address of the web page; empty without Options.Web.
func (s *Server) WebURL() string { return s.server.Address(webListener) }

// ControlToken is the bearer token of the control listener.
func (s *Server) ControlToken() string { return s.control.Bootstrap.ControlToken }

// CAPEM is the certificate of the authority that has signed the listeners'.
func (s *Server) CAPEM() []byte { return s.control.Bootstrap.Authority.Certificate }

// CAFile is the absolute path of the file that holds CAPEM.
func (s *Server) CAFile() string { return s.caFile }

// BillingToken is the first token of recurring billing; without Options.Tokens
// one that may do everything.
func (s *Server) BillingToken() string { return s.control.Bootstrap.Credentials[Billing] }

// FinanceToken is the first token of financial management, a JWT.
func (s *Server) FinanceToken() string { return s.control.Bootstrap.Credentials[Finance] }

// CollectionsKey is the first API key of collections.
func (s *Server) CollectionsKey() string { return s.control.Bootstrap.Credentials[Collections] }

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
	if header := s.options.CollectionsAuthHeader; header != "" {
		env["BILLING_COLLECTIONS_AUTH_HEADER"] = header
	}
	return env
}

// Organization is the one the default tokens belong to.
func (s *Server) Organization() Organization {
	var organization Organization
	// The function given to View returns no error, so View returns none.
	_ = s.core.DB.View(func(tx *store.Tx) error {
		organization, _ = s.core.Organizations.Get(tx, s.control.Bootstrap.Organization)
		return nil
	})
	return organization
}

// NewOrganization makes another organization, whose id a Token may name.
func (s *Server) NewOrganization(o Organization) (Organization, error) {
	return s.core.NewOrganization(o)
}

// NewToken makes the token known and returns its value, which is shown only
// here. It fails when the service or organization is unknown, or the state
// cannot be written.
func (s *Server) NewToken(t Token) (string, error) { return s.control.NewToken(t) }

// RevokeToken ends a token, given by its value or its public prefix. The next
// request with it returns 401.
func (s *Server) RevokeToken(token string) error { return s.control.RevokeToken(token) }

// SeedIgnored reports that Options.SeedDocument was not used, because the state
// file has been used before.
func (s *Server) SeedIgnored() bool { return s.control.SeedIgnored }

// Stopped is closed when a user asks the sandbox to stop, over the control listener. It is for the caller of Start to
// call Close then.
func (s *Server) Stopped() <-chan struct{} { return s.control.Stopped() }

// Clock is the sandbox's clock.
func (s *Server) Clock() *Clock { return s.core.Clock }

// AddFault activates a fault and returns its id.
func (s *Server) AddFault(f Fault) string { return s.server.AddFault(f) }

// Faults returns the faults in force, with what is left of Times and Skip.
func (s *Server) Faults() []Fault { return s.server.Faults.List() }

// ClearFaults removes every fault.
func (s *Server) ClearFaults() { s.server.ClearFaults() }

// Requests returns the request log of the three services, oldest first.
func (s *Server) Requests() []Request { return s.server.Log.Since(0) }

// ResetRequests empties the request log.
func (s *Server) ResetRequests() { s.server.Log.Reset() }

// SetPastDue makes an active subscription past_due, as a failed payment does,
// or with on false a past_due one active again, as when it is paid. It fails
// when there is no such subscription or it is in another state.
func (s *Server) SetPastDue(id string, on bool) error { return s.billing.SetPastDue(id, on) }

// SetSubscriptionStatus puts a subscription into any status, documented or not,
// without a transition of the state machine. It fails when there is no such subscription.
func (s *Server) SetSubscriptionStatus(id, status string) error {
	return s.billing.SetStatus(id, status)
}

// EndpointSecret returns the secret that the deliveries of a webhook endpoint are
// signed with. It fails when there is no such endpoint.
func (s *Server) EndpointSecret(id string) (string, error) { return s.collections.SecretOf(id) }

// Emit makes a business event of the server's own organization happen, such as
// charge.paid, and returns its id. Data is the resource, which must encode as a
// JSON object; nil means an empty one, and for charge.paid for a charge
// with an id and a status. The deliveries are on their way when Emit returns;
// WaitDeliveries waits for them.
func (s *Server) Emit(event string, data any) (id string, err error) {
	return s.collections.Emit(s.control.Bootstrap.Organization, event, data)
}

// Deliveries returns every delivery there is, in the order they were made, those
// of endpoints that have been removed among them.
func (s *Server) Deliveries() []DeliveryState { return s.collections.DeliveryStates() }

// WaitDeliveries returns when every attempt that is due by the clock has been
// made and none is under way, or with ctx's error. An endpoint that does not
// respond delays it by ten seconds for each attempt.
func (s *Server) WaitDeliveries(ctx context.Context) error { return s.collections.WaitDeliveries(ctx) }
