package forecast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/forecast"
)

// A forecast adds an amount to the total of the cycle in which it is billed, with what is scheduled already and what a
// destroy leaves. It guesses neither the cycle of a subscription that is created again nor the currency of another
// payer.
func TestForecast(t *testing.T) {
	t.Parallel()
	const values = `"recurring_amount_cents":9990,"plan_id":"p","current_plan_id":"p","items":[],"status":"active","id":"1"`
	subscription := func(cycle, payer, more string) string {
		return fmt.Sprintf(`{%s,"billing_cycle":%s,"billing_account_id":%q%s}`, values, cycle, payer, more)
	}
	for name, c := range map[string]struct{ actions, before, after, unknown, want string }{
		"another cycle": {`"update"`, subscription(`"monthly"`, "a", ""), subscription(`"quarterly"`, "a", ""), `{}`,
			"BRL 99.90 monthly BRL 99.90 quarterly another cycle or currency shown / monthly BRL 99.90 BRL 0.00 / quarterly BRL 0.00 BRL 99.90"},
		"created again": {`"delete","create"`, subscription(`"quarterly"`, "a", ""), subscription("null", "a", ""),
			`{"billing_cycle":true}`,
			"BRL 99.90 quarterly not known monthly another cycle or currency / monthly BRL 0.00 not known / quarterly BRL 99.90 BRL 0.00 / " +
				"The price of s: the service chooses the billing cycle."},
		"another price for a new one": {`"delete","create"`, subscription(`"monthly"`, "a", `,"recurring_amount_cents":5000`),
			subscription(`"monthly"`, "a", ""), `{}`, "BRL 50.00 monthly not known monthly not known / monthly BRL 50.00 not known / " +
				"The price of s: subscriptions with the same terms show 50.00 and 99.90."},
		"not the plan that is pending": {`"update"`, subscription(`"monthly"`, "a", `,"plan_id":"q","current_period_end":"2026-02-10T00:00:00Z"`),
			subscription(`"monthly"`, "a", ""), `{}`, "not known monthly BRL 99.90 monthly not known shown / monthly not known BRL 99.90 / " +
				"The price of s: neither the catalogue nor a subscription shows the amount of the plan q, monthly in BRL."},
		"another plan at once": {`"update"`, subscription(`"monthly"`, "a", `,"current_period_end":"2026-02-10T00:00:00Z"`),
			subscription(`"monthly"`, "a", `,"plan_id":"q","plan_change":{"timing":"immediate"}`), `{}`, "BRL 99.90 monthly not known monthly not known / monthly BRL 99.90 not known / " +
				"The price of s: neither the catalogue nor a subscription shows the amount of the plan q, monthly in BRL."},
		"another plan to come": {`"update"`, subscription(`"monthly"`, "a", `,"current_period_end":"2026-02-10T00:00:00Z"`),
			subscription(`"monthly"`, "a", `,"plan_id":"q","plan_change":{"timing":"end_of_period"}`), `{}`,
			"BRL 99.90 monthly not known monthly not known from 2026-02-10 / monthly BRL 99.90 not known / " +
				"The price of s: neither the catalogue nor a subscription shows the amount of the plan q, monthly in BRL."},
		"an end to come": {`"update"`, subscription(`"monthly"`, "a", `,"current_period_end":"2026-02-10T00:00:00Z"`),
			subscription(`"monthly"`, "a", `,"cancel_at_period_end":true`), `{}`, "BRL 99.90 monthly – -BRL 99.90 shown from 2026-02-10 / monthly BRL 99.90 BRL 0.00"},
		"resumed": {`"update"`, subscription(`"monthly"`, "a", `,"status":"paused"`), subscription(`"monthly"`, "a", ""), `{}`, "– BRL 99.90 monthly +BRL 99.90 shown / monthly BRL 0.00 BRL 99.90"},
		"an account that is not in the plan": {`"update"`, subscription(`"monthly"`, "x", ""), subscription(`"quarterly"`, "x", ""), `{}`, "99.90 monthly not known quarterly another cycle or currency / monthly 99.90 0.00 / quarterly 0.00 not known / " +
			"The price of s: neither the catalogue nor a subscription shows the amount of the plan p, quarterly in x."},
		"destroyed": {`"delete"`, subscription(`"monthly"`, "a", ""), "null", `{}`,
			"BRL 99.90 monthly – -BRL 99.90 shown delete / monthly BRL 99.90 BRL 0.00"},
		"destroyed at the end of the period": {`"delete"`, subscription(`"monthly"`, "a", `,"deletion_policy":"cancel_at_period_end",`+
			`"current_period_end":"2026-02-10T00:00:00Z"`), "null", `{}`,
			"BRL 99.90 monthly – -BRL 99.90 shown delete from 2026-02-10 / monthly BRL 99.90 BRL 0.00"},
		"abandoned": {`"delete"`, subscription(`"monthly"`, "a", `,"deletion_policy":"abandon"`), "null", `{}`,
			"monthly BRL 99.90 BRL 99.90"},
		"removed from the state": {`"forget"`, subscription(`"monthly"`, "a", ""), "null", `{}`, "monthly BRL 99.90 BRL 99.90"},
		"another payer": {`"delete","create"`, subscription(`"monthly"`, "a", ""), subscription(`"monthly"`, "b", ""), `{}`,
			"BRL 99.90 monthly not known monthly another cycle or currency / monthly BRL 99.90 BRL 0.00 / monthly USD 0.00 not known / " +
				"The price of s: neither the catalogue nor a subscription shows the amount of the plan p, monthly in USD."},
		"a payer to come": {`"delete","create"`, subscription(`"monthly"`, "a", ""),
			fmt.Sprintf(`{%s,"billing_cycle":"monthly"}`, values), `{"billing_account_id":true}`,
			"BRL 99.90 monthly not known monthly another cycle or currency / monthly 0.00 not known / monthly BRL 99.90 BRL 0.00 / " +
				"The price of s: the currency of its billing account is not known yet."},
	} {
		shown := subscription(`"monthly"`, "a", "")
		if strings.Contains(c.want, "quarterly BRL 0.00") {
			shown = subscription(`"quarterly"`, "a", "")
		}
		f, err := forecast.Read([]byte(fmt.Sprintf(`{"format_version":"1.2","prior_state":{"values":{"root_module":
			{"resources":[{"type":"billing_account","values":{"id":"a","currency":"BRL"}},
			{"type":"billing_account","values":{"id":"b","currency":"USD"}},
			{"type":"billing_subscription","values":%s},{"type":"billing_subscription","values":%s}]}}},
			"resource_changes":[{"address":"s","mode":"managed","type":"billing_subscription","change":
			{"actions":[%s],"before":%s,"after":%s,"after_unknown":%s}}]}`, strings.Replace(shown, `"id":"1"`, `"id":"2"`, 1), c.before,
			c.actions, c.before, c.after, c.unknown)), nil, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		var out strings.Builder
		if err := f.Page().Text(&out); err != nil {
			t.Fatal(err)
		}
		var rows []string
		for line := range strings.Lines(out.String()) {
			if fields := strings.Fields(line); strings.Contains(line, "ly ") ||
				strings.Contains(line, "The price") {
				fields = slices.DeleteFunc(fields, func(s string) bool {
					return s == "s" || s == "update" || s == "replace"
				})
				rows = append(rows, strings.Join(fields, " "))
			}
		}
		if got := strings.Join(rows, " / "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
