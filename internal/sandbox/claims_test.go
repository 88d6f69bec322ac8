package sandbox_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestClaims holds a sandbox as it is started, with example data and pages of the documented size, but with its own
// header for keys, against what was written apart from it. The tests of the claims do so with small pages.
func TestClaims(t *testing.T) {
	t.Parallel()
	options := consume(t).options()
	options.Start, options.CollectionsAuthHeader = time.Time{}, "X-Api-Key"
	server := start(t, options)
	token := func(more sandbox.Token) string {
		value, err := server.NewToken(more)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	past := server.Clock().Now().Add(-time.Hour)
	target := claims.Target{
		BaseURL: server.BillingURL(), Token: server.BillingToken(), Client: trusting(t, server.CAPEM(), nil),
		RevokedToken: token(sandbox.Token{Revoked: true}), ExpiredToken: token(sandbox.Token{Expires: past}),
		NarrowToken:    token(sandbox.Token{Scopes: []string{"customers:read"}}),
		FinanceBaseURL: server.FinanceURL(), FinanceToken: server.FinanceToken(),
		FinanceExpiredToken: token(sandbox.Token{Service: sandbox.Finance, Expires: past}),
		FinanceNarrowToken:  token(sandbox.Token{Service: sandbox.Finance, Scopes: []string{"accounts:read"}}),
		CollectionsBaseURL:  server.CollectionsURL(), CollectionsAPIKey: server.CollectionsKey(),
		CollectionsAuthHeader: options.CollectionsAuthHeader, Settle: server.WaitDeliveries, Receive: receive,
		Advance: func(_ context.Context, d time.Duration) error {
			server.Clock().Advance(d)
			return nil
		},
	}
	all := slices.Concat(claims.BillingClaims(), claims.FinanceClaims(), claims.CollectionsClaims())
	for _, r := range claims.Run(t.Context(), target, all) {
		if r.Err != nil {
			t.Errorf("%s\n\t%v", r.Claim, r.Err)
		}
	}
}

var (
	anUUID  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	aMoment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// TestCreateExchanges sends the recorded creates and compares the responses with
// the recorded ones; ids and timestamps are compared in their form. An exchange
// that refers to a customer made before is left out, as it leaves that out.
func TestCreateExchanges(t *testing.T) {
	t.Parallel()
	compared := map[string]int{}
	for _, exchange := range evidence.All("billing/") {
		body := string(exchange.Request.Body)
		isCreate := exchange.Operation == "customers.create" || exchange.Operation == "subscriptions.create" ||
			exchange.Operation == "billing_accounts.create" && strings.Contains(exchange.Name, "new_customer")
		if !isCreate || exchange.Response.Status != 201 {
			continue
		}
		compared[exchange.Operation]++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			c := call(t, start(t, sandbox.Options{Start: time.Date(2025, 9, 10, 13, 20, 11, 0, time.UTC)}))
			if account := recordedAccount.FindStringSubmatch(body); account != nil {
				body = strings.Replace(body, account[1], c.account(), 1)
			}
			got := c.do("POST", exchange.Request.Path, body).want(201)
			var want any
			if err := json.Unmarshal(exchange.Response.Body, &want); err != nil {
				t.Fatal(err)
			}
			var have any
			if err := json.Unmarshal(got.body, &have); err != nil {
				t.Fatal(err)
			}
			compare(t, "", want, have)
		})
	}
	if compared["customers.create"] == 0 || compared["billing_accounts.create"] == 0 ||
		compared["subscriptions.create"] < 3 {
		t.Fatalf("compared %v", compared)
	}
}

var recordedAccount = regexp.MustCompile(`"billing_account_id": *"([^"]+)"`)

// empty reports whether a field says "nothing": null, [] and {} are all
// documented for that, and the exchanges and the sandbox each chose one.
func empty(value any) bool {
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	return value == nil || isList && len(list) == 0 || isObject && len(object) == 0
}

// compare holds a response against a recorded one. What the system puts into
// metadata, and what things cost, is its own affair.
func compare(t *testing.T, path string, want, have any) {
	t.Helper()
	if strings.HasSuffix(path, ".metadata") || strings.HasSuffix(path, "_cents") || empty(want) && empty(have) {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want an object", path, have)
			return
		}
		for key := range object {
			if _, ok := want[key]; !ok {
				t.Errorf("%s.%s: not in the exchange", path, key)
			}
		}
		for key, value := range want {
			if _, ok := object[key]; !ok {
				t.Errorf("%s.%s: missing", path, key)
			}
			compare(t, path+"."+key, value, object[key])
		}
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s: %v, want %v", path, have, want)
			return
		}
		for i := range want {
			compare(t, path+"[]", want[i], list[i])
		}
	case string:
		text, _ := have.(string)
		for _, form := range []*regexp.Regexp{anUUID, aMoment} {
			if form.MatchString(want) && form.MatchString(text) {
				return
			}
		}
		if have != want {
			t.Errorf("%s: %v, want %q", path, have, want)
		}
	default:
		if have != want {
			t.Errorf("%s: %v, want %v", path, have, want)
		}
	}
}
