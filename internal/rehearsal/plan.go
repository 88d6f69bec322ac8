package rehearsal

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsimple"
	tf "github.com/hashicorp/terraform-json"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
)

// ours is the end of the provider's address, whatever the registry.
const ours = "/recurring-billing/billing"

// given is the plan that is rehearsed.
type given struct {
	tf.Plan
	source  string     // address of the provider
	state   []stateRow // of this provider
	version string     // of the program that wrote the state
	sources *sources   // nil: of JSON alone, which has only the references of arguments
	lock    []byte     // the file .terraform.lock.hcl; empty: of JSON alone
	changes []*change  // of the rehearsed configuration of the provider, by address
	byKey   map[string]*change
	others  int         // changes of other configurations of the provider
	raw     rawDocument // what terraform-json does not have
}

type rawDocument struct {
	Errored  bool              `json:"errored"`
	Deferred []json.RawMessage `json:"deferred_changes"`
	Actions  []struct {
		Address string `json:"address"`
		Type    string `json:"type"`
	} `json:"action_invocations"`
}

// change is a change of an object of the plan.
type change struct {
	*tf.ResourceChange
	// The change is an instance of a resource of the folder, which has one for each block of the configuration.
	resource, key          string
	before, after, unknown fields
	// why it is not rehearsed; "" for one that is.
	why string
}

// does is what the change does, in one word; "" for a no-op.
func (c *change) does() string { return plain.Action(c.Change.Actions) }

// exists reports whether the change leaves an object that its configuration describes.
func (c *change) exists() bool { return c.after != nil && c.DeposedKey == "" }

// readPlan reads a saved plan, or the JSON of one.
func (r *rehearsal) readPlan(ctx context.Context) (*given, error) {
	document, files := r.Plan, map[string][]byte(nil)
	var err error
	if isZip(document) {
		if files, err = unzip(document); err != nil {
			return nil, fmt.Errorf("the plan file cannot be read: %w", err)
		}
		if hasTargets(files["tfplan"]) {
			return nil, errors.New("the plan was made with -target, so it has only a part of the change: plan without it")
		}
	}
	if files != nil || isWrapped(document) {
		if document, err = r.show(ctx); err != nil {
			return nil, err
		}
	}
	g := &given{}
	if err := g.decode(document); err != nil {
		return nil, err
	}
	if err := g.readState(files["tfstate"]); err != nil {
		return nil, err
	}
	if files != nil {
		g.sources, g.lock = parseSources(files), files[".terraform.lock.hcl"]
	}
	return g, g.choose(r.Provider, r.Source)
}

func isZip(document []byte) bool { return bytes.HasPrefix(document, []byte("PK")) }

// isWrapped reports whether a document is not the JSON of a plan but something that only the program can read: the
// bookmark of a remote plan, or an encrypted one.
func isWrapped(document []byte) bool {
	var of struct {
		Remote    json.RawMessage `json:"remote_plan_format"`
		Encrypted json.RawMessage `json:"encrypted_data"`
	}
	return json.Unmarshal(document, &of) == nil && len(of.Remote)+len(of.Encrypted) > 0
}

// show has the program print the plan as JSON, in the user's folder: its providers are installed there. It starts them
// for their schemas only.
func (r *rehearsal) show(ctx context.Context) ([]byte, error) {
	name := r.File
	if name == "" {
		name = filepath.Join(r.folder.temporary, "given.tfplan")
		if err := os.WriteFile(name, r.Plan, 0o600); err != nil {
			return nil, err
		}
	}
	r.progress("read the plan")
	user := terraform{r.Program, r.Folder, without(r.Environ, "TF_CLI_ARGS", "TF_LOG", "TF_WORKSPACE",
		"TF_REATTACH_PROVIDERS")}
	document, err := user.run(ctx, "show", "-json", "-no-color", name)
	if no := new(failed); errors.As(err, &no) {
		return nil, fmt.Errorf("the plan cannot be read: run this in the folder where it was made, after init: %w", err)
	}
	return document, err
}

const mostUnzipped = 1 << 30

func unzip(document []byte) (map[string][]byte, error) {
	reader, err := zip.NewReader(bytes.NewReader(document), int64(len(document)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, file := range reader.File {
		content, err := file.Open()
		if err != nil {
			return nil, err
		}
		if files[file.Name], err = io.ReadAll(io.LimitReader(content, mostUnzipped)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// hasTargets reports whether a plan was made with -target. Only Terraform's own format of a plan says so.
func hasTargets(plan []byte) bool {
	const targets = 5
	for len(plan) > 0 {
		number, kind, n := protowire.ConsumeTag(plan)
		if n < 0 || number == targets {
			return n > 0
		}
		size := protowire.ConsumeFieldValue(number, kind, plan[n:])
		if size < 0 {
			return false
		}
		plan = plan[n+size:]
	}
	return false
}

// decode reads the JSON of a plan. It keeps every digit of numbers.
func (g *given) decode(document []byte) error {
	g.UseJSONNumber(true)
	decoder := json.NewDecoder(bytes.NewReader(document))
	var whole json.RawMessage
	if err := decoder.Decode(&whole); err != nil {
		return fmt.Errorf("this is neither a saved plan nor the JSON of one: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON of the plan: write only the output of \"terraform show -json\"")
	}
	var is struct {
		Values json.RawMessage `json:"values"`
	}
	if json.Unmarshal(whole, &is) == nil && is.Values != nil {
		return errors.New("this is the JSON of a state: give the plan, or the output of \"terraform show -json PLAN\"")
	}
	if err := json.Unmarshal(whole, &g.Plan); err != nil {
		return fmt.Errorf("this is not the JSON of a plan: %w", err)
	}
	if err := json.Unmarshal(whole, &g.raw); err != nil {
		return fmt.Errorf("this is not the JSON of a plan: %w", err)
	}
	switch {
	case g.raw.Errored:
		return errors.New("the plan has failed (errored): correct the error, and plan again")
	case g.Complete != nil && !*g.Complete:
		return errors.New("the plan is not complete, for example because of -target: plan all of it")
	case len(g.raw.Deferred) > 0:
		return errors.New("the plan defers changes to a later one: apply what comes before them, and plan again")
	}
	return nil
}

// stateRow is a resource in a state.
type stateRow struct {
	Module    string                       `json:"module"`
	Mode      string                       `json:"mode"`
	Type      string                       `json:"type"`
	Name      string                       `json:"name"`
	Provider  string                       `json:"provider"`
	Instances []map[string]json.RawMessage `json:"instances"`
}

// readState reads the state of a plan file; of JSON alone it makes one of what the plan shows.
func (g *given) readState(file []byte) error {
	var state struct {
		Version   string     `json:"terraform_version"`
		Resources []stateRow `json:"resources"`
	}
	if file == nil {
		g.version, g.state = g.TerraformVersion, rowsOf(g.PriorState)
		return nil
	}
	if err := json.Unmarshal(file, &state); err != nil {
		return fmt.Errorf("the state in the plan file cannot be read: %w", err)
	}
	g.version, g.state = state.Version, state.Resources
	return nil
}

// rowsOf are the rows of a state of which only the JSON is known.
func rowsOf(state *tf.State) (rows []stateRow) {
	if state == nil {
		return nil
	}
	for _, of := range plain.Resources(state.Values) {
		if of.Mode != tf.ManagedResourceMode {
			continue
		}
		instance := map[string]json.RawMessage{}
		set := func(name string, value any) {
			instance[name], _ = json.Marshal(value) //nolint:errchkjson // decoded JSON
		}
		set("attributes", of.AttributeValues)
		set("schema_version", of.SchemaVersion)
		set("dependencies", of.DependsOn)
		if of.Index != nil {
			set("index_key", of.Index)
		}
		if of.DeposedKey != "" {
			set("deposed", of.DeposedKey)
		}
		if of.Tainted {
			set("status", "tainted")
		}
		module, _, _ := strings.Cut("."+of.Address, "."+of.Type+"."+of.Name)
		rows = append(rows, stateRow{Module: strings.TrimPrefix(module, "."), Mode: "managed", Type: of.Type, Name: of.Name,
			Provider: fmt.Sprintf("provider[%q]", of.ProviderName), Instances: []map[string]json.RawMessage{instance}})
	}
	return rows
}

// text is a text of an instance; "" for none.
func text(of map[string]json.RawMessage, name string) (value string) {
	_ = json.Unmarshal(of[name], &value) // no text: none
	return value
}

// address is the address of an instance.
func (row stateRow) address(instance map[string]json.RawMessage) string {
	address := row.Type + "." + row.Name
	if row.Module != "" {
		address = row.Module + "." + address
	}
	var key any
	_ = json.Unmarshal(instance["index_key"], &key) // without one there is one instance
	return address + brackets(key)
}

// choose finds the changes of one configuration of the provider.
func (g *given) choose(configuration, source string) error {
	if err := g.findSource(source); err != nil {
		return err
	}
	keys, aliases := g.configurations(), map[string]string{}
	if len(keys) > 1 {
		aliases = g.aliases()
	}
	wanted, known := "", configuration == ""
	for key, alias := range keys {
		if alias == strings.TrimPrefix(configuration, "billing.") {
			wanted, known = key, true
		}
	}
	if !known {
		return fmt.Errorf("the plan has no provider configuration %q", configuration)
	}
	for _, c := range g.ResourceChanges {
		if c.Mode != tf.ManagedResourceMode || c.ProviderName != g.source || c.Change == nil || !matters(c) {
			continue
		}
		if len(keys) > 1 && g.configurationOf(c, aliases) != wanted {
			g.others++
			continue
		}
		g.changes = append(g.changes, &change{ResourceChange: c, before: plain.Members(c.Change.Before),
			after: plain.Members(c.Change.After), unknown: plain.Members(c.Change.AfterUnknown)})
	}
	g.name()
	return nil
}

// name names the changes in the folder.
func (g *given) name() {
	slices.SortFunc(g.changes, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.DeposedKey, b.DeposedKey))
	})
	keys, resources := map[string]string{}, map[[2]string]string{}
	g.byKey = map[string]*change{}
	for _, c := range g.changes {
		if keys[c.Address] == "" {
			keys[c.Address] = fmt.Sprintf("r%d", len(keys))
		}
		if resources[c.block()] == "" {
			resources[c.block()] = fmt.Sprintf("%s.b%d", c.Type, len(resources))
		}
		c.key, c.resource = keys[c.Address], resources[c.block()]
		if g.byKey[c.key] == nil || c.DeposedKey == "" {
			g.byKey[c.key] = c
		}
	}
}

// block is the block of a change: the module without keys, and type and name.
func (c *change) block() [2]string {
	return [2]string{strings.Join(namesOf(stepsOf(c.ModuleAddress)), "."), c.Type + "." + c.Name}
}

// label is the name of the resource in the folder.
func (c *change) label() string { return strings.TrimPrefix(c.resource, c.Type+".") }

// inFolder is the address of the change in the folder.
func (c *change) inFolder() string { return fmt.Sprintf("%s[%q]", c.resource, c.key) }

// findSource finds the address of the provider.
func (g *given) findSource(source string) error {
	others := map[string]string{}
	for _, c := range g.ResourceChanges {
		switch {
		case c.ProviderName == source, source == "" && strings.HasSuffix(c.ProviderName, ours):
			if g.source != "" && g.source != c.ProviderName {
				return fmt.Errorf("the plan has changes of %s and of %s: choose one with --provider-source", g.source,
					c.ProviderName)
			}
			g.source = c.ProviderName
		case strings.HasPrefix(c.Type, "billing_"):
			others[c.ProviderName] = c.Address
		}
	}
	if names := sorted(others); g.source == "" && len(names) > 0 {
		return fmt.Errorf("the plan has nothing of a provider whose address ends in %s, and %s is of %s: if that is this "+
			"provider, name it with --provider-source", ours, others[names[0]], names[0])
	}
	return nil
}

// lockedVersion is the version of the provider in the lock file of the plan; empty if it has none.
func (g *given) lockedVersion() string {
	var locks struct {
		Providers []struct {
			Address string   `hcl:"address,label"`
			Version string   `hcl:"version"`
			Rest    hcl.Body `hcl:",remain"`
		} `hcl:"provider,block"`
	}
	if hclsimple.Decode("lock.hcl", g.lock, nil, &locks) == nil {
		for _, of := range locks.Providers {
			if of.Address == g.source {
				return of.Version
			}
		}
	}
	return ""
}

// matters reports whether a change is not only the same object at the same address.
func matters(c *tf.ResourceChange) bool {
	return !c.Change.Actions.NoOp() && !c.Change.Actions.Read() || c.Change.Importing != nil || c.DeposedKey != "" ||
		c.PreviousAddress != ""
}

// configurations are the configurations of the provider in the root module: their keys, and their aliases.
func (g *given) configurations() map[string]string {
	keys := map[string]string{}
	if g.Config == nil {
		return keys
	}
	for key, of := range g.Config.ProviderConfigs {
		if (of.FullName == "" && of.Name == "billing" || of.FullName == g.source) && of.ModuleAddress == "" {
			keys[key] = of.Alias
		}
	}
	return keys
}

// configurationOf is the key of the configuration of the provider that a change uses: what the configuration says, or
// for an object that is no longer configured, the state.
func (g *given) configurationOf(c *tf.ResourceChange, aliases map[string]string) string {
	if block := g.configured(c); block != nil {
		return block.ProviderConfigKey
	}
	return strings.TrimSuffix("billing."+aliases[c.Address], ".")
}

// aliases are those of the configurations of the provider that the state names, by address.
func (g *given) aliases() map[string]string {
	all := map[string]string{}
	for _, row := range g.state {
		_, alias, _ := strings.Cut(row.Provider, "\"].")
		for _, instance := range row.Instances {
			all[row.address(instance)] = alias
		}
	}
	return all
}

// configured is the block of a resource in the JSON of the configuration; nil for none.
func (g *given) configured(c *tf.ResourceChange) *tf.ConfigResource {
	for _, of := range g.moduleOf(stepsOf(c.ModuleAddress)).Resources {
		if of.Type == c.Type && of.Name == c.Name && of.Mode == tf.ManagedResourceMode {
			return of
		}
	}
	return nil
}

// moduleOf is a module in the JSON of the configuration; an empty one for none.
func (g *given) moduleOf(at []step) *tf.ConfigModule {
	m := &tf.ConfigModule{}
	if g.Config != nil && g.Config.RootModule != nil {
		m = g.Config.RootModule
	}
	for _, s := range at {
		call := m.ModuleCalls[s.name]
		if call == nil || call.Module == nil {
			return &tf.ConfigModule{}
		}
		m = call.Module
	}
	return m
}

// counts are the changes of the plan as Terraform counts them.
func (g *given) counts() (n Counts) {
	for _, c := range g.ResourceChanges {
		if c.Mode != tf.ManagedResourceMode || c.Change == nil {
			continue
		}
		if c.Change.Importing != nil {
			n.Import++
		}
		for _, does := range c.Change.Actions {
			switch does {
			case tf.ActionCreate:
				n.Add++
			case tf.ActionUpdate:
				n.Change++
			case tf.ActionDelete:
				n.Destroy++
			case tf.ActionForget:
				n.Forget++
			}
		}
		if c.ProviderName == g.source && (plain.Action(c.Change.Actions) != "" || c.Change.Importing != nil) {
			n.Billing++
		}
	}
	return n
}

// secrets are the texts under a sensitive mark of the plan.
func (g *given) secrets() (all []string) {
	for _, c := range g.ResourceChanges {
		if c.Change != nil {
			all = append(all, marked(c.Change.Before, c.Change.BeforeSensitive)...)
			all = append(all, marked(c.Change.After, c.Change.AfterSensitive)...)
		}
	}
	return all
}

// shortestSecret is the length from which a marked text is hidden: a shorter one would hide parts of words.
const shortestSecret = 4

func marked(value, mark any) (all []string) {
	switch v := value.(type) {
	case string:
		if mark == true && len(v) >= shortestSecret {
			all = append(all, v)
		}
	case []any:
		marks, _ := mark.([]any)
		for i, one := range v {
			of := mark
			if mark != true {
				of = nil
				if i < len(marks) {
					of = marks[i]
				}
			}
			all = append(all, marked(one, of)...)
		}
	case map[string]any:
		marks, _ := mark.(map[string]any)
		for name, one := range v {
			of := mark
			if mark != true {
				of = marks[name]
			}
			all = append(all, marked(one, of)...)
		}
	}
	return all
}
