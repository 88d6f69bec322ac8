package billing

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// cycleMonths are the lengths of the billing cycles, in calendar months
// (service description, Recurring billing §2 Subscription).
var cycleMonths = map[string]int{"monthly": 1, "quarterly": 3, "semiannual": 6, "annual": 12}

const defaultCycle = "monthly"

// lastYear bounds timestamps that a request may name, so that the periods after
// them can still be written in four digits.
const lastYear = 9900

// addMonths returns the anchor day so many months later, at the same time of
// day, or the last day of that month where it is shorter.
func addMonths(t time.Time, months, anchorDay int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1,
		t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	lastDay := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(anchorDay, lastDay)-1)
}

// startPeriod begins a period, without a trial in it, that the anchor day
// governs.
func (r *SubscriptionRow) startPeriod(at server.Timestamp) {
	r.Subscription.CurrentPeriodStart = at
	end := addMonths(at.Time, cycleMonths[r.Subscription.BillingCycle], r.AnchorDay)
	r.Subscription.CurrentPeriodEnd = server.Timestamp{Time: end}
}
