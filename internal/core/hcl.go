package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Parse parses a configuration: resource, data, locals, import, moved and removed blocks, for_each with a set or a map
// with known keys, and the provider block. Variables have the values in variables, or their defaults. Terraform itself
// reads the same text.
func Parse(text string, variables map[string]string) (Configuration, error) {
	c := Configuration{Text: text, Provider: Object{}, Imports: map[string]any{}, Moved: map[string]string{}}
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return c, diags
	}
	p := &parser{values: map[string]cty.Value{}, locals: map[string]hclsyntax.Expression{}}
	body, _ := file.Body.(*hclsyntax.Body)
	for _, b := range body.Blocks {
		switch b.Type {
		case "locals":
			for name, attribute := range b.Body.Attributes {
				p.locals[name] = attribute.Expr
			}
		case "variable":
			given, there := variables[b.Labels[0]]
			fallback := b.Body.Attributes["default"]
			switch {
			case there:
				p.values[b.Labels[0]] = cty.StringVal(given)
			case fallback != nil:
				p.values[b.Labels[0]], _ = fallback.Expr.Value(nil)
			default:
				return c, fmt.Errorf("no value for required variable %s", b.Labels[0])
			}
		}
	}
	for name := range variables {
		if _, declared := p.values[name]; !declared {
			return c, fmt.Errorf("value for undeclared variable %s", name)
		}
	}
	for _, b := range body.Blocks {
		if err := p.block(&c, b); err != nil {
			return c, err
		}
	}
	return c, ordered(&c)
}

// parser holds the values that expressions refer to, in addition to resources.
type parser struct {
	values map[string]cty.Value // of the variables
	locals map[string]hclsyntax.Expression
}

func (p *parser) block(c *Configuration, b *hclsyntax.Block) error {
	switch b.Type {
	case "locals", "variable", "output", "terraform":
	case "provider":
		arguments, err := p.arguments(b.Body.Attributes, nil)
		maps.Copy(c.Provider, arguments)
		return err
	case "removed":
		for _, inner := range b.Body.Blocks {
			if destroy := inner.Body.Attributes["destroy"]; destroy != nil {
				if value, _ := destroy.Expr.Value(nil); value.False() {
					c.Removed = append(c.Removed, addressIn(b.Body.Attributes["from"]))
				}
			}
		}
	case "moved":
		c.Moved[addressIn(b.Body.Attributes["from"])] = addressIn(b.Body.Attributes["to"])
	case "import":
		arguments, err := p.arguments(without(b.Body.Attributes, "to"), nil)
		c.Imports[addressIn(b.Body.Attributes["to"])] = arguments["id"]
		if identity := arguments["identity"]; identity != nil {
			c.Imports[addressIn(b.Body.Attributes["to"])] = identity
		}
		return err
	case "resource", "data":
		return p.resource(c, b)
	default:
		return fmt.Errorf("%s: only Terraform itself supports blocks of type %q", b.Range(), b.Type)
	}
	return nil
}

// meta lists Terraform's own arguments.
var meta = []string{"for_each", "depends_on", "provider"}

// without returns attributes without those with some names.
func without(all hclsyntax.Attributes, names ...string) hclsyntax.Attributes {
	all = maps.Clone(all)
	for _, name := range names {
		delete(all, name)
	}
	return all
}

func (p *parser) resource(c *Configuration, b *hclsyntax.Block) error {
	name := strings.Join(b.Labels, ".")
	if b.Type == "data" {
		name = "data." + name
	}
	arguments := without(b.Body.Attributes, meta...)
	one := Block{Address: name, Arguments: arguments}
	for _, attribute := range b.Body.Attributes {
		one.Needs = append(one.Needs, p.needs(attribute.Expr)...)
	}
	slices.Sort(one.Needs)
	one.Needs = slices.Compact(one.Needs)
	for _, inner := range b.Body.Blocks {
		if inner.Type != "lifecycle" {
			return fmt.Errorf("%s: %s does not have blocks of type %q", inner.Range(), name, inner.Type)
		}
		for option, attribute := range inner.Body.Attributes {
			value, _ := attribute.Expr.Value(nil)
			switch option {
			case "create_before_destroy":
				one.CreateBeforeDestroy = value.True()
			case "prevent_destroy":
				one.PreventDestroy = value.True()
			case "ignore_changes":
				one.Ignore = ignored(attribute.Expr)
				if strings.Contains(strings.Join(one.Ignore, " "), "[") {
					return fmt.Errorf("%s: only Terraform itself supports keys of maps", attribute.Range())
				}
			default:
				return fmt.Errorf("%s: only Terraform itself supports %q", attribute.Range(), option)
			}
		}
	}
	each := b.Body.Attributes["for_each"]
	if each == nil {
		one.Evaluate = func(objects map[string]Object) (Object, error) {
			return p.arguments(arguments, p.context(objects, nil))
		}
		c.Blocks = append(c.Blocks, one)
		return nil
	}
	all, diags := each.Expr.Value(p.context(nil, nil))
	if diags.HasErrors() {
		return diags
	}
	for it := all.ElementIterator(); it.Next(); {
		key, value := it.Element()
		instance := one
		if all.Type().IsSetType() {
			key = value
		}
		instance.Address += fmt.Sprintf("[%q]", key.AsString())
		scope := map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}
		instance.Each = scope
		instance.Evaluate = func(objects map[string]Object) (Object, error) {
			return p.arguments(arguments, p.context(objects, scope))
		}
		c.Blocks = append(c.Blocks, instance)
	}
	return nil
}

// needs returns the resources that an expression refers to.
func (p *parser) needs(expr hclsyntax.Expression) (addresses []string) {
	for _, traversal := range expr.Variables() {
		names := []string{traversal.RootName()}
		for _, step := range traversal[1:] {
			if attribute, isName := step.(hcl.TraverseAttr); isName {
				names = append(names, attribute.Name)
			}
		}
		switch names[0] {
		case "var", "each", "path":
		case "local":
			if inner := p.locals[names[1]]; inner != nil {
				addresses = append(addresses, p.needs(inner)...)
			}
		case "data":
			addresses = append(addresses, strings.Join(names[:3], "."))
		default:
			addresses = append(addresses, strings.Join(names[:min(2, len(names))], "."))
		}
	}
	return addresses
}

// addressIn returns the address in an argument such as to or from.
func addressIn(attribute *hclsyntax.Attribute) string {
	if attribute == nil {
		return ""
	}
	traversal, _ := hcl.AbsTraversalForExpr(attribute.Expr)
	return Spelled(traversal)
}

// Spelled returns a path as it is written in a configuration.
func Spelled(traversal hcl.Traversal) (text string) {
	for _, step := range traversal {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			text += step.Name
		case hcl.TraverseAttr:
			text += "." + step.Name
		case hcl.TraverseIndex:
			text += fmt.Sprintf("[%q]", step.Key.AsString())
		}
	}
	return text
}

// ignored returns the paths of ignore_changes.
func ignored(expr hclsyntax.Expression) (paths []string) {
	list, isList := expr.(*hclsyntax.TupleConsExpr)
	if !isList {
		return []string{"all"}
	}
	for _, element := range list.Exprs {
		traversal, diags := hcl.RelTraversalForExpr(element)
		if diags.HasErrors() {
			traversal, _ = hcl.AbsTraversalForExpr(element)
		}
		paths = append(paths, strings.TrimPrefix(Spelled(traversal), "."))
	}
	return paths
}

// arguments evaluates all arguments except those in out.
func (p *parser) arguments(from hclsyntax.Attributes, in *hcl.EvalContext) (Object, error) {
	if in == nil {
		in = p.context(nil, nil)
	}
	all := Object{}
	for name, attribute := range from {
		value, diags := attribute.Expr.Value(in)
		if diags.HasErrors() {
			return nil, diags
		}
		all[name] = FromCty(value)
	}
	return all, nil
}

// context returns the variables and functions of expressions.
func (p *parser) context(objects map[string]Object, scope map[string]cty.Value) *hcl.EvalContext {
	root := Object{}
	for at, fields := range objects {
		name, key, keyed := strings.Cut(strings.TrimSuffix(at, `"]`), `["`)
		steps, place := strings.Split(name, "."), root
		if keyed {
			steps = append(steps, key)
		}
		for _, step := range steps[:len(steps)-1] {
			if place[step] == nil {
				place[step] = Object{}
			}
			place, _ = place[step].(Object)
		}
		place[steps[len(steps)-1]] = fields
	}
	in := &hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{"var": cty.ObjectVal(p.values)}}
	maps.Copy(in.Variables, scope)
	for name, v := range root {
		in.Variables[name] = ctyOf(v)
	}
	locals := map[string]cty.Value{}
	for range len(p.locals) { // locals may refer to each other
		in.Variables["local"] = cty.ObjectVal(locals)
		for name, expr := range p.locals {
			if value, diags := expr.Value(in); !diags.HasErrors() {
				locals[name] = value
			}
		}
	}
	in.Variables["local"] = cty.ObjectVal(locals)
	return in
}

var functions = map[string]function.Function{
	"concat": stdlib.ConcatFunc, "format": stdlib.FormatFunc, "jsondecode": stdlib.JSONDecodeFunc,
	"jsonencode": stdlib.JSONEncodeFunc, "join": stdlib.JoinFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc,
	"lookup": stdlib.LookupFunc, "lower": stdlib.LowerFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc,
	"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "tostring": stdlib.MakeToFunc(cty.String),
	"tonumber": stdlib.MakeToFunc(cty.Number), "upper": stdlib.UpperFunc,
}

// FromCty returns the value of an expression as plain JSON.
func FromCty(v cty.Value) any {
	switch {
	case !v.IsKnown():
		return Unknown
	case v.IsNull():
		return nil
	case v.Type() == cty.String:
		return v.AsString()
	case v.Type() == cty.Bool:
		return v.True()
	case v.Type() == cty.Number:
		return json.Number(v.AsBigFloat().Text('f', -1))
	case v.Type().IsObjectType(), v.Type().IsMapType():
		all := Object{}
		for name, inner := range v.AsValueMap() {
			all[name] = FromCty(inner)
		}
		return all
	default:
		all := []any{}
		for _, inner := range v.AsValueSlice() {
			all = append(all, FromCty(inner))
		}
		return all
	}
}

// ctyOf returns a plain value as a value for expressions.
func ctyOf(v any) cty.Value {
	switch v := v.(type) {
	case nil:
		return cty.NullVal(cty.DynamicPseudoType)
	case string:
		return cty.StringVal(v)
	case bool:
		return cty.BoolVal(v)
	case int:
		return cty.NumberIntVal(int64(v))
	case json.Number:
		return cty.MustParseNumberVal(v.String())
	case []any:
		all := make([]cty.Value, len(v))
		for i := range v {
			all[i] = ctyOf(v[i])
		}
		return cty.TupleVal(all)
	case Object:
		all := map[string]cty.Value{}
		for name, inner := range v {
			all[name] = ctyOf(inner)
		}
		return cty.ObjectVal(all)
	default:
		return cty.DynamicVal
	}
}

// ordered puts blocks after the blocks they refer to.
func ordered(c *Configuration) error {
	var done []Block
	left := c.Blocks
	for len(left) > 0 {
		var later []Block
		for _, b := range left {
			// A reference means every instance of a block with for_each.
			var needs []string
			waits := false
			for _, need := range b.Needs {
				refers := func(other Block) bool {
					return other.Address == need || strings.HasPrefix(other.Address, need+"[")
				}
				waits = waits || slices.ContainsFunc(left, refers)
				for _, other := range done {
					if refers(other) {
						needs = append(needs, other.Address)
					}
				}
			}
			if waits {
				later = append(later, b)
				continue
			}
			b.Needs = needs
			done = append(done, b)
		}
		if len(later) == len(left) {
			return errors.New("the blocks have a circular reference")
		}
		left = later
	}
	c.Blocks = done
	return nil
}
