package provider_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// TestShortPath: plans of creations, of plain changes and of what stays as it is, and refreshes of what is as it was,
// do not reach the framework, for every type. All tests that drive the provider in process compare both.
func TestShortPath(t *testing.T) {
	t.Parallel()
	var framework []string
	s := acctest.Start(t)
	s.NeedsSandbox("objects are created for it")
	s.Serve = func() tfprotov6.ProviderServer {
		server, _ := provider.Server("test")().(*front.Server)
		server.Framework = reporting{server.Framework, &framework}
		return server
	}
	customer, account := s.Direct("billing_customer"), s.Direct("billing_account")
	for _, c := range []struct {
		*acctest.Direct
		config func() acctest.JSON
		change acctest.JSON
	}{
		{customer, func() acctest.JSON {
			return acctest.JSON{"name": "Ana", "tags": []any{"a"}, "email": "ana@example.com", "external_id": "c-1",
				"create_billing_account": false, "custom_metadata": acctest.JSON{"tier": 1}}
		}, acctest.JSON{"notes": "new", "tags": []any{"a", "b"}}},
		{account, func() acctest.JSON {
			return acctest.JSON{"customer_id": customer.ID(), "payment_terms_days": 15}
		}, acctest.JSON{"payment_terms_days": 20}},
		{s.Direct("billing_subscription"), func() acctest.JSON {
			return acctest.JSON{"billing_account_id": account.ID(), "plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01",
				"external_id": "s-1"}
		}, acctest.JSON{"notes": "new"}},
		{s.Direct("billing_finance_record"), func() acctest.JSON {
			return acctest.JSON{"collection": "categories", "body": acctest.JSON{"name": "Rent"}}
		}, acctest.JSON{"body": acctest.JSON{"name": "Rents"}}},
		{s.Direct("billing_webhook_endpoint"), func() acctest.JSON {
			return acctest.JSON{"url": "https://hooks.example.com/a", "events": []any{"charge.paid"}}
		}, acctest.JSON{"description": "new"}},
		{s.Direct("billing_api_key"), func() acctest.JSON {
			return acctest.JSON{"name": "a", "scopes": []any{"charges:read"}}
		}, acctest.JSON{"description": "new"}},
	} {
		config := c.config()
		short := func(what string, step func() []*tfprotov6.Diagnostic) {
			t.Helper()
			framework = nil
			if text := acctest.Errors(step()); text != "" {
				t.Fatalf("%s of %s: %s", what, c.Type(), text)
			}
			if len(framework) > 0 {
				t.Errorf("%s of %s: the framework was asked to %v", what, c.Type(), framework)
			}
		}
		var planned acctest.Planned
		plan := func() []*tfprotov6.Diagnostic {
			planned = c.Plan(config)
			return planned.Diagnostics
		}
		short("the creation", plan)
		if text := acctest.Errors(c.Apply(planned)); text != "" {
			t.Fatal(text)
		}
		short("the refresh", c.Refresh)
		short("the plan of no change", plan)
		if changes := planned.Changes(t); len(changes) > 0 {
			t.Fatalf("%s is not settled: %v", c.Type(), changes)
		}
		maps.Copy(config, c.change)
		short("a change", plan)
		if changes := planned.Changes(t); len(changes) == 0 {
			t.Errorf("%v changes nothing in %s", c.change, c.Type())
		}
	}
}

// reporting is the framework's server, which reports the calls that the short path saves.
type reporting struct {
	front.Framework
	calls *[]string
}

func (r reporting) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (
	*tfprotov6.ReadResourceResponse, error) {
	*r.calls = append(*r.calls, "read")
	return r.Framework.ReadResource(ctx, req) //nolint:wrapcheck // it passes the call on
}

func (r reporting) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	if req.Config != req.ProposedNewState { // not the empty object, by which the server knows the defaults
		*r.calls = append(*r.calls, "plan")
	}
	return r.Framework.PlanResourceChange(ctx, req) //nolint:wrapcheck // it passes the call on
}

// TestServerLosesNothing: each resource type can do behind the server what it can do alone, as far as the framework
// asks: with requests and responses of its package resource, or with a context only. Other methods are for the
// provider's own packages.
func TestServerLosesNothing(t *testing.T) {
	t.Parallel()
	alone, served := provider.New("test")().Resources(t.Context()), provider.ServedResources(t.Context())
	for i := range alone {
		a, b := reflect.TypeOf(alone[i]()), reflect.TypeOf(served[i]())
		for method := range a.Methods() {
			last := method.Type.In(method.Type.NumIn() - 1)
			asked := method.Type.NumIn() == 4 && last.Kind() == reflect.Pointer &&
				last.Elem().PkgPath() == reflect.TypeFor[resource.Resource]().PkgPath() ||
				method.Type.NumIn() == 2 && last == reflect.TypeFor[context.Context]()
			// those of package object
			if _, ok := b.MethodByName(method.Name); !ok && asked && !strings.HasPrefix(method.Name, "Begin") {
				t.Errorf("%s loses %s", a, method.Name)
			}
		}
	}
}
