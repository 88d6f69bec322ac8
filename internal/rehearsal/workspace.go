package rehearsal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
)

// workspace is a temporary copy of a configuration's folder.
type workspace struct {
	temporary string // all of it
	folder    string // the configuration inside
	plugins   string // the providers that the user's folder has installed; "" for none
	fresh     bool   // init has installed nothing in the user's folder
	blocks    []block
}

// Limits of a copy: a configuration that refers to a folder above itself includes everything in it.
const (
	mostFiles = 20_000
	mostBytes = 200 << 20
)

// prefix begins the names of the temporary folders, which may be in the folder that is copied.
const prefix = "billing-rehearsal-"

// skipped are folders that a configuration does not read.
var skipped = []string{".git", ".terraform", "node_modules"}

// prepare copies the configuration, with what it refers to above its folder. data is the folder in which Terraform
// keeps modules and providers; empty means .terraform.
func prepare(folder, data, temporary string) (w *workspace, err error) {
	w = &workspace{}
	if w.temporary, err = os.MkdirTemp(temporary, prefix); err != nil { // mode 0700
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.remove())
		}
	}()
	root := folder
	up, err := above(folder)
	if err != nil {
		return w, err
	}
	for range up {
		root = filepath.Dir(root)
	}
	inside, err := filepath.Rel(root, folder)
	if err != nil {
		return w, err
	}
	w.folder = filepath.Join(w.temporary, inside)
	if err := copyTree(root, w.temporary); err != nil {
		return w, err
	}
	if data = cmp.Or(data, ".terraform"); !filepath.IsAbs(data) {
		data = filepath.Join(folder, data)
	}
	modules := filepath.Join(data, "modules")
	if _, err := os.Stat(modules); err == nil {
		if err := copyTree(modules, filepath.Join(w.folder, ".terraform", "modules")); err != nil {
			return w, err
		}
	}
	if plugins := filepath.Join(data, "providers"); exists(plugins) {
		w.plugins = plugins
	}
	w.fresh = w.plugins == ""
	if w.blocks, err = readBlocks(w.temporary); err != nil {
		return w, err
	}
	used := map[string]bool{}
	w.use(w.folder, "", used)
	w.blocks = slices.DeleteFunc(w.blocks, func(b block) bool { return !used[b.folder] })
	if !w.hasBackend() {
		return w, nil
	}
	backend := filepath.Join(w.folder, "rehearsal_backend_override.tf.json")
	return w, os.WriteFile(backend, []byte(`{"terraform":{"backend":{"local":{}}}}`+"\n"), 0o600)
}

// hasBackend reports whether the configuration has a backend, which must be overridden.
func (w *workspace) hasBackend() bool {
	return slices.ContainsFunc(w.blocks, func(b block) bool {
		if b.kind != "terraform" || b.folder != w.folder {
			return false
		}
		content, _, _ := b.body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
			{Type: "backend", LabelNames: []string{"type"}}, {Type: "cloud"}}})
		return len(content.Blocks) > 0
	})
}

func (w *workspace) remove() error { return os.RemoveAll(w.temporary) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// above is how many folders above its own the configuration refers to, such as 1 for a module in ../modules.
func above(folder string) (most int, err error) {
	found := false
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(folder, name)
		if entry.IsDir() {
			if err == nil && inside != "." && slices.Contains(skipped, entry.Name()) {
				return filepath.SkipDir
			}
			return err
		}
		if err != nil || !isConfiguration(entry.Name()) {
			return err
		}
		depth := strings.Count(inside, string(filepath.Separator))
		found = found || depth == 0
		text, err := os.ReadFile(name)
		for up := 1; strings.Contains(string(text), strings.Repeat("../", up)); up++ {
			most = max(most, up-depth)
		}
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("%s has no Terraform configuration: run this in the folder of one", folder)
	}
	return most, err
}

func isConfiguration(name string) bool {
	return strings.HasSuffix(name, ".tf") || strings.HasSuffix(name, ".tf.json")
}

// copyTree copies files, and no state: that is read from its backend.
func copyTree(from, to string) error {
	files, bytes := 0, int64(0)
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		inside, relative := filepath.Rel(from, name)
		if err = errors.Join(err, relative); err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if entry.IsDir() {
			if inside != "." && (slices.Contains(skipped, entry.Name()) || strings.HasPrefix(entry.Name(), prefix)) {
				return filepath.SkipDir
			}
			return os.MkdirAll(target, 0o700)
		}
		size, err := copyFile(name, target)
		if files, bytes = files+1, bytes+size; files > mostFiles || bytes > mostBytes {
			return fmt.Errorf("%s, to which the configuration refers, has more than %d files or %d MB: run this where the "+
				"folder holds less", from, mostFiles, mostBytes>>20)
		}
		return err
	})
}

// copyFile copies a file, or the folder that a link leads to, and returns the size. States, sockets and links to
// nothing are left out.
func copyFile(name, target string) (size int64, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), strings.Contains(filepath.Base(name), ".tfstate"):
		return 0, nil
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, copyTree(name+string(filepath.Separator), target)
	case !info.Mode().IsRegular():
		return 0, nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), os.WriteFile(target, content, 0o600|info.Mode()&0o100)
}

// block is what matters here of a block of a configuration.
type block struct {
	at     hcl.Range
	folder string
	kind   string // resource, data, module, provider, terraform
	labels []string
	body   hcl.Body
}

var blockSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "resource", LabelNames: []string{"type", "name"}}, {Type: "data", LabelNames: []string{"type", "name"}},
	{Type: "module", LabelNames: []string{"name"}}, {Type: "provider", LabelNames: []string{"name"}},
	{Type: "terraform"},
}}

// readBlocks reads the blocks of every configuration below a folder. What Terraform itself rejects is left to it.
func readBlocks(root string) (all []block, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isConfiguration(name) {
			return err
		}
		parser := hclparse.NewParser()
		parse := parser.ParseHCLFile
		if strings.HasSuffix(name, ".json") {
			parse = parser.ParseJSONFile
		}
		file, _ := parse(name)
		if file == nil || file.Body == nil {
			return nil
		}
		content, _, _ := file.Body.PartialContent(blockSchema)
		for _, b := range content.Blocks {
			all = append(all, block{b.DefRange, filepath.Dir(name), b.Type, b.Labels, b.Body})
		}
		return nil
	})
	return all, err
}

// text is an argument of a block that is a literal text; set reports whether the block has it at all.
func (b block) text(name string) (value string, set bool) {
	content, _, _ := b.body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: name}}})
	attribute, set := content.Attributes[name]
	if !set {
		return "", false
	}
	literal, diags := attribute.Expr.Value(nil)
	if diags.HasErrors() || literal.IsNull() || literal.Type().FriendlyName() != "string" {
		return "", true
	}
	return literal.AsString(), true
}

// ways are the arguments of the provider that lead to a service.
var ways = []string{"base_url", "token", "finance_base_url", "finance_token", "collections_base_url",
	"collections_api_key", "collections_auth_header", "ca_certificate_file"}

// localNames are the names that the configuration gives this provider.
func (w *workspace) localNames() []string {
	names := []string{"billing"}
	for _, b := range w.blocks {
		if b.kind != "terraform" {
			continue
		}
		content, _, _ := b.body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
			{Type: "required_providers"}}})
		for _, required := range content.Blocks {
			attributes, _ := required.Body.JustAttributes()
			for name, attribute := range attributes {
				pairs, _ := hcl.ExprMap(attribute.Expr)
				for _, pair := range pairs {
					source, diags := pair.Value.Value(nil)
					if !diags.HasErrors() && source.Type().FriendlyName() == "string" && !source.IsNull() &&
						strings.HasSuffix(source.AsString(), "recurring-billing/billing") {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}

// check rejects configurations that would reach more than the copy.
func (w *workspace) check(all bool) error {
	names := w.localNames()
	for _, b := range w.blocks {
		place := fmt.Sprintf("%s, line %d", filepath.Base(b.at.Filename), b.at.Start.Line)
		switch {
		case b.kind == "provider" && slices.Contains(names, b.labels[0]):
			for _, way := range ways {
				if _, set := b.text(way); set {
					return fmt.Errorf("the provider block in %s sets %s, which leads past the copy: remove it and set the "+
						"environment variable %s instead", place, way, variable(way))
				}
			}
		case b.kind == "resource" && isOurs(b.labels[0]) && !all:
			content, _, _ := b.body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
				{Type: "provisioner", LabelNames: []string{"type"}}}})
			if len(content.Blocks) > 0 {
				return fmt.Errorf("%s.%s in %s has a provisioner, which would run outside of the copy: remove it, or use --all "+
					"to run it", b.labels[0], b.labels[1], place)
			}
		}
	}
	return nil
}

// variable is the environment variable of an argument of the provider.
func variable(argument string) string { return "BILLING_" + strings.ToUpper(argument) }

func isOurs(typeName string) bool { return strings.HasPrefix(typeName, "billing_") }

// others are the types of resources of other providers, sorted.
func (w *workspace) others() (types []string) {
	for _, b := range w.blocks {
		if b.kind == "resource" && !isOurs(b.labels[0]) {
			types = append(types, b.labels[0])
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// targets are the addresses of the billing resources in a folder, and in the modules that it calls.
func (w *workspace) targets(folder, prefix string) (all []string) {
	for _, b := range w.blocks {
		if b.folder != folder {
			continue
		}
		switch {
		case b.kind == "resource" && isOurs(b.labels[0]):
			all = append(all, prefix+b.labels[0]+"."+b.labels[1])
		case b.kind == "module":
			source, _ := b.text("source")
			name := prefix + "module." + b.labels[0]
			if of := w.moduleFolder(folder, name, source); of != "" && of != folder {
				all = append(all, w.targets(of, name+".")...)
			}
		}
	}
	return all
}

// use adds a folder and the folders of the modules that it calls. Other copied folders are not part of the
// configuration.
func (w *workspace) use(folder, prefix string, used map[string]bool) {
	if used[folder] {
		return
	}
	used[folder] = true
	for _, b := range w.blocks {
		if b.kind == "module" && b.folder == folder {
			source, _ := b.text("source")
			name := prefix + "module." + b.labels[0]
			w.use(w.moduleFolder(folder, name, source), name+".", used)
		}
	}
}

// moduleFolder is where a module is: below the folder, or where init has put it.
func (w *workspace) moduleFolder(folder, name, source string) string {
	if strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../") {
		return filepath.Join(folder, source)
	}
	var manifest struct {
		Modules []struct{ Key, Dir string }
	}
	content, err := os.ReadFile(filepath.Join(w.folder, ".terraform", "modules", "modules.json"))
	if err != nil || json.Unmarshal(content, &manifest) != nil {
		return ""
	}
	key := strings.ReplaceAll(strings.ReplaceAll(name, "module.", ""), "..", ".")
	for _, m := range manifest.Modules {
		if m.Key == key {
			return filepath.Join(w.folder, m.Dir)
		}
	}
	return ""
}

// put writes the state where the local backend expects that of the workspace.
func (w *workspace) put(state []byte, name string) error {
	if len(state) == 0 {
		return nil
	}
	file := filepath.Join(w.folder, "terraform.tfstate")
	if name != defaultWorkspace {
		file = filepath.Join(w.folder, "terraform.tfstate.d", name, "terraform.tfstate")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, state, 0o600)
}

// defaultWorkspace is the name that Terraform gives the first workspace.
const defaultWorkspace = "default"

// initialize installs the providers and modules: those of the user's folder, where it has them.
func (w *workspace) initialize(ctx context.Context, tf terraform) error {
	arguments := []string{"init", "-input=false", "-no-color"}
	if exists(filepath.Join(w.folder, ".terraform.lock.hcl")) {
		arguments = append(arguments, "-lockfile=readonly")
	}
	if w.plugins != "" {
		arguments = append(arguments, "-plugin-dir="+w.plugins)
	}
	_, err := tf.run(ctx, arguments...)
	return err
}
