package claims

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ErrNotGiven is wrapped by the error of a claim that could not be checked because the [Target] lacks something
// optional, such as an expired token. Such a claim neither holds nor fails.
var ErrNotGiven = errors.New("the target lacks a prerequisite of this claim")

// Target is the service that claims are checked against: recurring billing, financial management, collections, or
// several of them.
type Target struct {
	// BaseURL is the address without the /v1 of the paths, such as "https://127.0.0.1:8443".
	BaseURL string
	// Token may read and write customers, billing accounts and subscriptions, and create and read invoices.
	Token string
	// Client sends the requests; it must trust the server's certificate. Nil means [http.DefaultClient]. Redirects are
	// never followed.
	Client *http.Client

	// RevokedToken and ExpiredToken are optional tokens that once worked.
	RevokedToken, ExpiredToken string
	// NarrowToken is an optional valid token whose scopes do not permit creating a customer.
	NarrowToken string

	// FinanceBaseURL is the address of financial management without the /v1 and /api/v1 of the paths.
	FinanceBaseURL string
	// FinanceToken may read and write records of every collection.
	FinanceToken string
	// FinanceExpiredToken is an optional token that once worked.
	FinanceExpiredToken string
	// FinanceNarrowToken is an optional valid token that may only read accounts.
	FinanceNarrowToken string

	// CollectionsBaseURL is the address of collections without the /api/v1 of the paths.
	CollectionsBaseURL string
	// CollectionsAPIKey has all permissions, including managing keys.
	CollectionsAPIKey string
	// CollectionsAuthHeader is the name of a header for the bare key; empty: "Authorization: Bearer <key>".
	CollectionsAuthHeader string

	// Operations overrides the method and path of operations of the wire contract by name, in the format of the provider
	// argument "operations": "PUT /v1/customers/{id}".
	Operations map[string]string

	// MaxPerPage is the largest page of the service, in items. Zero means 100, the documented limit; a sandbox may have a
	// lower one.
	MaxPerPage int

	// Plans are the ids of two plans, and Prices three prices, for subscriptions. Without them random ids are sent, which
	// a service without its own catalog accepts.
	Plans  []string
	Prices []Price

	// Advance is optional. It moves the service's clock forward by d. Everything that becomes due in between must be
	// processed, in order, before the response to the next request.
	Advance func(ctx context.Context, d time.Duration) error

	// Receive is optional. It serves the handler over https until stop is called, at an address to which paths are
	// appended. The collections service must be able to reach it and trust its certificate.
	Receive func(ctx context.Context, handler http.Handler) (url string, stop func(), err error)
	// Settle is optional. It returns once every due delivery has been attempted and recorded. Without it claims poll for
	// up to half a minute.
	Settle func(ctx context.Context) error

	// Shapes are the documented shapes of responses, for one run. Without them only what a claim is about is compared.
	Shapes *Shapes

	// ReadOnly permits only GET requests, limits their number, and keeps the service's data out of errors. Only claims
	// that [Claim.ByReading] returns can then be checked.
	ReadOnly bool

	accepts *acceptance // nil, except in the second check of a claim
}

// Price is the product and the price of a subscription's item.
type Price struct{ ProductID, PriceID string }

// Claim is a statement about a service that can be checked through its API.
type Claim struct {
	// Number identifies the claim in reports. It is never reused. Also lists those of claims that it has replaced.
	Number int
	Also   []int
	// Source names the section and the operation on which the claim is based.
	Source string
	// Text is the statement, as a full sentence.
	Text string
	// Otherwise is what a user of the provider notices if the claim does not hold, with an argument or setting that helps,
	// if there is one.
	Otherwise string
	// Service is the claim's service.
	Service Service
	// RestsOn lists the claims without which the check cannot succeed, or is likely not to. If one of them does not hold,
	// a failure follows from it.
	RestsOn []int
	// Effect is the effect of a check on the target.
	Effect
	// Check returns nil if the claim holds, an error wrapping [ErrNotGiven] if the target lacks a prerequisite, and
	// otherwise an error with the expected and the actual result, or with what remains of the objects that it has created.
	Check func(ctx context.Context, target Target) error

	read      func(ctx context.Context, target Target) error // checks it against existing data; nil if that is impossible
	rewording string                                         // the kind of wording that the claim finds
}

// ByReading returns the claim with a check that only sends GET requests; false if that is impossible.
func (c Claim) ByReading() (Claim, bool) {
	if c.read == nil {
		return c, false
	}
	c.Check, c.Effect = c.read, Effect{ReadsOnly: true}
	return c, true
}

// String returns the claim as it appears in reports.
func (c Claim) String() string {
	return fmt.Sprintf("claim %d (%s): %s", c.Number, c.Source, c.Text)
}

// Result is the result of checking one claim.
type Result struct {
	Claim Claim
	// Err is nil if the claim holds.
	Err error
	// Tolerated lists the differences that make the claim fail, if the provider works with all of them.
	Tolerated []string
	// Left is not nil if the claim holds, but objects remain that it has created.
	Left error
}

// NotGiven reports whether the claim could not be checked because the target lacks something optional.
func (r Result) NotGiven() bool { return errors.Is(r.Err, ErrNotGiven) }

// Run checks the claims one after the other and returns a result for each, in their order. When the context is done,
// the remaining claims get its error.
func Run(ctx context.Context, target Target, claims []Claim) []Result {
	results := make([]Result, 0, len(claims))
	for _, claim := range claims {
		err := ctx.Err()
		if err == nil {
			err = claim.checked(ctx, target)
		}
		result := Result{Claim: claim, Err: err}
		if left := (*leftError)(nil); errors.As(err, &left) {
			result.Err, result.Left = nil, left.error
		}
		if result.Err != nil && ctx.Err() == nil && !result.NotGiven() {
			result.Tolerated = claim.secondTime(ctx, target)
		}
		results = append(results, result)
	}
	return results
}

// checked returns the result of a check. Objects can change between two requests of a reading, so a read-only check
// fails only if it fails three times.
func (c Claim) checked(ctx context.Context, target Target) error {
	err := c.Check(ctx, target)
	for range 2 {
		if !target.ReadOnly || err == nil || errors.Is(err, ErrNotGiven) || ctx.Err() != nil {
			break
		}
		err = c.Check(ctx, target)
	}
	return err
}

// FollowsFrom returns those of the claims that have failed on which this one rests.
func (c Claim) FollowsFrom(failed []int) (bases []int) {
	for _, number := range c.RestsOn {
		if slices.Contains(failed, number) {
			bases = append(bases, number)
		}
	}
	return bases
}

//go:embed facts
var factFiles embed.FS

// All returns every claim, by number: the statements of the laws, and the facts.
func All() []Claim {
	all := append(lawClaims(), textClaims()...)
	entries, err := factFiles.ReadDir("facts")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, entry := range entries {
		archive, err := factFiles.ReadFile("facts/" + entry.Name())
		if err != nil {
			panic(err)
		}
		facts, err := Facts(archive)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", entry.Name(), err)) // a test reads them
		}
		all = append(all, facts...)
	}
	first := map[int]int{} // by the number of a claim that another one has replaced
	for _, c := range all {
		for _, n := range append(c.Also, c.Number) {
			first[n] = c.Number
		}
	}
	for i, c := range all {
		bases := []int{}
		for _, n := range c.RestsOn {
			if base := first[n]; base != c.Number && !slices.Contains(bases, base) {
				bases = append(bases, base)
			}
		}
		all[i].RestsOn = bases
	}
	slices.SortStableFunc(all, func(a, b Claim) int { return cmp.Compare(a.Number, b.Number) })
	return all
}
