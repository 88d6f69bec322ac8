package life

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
)

var (
	//go:embed testdata/draw/choices.hcl
	choicesText []byte
	//go:embed testdata/draw/foreign.txt
	foreignText string
	//go:embed testdata/draw/misfortunes.txt
	misfortunesText string
)

// choices holds the values that lives draw, as HCL, by type and argument.
var choices = func() map[string]map[string][]string {
	file, diags := hclsyntax.ParseConfig(choicesText, "choices.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		panic(diags)
	}
	all := map[string]map[string][]string{}
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		all[b.Type] = map[string][]string{}
		for name, attribute := range b.Body.Attributes {
			values, isList := attribute.Expr.(*hclsyntax.TupleConsExpr)
			if !isList { // shared.NAME
				all[b.Type][name] = all["shared"][name]
				continue
			}
			for _, value := range values.Exprs {
				all[b.Type][name] = append(all[b.Type][name], string(value.Range().SliceBytes(choicesText)))
			}
		}
	}
	return all
}()

// second and worded replace texts in values: for a second customer, and for a service that words texts otherwise.
var second, worded = strings.NewReplacer(choices["texts"]["second"]...),
	strings.NewReplacer(choices["texts"]["worded"]...)

// misfortunes lists what runs meet, and foreigners changes by another system, by type.
var misfortunes, foreigners = linesOf(misfortunesText), func() map[string][]string {
	all := map[string][]string{}
	_, sections := golden.Sections(foreignText)
	for _, s := range sections {
		all[s.Name] = linesOf(s.Text)
		if choices[s.Name]["custom_metadata"] != nil {
			all[s.Name] = append(all[s.Name], all["custom_metadata"]...)
		}
	}
	return all
}()

// linesOf returns the lines of a text, without comments.
func linesOf(text string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "#")
	})
}

// required reports whether a block must have an argument.
func required(typeName, name string) bool {
	for _, a := range acctest.ResourceSchemas()[typeName].Block.Attributes {
		if a.Name == name {
			return a.Required
		}
	}
	return false
}

// ignorable lists paths below an argument for ignore_changes.
var ignorable = map[string][]string{
	"custom_metadata": {"custom_metadata.a", "custom_metadata.b", "custom_metadata.b.c"},
	"body":            {"body.amount", "body.note", "body.deep.a"},
	"authentication":  {"authentication.name"},
}

// named inserts the name of a block into a value.
func named(value, address string) string {
	_, name, _ := strings.Cut(address, ".")
	if forEach(address) {
		name = "${each.key}"
	} else if name == "d" {
		value = second.Replace(value)
	}
	return strings.NewReplacer("$name", name, "$canary", canary).Replace(value)
}
