package rehearsal

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	tf "github.com/hashicorp/terraform-json"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// sources is the source of a configuration, as a plan file has it: by the names of the module calls that lead to a
// module, with dots between.
type sources struct{ modules map[string]*module }

// module is the source of a module. Resources and data sources are by type and name, with "data." before the latter.
type module struct {
	locals, variables, outputs map[string]hcl.Expression // nil: a variable without a default
	resources, calls           map[string]hcl.Attributes
	providers                  map[string]hcl.Attributes // by name, or name and alias with a dot
}

var blocksOfModules = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "locals"}, {Type: "variable", LabelNames: []string{"name"}}, {Type: "output", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}}, {Type: "data", LabelNames: []string{"type", "name"}},
	{Type: "module", LabelNames: []string{"name"}}, {Type: "provider", LabelNames: []string{"name"}},
}}

// parseSources reads the configuration in a plan file. What cannot be read is not evaluated.
func parseSources(files map[string][]byte) *sources {
	s := &sources{modules: map[string]*module{}}
	parser := hclparse.NewParser()
	for _, name := range sorted(files) {
		folder, isModule := strings.CutPrefix(path.Dir(name), "tfconfig/m-")
		var file *hcl.File
		switch {
		case !isModule:
		case strings.HasSuffix(name, ".tf"), strings.HasSuffix(name, ".tofu"):
			file, _ = parser.ParseHCL(files[name], name)
		case strings.HasSuffix(name, ".tf.json"), strings.HasSuffix(name, ".tofu.json"):
			file, _ = parser.ParseJSON(files[name], name)
		}
		if file == nil || file.Body == nil {
			continue
		}
		if s.modules[folder] == nil {
			s.modules[folder] = &module{map[string]hcl.Expression{}, map[string]hcl.Expression{},
				map[string]hcl.Expression{}, map[string]hcl.Attributes{}, map[string]hcl.Attributes{},
				map[string]hcl.Attributes{}}
		}
		content, _, _ := file.Body.PartialContent(blocksOfModules)
		for _, block := range content.Blocks {
			s.modules[folder].add(block)
		}
	}
	return s
}

func (m *module) add(block *hcl.Block) {
	attributes, _ := block.Body.JustAttributes() // nested blocks have nothing to evaluate
	expression := func(name string) hcl.Expression {
		if a := attributes[name]; a != nil {
			return a.Expr
		}
		return nil
	}
	switch name := strings.Join(block.Labels, "."); block.Type {
	case "locals":
		for name, a := range attributes {
			m.locals[name] = a.Expr
		}
	case "variable":
		m.variables[name] = expression("default")
	case "output":
		m.outputs[name] = expression("value")
	case "resource":
		m.resources[name] = attributes
	case "data":
		m.resources["data."+name] = attributes
	case "module":
		m.calls[name] = attributes
	case "provider":
		if alias := expression("alias"); alias != nil {
			value, _ := alias.Value(nil)
			if value.Type().FriendlyName() == "string" && value.IsKnown() && !value.IsNull() {
				name += "." + value.AsString()
			}
		}
		m.providers[name] = attributes
	}
}

// step is a module call in an address: its name, and its key, such as ["a"], [0] or "".
type step struct{ name, key string }

// keyForm is the key of an instance in an address, with its brackets.
const keyForm = `\[(?:"(?:[^"\\]|\\.)*"|\d+)\]`

var stepForm = regexp.MustCompile(`module\.([^.\[]+)(` + keyForm + `)?`)

// stepsOf are the module calls in the address of a module.
func stepsOf(address string) (steps []step) {
	for _, m := range stepForm.FindAllStringSubmatch(address, -1) {
		steps = append(steps, step{m[1], m[2]})
	}
	return steps
}

// keyOf is the key in brackets, as an expression has it; nil for none.
func keyOf(brackets string) (key any) {
	expression, diags := hclsyntax.ParseExpression([]byte(strings.Trim(brackets, "[]")), "key", hcl.InitialPos)
	if diags.HasErrors() {
		return nil
	}
	value, _ := expression.Value(nil)
	document, _ := ctyjson.Marshal(value, value.Type())
	_ = json.Unmarshal(document, &key) // what is no literal has no value
	return key
}

// brackets is a key as addresses have it; empty for none.
func brackets(key any) string {
	if key == nil {
		return ""
	}
	return "[" + string(hclwrite.TokensForValue(toValue(key, nil, "")).Bytes()) + "]"
}

func namesOf(steps []step) (names []string) {
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}

// graph is what refers to what in a configuration, by blocks: instances do not matter for the order of an apply.
type graph struct {
	modules map[string]*node
	inside  map[[2]string]bool // the blocks of the folder, by module and block
}

// node is what the parts of a module refer to.
type node struct {
	locals, outputs, resources map[string][]string
	calls                      map[string]map[string][]string // of a module call, by argument
}

// references are the names that expressions refer to, such as billing_customer.a.id.
func references(expressions ...hcl.Expression) (all []string) {
	for _, e := range expressions {
		if e == nil {
			continue
		}
		for _, traversal := range e.Variables() {
			parts := []string{traversal.RootName()}
			for _, t := range traversal[1:] {
				if a, ok := t.(hcl.TraverseAttr); ok {
					parts = append(parts, a.Name)
				}
			}
			all = append(all, strings.Join(parts, "."))
		}
	}
	return all
}

func referencesOf(attributes hcl.Attributes) (all []string) {
	for _, a := range attributes {
		all = append(all, references(a.Expr)...)
	}
	return all
}

// newGraph is the graph of a plan: of its source, or of what its JSON says of the configuration, which has no locals.
func newGraph(g *given) graph {
	all := graph{modules: map[string]*node{}}
	if g.sources == nil {
		if g.Config != nil {
			all.add("", g.Config.RootModule)
		}
		return all
	}
	for name, m := range g.sources.modules {
		n := newNode()
		for key, e := range m.locals {
			n.locals[key] = references(e)
		}
		for key, e := range m.outputs {
			n.outputs[key] = references(e)
		}
		for key, attributes := range m.resources {
			n.resources[key] = referencesOf(attributes)
		}
		for key, attributes := range m.calls {
			n.calls[key] = map[string][]string{}
			for argument, a := range attributes {
				n.calls[key][argument] = references(a.Expr)
			}
		}
		all.modules[name] = n
	}
	return all
}

func newNode() *node {
	return &node{map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string]map[string][]string{}}
}

func (all graph) add(name string, m *tf.ConfigModule) {
	n := newNode()
	all.modules[name] = n
	for key, of := range m.Outputs {
		n.outputs[key] = ofExpression(of.Expression)
	}
	for _, of := range m.Resources {
		refs := slices.Concat(of.DependsOn, ofExpression(of.ForEachExpression), ofExpression(of.CountExpression))
		for _, e := range of.Expressions {
			refs = append(refs, ofExpression(e)...)
		}
		n.resources[of.Address] = refs
	}
	for key, call := range m.ModuleCalls {
		n.calls[key] = map[string][]string{"for_each": ofExpression(call.ForEachExpression),
			"count": ofExpression(call.CountExpression), "depends_on": call.DependsOn}
		for argument, e := range call.Expressions {
			n.calls[key][argument] = ofExpression(e)
		}
		if call.Module != nil {
			all.add(strings.TrimPrefix(name+"."+key, "."), call.Module)
		}
	}
}

func ofExpression(e *tf.Expression) (refs []string) {
	if e == nil || e.ExpressionData == nil {
		return nil
	}
	refs = slices.Clone(e.References)
	for _, block := range e.NestedBlocks {
		for _, inner := range block {
			refs = append(refs, ofExpression(inner)...)
		}
	}
	return refs
}

// blocks are the resources of the folder that a resource refers to, directly or through what is not in the folder.
func (all graph) blocks(at []string, block string) map[[2]string]bool {
	found, seen := map[[2]string]bool{}, map[[3]string]bool{}
	all.ofResource(at, block, found, seen)
	return found
}

// metaArguments are arguments of a module call that everything in the module waits for.
var metaArguments = []string{"for_each", "count", "depends_on"}

func (all graph) ofResource(at []string, block string, found map[[2]string]bool, seen map[[3]string]bool) {
	name := strings.Join(at, ".")
	n := all.modules[name]
	if n == nil || seen[[3]string{name, "resource", block}] {
		return
	}
	seen[[3]string{name, "resource", block}] = true
	all.follow(at, n.resources[block], found, seen)
	for i := range at {
		parent := all.modules[strings.Join(at[:i], ".")]
		if parent == nil {
			continue
		}
		for _, argument := range metaArguments {
			all.follow(at[:i], parent.calls[at[i]][argument], found, seen)
		}
	}
}

// follow notes the resources of the folder behind references, and goes on behind everything else.
func (all graph) follow(at []string, refs []string, found map[[2]string]bool, seen map[[3]string]bool) {
	name := strings.Join(at, ".")
	n := all.modules[name]
	if n == nil {
		return
	}
	for _, ref := range refs {
		parts := strings.Split(indices.ReplaceAllString(ref, ""), ".")
		if len(parts) < 2 || seen[[3]string{name, "reference", ref}] {
			continue
		}
		seen[[3]string{name, "reference", ref}] = true
		switch parts[0] {
		case "each", "count", "path", "terraform", "self":
		case "local":
			all.follow(at, n.locals[parts[1]], found, seen)
		case "var":
			if parent := all.modules[strings.Join(at[:max(len(at)-1, 0)], ".")]; len(at) > 0 && parent != nil {
				all.follow(at[:len(at)-1], parent.calls[at[len(at)-1]][parts[1]], found, seen)
			}
		case "module":
			all.ofModule(slices.Concat(at, parts[1:2]), parts, found, seen)
		default:
			block := strings.Join(parts[:2], ".")
			if parts[0] == "data" && len(parts) > 2 {
				block = strings.Join(parts[:3], ".")
			}
			if all.inside[[2]string{name, block}] {
				found[[2]string{name, block}] = true
			} else {
				all.ofResource(at, block, found, seen)
			}
		}
	}
}

// ofModule follows the output of a module that a reference names, or all of them.
func (all graph) ofModule(at, parts []string, found map[[2]string]bool, seen map[[3]string]bool) {
	child := all.modules[strings.Join(at, ".")]
	if child == nil {
		return
	}
	for output, of := range child.outputs {
		if len(parts) < 3 || child.outputs[parts[2]] == nil || output == parts[2] {
			all.follow(at, of, found, seen)
		}
	}
}

// indices are the keys in a reference.
var indices = regexp.MustCompile(`\[(?:"(?:[^"\\]|\\.)*"|[^\]]*)\]`)
