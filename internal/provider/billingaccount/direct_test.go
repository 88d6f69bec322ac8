package billingaccount_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// subject is one billing account, driven without Terraform.
type subject struct {
	*acctest.Subject
	t       *testing.T
	service *acctest.Service
}

// open prepares an account of Ana's, with the external_id a-1.
func open(t *testing.T, options ...acctest.Option) *subject {
	t.Helper()
	service := acctest.Start(t, options...)
	service.NeedsSandbox("failures are made on purpose")
	base := acctest.JSON{"customer_id": person(service, "Ana"), "external_id": "a-1"}
	return &subject{Subject: service.Subject("billing_account", base), t: t, service: service}
}

// person creates a customer without an account, and returns the id.
func person(service *acctest.Service, name string) string {
	_, made := service.Call("POST", "/v1/customers", acctest.JSON{"name": name,
		"email": strings.ToLower(name) + "@example.com", "create_billing_account": false})
	if data, wrapped := made["data"].(acctest.JSON); wrapped { // a sandbox may leave the wrapping out
		made = data
	}
	id, _ := made["customer"].(acctest.JSON)["id"].(string)
	return id
}

var says = acctest.Says

func (s *subject) customerID() string { return s.Value("customer_id") }

// outside does something to the account past Terraform.
func (s *subject) outside(operation string) {
	s.t.Helper()
	s.service.Must("POST", "/v1/billing-accounts/"+s.ID()+"/"+operation, acctest.JSON{})
}

func (s *subject) patch(body acctest.JSON) {
	s.t.Helper()
	s.service.Must("PATCH", "/v1/billing-accounts/"+s.ID(), body)
}

func (s *subject) remote() acctest.JSON {
	s.t.Helper()
	return s.service.Must("GET", "/v1/billing-accounts/"+s.ID(), nil)
}

// changes lists what the plan of a configuration changes after a refresh.
func (s *subject) changes(lines acctest.JSON) []string {
	s.t.Helper()
	s.Reread()
	return s.Plan(s.With(lines)).Changes(s.t)
}

// asked holds what was asked of the service since the last reset, without reads.
func (s *subject) asked(want ...string) {
	s.t.Helper()
	var have []string
	for _, name := range s.Calls() {
		have = append(have, strings.TrimPrefix(name, "billing_accounts."))
	}
	if !slices.Equal(have, want) {
		s.t.Errorf("asked for %v, want %v", have, want)
	}
}
