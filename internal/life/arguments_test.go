package life

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// stays lists the optional arguments that the object at the service does not contain, and why. Other tests cover them.
var stays = map[string]string{
	"billing_customer.create_billing_account": "the account is another object",
	"billing_customer.billing_email":          "it belongs to the account",
	"billing_customer.payment_terms_days":     "it belongs to the account",
	"billing_customer.auto_collection":        "it belongs to the account",

	"billing_account.status_reason": "it is sent when status changes",

	"billing_subscription.plan_change":         "it controls how plan_id changes",
	"billing_subscription.cancellation_reason": "it is sent with cancel_at_period_end",
	"billing_subscription.on_external_cancel":  "it affects only plans",

	"billing_webhook_endpoint.rotate_secret_when_changed": "a change rotates the secret",
	"billing_webhook_endpoint.age_recipients":             "the provider encrypts",

	"billing_api_key.rotate_when_changed":  "a change rotates the key",
	"billing_api_key.rotate_after_days":    "it affects only plans",
	"billing_api_key.grace_period_days":    "it is sent with a rotation",
	"billing_api_key.revoke_previous_keys": "it affects the previous keys",
	"billing_api_key.age_recipients":       "the provider encrypts",
	"billing_api_key.allow_own_key":        "it affects only plans",

	"billing_finance_record.ignore_remote_changes": "it affects only plans",
	"billing_finance_record.idempotency_key":       "it is a header of the create request",
}

// beside lists other arguments that an argument requires.
var beside = map[string][2]string{
	"billing_subscription.plan_id":       {"items", choices["billing_subscription"]["items"][1]},
	"billing_account.status_reason":      {"status", `"suspended"`},
	"billing_api_key.expires_after_days": {"grace_period_days", "0"},
	"billing_api_key.expires_at":         {"grace_period_days", "0"},
}

// atCreation lists arguments that are sent only at creation, not when they change.
var atCreation = []string{"billing_subscription.trial_end", "billing_subscription.trial_period_days"}

// entries lists arguments whose entry of a list stays when they are removed.
var entries = []string{"billing_customer.email", "billing_customer.phone"}

// TestArguments checks each optional argument of each type alone: it is sent, read back with an empty next plan,
// changed and cleared. If one fails, a line is missing in body, which sends it, or in fromAPI, which reads it. A new
// argument needs values in choices.
func TestArguments(t *testing.T) { //nolint:paralleltest // lives are counted
	described := acctest.ResourceSchemas()
	for _, kind := range evidence.Kinds() {
		typeName := kind.Type
		t.Run(typeName, func(t *testing.T) {
			arguments := map[string]*tfprotov6.SchemaAttribute{}
			for _, a := range described[typeName].Block.Attributes {
				if a.Optional || a.Required {
					arguments[a.Name] = a
				}
			}
			for name := range choices[typeName] {
				if arguments[name] == nil {
					t.Errorf("choices has values for %s.%s, which is not an argument", typeName, name)
				}
			}
			living(t, false, typeName, func(s *scenario) {
				for _, line := range []string{"seed 0", "judge", "clock advance 1s"} {
					s.play(line)
				}
				defer s.net.hold()() // objects that are created together have the same dates
				(&roundTrip{t: s.t, s: s, typeName: typeName, arguments: arguments,
					config: config{blocks: map[string]written{}}}).play()
			})
		})
	}
	for name := range stays {
		typeName, argument, _ := strings.Cut(name, ".")
		if !slices.ContainsFunc(described[typeName].Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool {
			return a.Name == argument && a.Optional
		}) {
			t.Errorf("stays names %s, which is not an optional argument", name)
		}
	}
}

// roundTrip plays the arguments of a type: one block for each value of each argument, and two without arguments.
type roundTrip struct {
	t         *testing.T
	typeName  string
	arguments map[string]*tfprotov6.SchemaAttribute

	s *scenario
	config
	having map[string][]string // addresses by argument, in the order of its values
	bare   [2]string
}

func (r *roundTrip) play() {
	r.having = map[string][]string{}
	r.bare = [2]string{r.add("", ""), r.add("", "")}
	for _, name := range slices.Sorted(maps.Keys(r.arguments)) {
		values := r.values(name)
		if r.arguments[name].Required || name == "deletion_policy" || name == "custom_metadata_mode" {
			continue
		}
		if len(values) == 0 && stays[r.typeName+"."+name] == "" {
			r.t.Errorf("%s.%s is missing in choices", r.typeName, name)
		}
		for _, value := range values {
			r.having[name] = append(r.having[name], r.add(name, value))
		}
	}
	created := r.run("created")
	for name, addresses := range r.having {
		sent := slices.ContainsFunc(addresses, func(at string) bool {
			return !r.same(created[at], created[r.bare[0]], created)
		})
		if why := stays[r.typeName+"."+name]; !sent && why == "" {
			r.t.Errorf("%s.%s is not sent", r.typeName, name)
		}
	}
	for name, addresses := range r.having {
		for i, at := range addresses {
			r.set(at, name, r.values(name)[(i+1)%len(addresses)])
		}
	}
	changed := r.run("changed")
	for name, addresses := range r.having {
		full := r.typeName + "." + name
		differs := slices.ContainsFunc(addresses, func(at string) bool { return !r.same(changed[at], created[at], created) })
		if !differs && len(addresses) > 1 && stays[full] == "" && !slices.Contains(atCreation, full) {
			r.t.Errorf("a change of %s is not sent", full)
		}
	}
	for name, addresses := range r.having {
		for _, at := range addresses {
			r.set(at, name, "")
		}
	}
	cleared := r.run("cleared")
	for name, addresses := range r.having {
		for _, at := range addresses {
			full := r.typeName + "." + name
			if !r.arguments[name].Computed && stays[full] == "" && beside[full][0] == "" &&
				!slices.Contains(atCreation, full) && !slices.Contains(entries, full) &&
				!r.same(cleared[at], cleared[r.bare[0]], cleared) {
				r.t.Errorf("%s is not cleared: %s", full, show(cleared[at]))
			}
		}
	}
}

// values returns the first and the last nonempty value of an argument.
func (r *roundTrip) values(name string) []string {
	values := choices[r.typeName][name]
	if slices.Contains([]string{"allow_pause", "allow_cancel"}, name) {
		values = []string{"false", "true"} // not in choices: false would end each random life with a rejection
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "[]" || v == "{}" })
	if len(values) < 2 {
		return values
	}
	return []string{values[0], values[len(values)-1]}
}

// add adds a block with a value of an argument, and the objects it refers to.
func (r *roundTrip) add(name, value string) (address string) {
	address = fmt.Sprintf("%s.q%02dq", r.typeName, len(r.blocks))
	values := map[string]string{}
	for argument, all := range choices[r.typeName] {
		if required(r.typeName, argument) {
			values[argument] = named(all[0], address)
		}
	}
	if also := beside[r.typeName+"."+name]; also[0] != "" {
		values[also[0]] = also[1]
	}
	switch r.typeName {
	case "billing_account":
		values["customer_id"] = r.customer() + ".id"
	case "billing_subscription":
		values["billing_account_id"] = r.customer() + ".billing_account_id"
		values["plan_id"] = choices[r.typeName]["plan_id"][0]
	}
	r.blocks[address] = written{at: address, values: values}
	if name != "" {
		r.set(address, name, value)
	}
	return address
}

// customer adds the customer to which other objects refer.
func (r *roundTrip) customer() (address string) {
	address = "billing_customer.c"
	r.blocks[address] = written{at: address, values: map[string]string{"name": `"Ana"`}}
	return address
}

// set sets an argument, or removes it if the value is empty.
func (r *roundTrip) set(address, name, value string) {
	b := r.blocks[address]
	b.values = maps.Clone(b.values)
	if b.values[name] = named(value, address); value == "" {
		delete(b.values, name)
	}
	r.blocks[address] = b
}

// run applies the configuration, and returns the resulting objects at the service.
func (r *roundTrip) run(when string) map[string]object {
	r.t.Helper()
	r.s.files[when] = r.text(acctest.Epoch, 0)
	if r.s.play("apply " + when); r.s.bad != nil {
		r.t.Fatalf("%s: %s", when, r.s.bad)
	}
	all := map[string]object{}
	for address := range r.blocks {
		_, name, _ := strings.Cut(address, ".")
		state := r.s.drive.State(address)
		all[address] = anonymous(r.s.remote(address, state), name)
		r.read(address, state)
	}
	return all
}

// elsewhere lists the attributes that mean something else in a data source: all of a list or an object, what is there
// instead of what was sent, and that of the current key.
var elsewhere = []string{"billing_customer.custom_metadata", "billing_account.custom_metadata",
	"billing_subscription.custom_metadata", "billing_customer.email", "billing_customer.phone",
	"billing_subscription.cancellation_reason", "billing_webhook_endpoint.authentication",
	"billing_webhook_endpoint.updated_at", "billing_api_key.created_at", "billing_api_key.expires_at"}

// read checks that the data source shows what the resource does.
func (r *roundTrip) read(address string, state object) {
	r.t.Helper()
	if acctest.DataSourceSchemas()[typeOf(address)] == nil {
		return
	}
	shown, said := r.s.service.Core().Read(typeOf(address), object{"id": state["id"]})
	if core.Errors(said) != "" {
		r.t.Fatalf("%s: %s", address, core.Errors(said))
	}
	for name, value := range shown {
		managed, also := state[name]
		if also && !slices.Contains(elsewhere, typeOf(address)+"."+name) && !agree(managed, value) {
			r.t.Errorf("the data source shows %s of %s as %s, and the resource as %s", name, address, show(value), show(managed))
		}
	}
}

// agree reports whether two values are the same in what both have, whatever the order of lists.
func agree(a, b any) bool {
	one, isObject := a.(object)
	other, also := b.(object)
	for name, v := range one {
		if w, has := other[name]; has && !agree(v, w) {
			return false
		}
	}
	some, isList := normal(a).([]any)
	others, alsoList := normal(b).([]any)
	for i := range min(len(some), len(others)) {
		if !agree(some[i], others[i]) {
			return false
		}
	}
	return isObject && also || isList && alsoList && len(some) == len(others) || same(normal(a), normal(b))
}

// writtenAt lists the dates that depend on the time of a write.
var writtenAt = []string{"created_at", "updated_at", "createdAt", "updatedAt", "resumed_at"}

// same reports whether two objects are equal, except for fields that differ between any two objects or with time.
func (r *roundTrip) same(a, b object, at map[string]object) bool {
	for key := range a {
		volatile := show(at[r.bare[0]][key]) != show(at[r.bare[1]][key]) || slices.Contains(writtenAt, key)
		if !volatile && show(a[key]) != show(b[key]) {
			return false
		}
	}
	return len(a) == len(b)
}

// anonymous returns an object without the name of its block.
func anonymous(v object, name string) object {
	all := object{}
	for key, value := range v {
		if text, ok := value.(string); ok {
			value = strings.ReplaceAll(text, name, "$name")
		}
		all[key] = value
	}
	return all
}
