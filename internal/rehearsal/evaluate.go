package rehearsal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
)

// An attribute of a billing object that is known after the apply has a text in its place that says which one it is. It
// goes through functions and templates, and becomes a reference in the folder.
const (
	opens  = "\ue000"
	closes = "\ue001"
)

var place = regexp.MustCompile(opens + `(r[0-9]+)\.([a-z_]+)` + closes)

// evaluator evaluates expressions of a configuration with the values of a plan.
type evaluator struct {
	*given
	// instances are those of resources and data sources, by the address of the resource and the brackets of the key.
	instances map[string]map[string]instance
	once      map[any]evaluated // what many expressions refer to
	found     map[*change]bool  // those that the templates refer to
}

// instance is one as references see it.
type instance struct {
	attributes, unknown any
	change              *change // nil: the folder does not have it
}

type evaluated struct {
	value cty.Value
	err   error
}

func newEvaluator(g *given) *evaluator {
	e := &evaluator{g, map[string]map[string]instance{}, map[any]evaluated{}, map[*change]bool{}}
	if g.PriorState != nil {
		for _, of := range plain.Resources(g.PriorState.Values) {
			if of.DeposedKey == "" {
				e.put(of.Address, &instance{attributes: of.AttributeValues})
			}
		}
	}
	own := map[string]*change{}
	for _, c := range g.changes {
		if c.exists() {
			own[c.Address] = c
		}
	}
	for _, c := range g.ResourceChanges {
		switch {
		case c.Change == nil || c.DeposedKey != "":
		case c.Change.After == nil:
			e.put(c.Address, nil)
		default:
			e.put(c.Address, &instance{c.Change.After, c.Change.AfterUnknown, own[c.Address]})
		}
	}
	return e
}

// lastKey is the key of an instance in its address.
var lastKey = regexp.MustCompile(keyForm + `$`)

func (e *evaluator) put(address string, of *instance) {
	key := lastKey.FindString(address)
	block := strings.TrimSuffix(address, key)
	if e.instances[block] == nil {
		e.instances[block] = map[string]instance{}
	}
	if of == nil {
		delete(e.instances[block], key)
	} else {
		e.instances[block][key] = *of
	}
}

// scope is where an expression is: in a module instance, and in a block with for_each or count.
type scope struct {
	at    []step
	block hcl.Attributes
	index any
	depth int
}

// deepest limits how far values are followed: a configuration that Terraform has planned has no cycles.
const deepest = 60

var errUnknown = errors.New("its value is known after apply")

func (e *evaluator) module(at []step) *module {
	if e.sources == nil {
		return nil
	}
	return e.sources.modules[strings.Join(namesOf(at), ".")]
}

// value evaluates an expression; what no instance is asked for, only once for a module.
func (e *evaluator) value(s scope, expression hcl.Expression) (cty.Value, error) {
	if expression == nil {
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	if s.block != nil {
		return e.compute(s, expression)
	}
	return e.only([2]any{address(s.at, ""), expression}, func() (cty.Value, error) { return e.compute(s, expression) })
}

// only evaluates what many expressions refer to once.
func (e *evaluator) only(key any, evaluate func() (cty.Value, error)) (cty.Value, error) {
	if of, done := e.once[key]; done {
		return of.value, of.err
	}
	value, err := evaluate()
	e.once[key] = evaluated{value, err}
	return value, err
}

func (e *evaluator) compute(s scope, expression hcl.Expression) (cty.Value, error) {
	if s.depth++; s.depth > deepest {
		return cty.NilVal, errors.New("the references are too deep")
	}
	roots := map[string]map[string]cty.Value{}
	for _, traversal := range expression.Variables() {
		if err := e.provide(s, traversal, roots); err != nil {
			return cty.NilVal, err
		}
	}
	variables := map[string]cty.Value{}
	for root, members := range roots {
		variables[root] = cty.ObjectVal(members)
	}
	value, diags := expression.Value(&hcl.EvalContext{Variables: variables, Functions: functions})
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return value, nil
}

// provide evaluates what a reference is about, for the variables of an expression.
func (e *evaluator) provide(s scope, traversal hcl.Traversal, roots map[string]map[string]cty.Value) error {
	names := strings.Split(references(reference{traversal})[0], ".")
	root, name := names[0], ""
	if len(names) > 1 {
		name = names[1]
	}
	put := func(value cty.Value, err error) error {
		if roots[root] == nil {
			roots[root] = map[string]cty.Value{}
		}
		roots[root][name] = value
		return err
	}
	m := e.module(s.at)
	if m == nil {
		return errors.New("the plan file lacks the module")
	}
	inside := scope{at: s.at, depth: s.depth}
	switch {
	case root == "var":
		return put(e.variable(s, name))
	case root == "local":
		return put(e.value(inside, m.locals[name]))
	case root == "each" && name == "key":
		return put(cty.StringVal(fmt.Sprint(s.index)), nil)
	case root == "each":
		return put(e.element(s))
	case root == "count":
		return put(toValue(s.index, nil, ""), nil)
	case root == "module":
		return put(e.only(address(s.at, root+"."+name), func() (cty.Value, error) { return e.outputs(s, name), nil }))
	case root == "path", root == "terraform":
		return put(cty.StringVal("."), nil)
	case root == "data" && len(names) > 2:
		of := map[string]cty.Value{}
		if had, has := roots[root][name]; has {
			of = had.AsValueMap()
		}
		of[names[2]] = e.objects(s, strings.Join(names[:3], "."))
		return put(cty.ObjectVal(of), nil)
	}
	return put(e.objects(s, root+"."+name), nil)
}

// reference is an expression that is a traversal.
type reference struct{ hcl.Traversal }

func (r reference) Variables() []hcl.Traversal { return []hcl.Traversal{r.Traversal} }

// Value and the others complete hcl.Expression.
func (r reference) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	return r.TraverseAbs(ctx)
}
func (r reference) Range() hcl.Range      { return r.SourceRange() }
func (r reference) StartRange() hcl.Range { return r.SourceRange() }

// element is each.value.
func (e *evaluator) element(s scope) (cty.Value, error) {
	if s.block["for_each"] == nil {
		return cty.NilVal, errors.New("each is used without for_each")
	}
	all, err := e.value(scope{at: s.at, depth: s.depth}, s.block["for_each"].Expr)
	key := fmt.Sprint(s.index)
	switch {
	case err != nil:
		return cty.NilVal, err
	case !all.IsKnown() || all.IsNull():
		return cty.DynamicVal, nil
	case all.Type().IsSetType(), all.Type().IsTupleType(), all.Type().IsListType():
		return cty.StringVal(key), nil
	case all.Type().IsObjectType() && all.Type().HasAttribute(key):
		return all.GetAttr(key), nil
	case all.Type().IsMapType() && all.HasIndex(cty.StringVal(key)).True():
		return all.Index(cty.StringVal(key)), nil
	}
	return cty.DynamicVal, nil
}

// variable is the value of a variable of a module: that of the plan, what the call gives it, or its default.
func (e *evaluator) variable(s scope, name string) (cty.Value, error) {
	inside := scope{at: s.at, depth: s.depth}
	if len(s.at) == 0 {
		if given := e.Variables[name]; given != nil {
			return toValue(given.Value, nil, ""), nil
		}
		return e.value(inside, e.module(s.at).variables[name])
	}
	parent, last := s.at[:len(s.at)-1], s.at[len(s.at)-1]
	if m := e.module(parent); m != nil && m.calls[last.name][name] != nil {
		return e.value(scope{at: parent, block: m.calls[last.name], index: keyOf(last.key), depth: s.depth},
			m.calls[last.name][name].Expr)
	}
	return e.value(inside, e.module(s.at).variables[name])
}

// outputs is module.NAME: an object of the outputs, or such objects by key.
func (e *evaluator) outputs(s scope, name string) cty.Value {
	prefix := address(s.at, "module."+name)
	keys := map[string]bool{}
	note := func(of string) {
		if rest, found := strings.CutPrefix(of, prefix); found && (strings.HasPrefix(rest, ".") ||
			strings.HasPrefix(rest, "[")) {
			if steps := stepsOf("module.x" + rest); len(steps) > 0 {
				keys[steps[0].key] = true
			}
		}
	}
	for of := range e.instances {
		note(of)
	}
	if len(keys) == 0 {
		keys[""] = true
	}
	all := map[string]cty.Value{}
	for key := range keys {
		inside := slices.Concat(s.at, []step{{name, key}})
		m := e.module(inside)
		if m == nil {
			return cty.DynamicVal
		}
		of := map[string]cty.Value{}
		for output, expression := range m.outputs {
			value, err := e.value(scope{at: inside, depth: s.depth}, expression)
			if err != nil {
				value = cty.DynamicVal // another output may be the one
			}
			of[output] = value
		}
		all[key] = cty.ObjectVal(of)
	}
	return byKey(all)
}

// byKey is one value without a key, a tuple of numbered ones, or an object.
func byKey(all map[string]cty.Value) cty.Value {
	if one, single := all[""]; single {
		return one
	}
	members, numbered := map[string]cty.Value{}, true
	for key, value := range all {
		of := keyOf(key)
		_, isText := of.(string)
		numbered = numbered && !isText
		members[fmt.Sprint(of)] = value
	}
	if !numbered || len(members) == 0 {
		return cty.ObjectVal(members)
	}
	var list []cty.Value
	for i := range len(members) {
		value, ok := members[fmt.Sprint(i)]
		if !ok {
			value = cty.DynamicVal
		}
		list = append(list, value)
	}
	return cty.TupleVal(list)
}

func address(at []step, rest string) string {
	var parts []string
	for _, s := range at {
		parts = append(parts, "module."+s.name+s.key)
	}
	return strings.Join(append(parts, rest), ".")
}

// objects is a resource as references see it: one object, or all instances by key.
func (e *evaluator) objects(s scope, block string) cty.Value {
	value, _ := e.only(address(s.at, block), func() (cty.Value, error) {
		all := map[string]cty.Value{}
		for key, of := range e.instances[address(s.at, block)] {
			name := ""
			if of.change != nil {
				name = of.change.key
			}
			all[key] = toValue(of.attributes, of.unknown, name)
		}
		attributes := e.module(s.at).resources[block]
		if len(all) == 0 && attributes["for_each"] == nil && attributes["count"] == nil {
			return cty.DynamicVal, nil
		}
		return byKey(all), nil
	})
	return value
}

// toValue is a value of a plan. name is that of the object in the folder: what is unknown of it is a place.
func toValue(v, unknown any, name string) cty.Value {
	if unknown == true {
		return cty.DynamicVal
	}
	marks := plain.Members(unknown)
	switch v := v.(type) {
	case nil:
		if len(marks) == 0 {
			return cty.NullVal(cty.DynamicPseudoType)
		}
		return toValue(fields{}, unknown, name)
	case bool:
		return cty.BoolVal(v)
	case float64:
		return cty.NumberFloatVal(v)
	case json.Number:
		number, err := cty.ParseNumberVal(string(v))
		if err != nil {
			return cty.DynamicVal
		}
		return number
	case string:
		return cty.StringVal(v)
	case []any:
		return listValue(v, unknown)
	case fields:
		return objectValue(v, marks, name)
	}
	return cty.DynamicVal
}

func listValue(v []any, unknown any) cty.Value {
	var list []cty.Value
	marks, _ := unknown.([]any)
	for i, one := range v {
		var mark any
		if i < len(marks) {
			mark = marks[i]
		}
		list = append(list, toValue(one, mark, ""))
	}
	return cty.TupleVal(list)
}

func objectValue(v, marks fields, name string) cty.Value {
	members := map[string]cty.Value{}
	for member, one := range v {
		members[member] = toValue(one, marks[member], "")
	}
	for member, mark := range marks {
		_, has := members[member]
		switch {
		case mark == true && name != "":
			members[member] = cty.StringVal(opens + name + "." + member + closes)
		case mark == true || !has && plain.HasUnknown(mark):
			members[member] = cty.DynamicVal
		}
	}
	return cty.ObjectVal(members)
}

// template is the JSON of a value for the folder: texts are escaped, and places become references. It returns an error
// for a place that a function has cut.
func (e *evaluator) template(value cty.Value) (any, error) {
	document, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := plain.Decode(document, &decoded); err != nil {
		return nil, err
	}
	return e.referring(decoded)
}

var escapes = strings.NewReplacer("${", "$${", "%{", "%%{")

func (e *evaluator) referring(v any) (any, error) {
	switch v := v.(type) {
	case string:
		text := place.ReplaceAllStringFunc(escapes.Replace(v), func(of string) string {
			parts := place.FindStringSubmatch(of)
			c := e.byKey[parts[1]]
			if c == nil {
				return of
			}
			e.found[c] = true
			return fmt.Sprintf("${local.of_%s[%q].%s}", c.label(), c.key, parts[2])
		})
		if strings.ContainsAny(text, opens+closes) {
			return nil, errUnknown
		}
		return text, nil
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			var err error
			if all[i], err = e.referring(one); err != nil {
				return nil, err
			}
		}
		return all, nil
	case fields:
		all := fields{}
		for name, one := range v {
			var err error
			if all[name], err = e.referring(one); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return v, nil
}

func sorted[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

func converted(to cty.Type) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "v", Type: cty.DynamicPseudoType, AllowNull: true}},
		Type: func(args []cty.Value) (cty.Type, error) {
			value, err := convert.Convert(args[0], to)
			return value.Type(), err
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return convert.Convert(args[0], to) },
	})
}

// one is Terraform's function of that name.
var one = function.New(&function.Spec{Params: []function.Parameter{{Name: "v", Type: cty.DynamicPseudoType}},
	Type: function.StaticReturnType(cty.DynamicPseudoType),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		for _, v := range args[0].AsValueSlice() {
			return v, nil
		}
		return cty.NullVal(cty.DynamicPseudoType), nil
	}})

// identity is sensitive and nonsensitive: what the plan marks is hidden in the report whatever a function says.
var identity = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "v", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true}},
	Type:   func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
	Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return args[0], nil }})

// functions are those of Terraform that go-cty has. What uses another one is not evaluated.
var functions = map[string]function.Function{
	"abs": stdlib.AbsoluteFunc, "can": tryfunc.CanFunc, "ceil": stdlib.CeilFunc, "chomp": stdlib.ChompFunc,
	"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
	"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc,
	"csvdecode": stdlib.CSVDecodeFunc, "distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc,
	"flatten": stdlib.FlattenFunc, "floor": stdlib.FloorFunc, "format": stdlib.FormatFunc,
	"formatdate": stdlib.FormatDateFunc, "formatlist": stdlib.FormatListFunc, "indent": stdlib.IndentFunc,
	"join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
	"keys": stdlib.KeysFunc, "length": stdlib.LengthFunc, "lookup": stdlib.LookupFunc, "lower": stdlib.LowerFunc,
	"max": stdlib.MaxFunc, "merge": stdlib.MergeFunc, "min": stdlib.MinFunc, "one": one, "range": stdlib.RangeFunc,
	"nonsensitive": identity, "regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc, "replace": stdlib.ReplaceFunc,
	"reverse": stdlib.ReverseListFunc, "setintersection": stdlib.SetIntersectionFunc,
	"setproduct": stdlib.SetProductFunc, "setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc,
	"sensitive": identity, "slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "split": stdlib.SplitFunc, "substr": stdlib.SubstrFunc,
	"title": stdlib.TitleFunc, "tobool": converted(cty.Bool), "tolist": converted(cty.List(cty.DynamicPseudoType)),
	"tomap": converted(cty.Map(cty.DynamicPseudoType)), "tonumber": converted(cty.Number),
	"toset": converted(cty.Set(cty.DynamicPseudoType)), "tostring": converted(cty.String), "trim": stdlib.TrimFunc,
	"trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc,
	"try": tryfunc.TryFunc, "upper": stdlib.UpperFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
}
