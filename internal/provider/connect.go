package provider

import (
	"context"
	"crypto/x509"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// connect builds a client for each service with an address and a token. They share one limiter, so that a rate limit
// slows the whole provider down.
func (s settings) connect(agent string, p *billingProvider, diags *diag.Diagnostics) *conn.Conn {
	c := &conn.Conn{Defaults: metadata.Defaults{Object: s.defaults, Unknown: s.defaultsUnknown}}
	var roots *x509.CertPool
	if file := s.caCertificateFile; file.text != "" {
		pool, err := api.LoadCertPool(file.text)
		if err != nil {
			diags.AddAttributeError(path.Root("ca_certificate_file"), "Invalid provider argument ca_certificate_file",
				"The CA certificate file cannot be used: "+err.Error()+". Check the path and the content of the file."+file.origin())
			return c
		}
		roots = pool
	}
	limiter := api.NewLimiter(s.requestsPerSecond)
	base := api.Config{
		UserAgent: agent, RootCAs: roots, MaxRetries: s.maxRetries, RetryTimeout: s.retryTimeout,
		RequestTimeout: s.requestTimeout, Limiter: limiter, Operations: s.operations, BulkRefresh: s.bulkRefresh,
		Secrets: s.secrets(), Transport: p.transport, Random: p.random,
	}
	if !isLogOff() {
		base.Observer = conn.Log{Secrets: s.secrets()}
	}
	c.Billing = service(s, s.billing, base, billing.New, diags)
	c.Finance = service(s, s.finance, base, finance.New, diags)
	base.AuthHeader = s.collectionsAuthHeader
	c.Collections = service(s, s.collections, base, collections.New, diags)
	c.UseKey(s.collections.secret.text)
	return c
}

// service creates the client of one service, or records which arguments are missing.
func service[T any](s settings, e endpoint, base api.Config, wrap func(*api.Client) T,
	diags *diag.Diagnostics) conn.Service[T] {
	out := conn.Service[T]{Unknown: s.unknownFor(e), Reported: new(atomic.Bool)}
	for _, v := range []setValue{e.address, e.secret} {
		if v.text == "" && !v.unknown {
			out.Missing = append(out.Missing, conn.ProviderArgument{Name: v.argument, Variable: v.variable, Empty: v.given})
		}
	}
	if len(out.Missing) > 0 || len(out.Unknown) > 0 {
		return out
	}
	base.Service, base.BaseURL, base.Token = e.service, e.address.text, e.secret.text
	source := &apidiag.Source{BaseURL: e.address.text, BaseURLFrom: e.address.from(), TokenFrom: e.secret.from()}
	base.Origin = source
	for _, other := range []endpoint{s.billing, s.finance, s.collections} {
		if other.service != e.service && other.address.text == e.address.text {
			source.BaseURLTwin = other.address.argument
		}
		if other.service != e.service && other.secret.text == e.secret.text {
			source.TokenTwin = other.secret.argument
		}
	}
	client, err := api.New(base)
	if err != nil {
		diags.AddAttributeError(path.Root(e.address.argument), "The service cannot be reached as configured", err.Error())
		return out
	}
	out.Client, out.Ready = wrap(client), true
	return out
}

// unknownFor lists the unknown arguments of a service, including those that all services share. Without their values it
// cannot be used.
func (s settings) unknownFor(e endpoint) []string {
	var names []string
	for _, name := range s.unknown {
		foreign := slices.ContainsFunc([]endpoint{s.billing, s.finance, s.collections}, func(other endpoint) bool {
			return other.service != e.service && (other.address.argument == name || other.secret.argument == name)
		})
		if !foreign && (name != "collections_auth_header" || e.service == s.collections.service) {
			names = append(names, name)
		}
	}
	return names
}

func (s settings) secrets() []string {
	var secrets []string
	for _, e := range []endpoint{s.billing, s.finance, s.collections} {
		if e.secret.text != "" {
			secrets = append(secrets, e.secret.text)
		}
	}
	return secrets
}

// guard checks the token's organization with one request, if the configuration restricts it. It runs before any other
// request, also in a plan.
func (s settings) guard(ctx context.Context, c *conn.Conn, diags *diag.Diagnostics) {
	if s.environment == "" && len(s.organizations) == 0 {
		return
	}
	if len(c.Billing.Unknown) > 0 {
		// The service cannot be used before these are known, and then the guard runs first.
		return
	}
	_, ready := c.Billing.For("The guard (environment or allowed_organization_ids)", diags)
	if !ready {
		return
	}
	organization, err := c.Organization(ctx)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "determine", Object: "the organization of the token"})
		return
	}
	if s.environment != "" && organization.Environment != s.environment {
		diags.AddAttributeError(path.Root("environment"), "Wrong environment",
			fmt.Sprintf("The configuration allows %s, but the token belongs to the environment %q of organization %s (%s). "+
				"Nothing was read or changed. Use a token and base_url of %s, or change environment.",
				s.environment, organization.Environment, organization.ID, organization.Name, s.environment))
	}
	if len(s.organizations) > 0 &&
		!slices.ContainsFunc(s.organizations, func(id string) bool { return same.ID(id, organization.ID) }) {
		diags.AddAttributeError(path.Root("allowed_organization_ids"), "Wrong organization",
			fmt.Sprintf("The token belongs to organization %s (%s), which is not in allowed_organization_ids. Nothing was read "+
				"or changed. Use a token of an allowed organization, or add this one.%s",
				organization.ID, organization.Name, noIDs(s.organizations, organization.ID)))
	}
}

// noIDs reports values that are not ids, such as the name of an organization. example is a valid id.
func noIDs(organizations []string, example string) string {
	if !same.IsUUID(example) || !slices.ContainsFunc(organizations, func(id string) bool { return !same.IsUUID(id) }) {
		return ""
	}
	return fmt.Sprintf(" allowed_organization_ids requires ids such as %q, and one of its elements is not an id.", example)
}
