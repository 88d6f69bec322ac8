package claims

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ErrNotGiven is wrapped by the error of a claim that could not be checked
// because the [Target] lacks something optional, for example an expired token.
// Such a claim is neither kept nor broken.
var ErrNotGiven = errors.New("the target does not give what this claim needs")

// Target is what claims are checked against: a running recurring-billing service,
// running financial management, a running collections service, or any of them.
type Target struct {
	// BaseURL is the address without the /v1 of the paths, for example
	// "https://127.0.0.1:8443".
	BaseURL string
	// Token may read and write customers, billing accounts and subscriptions, and
	// make and read invoices.
	Token string
	// Client sends the requests; it must trust the server's certificate. Nil
	// means [http.DefaultClient]. Redirects are never followed.
	Client *http.Client

	// RevokedToken and ExpiredToken are optional tokens that once worked.
	RevokedToken, ExpiredToken string
	// NarrowToken is an optional working token whose scopes do not allow
	// creating a customer.
	NarrowToken string

	// FinanceBaseURL is the address of financial management without the /v1 and
	// the /api/v1 of the paths.
	FinanceBaseURL string
	// FinanceToken may read and write records of every collection there.
	FinanceToken string
	// FinanceExpiredToken is an optional token that once worked.
	FinanceExpiredToken string
	// FinanceNarrowToken is an optional working token that may read accounts and
	// nothing else.
	FinanceNarrowToken string

	// CollectionsBaseURL is the address of the collections service without the
	// /api/v1 of the paths.
	CollectionsBaseURL string
	// CollectionsAPIKey may do everything there, managing keys included.
	CollectionsAPIKey string
	// CollectionsAuthHeader names a header that carries the bare key. Empty means
	// "Authorization: Bearer <key>".
	CollectionsAuthHeader string

	// Operations replaces the method and path of operations of the wire contract, by their name and written as in the
	// provider argument "operations": "PUT /v1/customers/{id}".
	Operations map[string]string

	// MaxPerPage is the largest page that the service gives, in items. Zero
	// means 100, the documented bound; a sandbox may be set to less.
	MaxPerPage int

	// Plans are the ids of two plans and Prices three prices that subscriptions
	// may have. Without them random ids are sent, which a service without its
	// own catalogue takes.
	Plans  []string
	Prices []Price

	// Advance is optional. It moves the service's clock forward by d. Everything that becomes
	// due in between has happened, in order, before the response to the next request.
	Advance func(ctx context.Context, d time.Duration) error

	// Receive is optional. It serves the handler over https until stop is called,
	// at an address that paths are appended to, that the collections service can
	// reach and whose certificate it trusts.
	Receive func(ctx context.Context, handler http.Handler) (url string, stop func(), err error)
	// Settle is optional. It returns once every delivery that is due has been
	// attempted and recorded. Without it claims ask again for up to half a minute.
	Settle func(ctx context.Context) error

	accepts *acceptance // nil but where a claim is checked a second time
}

// Price is what a subscription's item names: a product and one of its prices.
type Price struct{ ProductID, PriceID string }

// Claim is one statement about a service that can be checked from outside.
type Claim struct {
	// Number identifies the claim in reports. It is never reused.
	Number int
	// Source names the section and the operation that the claim follows from.
	Source string
	// Text is the statement, a full sentence.
	Text string
	// Otherwise is what a user of the provider notices when the claim does not hold, with the argument or setting that
	// helps where there is one.
	Otherwise string
	// Service is the service that the claim is about.
	Service Service
	// Effect is what a check does to the target.
	Effect
	// Check returns nil when the target keeps the claim, an error wrapping
	// [ErrNotGiven] when the target lacks what is needed to tell, and otherwise
	// an error that says what was expected and what came. It removes what it made.
	Check func(ctx context.Context, target Target) error
}

// String is the claim as reports show it.
func (c Claim) String() string {
	return fmt.Sprintf("claim %d (%s): %s", c.Number, c.Source, c.Text)
}

// Result is what checking one claim gave.
type Result struct {
	Claim Claim
	// Err is nil when the claim holds.
	Err error
	// Tolerated are the differences because of which the claim fails, where the provider works with all of them.
	Tolerated []string
}

// NotGiven tells that the claim could not be checked because the target lacks
// something optional.
func (r Result) NotGiven() bool { return errors.Is(r.Err, ErrNotGiven) }

// Run checks the claims one after the other and returns one result for each, in
// their order. Once the context is done the remaining claims get its error.
func Run(ctx context.Context, target Target, claims []Claim) []Result {
	results := make([]Result, 0, len(claims))
	for _, claim := range claims {
		err := ctx.Err()
		if err == nil {
			err = claim.Check(ctx, target)
		}
		result := Result{Claim: claim, Err: err}
		if err != nil && ctx.Err() == nil && !result.NotGiven() {
			result.Tolerated = claim.secondTime(ctx, target)
		}
		results = append(results, result)
	}
	return results
}

// otherwise stands before claims, and is what a user notices when one of them does not hold.
func otherwise(consequence string) Claim { return Claim{Otherwise: consequence} }

// withConsequences are the claims of all groups, each with the consequence that stands before it.
func withConsequences(groups ...[]Claim) (all []Claim) {
	consequence := ""
	for _, c := range slices.Concat(groups...) {
		if c.Number == 0 {
			consequence = c.Otherwise
			continue
		}
		c.Otherwise = consequence
		all = append(all, c)
	}
	return all
}

// BillingClaims returns every claim about the recurring-billing service, sorted
// by number.
func BillingClaims() []Claim {
	return withConsequences(
		conventionClaims(),
		accessClaims(),
		listClaims(),
		createClaims(),
		updateClaims(),
		metadataClaims(),
		refusalClaims(),
		deleteClaims(),
		accountClaims(),
		accountCreateClaims(),
		accountUpdateClaims(),
		accountStatusClaims(),
		subscriptionCreateClaims(),
		subscriptionRefusalClaims(),
		subscriptionUpdateClaims(),
		subscriptionItemClaims(),
		pauseClaims(),
		changePlanClaims(),
		cancelClaims(),
		subscriptionListClaims(),
		invoiceClaims(),
		clockClaims(),
		collectionClaims(),
	)
}

// FinanceClaims returns every claim about financial management, sorted by number.
func FinanceClaims() []Claim {
	return withConsequences(
		financeClaims(),
		financeAccessClaims(),
		financeScopeClaims(),
		pageClaims(),
		cursorClaims(),
		filterClaims(),
		recordCreateClaims(),
		idempotencyClaims(),
		recordUpdateClaims(),
		recordDeleteClaims(),
		recordRefusalClaims(),
		openAPIClaims(),
	)
}

// CollectionsClaims returns every claim about the collections service, sorted by
// number.
func CollectionsClaims() []Claim {
	return withConsequences(
		endpointClaims(),
		addressClaims(),
		collectionsAccessClaims(),
		collectionsListClaims(),
		keyClaims(),
		keyScopeClaims(),
		rotationClaims(),
		deliveryClaims(),
		attemptClaims(),
		redeliveryClaims(),
		recordClaims(),
		keyEventClaims(),
	)
}
