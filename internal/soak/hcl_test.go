package soak_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// configuration is a configuration in Terraform's JSON syntax.
func (d *terraform) configuration(c acctest.Configuration) []byte {
	d.t.Helper()
	resources := object{"terraform_data": object{"later": object{"input": fmt.Sprint(d.later)}}}
	for _, block := range c.Blocks {
		name := strings.TrimPrefix(block.Address, block.Type()+".")
		arguments := object{}
		for argument, v := range block.Values {
			expression := hcl(v)
			turned, later := c.Later[block.Address+"."+argument]
			if later && turned != nil {
				expression = hcl(turned)
			}
			if later {
				expression = `terraform_data.later.output == "" ? null : ` + expression
			}
			arguments[argument] = "${" + expression + "}"
		}
		lifecycle := object{"create_before_destroy": block.CreateBeforeDestroy}
		if slices.Contains(block.Ignore, "all") {
			lifecycle["ignore_changes"] = "all"
		} else if len(block.Ignore) > 0 {
			lifecycle["ignore_changes"] = block.Ignore
		}
		arguments["lifecycle"] = lifecycle
		if resources[block.Type()] == nil {
			resources[block.Type()] = object{}
		}
		resources[block.Type()].(object)[name] = arguments
	}
	provider := object{}
	if c.Defaults != nil {
		provider["default_custom_metadata"] = c.Defaults
	}
	all := object{"resource": resources, "provider": object{"billing": provider},
		"terraform": object{"required_providers": object{"billing": object{"source": "recurring-billing/billing"}}}}
	var imports []any
	for _, address := range slices.Sorted(maps.Keys(c.Imports)) {
		imports = append(imports, object{"to": address, "id": c.Imports[address]})
	}
	if imports != nil {
		all["import"] = imports
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// hcl is a value as an expression.
func hcl(v any) string {
	switch v := v.(type) {
	case acctest.Ref:
		return v.Address + "." + v.Attribute
	case object:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, fmt.Sprintf("%q = %s", name, hcl(v[name])))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case []any:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = hcl(v[i])
		}
		return "[" + strings.Join(elements, ", ") + "]"
	default:
		return show(v)
	}
}
