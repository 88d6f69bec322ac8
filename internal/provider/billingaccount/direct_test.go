package billingaccount_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// subject is one billing account, driven without Terraform.
type subject struct {
	*acctest.Direct
	t       *testing.T
	service *acctest.Service
	base    acctest.JSON
}

// open prepares an account of a new customer, with the external_id a-1.
func open(t *testing.T, options ...acctest.Option) *subject {
	t.Helper()
	service := acctest.Start(t, options...)
	service.NeedsSandbox("failures are made on purpose")
	return &subject{Direct: service.Direct("billing_account"), t: t, service: service,
		base: acctest.JSON{"customer": acctest.JSON{"name": "Ana", "email": "ana@example.com"}, "external_id": "a-1"}}
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

func (s *subject) id() string { return strings.Trim(s.Text("id"), `"`) }

func (s *subject) customerID() string { return strings.Trim(s.Text("customer_id"), `"`) }

// outside does something to the account past Terraform.
func (s *subject) outside(operation string) {
	s.t.Helper()
	s.service.Must("POST", "/v1/billing-accounts/"+s.id()+"/"+operation, acctest.JSON{})
}

func (s *subject) patch(body acctest.JSON) {
	s.t.Helper()
	s.service.Must("PATCH", "/v1/billing-accounts/"+s.id(), body)
}

func (s *subject) remote() acctest.JSON {
	s.t.Helper()
	return s.service.Must("GET", "/v1/billing-accounts/"+s.id(), nil)
}

func (s *subject) fault(f sandbox.Fault) { s.service.Sandbox.AddFault(f) }

// refresh reads the account and returns the warnings.
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
	if changes := p.Changes(s.t); len(changes) > 0 || len(p.Replaces) > 0 {
		s.t.Errorf("the plan changes %v, replaced for %v", changes, p.Replaces)
	}
	return warnings + acctest.Warnings(p.Diagnostics)
}

// changes lists what the plan of a configuration changes after a refresh.
func (s *subject) changes(lines acctest.JSON) []string {
	s.t.Helper()
	s.refresh()
	return s.Plan(s.with(lines)).Changes(s.t)
}

func (s *subject) is(name, want string) {
	s.t.Helper()
	if have := s.Text(name); have != want {
		s.t.Errorf("%s is %s, want %s", name, have, want)
	}
}

// asked holds what was asked of the service since the last reset, without reads.
func (s *subject) asked(want ...string) {
	s.t.Helper()
	var have []string
	for _, name := range s.service.Operations() {
		if !strings.HasSuffix(name, ".get") && !strings.HasSuffix(name, ".list") {
			have = append(have, strings.TrimPrefix(name, "billing_accounts."))
		}
	}
	if !slices.Equal(have, want) {
		s.t.Errorf("asked for %v, want %v", have, want)
	}
}

func says(t *testing.T, message string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not say %q:\n%s", part, message)
		}
	}
}
