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

	"github.com/gofrs/flock"
)

// workspace is a temporary folder that repeats the path of a configuration. In it are copies of the files of the root
// module, without their backend, and links to everything else: in the folder of the configuration, and beside it and
// its parents up to the root of the repository. So whatever Terraform reads is there, and nothing else is read.
type workspace struct {
	temporary string // all of it
	folder    string // the configuration inside
	original  string // the user's
	data      string // Terraform's data folder, inside folder
	plugins   string // the providers that the user's folder has installed; "" for none
	fresh     bool   // init has installed nothing in the user's folder
	lock      *flock.Flock
	notLinked []string // what could be neither linked nor copied
	// invalid are the errors of the root module that keep Terraform from reading it.
	invalid []Diagnostic
}

// prefix begins the names of the temporary folders, which may be in the folder that is repeated.
const prefix = "billing-rehearsal-"

// lockFile ends the names of the locks. A running rehearsal holds its own, so that no other one removes its folder.
const lockFile = ".lock"

// upward is how many parents of a folder that is in no repository are repeated.
const upward = 2

// Files of a folder that Terraform writes by itself; the workspace has its own.
const (
	stateFile   = "terraform.tfstate"
	stateFolder = "terraform.tfstate.d"
	lockedFile  = ".terraform.lock.hcl"
)

// prepare repeats the configuration. data is the folder in which Terraform keeps modules and providers; empty means
// .terraform.
func prepare(folder, data, temporary string) (w *workspace, err error) {
	if temporary, err = filepath.Abs(cmp.Or(temporary, os.TempDir())); err != nil {
		return nil, err
	}
	sweep(temporary)
	w = &workspace{original: folder}
	if err := w.reserve(temporary); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.remove())
		}
	}()
	root := rootOf(folder)
	inside, err := filepath.Rel(root, folder)
	if err != nil {
		return w, err
	}
	// The last folders of the path have the same names, because configurations use them as labels.
	w.folder = filepath.Join(w.temporary, "files", filepath.Base(root), inside)
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return w, err
	}
	for from, to := folder, w.folder; from != root; {
		name := filepath.Base(from)
		from, to = filepath.Dir(from), filepath.Dir(to)
		if err := w.link(from, to, func(entry string) bool { return entry == name }); err != nil {
			return w, err
		}
	}
	return w, w.fill(cmp.Or(data, ".terraform"))
}

// fill repeats the folder of the configuration itself.
func (w *workspace) fill(data string) error {
	w.data = ".terraform"
	if filepath.Base(data) == data { // a path would lead through a link to the user's own
		w.data = data
	}
	if !filepath.IsAbs(data) {
		data = filepath.Join(w.original, data)
	}
	if err := w.configureAll(); err != nil {
		return err
	}
	err := w.link(w.original, w.folder, func(entry string) bool {
		return isConfiguration(entry) || isState(entry) || entry == lockedFile || entry == ".terraform" || entry == w.data
	})
	if err != nil {
		return err
	}
	if err := copyFile(lockedFile, w.original, w.folder); err != nil {
		return err
	}
	return w.install(data)
}

// copyFile copies a file into another folder, if there is one.
func copyFile(name, from, to string) error {
	content, err := os.ReadFile(filepath.Join(from, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, name), content, 0o600)
}

// isState reports whether a file or folder is one that Terraform writes a local state to.
func isState(name string) bool {
	return strings.HasPrefix(name, stateFile) || strings.HasPrefix(name, "."+stateFile)
}

// configureAll copies the root module.
func (w *workspace) configureAll() error {
	entries, err := os.ReadDir(w.original)
	if err != nil {
		return err
	}
	found := false
	for _, entry := range entries {
		if !isConfiguration(entry.Name()) || entry.IsDir() {
			continue
		}
		found = true
		if err := w.configure(entry.Name()); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s has no Terraform configuration: run this in the folder of one", w.original)
	}
	return nil
}

// configure copies a file of the root module without its backend.
func (w *workspace) configure(name string) error {
	content, err := os.ReadFile(filepath.Join(w.original, name))
	if err != nil {
		return err
	}
	content, invalid := withoutBackend(name, content)
	w.invalid = append(w.invalid, invalid...)
	return os.WriteFile(filepath.Join(w.folder, name), content, 0o600)
}

// install links the modules that the user's folder has, and finds its providers.
func (w *workspace) install(data string) error {
	to := filepath.Join(w.folder, w.data, "modules")
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	from := filepath.Join(data, "modules")
	if exists(from) {
		const manifest = "modules.json"
		if err := w.link(from, to, func(entry string) bool { return entry == manifest }); err != nil {
			return err
		}
		if err := copyFile(manifest, from, to); err != nil {
			return err
		}
	}
	if plugins := filepath.Join(data, "providers"); exists(plugins) {
		w.plugins = plugins
	}
	w.fresh = w.plugins == ""
	return nil
}

// link links the entries of a folder, except some, and except the one that has the temporary folder in it: a link to
// that would contain itself.
func (w *workspace) link(from, to string, except func(entry string) bool) error {
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(from, name)
		inside := strings.HasPrefix(w.temporary+string(filepath.Separator), path+string(filepath.Separator))
		if except(name) || inside || strings.HasPrefix(name, prefix) {
			continue
		}
		if err := os.Symlink(path, filepath.Join(to, name)); err != nil {
			w.copy(path, filepath.Join(to, name))
		}
	}
	return nil
}

// mostBytes is the size of the largest file that is copied where links are not possible.
const mostBytes = 50 << 20

// copy copies a file or a folder where it cannot be linked: on Windows without the right to make links.
func (w *workspace) copy(from, to string) {
	info, err := os.Stat(from)
	switch {
	case err == nil && info.IsDir():
		err = os.CopyFS(to, os.DirFS(from))
	case err == nil && info.Mode().IsRegular() && info.Size() <= mostBytes:
		err = copyFile(filepath.Base(from), filepath.Dir(from), filepath.Dir(to))
	case err == nil:
		err = fs.ErrInvalid
	}
	if err != nil {
		w.notLinked = append(w.notLinked, from)
	}
}

// rootOf returns the root of the repository that a folder is in, or else one of its parents.
func rootOf(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	for range upward {
		folder = filepath.Dir(folder)
	}
	return folder
}

// reserve makes the temporary folder, and holds its lock.
func (w *workspace) reserve(temporary string) error {
	for {
		file, err := os.CreateTemp(temporary, prefix+"*"+lockFile)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
		w.lock = flock.New(file.Name())
		held, err := w.lock.TryLock()
		if err != nil {
			return errors.Join(err, os.Remove(file.Name()))
		}
		if held && exists(file.Name()) {
			break
		}
		_ = w.lock.Close() // another run was faster, and has removed it as a leftover
	}
	w.temporary = strings.TrimSuffix(w.lock.Path(), lockFile)
	if err := os.Mkdir(w.temporary, 0o700); err != nil {
		return err
	}
	return os.MkdirAll(w.scratch(), 0o700)
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
func (w *workspace) remove() error {
	err := errors.Join(os.RemoveAll(w.temporary), os.Remove(w.lock.Path()))
	return errors.Join(err, w.lock.Close())
}

// scratch is where the programs write temporary files, such as the sockets of plugins.
func (w *workspace) scratch() string { return filepath.Join(w.temporary, "tmp") }

// longestScratch is the length of the longest folder that sockets of plugins fit in.
const longestScratch = 64

// variables are those that every run needs. Without room for sockets in the temporary folder, they are where the user's
// runs have them, and stay there after a kill.
func (w *workspace) variables() map[string]string {
	if len(w.scratch()) > longestScratch {
		return map[string]string{}
	}
	return map[string]string{"TMPDIR": w.scratch()}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// endings are those of the files that Terraform or OpenTofu read as configuration.
var endings = []string{".tf", ".tf.json", ".tofu", ".tofu.json"}

func isConfiguration(name string) bool {
	ignored := strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#")
	return !ignored && slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// defaultWorkspace is the name that Terraform gives the first workspace.
const defaultWorkspace = "default"

// states is the folder of the states. It is none that a configuration knows.
func (w *workspace) states() string { return filepath.Join(w.temporary, "state") }

// probe is the name of a Terraform workspace that no configuration has.
const probe = "billing-rehearsal"

// initialize installs the providers and modules: those of the user's folder, where it has them. Before, it has the
// program prove that it works in the temporary folder, and afterwards, that its only backend is there.
func (w *workspace) initialize(ctx context.Context, tf terraform) error {
	selection := filepath.Join(w.folder, w.data, "environment")
	if err := os.WriteFile(selection, []byte(probe), 0o600); err != nil {
		return err
	}
	shown, err := tf.run(ctx, "workspace", "show")
	if err != nil {
		return err
	}
	if name := strings.TrimSpace(string(shown)); name != probe {
		return fmt.Errorf("%s does not work in the folder in which it is started, or with the workspace that is selected "+
			"there (\"workspace show\" prints %q): a program that changes the folder or sets TF_WORKSPACE, TF_DATA_DIR or -chdir "+
			"cannot be used for a rehearsal; set these variables outside of it", tf.program, name)
	}
	if err := os.Remove(selection); err != nil {
		return err
	}
	backend := map[string]any{"terraform": map[string]any{"backend": map[string]any{"local": map[string]any{
		"path": filepath.Join(w.states(), stateFile), "workspace_dir": filepath.Join(w.states(), stateFolder)}}}}
	content, err := json.Marshal(backend)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.folder, prefix+"backend.tf.json"), content, 0o600); err != nil {
		return err
	}
	arguments := []string{"init", "-input=false", "-no-color", "-reconfigure"}
	if exists(filepath.Join(w.folder, lockedFile)) {
		arguments = append(arguments, "-lockfile=readonly")
	}
	if w.plugins != "" {
		arguments = append(arguments, "-plugin-dir="+w.plugins)
	}
	_, failed := tf.run(ctx, arguments...)
	if err := w.prove(); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// prove checks Terraform's own record of the backend that is in use.
func (w *workspace) prove() error {
	record := filepath.Join(w.folder, w.data, stateFile)
	content, err := os.ReadFile(record)
	if err != nil {
		return fmt.Errorf("nothing proves which backend is in use: %w", err)
	}
	var of struct {
		Backend struct {
			Type   string `json:"type"`
			Config struct {
				Path         string `json:"path"`
				WorkspaceDir string `json:"workspace_dir"`
			} `json:"config"`
		} `json:"backend"`
	}
	if err := json.Unmarshal(content, &of); err != nil {
		return fmt.Errorf("nothing proves which backend is in use: %s: %w", record, err)
	}
	b := of.Backend
	if b.Type != "local" || b.Config.Path != filepath.Join(w.states(), stateFile) ||
		b.Config.WorkspaceDir != filepath.Join(w.states(), stateFolder) {
		return fmt.Errorf("the backend in use is %q, and not the one of the rehearsal: nothing was applied", b.Type)
	}
	return nil
}

// put writes the state where the backend of the rehearsal has it, and links the states in the user's folder, which
// terraform_remote_state can read.
func (w *workspace) put(state []byte, name string) error {
	if err := w.link(w.original, w.folder, func(entry string) bool { return !isState(entry) }); err != nil {
		return err
	}
	file := filepath.Join(w.states(), stateFile)
	if name != defaultWorkspace {
		file = filepath.Join(w.states(), stateFolder, name, stateFile)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil || len(state) == 0 {
		return err
	}
	return os.WriteFile(file, state, 0o600)
}
