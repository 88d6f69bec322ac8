// Package acctest gives acceptance tests a service to run against: their own sandbox in the same process, or the
// real sandbox named by the BILLING_* variables when BILLING_ACC_LIVE is 1.
package acctest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Factories serve the provider in the test's own process.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"billing": func() (tfprotov6.ProviderServer, error) { return compared(provider.Server("test")(), ownSchemas), nil },
}

// A test that makes a service fail for good does not wait for minutes, unless it says so.
func init() {
	const variable = "BILLING_RETRY_TIMEOUT"
	if os.Getenv(variable) == "" {
		if err := os.Setenv(variable, "15s"); err != nil {
			panic(err)
		}
	}
}

// Epoch is where the clock of a test's sandbox stands still.
var Epoch = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

// Service is what a test runs against.
type Service struct {
	// Sandbox is nil when the test runs against a live service; see NeedsSandbox.
	Sandbox *sandbox.Server
	// BaseURL and Token reach recurring billing.
	BaseURL, Token string
	// FinanceURL and FinanceToken reach financial management; empty where a live service has none.
	FinanceURL, FinanceToken string
	// CollectionsURL and CollectionsKey reach collections; empty where a live service has none.
	CollectionsURL, CollectionsKey string
	// CAFile is trusted in addition to the system's authorities; empty: none.
	CAFile string
	// Serve makes each provider that Core drives; nil: that of Factories.
	Serve func() tfprotov6.ProviderServer

	t *testing.T
}

// Option changes the sandbox that Start starts.
type Option func(*sandbox.Options)

// Tolerating makes the sandbox differ from the documents as a client has to tolerate.
func Tolerating(tolerance sandbox.Tolerance) Option {
	return func(o *sandbox.Options) { o.Tolerance = tolerance }
}

// RunningClock is the option of a sandbox that runs at the present time, for what is compared with the clock of this
// machine.
func RunningClock(o *sandbox.Options) { o.Start = time.Time{} }

// Start gives the test a service: pages of two, so that every listing crosses a page boundary, and an order that
// shuffles where none is asked for.
func Start(t *testing.T, options ...Option) *Service {
	t.Helper()
	if os.Getenv("BILLING_ACC_LIVE") == "1" {
		if len(options) > 0 {
			t.Skip("needs its own sandbox: the live service cannot be made to behave differently")
		}
		live := &Service{BaseURL: os.Getenv("BILLING_BASE_URL"), Token: os.Getenv("BILLING_TOKEN"),
			CAFile: os.Getenv("BILLING_CA_CERTIFICATE_FILE"), FinanceURL: os.Getenv("BILLING_FINANCE_BASE_URL"),
			FinanceToken: os.Getenv("BILLING_FINANCE_TOKEN"), CollectionsURL: os.Getenv("BILLING_COLLECTIONS_BASE_URL"),
			CollectionsKey: os.Getenv("BILLING_COLLECTIONS_API_KEY"), t: t}
		if ledger := os.Getenv(ledgerVariable); ledger != "" {
			return live.Recording(ledger)
		}
		return live
	}
	service, end := Open(t, options...)
	t.Cleanup(end)
	return service
}

// Open is Start for a test that needs many sandboxes, one after another: end closes it.
func Open(t *testing.T, options ...Option) (service *Service, end func()) {
	t.Helper()
	o := sandbox.Options{Start: Epoch, Seed: 1, MaxPerPage: 2}
	for _, option := range options {
		option(&o)
	}
	server, err := sandbox.Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatalf("start the sandbox: %v", err)
	}
	return &Service{Sandbox: server, BaseURL: server.BillingURL(), Token: server.BillingToken(), CAFile: server.CAFile(),
			FinanceURL: server.FinanceURL(), FinanceToken: server.FinanceToken(),
			CollectionsURL: server.CollectionsURL(), CollectionsKey: server.CollectionsKey(), t: t}, func() {
			if err := server.Close(); err != nil {
				t.Errorf("close the sandbox: %v", err)
			}
		}
}

// NeedsSandbox skips the test when it runs against a live service, which cannot do what the test is about.
func (s *Service) NeedsSandbox(why string) {
	s.t.Helper()
	if s.Sandbox == nil {
		s.t.Skip("needs its own sandbox: " + why)
	}
}

// Config is a configuration with the provider block for this service before it. extra are further lines of the provider
// block.
func (s *Service) Config(body string, extra ...string) string {
	block := "provider \"billing\" {\n"
	for _, argument := range s.arguments() {
		block += fmt.Sprintf("  %s = %q\n", argument.name, argument.value)
	}
	for _, line := range extra {
		block += "  " + line + "\n"
	}
	return block + "}\n\n" + body
}

type argument struct{ name, value string }

// arguments are those of the provider block that lead to this service.
func (s *Service) arguments() []argument {
	var given []argument
	for _, a := range []argument{
		{"base_url", s.BaseURL}, {"token", s.Token}, {"finance_base_url", s.FinanceURL}, {"finance_token", s.FinanceToken},
		{"collections_base_url", s.CollectionsURL}, {"collections_api_key", s.CollectionsKey},
		{"ca_certificate_file", s.CAFile},
	} {
		if a.value != "" {
			given = append(given, a)
		}
	}
	return given
}

// provider is a provider that is configured for this service.
func (s *Service) provider() (tfprotov6.ProviderServer, typesByName) {
	s.t.Helper()
	c, p := s.Core(), &CorePlan{}
	if !c.configure(nil, p.note) {
		s.t.Fatal(p.Errors)
	}
	return c.server, c.schemas
}

func (s *Service) ctx() context.Context { return context.WithoutCancel(s.t.Context()) }

// Run plays steps of Terraform with the provider.
func Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: Factories, Steps: steps})
}

// RunFrom is Run for what needs a newer Terraform.
func RunFrom(t *testing.T, check tfversion.TerraformVersionCheck, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{TerraformVersionChecks: []tfversion.TerraformVersionCheck{check},
		ProtoV6ProviderFactories: Factories, Steps: steps})
}

// EmptyPlan is a step that holds the configuration to an empty plan.
func EmptyPlan(config string) resource.TestStep {
	return resource.TestStep{Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}}
}

// Same holds a list of names to what is wanted.
func Same(t *testing.T, what string, have []string, want ...string) {
	t.Helper()
	if !slices.Equal(have, want) {
		t.Errorf("%s: %v, want %v", what, have, want)
	}
}

// Says holds a message, regardless of its line breaks, to its parts.
func Says(t *testing.T, message string, parts ...string) {
	t.Helper()
	message = strings.Join(strings.Fields(message), " ")
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not contain %q: %s", part, message)
		}
	}
}
