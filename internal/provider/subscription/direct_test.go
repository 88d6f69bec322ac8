package subscription_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const (
	productA = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
	productB = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12"
	priceA   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
	priceB   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62"
	planC    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"
)

var (
	later = acctest.JSON{"timing": "end_of_period"}
	itemA = acctest.JSON{"product_id": productA, "price_id": priceA}
	itemB = acctest.JSON{"product_id": productB, "price_id": priceB, "quantity": 3, "unit_amount_subcents": 499000}
)

// subject is one subscription of a new customer, driven without Terraform.
type subject struct {
	*acctest.Subject
	t       *testing.T
	service *acctest.Service
}

// subscribe prepares a subscription with plan A and the external_id s-1.
func subscribe(t *testing.T, options ...acctest.Option) *subject {
	t.Helper()
	service := acctest.Start(t, options...)
	service.NeedsSandbox("the clock is moved and failures are made")
	base := acctest.JSON{"billing_account_id": accountOf(service), "external_id": "s-1", "plan_id": planA}
	return &subject{Subject: service.Subject("billing_subscription", base), t: t, service: service}
}

var says = acctest.Says

// accountOf opens a billing account with a new customer and returns its id.
func accountOf(service *acctest.Service) string {
	account, _ := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Owner"})["billing_account"].(acctest.JSON)
	id, _ := account["id"].(string)
	return id
}

// outside does something to the subscription past Terraform.
func (s *subject) outside(operation string, body acctest.JSON) {
	s.t.Helper()
	if body == nil {
		body = acctest.JSON{}
	}
	s.service.Must("POST", "/v1/subscriptions/"+s.ID()+"/"+operation, body)
}

func (s *subject) patch(body acctest.JSON) {
	s.t.Helper()
	s.service.Must("PATCH", "/v1/subscriptions/"+s.ID(), body)
}

func (s *subject) remote() acctest.JSON {
	s.t.Helper()
	return s.service.Must("GET", "/v1/subscriptions/"+s.ID(), nil)
}

// anotherRun begins a new run, in which nothing was applied yet.
func (s *subject) anotherRun(lines acctest.JSON) {
	s.t.Helper()
	s.Again(s.Plan(s.With(lines)), s.With(lines))
}

func (s *subject) pass(d time.Duration) { s.service.Sandbox.Clock().Advance(d) }

// operations lists what was asked of the service since the last reset, without reads.
func (s *subject) operations() []string {
	var all []string
	for _, name := range s.Calls() {
		all = append(all, strings.TrimPrefix(name, "subscriptions."))
	}
	return all
}

func TestMain(m *testing.M) { acctest.RunTests(m) }
