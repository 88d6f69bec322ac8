package finance_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccFinanceRecord_responseLost: the first response is lost, the request is repeated, and there is one record.
func TestAccFinanceRecord_responseLost(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.loses(1)
	config := s.Config(record(`{ name = "Rent" }`))
	run(t, resource.TestStep{Config: config, Check: stored(s, "name", "Rent")}, empty(config))
	if n := s.Count("finance.records.create"); n != 2 {
		t.Errorf("%d creations were sent, want 2", n)
	}
}

// TestAccFinanceRecord_everyResponseLost: the run fails, and the next one finds the record that the first one has made.
func TestAccFinanceRecord_everyResponseLost(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.loses(2)
	config := s.Config(record(`{ name = "Rent" }`), "max_retries = 1")
	run(t,
		resource.TestStep{Config: config, ExpectError: words(`Could not create the record in payables`)},
		resource.TestStep{Config: config, Check: stored(s, "name", "Rent")},
		empty(config),
	)
}

// TestAccFinanceRecord_sameBody: two records of the same content need their own keys.
func TestAccFinanceRecord_sameBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	one := record(`{ name = "Rent" }`)
	two := func(extra ...string) string {
		return s.Config(one + strings.Replace(record(`{ name = "Rent" }`, extra...), `"test"`, `"other"`, 1))
	}
	const key = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11"
	third := strings.Replace(record(`{ name = "Third" }`, `idempotency_key = "`+key+`"`), `"test"`, `"third"`, 1)
	changed := strings.Replace(two(), `"Rent"`, `"Office"`, 1)
	run(t,
		resource.TestStep{Config: two(), ExpectError: words(`Two new records in payables have the key`)},
		// The key follows from the body at the creation, so it stays that of the first body.
		resource.TestStep{Config: s.Config(one)},
		resource.TestStep{Config: changed, ExpectError: words(`in payables has the key of a new record`)},
		resource.TestStep{Config: two(`idempotency_key = "` + key + `"`), Check: func(*terraform.State) error {
			if n := len(s.FinanceRecords("payables")); n != 2 {
				t.Errorf("there are %d records, want 2", n)
			}
			return nil
		}},
		empty(two(`idempotency_key = "`+key+`"`)),
		// Another key later is noted, and nothing is sent.
		plans(two(`idempotency_key = "7`+key[1:]+`"`), plancheck.ExpectResourceAction("billing_finance_record.other",
			plancheck.ResourceActionUpdate)),
		resource.TestStep{Config: two(`idempotency_key = "7`+key[1:]+`"`) + third,
			ExpectError: words(`in payables has the key of a new record`)},
	)
	if n := s.Count("finance.records.create"); n != 2 {
		t.Errorf("%d creations were sent, want 2", n)
	}
}

// TestAccFinanceRecord_replacedByItself: a replacement with the same content deletes first and then creates a new
// record. Where it is to be made first, it is the old one, which must survive.
func TestAccFinanceRecord_replacedByItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lifecycle string
		action    plancheck.ResourceActionType
		survives  bool
	}{
		"deleted first": {"", plancheck.ResourceActionDestroyBeforeCreate, false},
		"made first":    {"lifecycle { create_before_destroy = true }", plancheck.ResourceActionCreateBeforeDestroy, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			config := s.Config(record(`{ name = "Rent" }`, c.lifecycle))
			replaced := plans(config, does(c.action))
			replaced.Taint = []string{address}
			var before string
			replaced.PreConfig = func() { before = s.path() }
			replaced.Check = func(*terraform.State) error {
				if now := s.path(); (now == before) != c.survives {
					t.Errorf("before it was %s, now %s", before, now)
				}
				return nil
			}
			run(t, resource.TestStep{Config: config}, replaced, empty(config))
		})
	}
}

// TestAccFinanceRecord_replacedByTrigger: a record that Terraform itself replaces is not taken for another resource
// with the same key.
func TestAccFinanceRecord_replacedByTrigger(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := func(input string) string {
		return s.Config(record(`{ name = "Rent" }`, "lifecycle { replace_triggered_by = [terraform_data.trigger] }") +
			`resource "terraform_data" "trigger" { input = "` + input + `" }`)
	}
	run(t, resource.TestStep{Config: config("1")}, plans(config("2"), does(plancheck.ResourceActionDestroyBeforeCreate)),
		empty(config("2")))
}

// TestSamePlanAppliedTwice: the plan of a creation is computed a second time when it is applied, by a process that
// knows nothing of the first one. The key is the same each time, and so is the record.
func TestSamePlanAppliedTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	keys, ids := map[string]bool{}, map[string]bool{}
	var planned *tfprotov6.PlanResourceChangeResponse
	for range 3 {
		p := newProcess(t, s)
		planned = p.plan()
		keys[p.attribute(planned.PlannedState, "idempotency_key")] = true
	}
	for range 2 {
		p := newProcess(t, s)
		keys[p.attribute(p.plan().PlannedState, "idempotency_key")] = true
		ids[p.attribute(p.apply(planned), "id")] = true
	}
	if len(keys) != 1 || len(ids) != 1 || len(s.FinanceRecords("payables")) != 1 {
		t.Errorf("keys %v, ids %v, records %v", keys, ids, s.FinanceRecords("payables"))
	}
	for key := range keys {
		if !uuidV4.MatchString(key) {
			t.Errorf("the key is %q", key)
		}
	}
}

// process is the provider as Terraform starts it for one walk, with one record in the configuration.
type process struct {
	t      *testing.T
	server tfprotov6.ProviderServer
	typ    tftypes.Object
	config tftypes.Value
}

func newProcess(t *testing.T, s *service) *process {
	t.Helper()
	server, err := acctest.Factories["billing"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, server: server}
	p.typ = schemas.ResourceSchemas["billing_finance_record"].ValueType().(tftypes.Object)
	p.config = p.value(map[string]tftypes.Value{
		"collection": tftypes.NewValue(tftypes.String, "payables"),
		"body": tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"amount": tftypes.String}},
			map[string]tftypes.Value{"amount": tftypes.NewValue(tftypes.String, "10.50")}),
	}, nil)
	provider := schemas.Provider.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, typ := range provider.AttributeTypes {
		values[name] = tftypes.NewValue(typ, nil)
	}
	for name, text := range map[string]string{"finance_base_url": s.FinanceURL, "finance_token": s.FinanceToken,
		"ca_certificate_file": s.CAFile} {
		values[name] = tftypes.NewValue(tftypes.String, text)
	}
	configured, err := server.ConfigureProvider(t.Context(),
		&tfprotov6.ConfigureProviderRequest{Config: p.encode(provider, tftypes.NewValue(provider, values))})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatalf("configure: %v, %v", err, configured)
	}
	return p
}

// value is an object of the resource; what is not given is rest.
func (p *process) value(given map[string]tftypes.Value, rest any) tftypes.Value {
	values := map[string]tftypes.Value{}
	for name, typ := range p.typ.AttributeTypes {
		values[name] = tftypes.NewValue(typ, nil)
		if name == "id" || name == "response" || name == "idempotency_key" {
			values[name] = tftypes.NewValue(typ, rest)
		}
	}
	for name, value := range given {
		values[name] = value
	}
	return tftypes.NewValue(p.typ, values)
}

func (p *process) encode(typ tftypes.Type, value tftypes.Value) *tfprotov6.DynamicValue {
	p.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(typ, value)
	if err != nil {
		p.t.Fatal(err)
	}
	return &encoded
}

func (p *process) plan() *tfprotov6.PlanResourceChangeResponse {
	p.t.Helper()
	var given map[string]tftypes.Value
	if err := p.config.As(&given); err != nil {
		p.t.Fatal(err)
	}
	proposed := p.value(map[string]tftypes.Value{"collection": given["collection"], "body": given["body"]},
		tftypes.UnknownValue)
	planned, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "billing_finance_record", PriorState: p.encode(p.typ, tftypes.NewValue(p.typ, nil)),
		ProposedNewState: p.encode(p.typ, proposed), Config: p.encode(p.typ, p.config),
	})
	if err != nil || len(planned.Diagnostics) > 0 {
		p.t.Fatalf("plan: %v, %v", err, planned)
	}
	return planned
}

func (p *process) apply(planned *tfprotov6.PlanResourceChangeResponse) *tfprotov6.DynamicValue {
	p.t.Helper()
	applied, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "billing_finance_record", PriorState: p.encode(p.typ, tftypes.NewValue(p.typ, nil)),
		PlannedState: planned.PlannedState, PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
		Config: p.encode(p.typ, p.config),
	})
	if err != nil || acctest.Errors(applied.Diagnostics) != "" {
		p.t.Fatalf("apply: %v, %v", err, applied)
	}
	return applied.NewState
}

func (p *process) attribute(state *tfprotov6.DynamicValue, name string) (text string) {
	p.t.Helper()
	value, err := state.Unmarshal(p.typ)
	if err != nil {
		p.t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := value.As(&attributes); err != nil {
		p.t.Fatal(err)
	}
	if err := attributes[name].As(&text); err != nil {
		p.t.Fatal(err)
	}
	return text
}
