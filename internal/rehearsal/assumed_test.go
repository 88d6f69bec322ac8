package rehearsal

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
)

// A rule of the copy that no description gives is named where the difference depends on it, and only there.
func TestAssumed(t *testing.T) {
	t.Parallel()
	subscription := func(id, plan string, more object) object {
		of := object{"id": id, "external_id": id, "billing_account_id": "a", "status": "active", "billing_cycle": "monthly",
			"plan_id": plan, "recurring_amount_cents": json.Number("9990")}
		for name, value := range more {
			of[name] = value
		}
		return of
	}
	state := func(plan string, more ...object) objects {
		return objects{orgcopy.Account: of(object{"id": "a", "currency": "BRL"}), orgcopy.Subscription: of(append([]object{
			subscription("same", "1", object{"status": "past_due"}), subscription("plain", plan, nil),
			subscription("trial", plan, object{"status": "trialing", "trial_end": "2026-03-02T00:00:00Z"}),
			subscription("tried", plan, object{"trial_end": "2026-01-02T00:00:00Z", "commitment": object{}}),
			subscription("late", plan, object{"status": "past_due"}),
			subscription("hand", plan, object{"collection_method": "manual_invoice"}),
			subscription("once", plan, object{"renewal_settings": object{"type": "cancel"}}),
			subscription("bound", plan, object{"commitment": object{"months": json.Number("12")}}),
		}, more...)...)}
	}
	without := outcome{before: state("1"), objects: state("1")}
	with := outcome{before: state("2", subscription("new", "1", nil)), objects: state("2", subscription("new", "1", nil))}
	got := assumed(without, with, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
	const price = " (BRL 99.90 monthly)."
	want := []string{
		`Subscription "hand" is invoiced by hand, so no invoice of it is counted` + price,
		`Subscription "late" is past due, and is invoiced as before` + price,
		`Subscription "new" begins on day 31, so its periods begin on that day, or on the last one of a shorter month` + price,
		`Subscription "once" is renewed, although its renewal_settings are "cancel"` + price,
		`Subscription "trial" is first invoiced when its trial ends, on 2026-03-02` + price,
		`The commitment of subscription "bound" changes neither what it costs nor when it can end` + price,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
