package apidiag

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// remedies is the advice for responses, by status and code. The first match is used: a status of 0 and an empty code
// match any, and when is an optional condition.
var remedies = []struct {
	status int
	code   string
	when   func(*api.Error) bool
	do     func(*api.Error, place) string
}{
	{code: "customer_has_active_subscriptions", do: says("Cancel the customer's subscriptions first (the data source " +
		"billing_subscriptions lists them, also those of other systems); in the same " +
		"configuration, let the subscriptions refer to this customer, so that Terraform destroys them before it. A " +
		"subscription with a scheduled cancellation (deletion_policy or cancel_at_period_end) is active until its period " +
		"ends: delete the customer after that. To keep the customer at the service and remove it from the state only, set " +
		"deletion_policy = \"abandon\".")},
	{status: http.StatusUnauthorized, do: unauthorized},
	{status: http.StatusForbidden, when: namesScopes, do: lacksScope},
	{code: "access_blocked", do: blocked},
	{status: http.StatusForbidden, do: forbidden},
	{when: isRoute, do: wrongAddress},
	{when: isForeignMissing, do: foreignNotFound},
	{when: (*api.Error).Missing, do: notFound},
	{status: http.StatusProxyAuthRequired, do: proxyPassword},
	{status: http.StatusTooManyRequests, do: limited},
	{when: isFailure, do: failed},
	{status: http.StatusMethodNotAllowed, do: wrongMethod},
	{when: isSuccess, do: foreignSuccess},
	{do: says("Fix the problem described and run again.")},
}

// remedy returns the advice for a response.
func remedy(e *api.Error) string {
	for _, r := range remedies {
		if (r.status == 0 || r.status == e.Status) && (r.code == "" || r.code == e.Code) && (r.when == nil || r.when(e)) {
			return r.do(e, placeOf(e))
		}
	}
	return ""
}

func says(text string) func(*api.Error, place) string {
	return func(*api.Error, place) string { return text }
}

func namesScopes(e *api.Error) bool { return len(e.Required) > 0 }
func isRoute(e *api.Error) bool {
	return e.Missing() && strings.Contains(strings.ToLower(e.Code), "route")
}
func isForeignMissing(e *api.Error) bool { return e.Missing() && !e.Structured }
func isFailure(e *api.Error) bool        { return e.Status >= http.StatusInternalServerError }
func isSuccess(e *api.Error) bool        { return e.Status < http.StatusMultipleChoices }

// unauthorized explains what may be wrong with a rejected token.
func unauthorized(e *api.Error, p place) string {
	response := ""
	if message := strings.TrimSpace(e.Message); message != "" {
		response = " The service responded: " + sentence(message)
	}
	switch address, secret := p.addressArgument(), p.tokenArgument(); {
	case p.BaseURLTwin != "":
		return fmt.Sprintf("%s has the same value as %s, but each service has its own address: one of the two is "+
			"wrong. Set %s to the address of %s. The token comes from %s.%s", p.address(), p.BaseURLTwin, address,
			p.serviceName(), p.tokenFrom(), response)
	case p.TokenTwin != "":
		return fmt.Sprintf("%s has the same value as %s, but each service has its own tokens: one of the two is "+
			"wrong. Set %s to a token of %s. The token comes from %s.%s", secret, p.TokenTwin, secret, p.serviceName(),
			p.tokenFrom(), response)
	}
	return fmt.Sprintf("%s does not accept the token from %s. The token is wrong, revoked or expired, or it belongs to a "+
		"different service or environment than %s: each service has its own tokens, and tokens of the test environment do "+
		"not work in production. Set a valid token of %s there.%s", Capitalize(p.serviceName()), p.tokenFrom(), p.address(),
		p.serviceName(), response)
}

func lacksScope(e *api.Error, p place) string {
	return fmt.Sprintf("The token needs the scope %s, and has %s. Grant it that scope, or use another token. The token "+
		"comes from %s.", list(e.Required), list(e.Granted), p.tokenFrom())
}

func blocked(_ *api.Error, p place) string {
	return fmt.Sprintf("The service has blocked API access for the whole organization of the token (from %s). Another "+
		"token of the same organization does not help: ask the organization's administrator or the service's support to "+
		"lift the block, or use a token of another organization.", p.tokenFrom())
}

func forbidden(_ *api.Error, p place) string {
	return fmt.Sprintf("The token (from %s) lacks the permission, or API access is blocked for the organization. Use a "+
		"token with the permission, or ask the organization's administrator.", p.tokenFrom())
}

// wrongAddress returns the advice for an unknown path.
func wrongAddress(e *api.Error, p place) string {
	return fmt.Sprintf("The path %s was appended to %s, and does not exist there. Set %s to the address of %s, without "+
		"/v1 and the rest of the path. If the address is correct and the service uses another path, set the provider "+
		"argument "+
		"operations for %s. Nothing was removed from the state.", e.Path, p.address(), p.addressArgument(), p.serviceName(),
		e.Operation)
}

func foreignNotFound(e *api.Error, p place) string {
	return "This is not the service's own response for a missing object, so the base address is probably wrong or a " +
		"proxy responded. Nothing was removed from the state. Check " + p.address() + ", and the provider argument " +
		"operations if it contains " + e.Operation + "."
}

func notFound(_ *api.Error, p place) string {
	return "The object does not exist, or it belongs to a different organization than the token. If the path below is " +
		"not one of the service's, check " + p.address() + " and the provider argument operations."
}

func proxyPassword(_ *api.Error, p place) string {
	return "A proxy between this machine and " + p.address() + " requires a password. Add it to the environment " +
		"variable HTTPS_PROXY (http://user:password@host:port)."
}

// limited explains when a rate limit ends, and how to stay below it.
func limited(e *api.Error, _ place) string {
	text := "The service limits requests"
	if e.RetryAfter > 0 {
		text += " and asks clients to wait " + e.RetryAfter.Round(time.Second).String()
	}
	text += ". "
	again := "later"
	if !e.RetryAt.IsZero() {
		again = "after " + e.RetryAt.UTC().Format(time.RFC3339)
		text += "The provider waits for a rate limit automatically, but not that long"
		if e.Waited > 0 {
			text += fmt.Sprintf(": it has waited %s (see retry_timeout)", e.Waited.Round(time.Second))
		}
		text += ". "
	}
	return text + "Run again " + again + ". If the limit is reached again, start fewer runs at the same time, or set " +
		"requests_per_second in the provider block to a number below the limit."
}

func failed(e *api.Error, _ place) string {
	times := "to respond"
	if e.Attempts > 1 {
		times = fmt.Sprintf("to respond %d times in a row", e.Attempts)
	}
	keyed := ""
	if e.Operation == "finance.records.create" {
		keyed = " If it stays so, set idempotency_key: the service may repeat the result of the first attempt for the key."
	}
	return fmt.Sprintf("The service failed %s. Such failures are usually temporary. Run again in a few minutes, or %s.%s",
		times, moreAttempts(e.Capped, e.Attempts), keyed)
}

// moreAttempts returns the provider argument that ended the attempts.
func moreAttempts(capped bool, attempts int) string {
	switch {
	case !capped:
		return "set retry_timeout in the provider block to wait longer"
	case attempts > 1:
		return "raise max_retries, which allowed no further attempt"
	}
	return "allow more attempts: max_retries or retry_timeout is 0"
}

func wrongMethod(e *api.Error, _ place) string {
	return "The service does not have this operation at this path. If it uses another path or method, set the provider " +
		"argument " +
		"operations for " + e.Operation + "."
}

func foreignSuccess(_ *api.Error, p place) string {
	return "This is not the service's own response, so the base address is probably wrong or a proxy responded. Check " +
		p.address() + "."
}

func list(scopes []string) string {
	if len(scopes) == 0 {
		return "none"
	}
	return strings.Join(scopes, ", ")
}
