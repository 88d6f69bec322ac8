package copier

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Source is an organization with the clients of its services. A service that is not configured is nil.
type Source struct {
	billing, finance, collections *api.Client

	addresses map[string]string
	key       string // of collections
}

// clientAgent is the User-Agent of a copy.
const clientAgent = "billing-sandbox-copy"

// FromEnvironment returns the organization in the provider's variables (BILLING_BASE_URL, BILLING_TOKEN, …). The error
// names the variable to set or correct, and never contains a token. waiting is called before each pause of a request
// that is retried; nil: never. operations are overrides of methods and paths, as in the provider's argument.
func FromEnvironment(getenv func(string) string, waiting func(text string),
	operations map[string]string) (Source, error) {
	return Through(nil, getenv, waiting, operations)
}

// Through is FromEnvironment with a transport, for tests.
func Through(transport http.RoundTripper, getenv func(string) string, waiting func(text string),
	operations map[string]string) (Source, error) {
	s := Source{addresses: map[string]string{}, key: getenv("BILLING_COLLECTIONS_API_KEY")}
	table, err := api.ParseOperations(operations)
	if err != nil {
		return s, err
	}
	var roots *x509.CertPool
	if file := getenv("BILLING_CA_CERTIFICATE_FILE"); file != "" {
		var err error
		if roots, err = api.LoadCertPool(file); err != nil {
			return s, fmt.Errorf("BILLING_CA_CERTIFICATE_FILE: %w", err)
		}
	}
	timeout, err := retryTimeout(getenv("BILLING_RETRY_TIMEOUT"))
	if err != nil {
		return s, err
	}
	for _, one := range []struct {
		service, header string
		into            **api.Client
	}{
		{"billing", "", &s.billing}, {"finance", "", &s.finance},
		{"collections", getenv("BILLING_COLLECTIONS_AUTH_HEADER"), &s.collections},
	} {
		names := Variables(one.service)
		address, token := getenv(names[0]), getenv(names[1])
		switch {
		case address == "" && token == "":
			continue
		case address == "":
			return s, fmt.Errorf("%s is set and %s is not: set it to the address of the service", names[1], names[0])
		case token == "":
			return s, fmt.Errorf("%s is set and %s is not: set it to a token of the service", names[0], names[1])
		}
		if err := api.ValidateBaseURL(address); err != nil {
			return s, fmt.Errorf("%s: %w", names[0], err)
		}
		if err := api.ValidateToken(token); err != nil {
			return s, fmt.Errorf("%s: %w", names[1], err)
		}
		if api.ValidateAuthHeader(one.header) != nil {
			return s, errors.New("BILLING_COLLECTIONS_AUTH_HEADER is not the name of a header that may contain the key")
		}
		client, err := api.New(api.Config{Service: one.service, BaseURL: address, Token: token, AuthHeader: one.header,
			UserAgent: clientAgent, RootCAs: roots, Operations: table, MaxRetries: api.NoRetryLimit, RetryTimeout: timeout,
			Observer: observer{waiting}, Transport: transport})
		if err != nil {
			return s, err
		}
		*one.into, s.addresses[one.service] = client, address
	}
	if s.billing == nil {
		return s, errors.New("no organization is configured: set BILLING_BASE_URL and BILLING_TOKEN")
	}
	return s, nil
}

// retryTimeout parses a duration; empty: the default.
func retryTimeout(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	timeout, err := time.ParseDuration(text)
	if err != nil || timeout < 0 {
		return 0, errors.New("BILLING_RETRY_TIMEOUT is not a duration such as 30s")
	}
	return timeout, nil
}

// observer reports the pauses of requests that are retried.
type observer struct{ waiting func(text string) }

var _ api.Observer = observer{}

// Observe implements api.Observer.
func (o observer) Observe(_ context.Context, e api.Exchange) {
	if o.waiting != nil && e.Event == api.Waiting && e.Delay >= time.Second {
		o.waiting(fmt.Sprintf("%s: %s; wait %s", e.Operation, e.Reason, e.Delay.Round(time.Second)))
	}
}

// Variables returns the names of the variables with the address and the token of a service.
func Variables(service string) []string {
	switch service {
	case "finance":
		return []string{"BILLING_FINANCE_BASE_URL", "BILLING_FINANCE_TOKEN"}
	case "collections":
		return []string{"BILLING_COLLECTIONS_BASE_URL", "BILLING_COLLECTIONS_API_KEY"}
	}
	return []string{"BILLING_BASE_URL", "BILLING_TOKEN"}
}

// prefix returns the public part of the collections key: everything before the last underscore.
func (s Source) prefix() string {
	if i := strings.LastIndexByte(s.key, '_'); i > 0 {
		return s.key[:i]
	}
	return ""
}
