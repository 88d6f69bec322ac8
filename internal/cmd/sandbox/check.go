package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

type checking struct {
	target                           claims.Target
	caFile                           string
	only                             string
	json                             bool
	charges, leftovers, production   bool
	keepClock                        bool
	receiverURL, receiverListen      string
	receiverCertificate, receiverKey string
	file                             checkFile // without a name, none is written
}

func (p program) check() command {
	c := &checking{}
	return command{
		name: "check", summary: "check what the provider assumes against a running service", alone: true,
		about: `Checks what the provider relies on, one numbered claim after the other, and prints for each whether
it holds. A claim that fails is reported with what it means to a user of the provider and the argument
or setting that helps, where there is one; with the section of the assumptions
(internal/evidence/README.md in the provider's repository), the request and the response that show it;
and with what to do next: the entry of the provider argument operations to set, or the data for an
issue. One that fails only because of what the provider accepts without any setting is "tolerated", and
no failure. A claim comes after those on which it rests. If one of these has failed, its own failure
"follows" from that, and goes away with it. The summary names the ways in which the service stores texts
otherwise than they were sent, which "{sandbox} serve --rewords" simulates. Secrets are masked; other
data of the service is not, so read a report before you publish it.

Addresses and tokens are those of the provider: its environment variables, or the flags of the same
name. A service without an address is skipped. Claims create objects under unique names and delete
them again; other objects are only read. Claims that only read come first. Claims that can make
the service charge or invoice, or that leave objects behind that cannot be deleted, are skipped
unless a flag allows them. If /v1/me of a service reports production, the service is not checked
unless a flag allows it.

Against a sandbox that BILLING_SANDBOX_CONTROL_URL names, claims about time are checked last, by
moving its clock, which stays moved and makes invoices due. Claims about deliveries need an address that the service can
reach: --receiver-url names it, --receiver-listen is where check serves it on this machine.

--read-only is for production. It sends only GET requests, about four for each claim and at most ` +
			strconv.Itoa(claims.MostReads) + `, again
where the claim fails. It judges ` + fmt.Sprintf("%d of the %d claims", readableClaims(), len(claims.All())) + ` by the first objects that exist, and skips the others
and those for which no object exists. Some requests carry a token that does not exist. Reports contain
ids, times and the shape of responses, and no other data of the service.

--report FILE writes the result as Markdown too, for the owner of the service: when and where it was
checked, each claim that is violated or tolerated with its evidence, and the number of claims that were
not judged, by reason.
`,
		examples: `{sandbox} check
{sandbox} check --only customers,subscriptions --allow-charges
{sandbox} check --only 41,81-92 --json
{sandbox} check --read-only --report report.md
{sandbox} check --operation 'customers.update=PUT /v1/customers/{id}'
{sandbox} check --receiver-url https://hooks.example.com --receiver-listen 127.0.0.1:8080
`,
		actions: []action{{
			flags: func(set *flag.FlagSet) { p.checkFlags(set, c) },
			run:   func(ctx context.Context, control *controller, _ []string) error { return p.runChecks(ctx, control, c) },
		}},
	}
}

func (p program) runChecks(ctx context.Context, control *controller, c *checking) error {
	if err := c.possible(); err != nil {
		return err
	}
	chosen, err := chooseClaims(c.only)
	if err != nil {
		return misused("--only: %v", err)
	}
	if err := c.complete(p); err != nil {
		return err
	}
	stop, err := c.receive(ctx)
	if err != nil {
		return err
	}
	defer stop()
	environment, err := claims.Reach(ctx, c.target)
	if err != nil {
		return cmp.Or(p.whetherEnded(ctx), err)
	}
	if environment == "production" && !c.production && !c.target.ReadOnly {
		return errors.New("/v1/me reports the environment \"production\"; check creates objects, so use a test " +
			"environment, set --read-only, or set --allow-production")
	}
	if !c.target.ReadOnly {
		end, err := p.useSandbox(ctx, c, control)
		if err != nil {
			return err
		}
		defer end()
	}
	report := &checkReport{p: p, json: c.json, file: &c.file}
	c.file.begun, c.file.target = time.Now(), c.target
	return c.checkAll(ctx, report, chosen)
}

// possible rejects flags that exclude each other, and a report that cannot be written, before anything is sent.
func (c *checking) possible() error {
	if c.target.ReadOnly && (c.charges || c.leftovers || c.receiverURL != "" || c.receiverListen != "") {
		return misused("--read-only writes nothing and receives nothing: remove --allow-charges, --allow-leftovers, " +
			"--receiver-url and --receiver-listen")
	}
	if header := c.target.CollectionsAuthHeader; header != "" && !headerName.MatchString(header) {
		return misused("--collections-auth-header is not the name of a header")
	}
	folder := filepath.Dir(c.file.name)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return misused("--report: there is no folder %s", folder)
	}
	return nil
}

// checkAll checks the claims in a safe order and reports each result immediately.
func (c *checking) checkAll(ctx context.Context, report *checkReport, chosen []claims.Claim) (err error) {
	for _, claim := range claims.InSafeOrder(chosen) {
		claim, reason := c.skipped(claim)
		if reason != "" {
			err = report.skip(claim, reason)
		} else if result := claims.Run(ctx, c.target, []claims.Claim{claim})[0]; ctx.Err() == nil {
			err = report.result(result)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return report.end()
}

// skipped returns the claim to check, and the reason for skipping it; "" means that it is checked.
func (c *checking) skipped(claim claims.Claim) (claims.Claim, string) {
	if c.target.ReadOnly {
		reading, ok := claim.ByReading()
		if !ok {
			return claim, "needs a write: reading cannot judge it"
		}
		return reading, ""
	}
	switch {
	case claim.Costs != "" && !c.charges:
		return claim, claim.Costs + ": needs --allow-charges"
	case claim.Leaves != "" && !c.leftovers:
		return claim, "leaves " + claim.Leaves + " behind: needs --allow-leftovers"
	}
	return claim, ""
}

func (p program) checkFlags(set *flag.FlagSet, c *checking) {
	t := &c.target
	p.variable(set, &t.BaseURL, "BILLING_", "base-url", "`URL` of recurring billing")
	p.variable(set, &t.Token, "BILLING_", "token", "`TOKEN` of recurring billing")
	p.variable(set, &t.FinanceBaseURL, "BILLING_", "finance-base-url", "`URL` of financial management")
	p.variable(set, &t.FinanceToken, "BILLING_", "finance-token", "`TOKEN` of financial management")
	p.variable(set, &t.CollectionsBaseURL, "BILLING_", "collections-base-url", "`URL` of collections")
	p.variable(set, &t.CollectionsAPIKey, "BILLING_", "collections-api-key", "`KEY` of collections")
	p.variable(set, &t.CollectionsAuthHeader, "BILLING_", "collections-auth-header",
		"`NAME` of the header with the bare key")
	p.variable(set, &c.caFile, "BILLING_", "ca-certificate-file", "PEM `FILE` of authorities to trust in addition")
	p.variable(set, &t.RevokedToken, "BILLING_CHECK_", "revoked-token", "revoked `TOKEN` of recurring billing")
	p.variable(set, &t.ExpiredToken, "BILLING_CHECK_", "expired-token", "expired `TOKEN` of recurring billing")
	p.variable(set, &t.NarrowToken, "BILLING_CHECK_", "narrow-token",
		"`TOKEN` of recurring billing that may not create customers")
	p.variable(set, &t.FinanceExpiredToken, "BILLING_CHECK_", "finance-expired-token",
		"expired `TOKEN` of financial management")
	p.variable(set, &t.FinanceNarrowToken, "BILLING_CHECK_", "finance-narrow-token",
		"`TOKEN` of financial management that may read accounts and nothing else")
	set.IntVar(&t.MaxPerPage, "max-per-page", 100, "largest page of a listing, a `NUMBER`")
	set.Func("plans", "comma-separated `IDS` of two plans, for a service that accepts only its own",
		func(value string) error {
			if t.Plans = strings.Split(value, ","); len(t.Plans) != 2 || slices.Contains(t.Plans, "") {
				return fmt.Errorf("%q is not a list of two plans: write ID,ID", value)
			}
			return nil
		})
	set.Func("prices", "comma-separated `LIST` of three prices, each PRODUCT/PRICE, for such a service",
		func(value string) error {
			return readPrices(value, &t.Prices)
		})
	operationFlag(set, &t.Operations)
	set.StringVar(&c.only, "only", "",
		"only these claims: a comma-separated `LIST` of numbers, ranges, services (billing, finance, "+
			"collections) and beginnings of operations")
	jsonFlag(set, &c.json)
	set.StringVar(&c.file.name, "report", "", "write a report for the owner of the service to this `FILE` too, as Markdown")
	set.BoolVar(&t.ReadOnly, "read-only", false,
		"send GET requests only, and check what reading can judge: for production")
	set.BoolVar(&c.charges, "allow-charges", false, "check claims that can make the service charge or invoice too")
	set.BoolVar(&c.leftovers, "allow-leftovers", false,
		"check claims that leave something behind too: revoked API keys, invoices")
	set.BoolVar(&c.production, "allow-production", false, "check a service that reports the environment production")
	set.BoolVar(&c.keepClock, "keep-clock", false, "leave the sandbox's clock alone")
	set.StringVar(&c.receiverURL, "receiver-url", "", "https `URL` that leads the service to --receiver-listen")
	set.StringVar(&c.receiverListen, "receiver-listen", "", "`HOST:PORT` of this machine where deliveries arrive")
	set.StringVar(&c.receiverCertificate, "receiver-certificate", "",
		"PEM `FILE` to serve https there; if unset, plain http, for a proxy that serves https")
	set.StringVar(&c.receiverKey, "receiver-key", "", "PEM `FILE` of the key of that certificate")
}

// variable defines a flag that defaults to the environment variable of the same name.
func (p program) variable(set *flag.FlagSet, into *string, prefix, name, usage string) {
	env := prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	*into = p.getenv(env)
	set.Func(name, usage+"; defaults to "+env, func(value string) error {
		*into = value
		return nil
	})
}

func readPrices(value string, into *[]claims.Price) error {
	for one := range strings.SplitSeq(value, ",") {
		product, price, found := strings.Cut(one, "/")
		if !found {
			return fmt.Errorf("%q is not a valid price: write PRODUCT/PRICE", one)
		}
		*into = append(*into, claims.Price{ProductID: product, PriceID: price})
	}
	if len(*into) != 3 {
		return fmt.Errorf("%d prices in %q: write three", len(*into), value)
	}
	return nil
}

// serviceWords are the names of services in --only.
var serviceWords = map[string]claims.Service{
	string(sandbox.Billing):     claims.Billing,
	string(sandbox.Finance):     claims.Finance,
	string(sandbox.Collections): claims.Collections,
}

// readableClaims returns the number of claims that reading can check.
func readableClaims() (n int) {
	for _, claim := range claims.All() {
		if _, ok := claim.ByReading(); ok {
			n++
		}
	}
	return n
}

// chooseClaims returns the claims selected by a list of numbers, ranges, services and operation prefixes, or all.
func chooseClaims(list string) ([]claims.Claim, error) {
	all := claims.All()
	if list == "" {
		return all, nil
	}
	chosen := map[int]bool{}
	for word := range strings.SplitSeq(list, ",") {
		found := false
		for _, claim := range all {
			if names(word, claim) {
				chosen[claim.Number], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no claim is named by %q: use a number, a range such as 81-92, billing, finance, "+
				"collections, or the beginning of an operation such as customers.update", word)
		}
	}
	return slices.DeleteFunc(all, func(c claims.Claim) bool { return !chosen[c.Number] }), nil
}

// names reports whether a word of --only selects the claim.
func names(word string, claim claims.Claim) bool {
	if service, is := serviceWords[word]; is {
		return claim.Service == service
	}
	first, last, isRange := strings.Cut(word, "-")
	if !isRange {
		last = first
	}
	least, err := strconv.Atoi(first)
	most, wrong := strconv.Atoi(last)
	if err == nil && wrong == nil {
		return slices.ContainsFunc(append(claim.Also, claim.Number), func(n int) bool { return least <= n && n <= most })
	}
	return word != "" && strings.HasPrefix(claim.Operation(), word)
}

// operationFlag is for services that differ in paths, as the provider's argument operations is.
func operationFlag(set *flag.FlagSet, into *map[string]string) {
	set.Func("operation", "method and path of an operation, repeatable; `NAME=METHOD /path`", func(value string) error {
		return readOverride(value, into)
	})
}

// readOverride parses NAME=METHOD /path.
func readOverride(value string, into *map[string]string) error {
	name, route, _ := strings.Cut(value, "=")
	method, path, written := strings.Cut(route, " ")
	if !written || method != strings.ToUpper(method) || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("%q is not a valid override: write NAME=METHOD /path", value)
	}
	known := operationNames()
	if !slices.Contains(known, name) {
		return fmt.Errorf("there is no operation %q%s", name, meant(name, known))
	}
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[name] = route
	return nil
}
