package rehearsal

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/tfjson"
)

func TestAddressOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"a.b": "a.b", "a.b[0]": "a.b", `module.m["x"].a.b["y"]`: "module.m.a.b",
		`module.m["a].b[\"c"].module.n[1].a.b`: "module.m.module.n.a.b",
	} {
		if got := configurationOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func changed(address, typeName, provider string, actions ...string) tfjson.ResourceChange {
	c := tfjson.ResourceChange{Address: address, Type: typeName, Provider: provider, Mode: tfjson.Managed}
	c.Change.Actions = actions
	return c
}

// Of other providers only what stays in the state is carried out, and what the user allows. No provisioner runs.
func TestBarred(t *testing.T) {
	t.Parallel()
	const registry = "registry.example.com/hashicorp/"
	var p tfjson.Plan
	p.ResourceChanges = []tfjson.ResourceChange{
		changed("terraform_data.a", "terraform_data", "terraform.io/builtin/terraform", "create"),
		changed("random_pet.a", "random_pet", registry+"random", "delete", "create"),
		changed("time_sleep.a", "time_sleep", registry+"time", "update"),
		changed("tls_private_key.a", "tls_private_key", registry+"tls", "create"),
		changed("null_resource.a", "null_resource", registry+"null", "delete"),
		changed("random_pet.fake", "random_pet", "registry.example.com/evil/random2", "create"),
		changed("aws_x.a", "aws_x", registry+"aws", "update"),
		changed("aws_x.same", "aws_x", registry+"aws", "no-op"),
		changed("aws_x.forgotten", "aws_x", registry+"aws", "forget"),
		changed("local_file.a", "local_file", registry+"local", "create"),
		changed(`module.m["x"].terraform_data.p[0]`, "terraform_data", "terraform.io/builtin/terraform", "create"),
		changed("local_file.p", "local_file", registry+"local", "delete"),
		changed("billing_customer.a", "billing_customer", "registry.example.com/recurring-billing/billing", "create"),
		changed("billing_customer.p", "billing_customer", "registry.example.com/recurring-billing/billing", "create"),
		changed("billing_customer.u", "billing_customer", "registry.example.com/recurring-billing/billing", "update"),
	}
	data := changed("data.aws_x.d", "aws_x", registry+"aws", "read")
	data.Mode = "data"
	p.ResourceChanges = append(p.ResourceChanges, data)
	if err := tfjson.Decode([]byte(`{"resources":[{"address":"local_file.p","provisioners":[{}]},
		{"address":"billing_customer.p","provisioners":[{}]},{"address":"billing_customer.u","provisioners":[{}]}],
		"module_calls":{"m":{"module":{"resources":[{"address":"terraform_data.p","provisioners":[{}]}]}}}}`),
		&p.Configuration.RootModule); err != nil {
		t.Fatal(err)
	}
	r := rehearsal{Options: Options{Allow: []string{"local_file"}}}
	others, billing := r.barred(p)
	var got []string
	for _, c := range append(others, billing...) {
		got = append(got, c.Address)
	}
	want := []string{"random_pet.fake", "aws_x.a", `module.m["x"].terraform_data.p[0]`, "local_file.p", "billing_customer.p"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.All = true
	if others, billing := r.barred(p); len(others)+len(billing) > 0 {
		t.Errorf("with All, %v %v", others, billing)
	}
}

// Many instances are targeted as their resource, unless one of them is not to be applied.
func TestManyTargets(t *testing.T) {
	t.Parallel()
	whole := tfjson.Plan{ResourceChanges: []tfjson.ResourceChange{changed(`a.b["x[\"1"]`, "a", ""), changed("a.c[0]", "a", ""),
		changed("a.c[1]", "a", ""), changed("a.d", "a", "")}}
	got := wholeResources(whole, map[string]bool{`a.b["x[\"1"]`: true, "a.c[0]": true, "a.d": true})
	if names := slices.Sorted(maps.Keys(got)); strings.Join(names, " ") != "a.b a.c[0] a.d" {
		t.Errorf("%q", names)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	imported := changed("billing_customer.i", "billing_customer", "", "no-op")
	imported.Change.Importing = map[string]any{}
	p := tfjson.Plan{ResourceChanges: []tfjson.ResourceChange{imported, changed("a.b", "a", "", "delete", "create"),
		changed("a.c", "a", "", "forget"), changed("billing_customer.u", "billing_customer", "", "update")}}
	if got, want := countsOf(p).String(), "1 to import, 1 to add, 1 to change, 1 to destroy, 1 to forget; 2 of "+
		"billing"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The provider must have said that it talks to the copy in every plan that has anything of it, also the first one.
func TestUsesBilling(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]bool{
		`{"resource_changes":[{"type":"billing_customer"}]}`:                                            true,
		`{"prior_state":{"values":{"root_module":{"resources":[{"type":"billing_customer"}]}}}}`:        true,
		`{"resource_changes":[{"type":"a"}],"prior_state":{"values":{"root_module":{"resources":[]}}}}`: false,
	} {
		var p tfjson.Plan
		if err := tfjson.Decode([]byte(document), &p); err != nil || p.UsesBilling() != want {
			t.Errorf("%s: %t, want %t (%v)", document, p.UsesBilling(), want, err)
		}
	}
}

// A change names the arguments whose values it changes, or may change.
func TestPlanned(t *testing.T) {
	t.Parallel()
	update := changed("billing_customer.u", "billing_customer", "", "update")
	update.Change.Before = fields{"name": "a", "notes": "b", "tax_id": "c"}
	update.Change.After = fields{"name": "a", "notes": "d"}
	update.Change.AfterUnknown = fields{"tax_id": true, "phone": false}
	got := planned(tfjson.Plan{ResourceChanges: []tfjson.ResourceChange{update, changed("a.b", "a", "", "no-op")}})
	if len(got) != 1 || !slices.Equal(got[0].Arguments, []string{"notes", "tax_id"}) {
		t.Errorf("%+v", got)
	}
}

// A billing change of the whole plan that the targeted one lacks, or does otherwise, ends the rehearsal, or is named.
func TestNothingIsMissing(t *testing.T) {
	t.Parallel()
	whole := tfjson.Plan{ResourceChanges: []tfjson.ResourceChange{
		changed("billing_customer.a", "billing_customer", "", "create"),
		changed("billing_customer.b", "billing_customer", "", "update"), changed("aws_x.a", "aws_x", "", "create")}}
	for name, c := range map[string]struct {
		found map[string]string
		left  int
	}{
		"all":       {map[string]string{"billing_customer.a": "create", "billing_customer.b": "update"}, 0},
		"one":       {map[string]string{"billing_customer.a": "create"}, 1},
		"otherwise": {map[string]string{"billing_customer.a": "create", "billing_customer.b": "replace"}, 1},
		"none":      {nil, 2},
	} {
		r := rehearsal{partial: map[string]bool{}}
		if err := r.without(whole, c.found); (err == nil) != (c.left == 0) {
			t.Errorf("%s: %v", name, err)
		}
		r.Partial = true
		if err := r.without(whole, c.found); err != nil || r.report.NotRehearsed != c.left {
			t.Errorf("%s, partial: %v, %d left", name, err, r.report.NotRehearsed)
		}
		if named := strings.Count(strings.Join(r.leftOut, ""), "billing_customer."); named != c.left {
			t.Errorf("%s, partial: %d are named, want %d: %q", name, named, c.left, r.leftOut)
		}
	}
}
