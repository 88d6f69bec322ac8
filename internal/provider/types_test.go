package provider_test

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	rschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

const runningPlan = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"

// resourceTypes are one configuration of each type, and a change of it.
var resourceTypes = []struct {
	name           string
	config, change acctest.JSON
}{
	{"billing_customer", acctest.JSON{"name": "A", "tags": []any{"a"}, "custom_metadata": acctest.JSON{"tier": 1},
		"create_billing_account": false}, acctest.JSON{"notes": "x", "tags": []any{"a", "b"}}},
	{"billing_account", acctest.JSON{}, acctest.JSON{"payment_terms_days": 7}},
	{"billing_subscription", acctest.JSON{"plan_id": runningPlan}, acctest.JSON{"notes": "x"}},
	{"billing_webhook_endpoint", acctest.JSON{"url": "https://receiver.example.test/hook",
		"events": []any{"charge.paid"}}, acctest.JSON{"description": "x"}},
	{"billing_api_key", acctest.JSON{"name": "ci", "scopes": []any{"charges:read"}}, acctest.JSON{"grace_period_days": 9}},
	{"billing_finance_record", acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "A"}},
		acctest.JSON{"body": acctest.JSON{"name": "B"}}},
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

// TestSchemes: an object is found and blamed by attributes that exist.
func TestSchemes(t *testing.T) {
	t.Parallel()
	for _, create := range provider.New("test")().Resources(t.Context()) {
		r, schema := create(), resource.SchemaResponse{}
		r.Schema(t.Context(), resource.SchemaRequest{}, &schema)
		scheme := reflect.ValueOf(r).Elem().FieldByName("Scheme")
		key, _ := scheme.FieldByName("Key").Interface().(string)
		more, _ := scheme.FieldByName("MoreKeys").Interface().([]string)
		codes, _ := scheme.FieldByName("Codes").Interface().(map[string]string)
		for _, name := range slices.Concat([]string{key}, more, slices.Sorted(maps.Values(codes))) {
			if schema.Schema.Attributes[name] == nil {
				t.Errorf("the scheme of %T has the attribute %q, which the resource does not have", r, name)
			}
		}
	}
}

// TestTexts: an argument that is a free text, which a service may store in its own wording, says so in the schema.
// Without that, such a service makes every plan differ.
func TestTexts(t *testing.T) {
	t.Parallel()
	decides := []string{"billing_cycle", "collection", "collection_method", "idempotency_key", "kind",
		"email", "phone", // the ownership of their entry has the wording
		"nfe_issuance_policy", "proration_behavior", "status"}
	for _, create := range provider.New("test")().Resources(t.Context()) {
		r, described := create(), resource.SchemaResponse{}
		r.Schema(t.Context(), resource.SchemaRequest{}, &described)
		for name, a := range described.Schema.Attributes {
			text, ok := a.(rschema.StringAttribute)
			decided := text.Default != nil || text.CustomType != nil || text.Computed && !text.Optional ||
				strings.HasSuffix(name, "_id") || slices.Contains(decides, name)
			if ok && !decided && !check.IsFreeText(a) {
				t.Errorf("%T: %s is a free text without check.FreeText", r, name)
			}
		}
	}
}

// TestOnCreation: an argument that only a creation uses says so in its description, and is in the table of its
// resource.
func TestOnCreation(t *testing.T) {
	t.Parallel()
	found := 0
	for _, create := range provider.New("test")().Resources(t.Context()) {
		r, schema := create(), resource.SchemaResponse{}
		r.Schema(t.Context(), resource.SchemaRequest{}, &schema)
		var said, listed []string
		for name, described := range schema.Schema.Attributes {
			if strings.Contains(described.GetMarkdownDescription(), object.CreationOnly) {
				said = append(said, name)
			}
		}
		table := reflect.ValueOf(r).Elem().FieldByName("OnCreation")
		for i := range table.Len() {
			listed = append(listed, table.Index(i).FieldByName("Argument").String())
		}
		slices.Sort(said)
		if slices.Sort(listed); !slices.Equal(said, listed) {
			t.Errorf("%T: described as %q: %q; in the table: %q", r, object.CreationOnly, said, listed)
		}
		found += len(listed)
	}
	if found < 7 {
		t.Errorf("only %d arguments", found)
	}
}

// ofEachType returns a configuration with an object of each type, and one that changes each of them.
func ofEachType(s *acctest.Service) (config, changed core.Configuration) {
	owner := s.Must(http.MethodPost, "/v1/customers", acctest.JSON{"name": "Owner"})
	for _, c := range resourceTypes {
		values := maps.Clone(c.config)
		switch c.name {
		case "billing_account":
			payer := s.Must(http.MethodPost, "/v1/customers", acctest.JSON{"name": "Payer", "create_billing_account": false})
			values["customer_id"] = payer["customer"].(acctest.JSON)["id"]
		case "billing_subscription":
			values["billing_account_id"] = owner["billing_account"].(acctest.JSON)["id"]
		}
		config.Blocks = append(config.Blocks, core.Block{Address: c.name + ".t", Values: values})
		values = maps.Clone(values)
		maps.Copy(values, c.change)
		changed.Blocks = append(changed.Blocks, core.Block{Address: c.name + ".t", Values: values})
	}
	return config, changed
}

// TestShortPath: refreshes of unchanged objects, and plans of creations, plain changes and unchanged objects do not
// reach the framework. All tests that drive the provider in process compare both.
func TestShortPath(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("many objects are made")
	config, changed := ofEachType(s)
	var framework []string
	s.Serve = func() tfprotov6.ProviderServer {
		server, _ := provider.Server("test")().(*front.Server)
		server.Framework = reporting{server.Framework, &framework}
		return server
	}
	workspace := s.Core()
	plan := func(what string, c core.Configuration, action string) *core.Plan {
		t.Helper()
		framework = nil
		p := workspace.Plan(c)
		if len(framework)+len(p.Errors) > 0 {
			t.Errorf("%s: the framework was asked to %v: %v", what, framework, p.Errors)
		}
		for _, change := range p.Changes {
			if change.Action != action {
				t.Errorf("%s: %s is planned for %s", what, change.Address, change.Action)
			}
		}
		return p
	}
	if done := workspace.Apply(plan("a creation", config, core.Create), false); len(done.Errors) > 0 {
		t.Fatal(done.Errors)
	}
	plan("no change", config, core.NoOp)
	plan("a change", changed, core.Update)
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

// keepUpdatedAt are the arguments that change nothing at the service alone: only this provider or a later request uses
// them, or only a new object could have another value.
var keepUpdatedAt = []string{object.PolicyName, "custom_metadata_mode", "create_billing_account", "status_reason",
	"cancellation_reason", "on_external_cancel", "plan_change", "rotate_secret_when_changed", "age_recipients",
	"customer_id", "billing_account_id", "product_group_id", "company_id", "trial_end", "trial_period_days"}

// TestUnknownArgument: while an argument is known only after apply, so is the time of the last change. Otherwise
// Terraform calls the provider inconsistent.
func TestUnknownArgument(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("it makes an object of each type")
	config, _ := ofEachType(s)
	workspace := s.Core()
	if done := workspace.Apply(workspace.Plan(config), false); len(done.Errors) > 0 {
		t.Fatal(done.Errors)
	}
	arguments := map[string][]string{} // of each type with the attribute updated_at, by address
	for _, create := range provider.New("test")().Resources(t.Context()) {
		r, described, named := create(), resource.SchemaResponse{}, resource.MetadataResponse{}
		r.Schema(t.Context(), resource.SchemaRequest{}, &described)
		r.Metadata(t.Context(), resource.MetadataRequest{}, &named)
		for name, a := range described.Schema.Attributes {
			if described.Schema.Attributes["updated_at"] != nil && (a.IsOptional() || a.IsRequired()) &&
				!slices.Contains(keepUpdatedAt, name) {
				arguments[named.TypeName+".t"] = append(arguments[named.TypeName+".t"], name)
			}
		}
	}
	for planned := true; planned; {
		planned = false
		unknown := map[string]string{}
		changed := core.Configuration{Blocks: slices.Clone(config.Blocks)}
		for i, b := range changed.Blocks {
			if left := arguments[b.Address]; len(left) > 0 {
				values := maps.Clone(b.Values)
				values[left[0]] = core.Unknown
				changed.Blocks[i].Values = values
				unknown[b.Address], arguments[b.Address], planned = left[0], left[1:], true
			}
		}
		p := workspace.Plan(changed)
		for _, change := range p.Changes {
			if name, is := unknown[change.Address]; is && change.After["updated_at"] != any(core.Unknown) {
				t.Errorf("%s of %s is unknown, but updated_at is %v (%v)", name, change.Address, change.After["updated_at"],
					p.Errors)
			}
		}
	}
}
