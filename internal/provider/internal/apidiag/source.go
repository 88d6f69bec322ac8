package apidiag

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// Source is where the address and the token of a service were configured. It is the Origin of the client, so that
// errors refer to it. It appears in messages, so it contains no secret.
type Source struct {
	BaseURL     string // the address, as configured
	BaseURLFrom string // such as: the environment variable BILLING_BASE_URL
	TokenFrom   string // the same for the token
	// The arguments of another service with the same value, such as collections_base_url; "" if there is none.
	BaseURLTwin, TokenTwin string

	explained sync.Map // the errors that this run has explained in full
}

// sourceOf returns the source of the client that returned an error.
func sourceOf(err error) *Source { return placeOf(err).Source }

type place struct {
	service string
	*Source
}

func placeOf(err error) place {
	var service string
	var origin any
	var transport *api.TransportError
	if e, ok := api.AsError(err); ok {
		service, origin = e.Service, e.Origin
	} else if errors.As(err, &transport) {
		service, origin = transport.Service, transport.Origin
	}
	source, ok := origin.(*Source)
	if !ok {
		source = &Source{}
	}
	return place{service, source}
}

// serviceArguments are the provider arguments of the services, and the services' names in sentences.
var serviceArguments = map[string]struct{ address, token, name string }{
	"billing":     {"base_url", "token", "the recurring-billing service"},
	"finance":     {"finance_base_url", "finance_token", "the financial-management service"},
	"collections": {"collections_base_url", "collections_api_key", "the collections service"},
	"":            {"base_url", "token", "the service"},
}

func (p place) addressArgument() string { return serviceArguments[p.service].address }
func (p place) tokenArgument() string   { return serviceArguments[p.service].token }
func (p place) serviceName() string     { return serviceArguments[p.service].name }

// address describes the address argument: its value, and where it was configured.
func (p place) address() string {
	argument, host := p.addressArgument(), check.Host(p.BaseURL)
	switch {
	case host == "":
		return argument
	case p.BaseURLFrom == "", p.BaseURLFrom == configured(argument):
		return fmt.Sprintf("%s (%s)", argument, host)
	}
	return fmt.Sprintf("%s (%s, from %s)", argument, host, p.BaseURLFrom)
}

// tokenFrom returns where the token was configured.
func (p place) tokenFrom() string {
	if p.TokenFrom != "" {
		return p.TokenFrom
	}
	secret := p.tokenArgument()
	return fmt.Sprintf("%s or the environment variable %s", configured(secret), variable(secret))
}

// configured names a provider argument as the source of a value.
func configured(argument string) string { return "the provider argument " + argument }

func variable(argument string) string { return "BILLING_" + strings.ToUpper(argument) }
