package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// policed are subscriptions as a policy meets them: six of one account, and what a plan changes of them.
type policed struct {
	label, account string
	keys           []int
	arguments      string // of each
	more           string
}

func (p policed) config() string {
	keys, _ := json.Marshal(p.keys)
	return fmt.Sprintf(`
resource "billing_customer" "c" {
  count = 2
  name  = "A${count.index}"
}
resource "billing_subscription" %q {
  for_each           = toset([for key in %s : tostring(key)])
  external_id        = "tenant-${each.key}"
  billing_account_id = %s
  plan_id            = %q
  %s
}
%s`, p.label, keys, p.account, runningPlan, p.arguments, p.more)
}

// TestAccExample_policies: the policies deny what they say of real plans, and nothing else. Terraform policy, which no
// test can run, is evaluated over the same plans.
func TestAccExample_policies(t *testing.T) {
	acctest.Long(t)
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("it needs no plans of its own")
	terraform := newCommand(t, "").at(service)
	rego := builtPolicies(t)
	policies := terraformPolicies(t)
	all, account := []int{1, 2, 3, 4, 5, 6}, "billing_customer.c[0].billing_account_id"
	applied := ""
	for _, c := range []struct {
		what string
		// before is applied first.
		before, after policed
		data          string
		rego          []string
		// approved are the keys of the subscriptions whose end Terraform policy wants to be approved, in its words.
		approved map[string]int
	}{
		{what: "another note and a new one", after: policed{keys: append([]int{7}, all...), arguments: `notes = "x"`}},
		{what: "three end", after: policed{keys: all[:3]}, approved: map[string]int{"A subscription ends.": 3}},
		{what: "four end", after: policed{keys: all[:2]}, approved: map[string]int{"A subscription ends.": 4},
			rego: []string{`Subscriptions that end: 4, with a limit of 3: billing_subscription.s["3"], billing_subscription.s["4"]`}},
		{what: "two end, and one may", after: policed{keys: all[:4]}, data: `{"billing": {"max_ends": 1}}`,
			rego: []string{`Subscriptions that end: 2, with a limit of 1`}, approved: map[string]int{"A subscription ends.": 2}},
		{what: "one is replaced", after: policed{keys: all,
			account: `billing_customer.c[each.key == "2" ? 1 : 0].billing_account_id`},
			rego: []string{`billing_subscription.s["2"] is replaced`}, approved: map[string]int{"A subscription ends.": 1}},
		{what: "four end with their period", after: policed{keys: all, arguments: `cancel_at_period_end = tonumber(each.key) > 2`},
			rego: []string{`Subscriptions that end: 4`}, approved: map[string]int{"ends with its period": 4}},
		{what: "they are forgotten, and others created", after: policed{label: "t", keys: all[:1], more: `removed {
  from = billing_subscription.s
  lifecycle { destroy = false }
}`}},
		{what: "another address without a moved block", after: policed{label: "t", keys: all},
			rego: append([]string{`Subscriptions that end: 6`}, each(all,
				`billing_subscription.s["%[1]d"] becomes billing_subscription.t["%[1]d"], and is billed again. Write a moved block.`)...),
			approved: map[string]int{"A subscription ends.": 6}},
		{what: "with one", after: policed{label: "t", keys: all, more: `moved {
  from = billing_subscription.s
  to   = billing_subscription.t
}`}},
		{what: "four are abandoned", before: policed{keys: all, arguments: `deletion_policy = "abandon"`},
			after: policed{keys: all[:2], arguments: `deletion_policy = "abandon"`}},
	} {
		for _, p := range []*policed{&c.before, &c.after} {
			if p.label == "" {
				p.label = "s"
			}
			if p.account == "" {
				p.account = account
			}
		}
		if c.before.keys == nil {
			c.before.keys = all
		}
		if config := c.before.config(); config != applied {
			terraform.write("main.tf", acctest.Versions+config)
			terraform.must("apply", "-auto-approve")
			applied = config
		}
		terraform.write("main.tf", acctest.Versions+c.after.config())
		terraform.must("plan", "-out=plan")
		document := terraform.raw("show", "-json", "plan")
		for _, nested := range []string{document, `{"plan": ` + document + `}`} {
			terraform.write("plan.json", nested)
			if got := rego(terraform.dir, c.data); !begins(got, c.rego) {
				t.Errorf("%s: Rego denies %q, want %q", c.what, got, c.rego)
			}
		}
		approved := map[string]int{}
		for _, message := range denied(t, policies, document) {
			for words := range c.approved {
				if strings.Contains(message, words) {
					message = words
				}
			}
			approved[message]++
		}
		if fmt.Sprint(approved) != fmt.Sprint(orEmpty(c.approved)) {
			t.Errorf("%s: Terraform policy denies %v, want %v", c.what, approved, c.approved)
		}
	}
}

func orEmpty(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return m
}

func each(numbers []int, format string) []string {
	all := make([]string, len(numbers))
	for i, n := range numbers {
		all[i] = fmt.Sprintf(format, n)
	}
	return all
}

// begins reports whether messages, in any order, begin with these texts.
func begins(messages, beginnings []string) bool {
	for _, beginning := range beginnings {
		i := slices.IndexFunc(messages, func(m string) bool { return strings.HasPrefix(m, beginning) })
		if i < 0 {
			return false
		}
		messages = slices.Delete(messages, i, i+1)
	}
	return len(messages) == 0
}

const policiesOf = "../../examples/policies/subscriptions"

// builtPolicies builds the evaluator of Rego, and returns what it denies of the file plan.json in a folder.
func builtPolicies(t *testing.T) func(dir, data string) []string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "policies")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "../tools/policies"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	policy, err := filepath.Abs(policiesOf + ".rego")
	if err != nil {
		t.Fatal(err)
	}
	return func(dir, data string) (messages []string) {
		t.Helper()
		arguments := []string{policy, "plan.json"}
		if data != "" {
			if err := os.WriteFile(filepath.Join(dir, "data.json"), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			arguments = append(arguments, "data.json")
		}
		evaluate := exec.CommandContext(t.Context(), program, arguments...)
		evaluate.Dir = dir
		out, err := evaluate.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		if err := json.Unmarshal(out, &messages); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return messages
	}
}

// policyFile is a file of Terraform policy, as far as the example uses its language.
type policyFile struct {
	Policy struct {
		Rest hcl.Body `hcl:",remain"`
	} `hcl:"policy,block"`
	Resources []struct {
		Type       string         `hcl:"type,label"`
		Name       string         `hcl:"name,label"`
		Operations []string       `hcl:"operations"`
		Level      string         `hcl:"enforcement_level"`
		Filter     hcl.Expression `hcl:"filter,optional"`
		Enforce    []struct {
			Condition hcl.Expression `hcl:"condition"`
			Message   string         `hcl:"error_message"`
		} `hcl:"enforce,block"`
	} `hcl:"resource_policy,block"`
}

func terraformPolicies(t *testing.T) (file policyFile) {
	t.Helper()
	parsed, diags := hclparse.NewParser().ParseHCLFile(policiesOf + ".policy.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if diags := gohcl.DecodeBody(parsed.Body, nil, &file); diags.HasErrors() {
		t.Fatal(diags)
	}
	return file
}

// denied are the messages of the policies about a plan. To them a replacement is a delete and a create.
func denied(t *testing.T, policies policyFile, document string) (messages []string) {
	t.Helper()
	var plan struct {
		ResourceChanges []struct {
			Type   string
			Change struct {
				Actions       []string
				Before, After json.RawMessage
			}
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(document), &plan); err != nil {
		t.Fatal(err)
	}
	value := func(document json.RawMessage) cty.Value {
		var v ctyjson.SimpleJSONValue
		if err := json.Unmarshal(document, &v); err != nil {
			t.Fatal(err)
		}
		return v.Value
	}
	for _, change := range plan.ResourceChanges {
		scope := &hcl.EvalContext{Variables: map[string]cty.Value{
			"attrs": value(change.Change.After), "prior_attrs": value(change.Change.Before)}}
		isTrue := func(e hcl.Expression) bool {
			v, diags := e.Value(scope)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			return v.IsNull() || v.True() // a filter that is not set is null
		}
		for _, p := range policies.Resources {
			asked := slices.ContainsFunc(p.Operations, func(o string) bool { return slices.Contains(change.Change.Actions, o) })
			if p.Type != change.Type || !asked || !isTrue(p.Filter) {
				continue
			}
			for _, e := range p.Enforce {
				if !isTrue(e.Condition) {
					messages = append(messages, e.Message)
				}
			}
		}
	}
	return messages
}
