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

// shared is the cause that an error may have in common with others; nil where it is about one object.
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

// AddRead is Add for the refresh of an object. known says that the state has more of the object than its id, so that
// the refresh can leave it as it is: that is a warning where an error of this run has explained the same cause, because
// then the run fails anyway. Terraform folds warnings of one summary into one, and repeats errors.
func AddRead(diags *diag.Diagnostics, err error, operation Operation, known bool) {
	var earlier *api.EarlierError
	if errors.As(err, &earlier) && known {
		if _, explained := sourceOf(earlier.First).explained.Load(earlier.First); explained {
			diags.AddWarning("Objects could not be refreshed",
				fmt.Sprintf("%s was not read, for the reason that an error of this run explains: %s. Its last known state is "+
					"used, and the run fails.", Capitalize(operation.Object), cause(earlier.First)))
			return
		}
	}
	Add(diags, err, operation)
}

// cause is an error without what names the one operation that it came from.
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

// unreachable says what to do when no response came.
func unreachable(e *api.TransportError) string {
	where := placeOf(e).address()
	var dial *net.OpError
	if errors.As(e.Err, &dial) && dial.Op == "proxyconnect" {
		return fmt.Sprintf("The proxy in the environment variable HTTPS_PROXY does not pass the request on. Check the "+
			"address and the password in it. If %s is to be reached without a proxy, add its host to NO_PROXY.%s", where, later(e))
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
		return fmt.Sprintf("The certificate is for another host than that of %s. Correct the address.", where)
	case errors.As(e.Err, &certificate):
		return fmt.Sprintf("The certificate of %s is not valid. Check the address, and the clock of this machine.", where)
	case errors.As(e.Err, &record):
		return fmt.Sprintf("What listens at %s does not use TLS. Check the address and its port.", where)
	case errors.As(e.Err, &lookup) && lookup.IsNotFound:
		return fmt.Sprintf("There is no host of this name. Check the spelling of %s, and that this machine can resolve it.",
			where)
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return fmt.Sprintf("Nothing listens at this address. Check host and port of %s.%s", where, later(e))
	case e.Late(), dial != nil && dial.Timeout():
		return fmt.Sprintf("Check that this machine reaches %s: a firewall or proxy may drop the request. If the service "+
			"is slow, set request_timeout (or %s) to a longer time.", where, variable("request_timeout"))
	}
	return fmt.Sprintf("Check that %s is right and that this machine reaches it.%s", where, later(e))
}

// later is for what was attempted several times.
func later(e *api.TransportError) string {
	if e.Attempts <= 1 {
		return ""
	}
	return " If the service is down for longer, run again later, or " + moreAttempts(e.Capped, e.Attempts) + "."
}
