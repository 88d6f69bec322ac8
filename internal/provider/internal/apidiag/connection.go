package apidiag

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// shared returns the cause that an error may share with others; nil if it is about one object.
func shared(err error) error {
	var earlier *api.EarlierError
	var transport *api.TransportError
	switch {
	case errors.As(err, &earlier):
		return earlier.First
	case errors.As(err, &transport):
		return transport
	}
	if e, ok := api.AsError(err); ok && e.Status != http.StatusUnprocessableEntity {
		return e
	}
	return nil
}

// AddRead is Add for the refresh of an object. If known is true, the state has more than the object's id and the
// refresh can keep it. Then only the first error of a cause is an error, which fails the run, and the others are
// warnings: Terraform consolidates warnings with the same summary, but not errors.
func AddRead(diags *diag.Diagnostics, err error, operation Operation, known bool) {
	var earlier *api.EarlierError
	if errors.As(err, &earlier) && known {
		if _, explained := sourceOf(earlier.First).explained.Load(earlier.First); explained {
			diags.AddWarning("Objects could not be refreshed", fmt.Sprintf("%s could not be read either (%s; see the error of "+
				"this run).", Capitalize(operation.Object), cause(earlier.First)))
			return
		}
	}
	Add(diags, err, operation)
}

// cause returns an error without the name of its operation.
func cause(err error) string {
	var transport *api.TransportError
	if errors.As(err, &transport) {
		return transport.Err.Error()
	}
	e, ok := api.AsError(err)
	switch {
	case !ok:
		return err.Error()
	case e.Status == http.StatusForbidden && len(e.Required) > 0:
		return "the token lacks " + list(e.Required)
	}
	return fmt.Sprintf("status %d (%s)", e.Status, http.StatusText(e.Status))
}

// unreachable returns the advice for a request without a response.
func unreachable(e *api.TransportError) string {
	where := placeOf(e).address()
	var dial *net.OpError
	if errors.As(e.Err, &dial) && dial.Op == "proxyconnect" {
		return fmt.Sprintf("The proxy in the environment variable HTTPS_PROXY does not forward the request. Check its "+
			"address and password. To reach %s without a proxy, add its host to NO_PROXY.%s", where, later(e))
	}
	var (
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		lookup      *net.DNSError
	)
	switch {
	case errors.As(e.Err, &authority):
		return fmt.Sprintf("The certificate of %s was issued by an authority that this machine does not trust. Set "+
			"ca_certificate_file (or %s) to the PEM file "+
			"of that authority, or check the address.", where, variable("ca_certificate_file"))
	case errors.As(e.Err, &host):
		return fmt.Sprintf("The certificate is not valid for the host of %s. Correct the address.", where)
	case errors.As(e.Err, &certificate):
		return fmt.Sprintf("The certificate of %s is not valid. Check the address, and the clock of this machine.", where)
	case errors.As(e.Err, &record):
		return fmt.Sprintf("The server at %s does not use TLS. Check the address and its port.", where)
	case e.Rejected():
		return fmt.Sprintf("The server at %s rejected the TLS connection. The provider does not support client "+
			"certificates, so the server must not require one. The server must support TLS 1.3, or TLS 1.2 with ECDHE-RSA and "+
			"AES128-GCM-SHA256, AES256-GCM-SHA384, CHACHA20-POLY1305 or AES128-SHA256.", where)
	case errors.As(e.Err, &lookup) && lookup.IsNotFound:
		return fmt.Sprintf("The host name does not exist. Check the spelling of %s, and that this machine can resolve it.",
			where)
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return fmt.Sprintf("Nothing listens at this address. Check host and port of %s.%s", where, later(e))
	case e.Late(), dial != nil && dial.Timeout():
		return fmt.Sprintf("Check that this machine can reach %s: a firewall or proxy may drop the request. If the service "+
			"is slow, set request_timeout (or %s) to a longer time.", where, variable("request_timeout"))
	}
	return fmt.Sprintf("Check that %s is correct and that this machine can reach it.%s", where, later(e))
}

// later returns the advice for a request that was attempted several times.
func later(e *api.TransportError) string {
	if e.Attempts <= 1 {
		return ""
	}
	return " If the service stays down, run again later, or " + moreAttempts(e.Capped, e.Attempts) + "."
}
