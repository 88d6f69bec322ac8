package claims

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
)

const (
	subscriptionsPath = "/v1/subscriptions"
	invoicesPath      = "/v1/invoices"
)

func subscriptionPath(id string) string { return subscriptionsPath + "/" + url.PathEscape(id) }

// subscriptionMembers lists the members of a subscription that are always present according to Recurring billing §2.
var subscriptionMembers = []string{
	"id", "public_id", "external_id", "billing_account_id", "company_id", "plan_id",
	"product_group_id", "status", "billing_cycle", "current_period_start",
	"current_period_end", "cycle_billing_date", "trial_start", "trial_end",
	"activated_at", "confirmed_at", "cancel_at_period_end", "canceled_at",
	"cancellation_reason", "discount_code_id", "discount_percent",
	"recurring_amount_cents", "proration_behavior", "collection_method",
	"nfe_issuance_policy", "allow_pause", "allow_cancel", "proposal_id", "notes",
	"metadata", "custom_metadata", "created_at", "updated_at",
}

// payer creates a customer with an account and returns the account's id and the service's time, which may differ from
// this machine's.
func (p *probe) payer() (account string, now time.Time) {
	_, a := p.customer(object{"create_billing_account": true})
	return a.text("data.billing_account.id"), a.time("data.customer.created_at")
}

// subscription creates a monthly subscription to the first plan, on a new account unless the fields name one, and
// returns the path and the response. It is not charged automatically, so a claim causes no costs.
func (p *probe) subscription(fields object) (string, *response) {
	body := object{"plan_id": p.plan(0), "billing_cycle": "monthly", "collection_method": "manual_charge"}
	if _, named := fields["billing_account_id"]; !named {
		body["billing_account_id"], _ = p.payer()
	}
	a := p.post(subscriptionsPath, merged(body, fields)).wantStatus(http.StatusCreated)
	return subscriptionPath(a.text("data.id")), a
}

// plan returns the id of the n-th plan, from 0, the same one throughout a claim.
func (p *probe) plan(n int) string {
	if len(p.target.Plans) == 0 {
		p.target.Plans = []string{uuid.NewString(), uuid.NewString()}
	}
	if n >= len(p.target.Plans) {
		p.failf("%w: %d plans", ErrNotGiven, n+1)
		return ""
	}
	return p.target.Plans[n]
}

// item returns an item with the n-th price, from 0, to send.
func (p *probe) item(n int, fields object) object {
	if len(p.target.Prices) == 0 {
		for range 3 {
			p.target.Prices = append(p.target.Prices, Price{ProductID: uuid.NewString(), PriceID: uuid.NewString()})
		}
	}
	if n >= len(p.target.Prices) {
		p.failf("%w: %d prices", ErrNotGiven, n+1)
		return nil
	}
	price := p.target.Prices[n]
	return merged(object{"product_id": price.ProductID, "price_id": price.PriceID}, fields)
}

// wantMoment fails unless the date-time at path is the wanted one, with a tolerance for rounding and processing time.
func (a *response) wantMoment(path string, wanted time.Time, slack time.Duration) *response {
	if got := a.time(path); got.Sub(wanted).Abs() > slack {
		a.failf("%s is %s, want %s", path, got, wanted)
	}
	return a
}

// wantRefused fails unless the response is 422 in the error shape. The code of an operation that the object's state
// does not permit is not documented.
func (a *response) wantRefused() *response {
	return a.wantStatus(http.StatusUnprocessableEntity).wantError("")
}

// wantKept fails if a member of the object in data differs from the object before, unless it is one of changed.
// updated_at may differ.
func (a *response) wantKept(members []string, before any, changed ...string) *response {
	earlier := response{body: before}
	changed = append(changed, "updated_at")
	for _, member := range members {
		if slices.Contains(changed, member) {
			continue
		}
		if got, wanted := a.at("data."+member), earlier.at(member); !sameJSON(got, wanted) {
			a.failf("the change of %v also changed %s to %s; before it was %s", changed, member, show(got), show(wanted))
		}
	}
	return a
}
