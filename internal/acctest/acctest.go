// Package acctest provides the services that acceptance tests run against: a sandbox per test, in the same process, or,
// if BILLING_ACC_LIVE is 1, the real test environment named by the BILLING_* variables.
package acctest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Factories serve the provider in the test process.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"billing": func() (tfprotov6.ProviderServer, error) { return compared(provider.Server("test")(), ownSchemas), nil },
}

// A permanent failure of a service must not make a test wait for minutes, unless the test sets the timeout itself.
func init() {
	const variable = "BILLING_RETRY_TIMEOUT"
	if os.Getenv(variable) == "" {
		if err := os.Setenv(variable, "15s"); err != nil {
			panic(err)
		}
	}
}

// Epoch is the time at which the clock of a test's sandbox is stopped.
var Epoch = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

// Service is the service that a test runs against.
type Service struct {
	// Sandbox is nil when the test runs against a live service; see NeedsSandbox.
	Sandbox *sandbox.Server
	// BaseURL and Token are those of recurring billing.
	BaseURL, Token string
	// FinanceURL and FinanceToken are those of financial management; empty if a live service has none.
	FinanceURL, FinanceToken string
	// CollectionsURL and CollectionsKey are those of collections; empty if a live service has none.
	CollectionsURL, CollectionsKey string
	// CAFile is trusted in addition to the system's certificate authorities; optional.
	CAFile string
	// Dial returns the transport of one of Core's providers to a sandbox without listeners, and Random decides its delays;
	// nil: the network, and chance.
	Dial   func() http.RoundTripper
	Random func() float64
	// Uncompared makes Core's providers twice as fast: their shortcuts are not compared with the framework.
	Uncompared bool
	// Serve creates each provider for Core; nil: that of Factories.
	Serve func() tfprotov6.ProviderServer

	t *testing.T
}

// Option changes the options of the sandbox.
type Option func(*sandbox.Options)

// Tolerating makes the sandbox deviate from the documents in ways that a client must tolerate.
func Tolerating(tolerances string) Option {
	return func(o *sandbox.Options) { o.Bend = bend.Must(tolerances) }
}

// RunningClock makes the sandbox's clock run at the present time, for comparisons with the clock of this machine.
func RunningClock(o *sandbox.Options) { o.Start = time.Time{} }

// InMemory makes the sandbox take requests without listeners, for a test in virtual time; see [Virtually].
func InMemory(o *sandbox.Options) { o.NoListeners = true }

// Virtually runs a test in which no wait takes time, and then lets what providers do in the background end.
func Virtually(t *testing.T, run func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(longestBackground) })
		run(t)
	})
}

// longestBackground is longer than a request of a provider is repeated.
const longestBackground = 10 * time.Minute

// Start starts the service of a test, with pages of two, so that every list crosses a page boundary, and random order
// in lists without sort_by.
func Start(t *testing.T, options ...Option) *Service {
	t.Helper()
	if os.Getenv("BILLING_ACC_LIVE") == "1" {
		if len(options) > 0 {
			t.Skip("needs its own sandbox: a live service cannot be configured")
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

// Open is Start for a test that needs many sandboxes, one after another: end closes the sandbox.
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
	service = &Service{Sandbox: server, BaseURL: server.BillingURL(), Token: server.BillingToken(),
		CAFile:     server.CAFile(),
		FinanceURL: server.FinanceURL(), FinanceToken: server.FinanceToken(),
		CollectionsURL: server.CollectionsURL(), CollectionsKey: server.CollectionsKey(), t: t}
	if o.NoListeners {
		service.Dial = func() http.RoundTripper { return wire{server} }
	}
	return service, func() {
		if err := server.Close(); err != nil {
			t.Errorf("close the sandbox: %v", err)
		}
	}
}

// NeedsSandbox skips the test if it runs against a live service. why is the reason, for the message.
func (s *Service) NeedsSandbox(why string) {
	s.t.Helper()
	if s.Sandbox == nil {
		s.t.Skip("needs its own sandbox: " + why)
	}
}

// Config returns a configuration with the provider block for this service before it. extra are additional lines of the
// provider block.
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

// arguments returns the arguments of the provider block for this service.
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

// Core returns a workspace with an empty state that runs the provider for this service.
func (s *Service) Core() *core.Workspace {
	schemas := func() *core.Schemas {
		if s.Serve != nil {
			return nil
		}
		return ownSchemas()
	}
	arguments := func() JSON {
		config := JSON{}
		for _, argument := range s.arguments() {
			config[argument.name] = argument.value
		}
		return config
	}
	return core.New(core.Provider{Serve: s.serve, Schemas: schemas, Arguments: arguments})
}

// serve starts a provider for this service.
func (s *Service) serve() tfprotov6.ProviderServer {
	switch {
	case s.Serve != nil:
		return s.Serve()
	case s.Dial == nil:
		return compared(provider.Server("test")(), ownSchemas)
	case s.Uncompared:
		return provider.Simulated("test", s.Dial(), s.Random)
	}
	return compared(provider.Simulated("test", s.Dial(), s.Random), ownSchemas)
}

// Run runs test steps through Terraform with the provider.
func Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: Factories, Steps: steps})
}

// RunFrom is Run for steps that need a newer Terraform.
func RunFrom(t *testing.T, check tfversion.TerraformVersionCheck, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{TerraformVersionChecks: []tfversion.TerraformVersionCheck{check},
		ProtoV6ProviderFactories: Factories, Steps: steps})
}

// EmptyPlan is a step that expects an empty plan.
func EmptyPlan(config string) resource.TestStep {
	return resource.TestStep{Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}}
}

// Same compares a list of names.
func Same(t *testing.T, what string, have []string, want ...string) {
	t.Helper()
	if !slices.Equal(have, want) {
		t.Errorf("%s: %v, want %v", what, have, want)
	}
}

// Says checks that a message contains its parts, regardless of line breaks.
func Says(t *testing.T, message string, parts ...string) {
	t.Helper()
	message = strings.Join(strings.Fields(message), " ")
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not contain %q: %s", part, message)
		}
	}
}
