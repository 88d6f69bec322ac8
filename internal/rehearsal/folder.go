package rehearsal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	tf "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
)

// folder is a temporary folder with the billing changes of a plan and nothing else: a resource for each block of the
// configuration that has some, with an instance for each change, and a state with only their objects.
type folder struct {
	temporary string
	lock      *flock.Flock
}

// prefix begins the names of the temporary folders.
const prefix = "billing-rehearsal-"

// lockFile ends the names of the locks. A running rehearsal holds its own, so that no other one removes its folder.
const lockFile = ".lock"

// reserve makes the folder, which only this user may read, and holds its lock. It removes those of rehearsals that were
// killed.
func reserve(temporary string) (*folder, error) {
	temporary = cmp.Or(temporary, os.TempDir())
	sweep(temporary)
	f := &folder{}
	for {
		file, err := os.CreateTemp(temporary, prefix+"*"+lockFile)
		if err != nil {
			return nil, err
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
		f.lock = flock.New(file.Name())
		held, err := f.lock.TryLock()
		if err != nil {
			return nil, errors.Join(err, os.Remove(file.Name()))
		}
		if _, err := os.Stat(file.Name()); held && err == nil {
			break
		}
		_ = f.lock.Close() // another run was faster, and has removed it as a leftover
	}
	f.temporary = strings.TrimSuffix(f.lock.Path(), lockFile)
	return f, os.Mkdir(f.temporary, 0o700)
}

// sweep removes the folders of rehearsals that were killed: those whose lock nobody holds.
func sweep(temporary string) {
	locks, _ := filepath.Glob(filepath.Join(temporary, prefix+"*"+lockFile))
	for _, name := range locks {
		lock := flock.New(name, flock.SetFlag(os.O_RDWR))
		if held, err := lock.TryLock(); err != nil || !held {
			continue // it runs, or belongs to another user
		}
		if os.RemoveAll(strings.TrimSuffix(name, lockFile)) == nil {
			_ = os.Remove(name) // the next run tries again
		}
		_ = lock.Close()
	}
}

// remove removes all of it.
func (f *folder) remove() error {
	err := errors.Join(os.RemoveAll(f.temporary), os.Remove(f.lock.Path()))
	return errors.Join(err, f.lock.Close())
}

// path is a file in the folder.
func (f *folder) path(name string) string { return filepath.Join(f.temporary, name) }

func (f *folder) write(name string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(f.path(name), content, 0o600)
}

// writer writes the configuration and the state of the folder.
type writer struct {
	*evaluator
	graph  graph
	bodies map[*change]fields
	// refersTo are the changes that the body of each refers to.
	refersTo map[*change]map[*change]bool
	// places are the texts that stand for what is known after the apply, and where.
	places map[string]string
	left   []string // sentences
}

func newWriter(g *given) *writer {
	w := &writer{newEvaluator(g), newGraph(g), map[*change]fields{}, map[*change]map[*change]bool{},
		map[string]string{}, nil}
	w.graph.inside = map[[2]string]bool{}
	for _, c := range g.changes {
		w.graph.inside[c.block()] = true
	}
	for _, c := range g.changes {
		if c.exists() && !slices.Equal(c.Change.Actions, tf.Actions{tf.ActionForget}) {
			w.found = map[*change]bool{}
			w.bodies[c], c.why = w.body(c)
			w.refersTo[c] = w.found
		}
	}
	w.dependents()
	return w
}

// dependents leaves out the changes that refer to one that is left out.
func (w *writer) dependents() {
	for again := true; again; {
		again = false
		for _, c := range w.changes {
			for out := range w.refersTo[c] {
				if out.why != "" && c.why == "" {
					c.why, again = "it refers to "+out.Address, true
				}
			}
		}
	}
}

// notRehearsed are the changes that are left out.
func (g *given) notRehearsed() (all []*change) {
	for _, c := range g.changes {
		if c.why != "" {
			all = append(all, c)
		}
	}
	return all
}

// meta are Terraform's own arguments.
var meta = []string{"for_each", "count", "depends_on", "provider", "lifecycle", "provisioner", "connection"}

// arguments are the names of the arguments that the configuration of a change has.
func (w *writer) arguments(c *change) (names []string, attributes hcl.Attributes) {
	if m := w.module(stepsOf(c.ModuleAddress)); m != nil {
		attributes = m.resources[c.Type+"."+c.Name]
	}
	if attributes == nil && c.Change.GeneratedConfig != "" {
		file, _ := hclsyntax.ParseConfig([]byte(c.Change.GeneratedConfig), "generated.tf", hcl.InitialPos)
		content, _, _ := file.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
			{Type: "resource", LabelNames: []string{"type", "name"}}}})
		for _, block := range content.Blocks {
			attributes, _ = block.Body.JustAttributes() // what is not there is not configured
		}
	}
	for name := range attributes {
		names = append(names, name)
	}
	if of := w.configured(c.ResourceChange); attributes == nil && of != nil {
		names = sorted(of.Expressions)
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(meta, name) }), attributes
}

// body is the resource of a change; why says why it cannot be rehearsed.
func (w *writer) body(c *change) (body fields, why string) {
	body = fields{}
	names, attributes := w.arguments(c)
	for _, name := range names {
		value := toValue(c.after[name], c.unknown[name], "")
		if plain.HasUnknown(c.unknown[name]) {
			var err error
			if value, err = w.evaluate(c, name, attributes); err == nil && value.IsKnown() && value.IsNull() {
				continue
			}
			if err != nil {
				value = toValue(c.after[name], c.unknown[name], "")
			}
			value, err = cty.Transform(value, func(at cty.Path, v cty.Value) (cty.Value, error) {
				if v.IsKnown() {
					return v, nil
				}
				return w.standIn(c, name, at)
			})
			if err != nil {
				return nil, name + " is known only after apply"
			}
		}
		filled, err := w.template(value)
		if err != nil {
			return nil, name + " is known only after apply"
		}
		if filled != nil {
			body[name] = filled
		}
	}
	writeOnly(body)
	return body, ""
}

// evaluate is the value of an argument that the plan does not know.
func (w *writer) evaluate(c *change, name string, attributes hcl.Attributes) (cty.Value, error) {
	if attributes[name] != nil {
		return w.value(scope{at: stepsOf(c.ModuleAddress), block: attributes, index: c.Index}, attributes[name].Expr)
	}
	of := w.configured(c.ResourceChange)
	if of == nil || of.Expressions[name] == nil || of.Expressions[name].ExpressionData == nil {
		return cty.NilVal, errUnknown
	}
	return w.referred(c, of.Expressions[name].References, of.ForEachExpression)
}

// known reports whether references are only to what a plan knows. The JSON of a plan does not say what a local refers
// to. elements are the for_each of the block that has them.
func (g *given) known(at []step, refs []string, elements *tf.Expression) bool {
	for _, ref := range refs {
		root, rest, _ := strings.Cut(ref, ".")
		switch {
		case root == "count", root == "path", root == "terraform", ref == "each.key":
		case root == "each":
			if !g.known(at, ofExpression(elements), nil) {
				return false
			}
		case root == "var" && len(at) > 0:
			name, _, _ := strings.Cut(rest, ".")
			parent := at[:len(at)-1]
			call := g.moduleOf(parent).ModuleCalls[at[len(at)-1].name] // of a resource in it
			if !g.known(parent, ofExpression(call.Expressions[name]), call.ForEachExpression) {
				return false
			}
		case root != "var":
			return false
		}
	}
	return true
}

// referred is the value of an argument of which only the references are known. It counts if the whole argument is an
// attribute of one object.
func (w *writer) referred(c *change, refs []string, elements *tf.Expression) (cty.Value, error) {
	if w.known(stepsOf(c.ModuleAddress), refs, elements) {
		return cty.NullVal(cty.DynamicPseudoType), nil // such as a variable that is null
	}
	parts := strings.Split(indices.ReplaceAllString(refs[0], ""), ".")
	if len(parts) != 3 {
		return cty.NilVal, errUnknown
	}
	var found []*change
	for _, one := range w.instances[strings.TrimPrefix(c.ModuleAddress+"."+parts[0]+"."+parts[1], ".")] {
		if one.change != nil {
			found = append(found, one.change)
		}
	}
	if len(found) > 1 {
		literal := keyOf(indices.FindString(refs[0]))
		found = slices.DeleteFunc(found, func(other *change) bool {
			return !plain.Equal(other.Index, literal) && (literal != nil || !plain.Equal(other.Index, c.Index))
		})
	}
	if len(found) != 1 || found[0].unknown[parts[2]] != true {
		return cty.NilVal, errUnknown
	}
	return cty.StringVal(opens + found[0].key + "." + parts[2] + closes), nil
}

// Arguments of which any value may stand for one that is known after the apply: no price, and nothing that identifies
// another object, depends on it.
var (
	freeTexts = []string{"name", "external_id", "nickname", "legal_name", "notes", "description", "status_reason",
		"cancellation_reason", "phone"}
	freeObjects = []string{"custom_metadata", "rotate_when_changed", "rotate_secret_when_changed", "addresses", "websites",
		"phones", "tags", "body", "plan_change", "authentication"}
)

// standIn is a value for one that is known after the apply: unique, and valid for the argument.
func (w *writer) standIn(c *change, name string, at cty.Path) (cty.Value, error) {
	n := len(w.places) + 1
	value := fmt.Sprintf("not-known-%d", n)
	switch {
	case name == "url":
		value = fmt.Sprintf("https://not-known-%d.invalid/", n)
	case name == "email", name == "billing_email", name == "emails" && len(at) > 0:
		value = fmt.Sprintf("not-known-%d@example.invalid", n)
	case slices.Contains(freeTexts, name), slices.Contains(freeObjects, name) && len(at) > 0:
	case slices.Contains(freeObjects[:3], name):
		w.places[value] = c.Address + "." + name + pathText(at)
		return cty.ObjectVal(map[string]cty.Value{"not_known": cty.StringVal(value)}), nil
	default:
		return cty.NilVal, errUnknown
	}
	w.places[value] = c.Address + "." + name + pathText(at)
	return cty.StringVal(value), nil
}

// pathText is a path in an argument, as an expression has it.
func pathText(at cty.Path) (text string) {
	for _, one := range at {
		switch step := one.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			key, _ := ctyjson.Marshal(step.Key, step.Key.Type()) // a text or a number
			text += "[" + string(key) + "]"
		}
	}
	return text
}

// writeOnly completes credentials, which no plan has.
func writeOnly(body fields) {
	of, _ := body["authentication"].(fields)
	for _, part := range map[string][]string{"basic": {"password_wo"}, "bearer": {"token_wo"},
		"header": {"value_wo"}}[plain.Text(of["type"])] {
		of[part] = "not-known"
	}
}

// resources are those of the folder, by type and name. Each has the arguments of all its changes: null is none. The
// locals have their values, and refer to whole resources: Terraform evaluates an argument for each instance, and a
// reference to one instance by reading all of them.
func (w *writer) resources() (types, locals fields) {
	types, locals = fields{}, fields{}
	named := map[string]fields{}
	for c, body := range w.bodies {
		if c.why != "" {
			continue
		}
		label, of := c.label(), named[c.resource]
		if of == nil {
			of = fields{"for_each": "${local." + label + "}"}
			named[c.resource], locals[label], locals["of_"+label] = of, fields{}, "${"+c.resource+"}"
			if types[c.Type] == nil {
				types[c.Type] = fields{}
			}
			plain.Members(types[c.Type])[label] = of
		}
		plain.Members(locals[label])[c.key] = body
		for name := range body {
			of[name] = "${lookup(each.value, \"" + name + "\", null)}"
		}
		if c.Change.Actions.CreateBeforeDestroy() {
			of["lifecycle"] = fields{"create_before_destroy": true}
		}
	}
	written := map[[2]string]*change{} // one of each block
	for _, c := range w.changes {
		if named[c.resource] != nil {
			written[c.block()] = c
		}
	}
	for block, c := range written {
		var needs []string
		for other := range w.graph.blocks(namesOf(stepsOf(c.ModuleAddress)), block[1]) {
			if other != block && written[other] != nil {
				needs = append(needs, written[other].resource)
			}
		}
		if slices.Sort(needs); len(needs) > 0 {
			named[c.resource]["depends_on"] = needs
		}
	}
	return types, locals
}

// providerBlock is the configuration of the provider in the folder: only what changes what it plans and how fast.
func (w *writer) providerBlock(configuration string) fields {
	block, key := fields{}, cmp.Or(configuration, "billing")
	for _, name := range []string{"default_custom_metadata", "requests_per_second"} {
		value, configured := w.providerArgument(key, name)
		if value == nil && configured && name == "default_custom_metadata" {
			value = w.defaults()
		}
		switch {
		case value != nil:
			block[name] = value
		case configured:
			w.left = append(w.left, "The provider argument "+name+" is not carried over: it is not known.")
		}
	}
	return block
}

// providerArgument is the value of an argument of the provider; nil if it is not known, or not configured.
func (w *writer) providerArgument(key, name string) (value any, configured bool) {
	if root := w.module(nil); root != nil {
		attribute := root.providers[key][name]
		if attribute == nil {
			return nil, false
		}
		of, err := w.value(scope{}, attribute.Expr)
		if err != nil || !of.IsWhollyKnown() {
			return nil, true
		}
		value, _ = w.template(of) // of known values
		return value, !of.IsNull()
	}
	if w.Config == nil || w.Config.ProviderConfigs[key] == nil {
		return nil, false
	}
	of := w.Config.ProviderConfigs[key].Expressions[name]
	if of == nil || of.ExpressionData == nil {
		return nil, false
	}
	if len(of.References) > 0 {
		return nil, true
	}
	value, _ = w.referring(of.ConstantValue) // it has no places
	return value, true
}

// defaults are the default keys of custom_metadata as the planned objects show them: those that each of them has, with
// one value, unless its own argument sets the key. A key of another system that all have is no harm: it stays as it is.
// nil if no object shows its keys.
func (w *writer) defaults() any {
	type shown struct{ effective, own fields }
	var objects []shown
	common := fields{}
	for _, c := range w.changes {
		var effective fields
		text, own := plain.Text(c.after["effective_custom_metadata"]), plain.Members(c.after["custom_metadata"])
		if plain.Decode([]byte(text), &effective) != nil {
			continue
		}
		objects = append(objects, shown{effective, own})
		for name, value := range effective {
			if _, isOwn := own[name]; !isOwn {
				common[name] = value
			}
		}
	}
	if objects == nil {
		return nil
	}
	for _, of := range objects {
		maps.DeleteFunc(common, func(name string, value any) bool {
			_, isOwn := of.own[name]
			has, found := of.effective[name]
			return !isOwn && (!found || !plain.Equal(has, value))
		})
	}
	escaped, err := w.referring(common)
	if err != nil {
		return nil
	}
	return escaped
}

// put writes the folder.
func (w *writer) put(f *folder, configuration string) error {
	resources, locals := w.resources()
	var imports []any
	for _, c := range w.changes {
		if i := c.Change.Importing; i != nil && c.why == "" && w.bodies[c] != nil {
			block := fields{"to": c.inFolder()}
			if i.ID != "" {
				block["id"] = escapes.Replace(i.ID)
			} else {
				block["identity"] = i.Identity
			}
			imports = append(imports, block)
		}
	}
	document := fields{
		"terraform": fields{"required_providers": fields{"billing": fields{"source": w.source}}},
		"provider":  fields{"billing": w.providerBlock(configuration)},
	}
	if len(resources) > 0 {
		document["resource"], document["locals"] = resources, locals
	}
	if len(imports) > 0 {
		document["import"] = imports
	}
	if err := f.write("main.tf.json", document); err != nil {
		return err
	}
	return f.write("terraform.tfstate", fields{"version": 4, "terraform_version": w.version, "serial": 1,
		"lineage": "rehearsal", "outputs": fields{}, "resources": w.rows()})
}

// rows are the rows of the state: the objects that the plan changes or keeps, under the names of the folder.
func (w *writer) rows() (rows []*stateRow) {
	changes := map[[2]string]*change{} // by address and deposed key
	resources := map[string]string{}   // by the address of the block, without keys
	for _, c := range w.changes {
		if c.why == "" && c.Change.Importing == nil && !slices.Contains(c.Change.Actions, tf.ActionForget) {
			changes[[2]string{c.Address, c.DeposedKey}] = c
		}
		block := indices.ReplaceAllString(strings.TrimPrefix(c.ModuleAddress+".", "."), "") + c.Type + "." + c.Name
		resources[block] = c.resource
	}
	named := map[string]*stateRow{}
	for _, row := range w.state {
		for _, instance := range row.Instances {
			c := changes[[2]string{row.address(instance), text(instance, "deposed")}]
			if row.Mode != "managed" || c == nil {
				continue
			}
			of := maps.Clone(instance)
			var before, needs []string
			_ = json.Unmarshal(instance["dependencies"], &before) // none
			for _, one := range before {
				if resource := resources[indices.ReplaceAllString(one, "")]; resource != "" {
					needs = append(needs, resource)
				}
			}
			of["index_key"], _ = json.Marshal(c.key)    //nolint:errchkjson // a text
			of["dependencies"], _ = json.Marshal(needs) //nolint:errchkjson // texts
			if c.ActionReason == tf.ActionReasonReplaceBecauseTainted {
				of["status"] = json.RawMessage(`"tainted"`)
			}
			if named[c.resource] == nil {
				named[c.resource] = &stateRow{Mode: "managed", Type: c.Type,
					Name: c.label(), Provider: fmt.Sprintf("provider[%q]", w.source)}
			}
			named[c.resource].Instances = append(named[c.resource].Instances, of)
		}
	}
	return slices.Collect(maps.Values(named))
}
