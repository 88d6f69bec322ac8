package claims_test

import (
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var textFaults = []fault{
	{name: "texts are trimmed", only: 361, rewords: "trim"},
	{name: "spaces are collapsed", only: 362, rewords: "collapse"},
	{name: "lines end in CR and LF", only: 363, rewords: "crlf"},
	{name: "texts in a list get a line feed", only: 364, spoil: onCustomers(func(c object) {
		if list := texts(at(c, "custom_metadata.nested.list")); len(list) > 0 {
			setAt(c, "custom_metadata.nested.list", []any{list[0] + "\n"})
		}
	})},
	{name: "HTML is escaped", only: 365, rewords: "escape"},
	{name: "capitals are lost", only: 366, rewords: "lower"},
	{name: "letters are decomposed", only: 367, rewords: "nfd"},
	{name: "a URL gets a path", only: 368, rewords: "url"},
	{name: "phone numbers are digits", only: 369, rewords: "phone"},
	{name: "an address without a country is Brazilian", only: 370, spoil: onCustomers(func(c object) {
		for _, address := range items(c["addresses"]) {
			if address["country"] == nil {
				address["country"] = "BR"
			}
		}
	})},
	{name: "notes are cut", only: 371, spoil: onCustomers(func(c object) {
		if notes, ok := c["notes"].(string); ok {
			c["notes"] = notes[:min(len(notes), 100)]
		}
	})},
}

// unavoidable are the kinds that other texts of claims show too: every text has an end, a length and optional fields.
var unavoidable = []string{"line-end", "cut", "fill"}

// TestClaimsNameTheRewording runs all claims against services that store texts in their own wording: only the claim
// about it must fail, and the provider accepts it, unless the service stores less.
func TestClaimsNameTheRewording(t *testing.T) {
	t.Parallel()
	for _, rewords := range append(bend.Names(bend.Rewords), "trim,lower,nfd,escape", "url,line-end", "collapse,phone") {
		t.Run(rewords, func(t *testing.T) {
			t.Parallel()
			_, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true, Bend: bend.Must(rewords)}))
			var found []string
			kinds := strings.Split(rewords, ",")
			failed := claims.Run(t.Context(), target, allClaims())
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
	for name, test := range map[string]struct {
		fault     fault
		claim     int
		rewording string
		tolerated []string
	}{
		"an escaped description": {fault{spoil: onData(hooks, func(e object) {
			if text, ok := e["description"].(string); ok {
				e["description"] = html.EscapeString(text)
			}
		})}, 365, "escape", []string{"the service's own wording in billing_webhook_endpoint (description)"}},
		"escaped notes": {fault{spoil: onCustomers(func(c object) {
			if text, ok := c["notes"].(string); ok {
				c["notes"] = html.EscapeString(text)
			}
		})}, 365, "escape", []string{billing}},
		"escaped names of records": {fault{spoil: onData(financePrefix+"/v1/payables", func(r object) {
			if text, ok := r["name"].(string); ok {
				r["name"] = html.EscapeString(text)
			}
		})}, 365, "escape", []string{"the service's own wording in billing_finance_record (name)"}},
		"notes trimmed at their end": {fault{spoil: onCustomers(func(c object) {
			if text, ok := c["notes"].(string); ok {
				c["notes"] = strings.TrimRight(text, " ")
			}
		})}, 361, "trim", []string{billing}},
		"another letter in an update": {fault{spoil: when(http.MethodPatch, customers+"/*", onCustomers(func(c object) {
			if text, ok := c["notes"].(string); ok {
				c["notes"] = strings.ReplaceAll(text, "&", "e")
			}
		}))}, 365, "", nil},
		"rejected texts": {fault{rewrite: func(in *inFlight) {
			if text, _ := in.sent["notes"].(string); strings.Contains(text, "&") {
				in.status = http.StatusUnprocessableEntity
			}
		}}, 365, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), test.fault)
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
	return slices.DeleteFunc(claims.BillingClaims(), func(c claims.Claim) bool { return c.Number < 361 || c.Number > 371 })
}
