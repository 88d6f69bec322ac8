package provider_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const runningPlan = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"

// resourceType is a type with one object of it, and what all types have to stand.
type resourceType struct {
	name, operations, path string
	config, change         acctest.JSON // a key is never updated, and has no change

	s       *acctest.Service
	object  *acctest.Subject
	changed acctest.JSON // the configuration with the change
}

var resourceTypes = []resourceType{
	{name: "billing_customer", operations: "customers", path: "/v1/customers/",
		config: acctest.JSON{"name": "A", "tags": []any{"a"}, "custom_metadata": acctest.JSON{"tier": 1},
			"create_billing_account": false},
		change: acctest.JSON{"notes": "x", "tags": []any{"a", "b"}}},
	{name: "billing_account", operations: "billing_accounts", path: "/v1/billing-accounts/",
		config: acctest.JSON{}, change: acctest.JSON{"payment_terms_days": 7}},
	{name: "billing_subscription", operations: "subscriptions", path: "/v1/subscriptions/",
		config: acctest.JSON{"plan_id": runningPlan}, change: acctest.JSON{"notes": "x"}},
	{name: "billing_webhook_endpoint", operations: "webhook_endpoints", path: "/api/v1/webhook-endpoints/",
		config: acctest.JSON{"url": "https://receiver.example.test/hook", "events": []any{"charge.paid"}},
		change: acctest.JSON{"description": "x"}},
	{name: "billing_api_key", operations: "api_keys", path: "/api/v1/api-keys/",
		config: acctest.JSON{"name": "ci", "scopes": []any{"charges:read"}}},
	{name: "billing_finance_record", operations: "finance.records", path: "/v1/payables/",
		config: acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "A"}},
		change: acctest.JSON{"body": acctest.JSON{"name": "B"}}},
}

// TestTypes_moved: every type rejects a moved block from another one in its own words.
func TestTypes_moved(t *testing.T) {
	t.Parallel()
	server := provider.Server("test")()
	for _, c := range resourceTypes {
		moved, err := server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
			TargetTypeName: c.name, SourceTypeName: "billing_other", SourceState: &tfprotov6.RawState{JSON: []byte("{}")},
			SourceProviderAddress: "registry.terraform.io/recurring-billing/billing"})
		if err != nil || len(moved.Diagnostics) != 1 ||
			moved.Diagnostics[0].Summary != "A billing_other cannot become a "+c.name {
			t.Errorf("%s: %v, %v", c.name, moved, err)
		}
	}
}

// eachType plays a test for each type, with a sandbox of its own and a configuration that is not applied yet.
func eachType(t *testing.T, play func(t *testing.T, c resourceType), options ...acctest.Option) {
	t.Helper()
	for _, c := range resourceTypes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.s = acctest.Start(t, append(options, acctest.Receiving(acctest.NewReceiver(t)))...)
			c.s.NeedsSandbox("responses are made up")
			c.config = c.owned(c.config)
			c.changed = maps.Clone(c.config)
			maps.Copy(c.changed, c.change)
			c.object = c.s.Direct(c.name)
			c.s.Sandbox.ResetRequests()
			play(t, c)
		})
	}
}

// billed reports that it is a type of recurring billing.
func (c resourceType) billed() bool {
	return slices.Contains([]string{"billing_customer", "billing_account", "billing_subscription"}, c.name)
}

// owned is a configuration of an object that belongs to a new customer, where it belongs to one.
func (c resourceType) owned(config acctest.JSON) acctest.JSON {
	config = maps.Clone(config)
	owner := c.s.Must("POST", "/v1/customers", acctest.JSON{"name": "Owner"})
	switch c.name {
	case "billing_account":
		config["customer_id"] = owner["customer"].(acctest.JSON)["id"]
	case "billing_subscription":
		config["billing_account_id"] = owner["billing_account"].(acctest.JSON)["id"]
	}
	return config
}

// shown is the response to a read of an object.
func (c resourceType) shown(t *testing.T, id string) string {
	t.Helper()
	status, body := c.s.Call(http.MethodGet, c.path+id, nil)
	text, err := json.Marshal(body)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %v", status, err)
	}
	return string(text)
}

func (c resourceType) fault(operation string, f sandbox.Fault) {
	f.Operation, f.Times = c.operations+"."+operation, max(f.Times, 1)
	c.s.Sandbox.AddFault(f)
}

// settled holds the next plan of a configuration to be empty.
func (c resourceType) settled(t *testing.T, config acctest.JSON) {
	t.Helper()
	if again := c.object.Plan(config); !again.Value.Equal(again.Prior) {
		t.Errorf("the next plan is not empty: %s", again.Value)
	}
}

// TestRequestsOfAnApply: a creation is one POST and an update one PATCH, and nothing is read in an apply but, once,
// whom the token belongs to.
func TestRequestsOfAnApply(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, c resourceType) {
		sent := func(config acctest.JSON, want ...string) {
			t.Helper()
			plan := c.object.Plan(config)
			c.s.Sandbox.ResetRequests()
			if text := acctest.Errors(c.object.Apply(plan)); text != "" {
				t.Fatal(text)
			}
			var got []string
			for _, request := range c.s.Sandbox.Requests() {
				got = append(got, request.Method+" "+request.Operation)
			}
			acctest.Same(t, "requests", got, want...)
		}
		want := []string{"POST " + c.operations + ".create"}
		if c.billed() {
			want = append(want, "GET me.get")
		}
		sent(c.config, want...)
		if c.change != nil {
			sent(c.changed, "PATCH "+c.operations+".update")
		}
	})
}

// TestAnotherObject: where a creation, a read or an update gets another object, nothing of that object comes into the
// state, and it is not touched.
func TestAnotherObject(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, c resourceType) {
		other := c.s.Direct(c.name)
		theirs := c.owned(c.changed)
		if c.name == "billing_customer" {
			theirs["external_id"] = "theirs"
		}
		other.Set(theirs)
		c.s.Sandbox.Clock().Advance(time.Minute)
		if c.billed() {
			body := c.shown(t, other.ID())
			if c.name == "billing_customer" {
				body = `{"data":{"customer":` + strings.TrimPrefix(body, `{"data":`) + `}`
			}
			c.fault("create", sandbox.Fault{Status: 201, Body: body})
			config := maps.Clone(c.config)
			config["external_id"] = "ours"
			acctest.Says(t, acctest.Errors(c.object.Apply(c.object.Plan(config))), "nothing of this one is used")
			if c.object.Exists() {
				t.Errorf("the state has %s", c.object.State())
			}
			c.object = c.s.Direct(c.name)
		}
		c.object.Set(c.config)
		before := c.object.State()
		fails := func(operation string, do func() string) {
			t.Helper()
			c.fault(operation, sandbox.Fault{Body: c.shown(t, other.ID())})
			acctest.Says(t, do(), "the response shows another object", other.ID(), "Request-Id")
			if !c.object.State().Equal(before) {
				t.Errorf("%s: the state is now %s", operation, c.object.State())
			}
		}
		c.s.Sandbox.ResetRequests()
		fails("get", func() string { return acctest.Errors(c.object.Refresh()) })
		if c.change != nil {
			fails("update", func() string { return acctest.Errors(c.object.Apply(c.object.Plan(c.changed))) })
		}
		if text := acctest.Errors(c.object.Refresh()); text != "" {
			t.Error(text)
		}
		for _, r := range c.s.Sandbox.Requests() {
			if strings.HasSuffix(r.Path, other.ID()) && r.Method != "GET" {
				t.Errorf("%s %s was sent", r.Method, r.Path)
			}
		}
	})
}

// TestLaggingReads: an object that a read does not find right after its creation stays in the state, and so does a
// change that a read does not show yet.
func TestLaggingReads(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, c resourceType) {
		refresh := func(config acctest.JSON) {
			t.Helper()
			before := c.object.State()
			if text := acctest.Errors(c.object.Refresh()); text != "" || !c.object.State().Equal(before) {
				t.Errorf("the state is %s, %s", c.object.State(), text)
			}
			c.settled(t, config)
		}
		c.object.Set(c.config)
		c.fault("get", sandbox.Fault{Times: 2, Status: 404, Code: "not_found"})
		refresh(c.config)
		if c.change != nil {
			old := c.shown(t, c.object.ID())
			c.object.Set(c.changed)
			c.fault("get", sandbox.Fault{Body: old})
			refresh(c.changed)
		}
	}, acctest.RunningClock)
}

// TestUpdateIsReadBack: an update that is carried out, and whose response shows no object, is read back: the state has
// what was applied, and the next plan is empty.
func TestUpdateIsReadBack(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, c resourceType) {
		if c.change == nil {
			return
		}
		c.object.Set(c.config)
		for _, f := range []sandbox.Fault{{Empty: true, Status: 204, After: true},
			{Foreign: "html", Status: 200, After: true}} {
			config := c.changed
			if f.Foreign != "" {
				config = c.config
			}
			c.fault("update", f)
			if text := acctest.Errors(c.object.Apply(c.object.Plan(config))); text != "" {
				t.Error(text)
			}
			c.settled(t, config)
		}
	})
}

// TestDeletionIsLookedAt: an object whose deletion is carried out, while the response is lost or is a conflict, is
// deleted.
func TestDeletionIsLookedAt(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, c resourceType) {
		if c.name == "billing_account" || c.name == "billing_subscription" {
			return // closed and canceled by a POST
		}
		lose := func(f sandbox.Fault) {
			f.Method, f.Times = "DELETE", 1
			c.s.Sandbox.AddFault(f)
		}
		c.object.Set(c.config)
		c.s.Sandbox.Clock().Advance(time.Minute)
		lose(sandbox.Fault{After: true, Status: 409})
		c.object.Set(nil)
		c.object = c.s.Direct(c.name)
		c.object.Set(c.config)
		lose(sandbox.Fault{DropAfter: true})
		lose(sandbox.Fault{Status: 404, Empty: true})
		c.object.Set(nil)
	})
}

// TestShortPath: plans of creations, of plain changes and of what stays as it is, and refreshes of what is as it was,
// do not reach the framework. All tests that drive the provider in process compare both.
func TestShortPath(t *testing.T) {
	t.Parallel()
	eachType(t, func(t *testing.T, c resourceType) {
		if c.change == nil {
			c.changed["description"] = "new"
		}
		var framework []string
		c.s.Serve = func() tfprotov6.ProviderServer {
			server, _ := provider.Server("test")().(*front.Server)
			server.Framework = reporting{server.Framework, &framework}
			return server
		}
		c.object = c.s.Direct(c.name)
		short := func(what string, step func() []*tfprotov6.Diagnostic) {
			t.Helper()
			framework = nil
			if text := acctest.Errors(step()); text != "" {
				t.Fatalf("%s: %s", what, text)
			}
			if len(framework) > 0 {
				t.Errorf("%s: the framework was asked to %v", what, framework)
			}
		}
		config := c.config
		var planned acctest.Planned
		plan := func() []*tfprotov6.Diagnostic {
			planned = c.object.Plan(config)
			return planned.Diagnostics
		}
		short("the creation", plan)
		if text := acctest.Errors(c.object.Apply(planned)); text != "" {
			t.Fatal(text)
		}
		short("the refresh", c.object.Refresh)
		short("the plan of no change", plan)
		if changes := planned.Changes(t); len(changes) > 0 {
			t.Fatalf("it is not settled: %v", changes)
		}
		config = c.changed
		short("a change", plan)
		if changes := planned.Changes(t); len(changes) == 0 {
			t.Errorf("%v changes nothing", c.changed)
		}
	})
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

// TestLostCreations: whatever is lost of a creation of recurring billing, there is one object, or an error that names
// what may have come of it and takes nothing over. An equal object of another system was there before. All ways of
// losing are played below the provider; those that wait for reads which may lag are played with one type here.
func TestLostCreations(t *testing.T) {
	t.Parallel()
	const adopted, taken, unknown = "instead of", "the external_id is taken", "the outcome is unknown"
	code := acctest.JSON{"external_id": "e-1"}
	for row, test := range map[string]struct {
		fault        sandbox.Fault
		ours, theirs acctest.JSON
		says, only   string
		posts        int
	}{
		"response, external_id":        {sandbox.Fault{DropAfter: true}, code, nil, adopted, "", 1},
		"response of a proxy":          {sandbox.Fault{Foreign: "html", Status: 200, After: true}, code, nil, adopted, "", 1},
		"request, external_id, theirs": {sandbox.Fault{Status: 503}, code, code, taken, "", 1},
		"request, external_id":         {sandbox.Fault{DropBefore: true}, code, nil, "", "billing_account", 2},
		"response, no external_id": {sandbox.Fault{TruncateBody: true}, nil, nil, unknown,
			"billing_subscription", 1},
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			eachType(t, func(t *testing.T, c resourceType) {
				if !c.billed() || test.only != "" && c.name != test.only {
					return
				}
				other := c.s.Direct(c.name)
				maps.Copy(c.changed, test.theirs)
				other.Set(c.changed)
				c.s.Sandbox.Clock().Advance(time.Minute)
				maps.Copy(c.config, test.ours)
				plan := c.object.Plan(c.config)
				c.s.Sandbox.ResetRequests()
				c.fault("create", test.fault)
				all := c.object.Apply(plan)
				failure, warnings := acctest.Errors(all), acctest.Warnings(all)
				fails := test.says == taken || test.says == unknown
				if (failure != "") != fails || c.object.Exists() == fails || !strings.Contains(failure+warnings, test.says) {
					t.Errorf("%s; %s", failure, warnings)
				}
				if n := c.s.Count(c.operations + ".create"); n != test.posts {
					t.Errorf("sent %d times", n)
				}
				if strings.Contains(failure, "import {") != fails ||
					strings.Contains(failure, other.ID()) != (test.says == taken) {
					t.Errorf("what is there is not named, or another one is: %s", failure)
				}
				if !fails {
					c.settled(t, c.config)
				}
			})
		})
	}
}
