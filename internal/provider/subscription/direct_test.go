package subscription_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
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
	*acctest.Direct
	t       *testing.T
	service *acctest.Service
	base    acctest.JSON
}

// subscribe prepares a subscription with plan A and the external_id s-1.
func subscribe(t *testing.T, options ...acctest.Option) *subject {
	t.Helper()
	service := acctest.Start(t, options...)
	service.NeedsSandbox("the clock is moved and failures are made")
	return &subject{Direct: service.Direct("billing_subscription"), t: t, service: service,
		base: acctest.JSON{"billing_account_id": accountOf(service), "external_id": "s-1", "plan_id": planA}}
}

// accountOf opens a billing account with a new customer and returns its id.
func accountOf(service *acctest.Service) string {
	account, _ := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Owner"})["billing_account"].(acctest.JSON)
	id, _ := account["id"].(string)
	return id
}

// with is the configuration of the subject with these arguments; nil removes one.
func (s *subject) with(lines acctest.JSON) acctest.JSON {
	config := maps.Clone(s.base)
	maps.Copy(config, lines)
	return config
}

func (s *subject) set(lines acctest.JSON) string {
	s.t.Helper()
	return s.Set(s.with(lines))
}

// id is the subscription's id, as it is in the state.
func (s *subject) id() string { return strings.Trim(s.Text("id"), `"`) }

// outside does something to the subscription past Terraform.
func (s *subject) outside(operation string, body acctest.JSON) {
	s.t.Helper()
	if body == nil {
		body = acctest.JSON{}
	}
	s.service.Must("POST", "/v1/subscriptions/"+s.id()+"/"+operation, body)
}

func (s *subject) patch(body acctest.JSON) {
	s.t.Helper()
	s.service.Must("PATCH", "/v1/subscriptions/"+s.id(), body)
}

func (s *subject) remote() acctest.JSON {
	s.t.Helper()
	return s.service.Must("GET", "/v1/subscriptions/"+s.id(), nil)
}

func (s *subject) pass(d time.Duration) { s.service.Sandbox.Clock().Advance(d) }

func (s *subject) fault(f sandbox.Fault) { s.service.Sandbox.AddFault(f) }

// refresh reads the subscription and returns the warnings.
func (s *subject) refresh() string {
	s.t.Helper()
	all := s.Refresh()
	if text := acctest.Errors(all); text != "" {
		s.t.Fatalf("refresh: %s", text)
	}
	return acctest.Warnings(all)
}

// settled holds the configuration to an empty plan after a refresh, and returns the warnings of both.
func (s *subject) settled(lines acctest.JSON) string {
	s.t.Helper()
	warnings := s.refresh()
	p := s.Plan(s.with(lines))
	if text := acctest.Errors(p.Diagnostics); text != "" {
		s.t.Fatalf("plan: %s", text)
	}
	if changes := p.Changes(s.t); len(changes) > 0 {
		s.t.Errorf("the plan changes %v", changes)
	}
	return warnings + acctest.Warnings(p.Diagnostics)
}

// is holds an attribute of the state, written as JSON.
func (s *subject) is(name, want string) {
	s.t.Helper()
	if have := s.Text(name); have != want {
		s.t.Errorf("%s is %s, want %s", name, have, want)
	}
}

// says holds a message to its parts.
func says(t *testing.T, message string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not say %q:\n%s", part, message)
		}
	}
}

// operations lists what was asked of the service since the last reset, without reads.
func (s *subject) operations() []string {
	var all []string
	for _, name := range s.service.Operations() {
		if !strings.HasSuffix(name, ".get") && !strings.HasSuffix(name, ".list") {
			all = append(all, strings.TrimPrefix(name, "subscriptions."))
		}
	}
	return all
}
