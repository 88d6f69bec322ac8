package claims_test

import (
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// unavoidable are the kinds that other texts of claims show too: every text has an end, a length and optional fields.
var unavoidable = []string{"line-end", "cut", "fill"}

// TestClaimsNameTheRewording runs all claims against services that store texts in their own wording: only the claim
// about it must fail, and the provider accepts it, unless the service stores less.
func TestClaimsNameTheRewording(t *testing.T) {
	t.Parallel()
	all := []string{"trim,lower,nfd,escape", "url,line-end", "collapse,phone"}
	if !testing.Short() {
		all = append(all, bend.Names(bend.Rewords)...)
	}
	for _, rewords := range all {
		t.Run(rewords, func(t *testing.T) {
			t.Parallel()
			_, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true, Bend: bend.Must(rewords)}))
			var found []string
			kinds := strings.Split(rewords, ",")
			failed := claims.Run(t.Context(), target, claims.All())
			failed = slices.DeleteFunc(failed, func(r claims.Result) bool { return r.Err == nil })
			for _, result := range failed {
				switch kind := result.Rewording(); {
				case kind != "":
					found = append(found, kind)
					if accepted := result.Tolerated != nil; accepted == (kind == "cut") {
						t.Errorf("%s\n%v\naccepted: %q", result.Claim, result.Err, result.Tolerated)
					}
				case !slices.ContainsFunc(unavoidable, func(kind string) bool { return slices.Contains(kinds, kind) }):
					t.Errorf("%s\n%v", result.Claim, result.Err)
				}
			}
			slices.Sort(kinds)
			slices.Sort(found)
			if !slices.Equal(found, kinds) {
				t.Errorf("the claims name %q, want %q", found, kinds)
			}
		})
	}
}

// TestTextClaimsLookAtEveryService plants wordings and other texts in one service, and checks what is said of them.
func TestTextClaimsLookAtEveryService(t *testing.T) {
	t.Parallel()
	const billing = "the service's own wording in billing_customer (notes)"
	rewrites := func(operations, member string, how func(string) string) bend.Rule {
		return bend.Rule{Operations: operations, Do: func(x *bend.Exchange) {
			bend.Data(func(o bend.Object) {
				if made, is := o["customer"].(bend.Object); is {
					o = made
				}
				if text, ok := o[member].(string); ok {
					o[member] = how(text)
				}
			})(x)
		}}
	}
	for name, test := range map[string]struct {
		rule      bend.Rule
		claim     int
		rewording string
		tolerated []string
	}{
		"an escaped description": {rewrites("webhook_endpoints.*", "description", html.EscapeString), 365, "escape",
			[]string{"the service's own wording in billing_webhook_endpoint (description)"}},
		"escaped notes": {rewrites("customers.*", "notes", html.EscapeString), 365, "escape", []string{billing}},
		"escaped names of records": {rewrites("finance.records.*", "name", html.EscapeString), 365, "escape",
			[]string{"the service's own wording in billing_finance_record (name)"}},
		"notes trimmed at their end": {rewrites("customers.*", "notes", func(text string) string {
			return strings.TrimRight(text, " ")
		}), 361, "trim", []string{billing}},
		"another letter in an update": {rewrites("customers.update", "notes", func(text string) string {
			return strings.ReplaceAll(text, "&", "e")
		}), 365, "", nil},
		"rejected texts": {bend.Rule{Operations: "customers.*", Part: bend.Request, Do: func(x *bend.Exchange) {
			if text, _ := sentTo(x)["notes"].(string); strings.Contains(text, "&") {
				sentTo(x)["notes"] = 7
			}
		}}, 365, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true, Bend: []bend.Rule{test.rule}}))
			for _, result := range claims.Run(t.Context(), target, textClaims()) {
				if result.Err == nil {
					continue
				}
				if result.Claim.Number != test.claim || result.Rewording() != test.rewording ||
					!slices.Equal(result.Tolerated, test.tolerated) {
					t.Errorf("%s\n%v\nrewording %q, accepted %q", result.Claim, result.Err, result.Rewording(), result.Tolerated)
				}
				return
			}
			t.Error("every claim holds")
		})
	}
}

// TestTextClaimsNeedOneService checks that a target without the other services is no reason to skip these claims.
func TestTextClaimsNeedOneService(t *testing.T) {
	t.Parallel()
	_, all := startSandbox(t, open(t, sandbox.Options{Bend: bend.Must("trim")}))
	billing, collections := all, all
	billing.CollectionsBaseURL, billing.FinanceBaseURL = "", ""
	collections.BaseURL, collections.FinanceBaseURL = "", ""
	for _, target := range []claims.Target{billing, collections} {
		result := claims.Run(t.Context(), target, textClaims())[0]
		if result.Rewording() != "trim" || len(result.Tolerated) != 1 {
			t.Errorf("%s\n%v\naccepted: %q", result.Claim, result.Err, result.Tolerated)
		}
	}
}

func textClaims() []claims.Claim {
	return slices.DeleteFunc(claims.All(), func(c claims.Claim) bool { return c.Number < 361 || c.Number > 371 })
}
