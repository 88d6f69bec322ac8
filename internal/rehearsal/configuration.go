package rehearsal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// withoutBackend returns a file of a root module without its backend and cloud blocks. What Terraform cannot parse
// stays as it is, with the errors.
func withoutBackend(name string, content []byte) ([]byte, []Diagnostic) {
	if strings.HasSuffix(name, ".json") {
		changed, err := withoutBackendJSON(content)
		if err != nil {
			return content, []Diagnostic{{Place: name, Summary: "Invalid JSON", Detail: err.Error()}}
		}
		return changed, nil
	}
	file, diags := hclwrite.ParseConfig(content, name, hcl.InitialPos)
	if diags.HasErrors() {
		return content, parseErrors(diags)
	}
	removed := false
	for _, block := range file.Body().Blocks() {
		if block.Type() != "terraform" {
			continue
		}
		for _, inner := range block.Body().Blocks() {
			if inner.Type() == "backend" || inner.Type() == "cloud" {
				removed = block.Body().RemoveBlock(inner) || removed
			}
		}
	}
	if !removed {
		return content, nil
	}
	return file.Bytes(), nil
}

func parseErrors(diags hcl.Diagnostics) (all []Diagnostic) {
	for _, d := range diags.Errs() {
		one := Diagnostic{Summary: d.Error()}
		if of := new(hcl.Diagnostic); errors.As(d, &of) {
			one = Diagnostic{Summary: of.Summary, Detail: of.Detail}
			if of.Subject != nil {
				one.Place = fmt.Sprintf("%s, line %d", of.Subject.Filename, of.Subject.Start.Line)
			}
		}
		all = append(all, one)
	}
	return all
}

// member is a member of a JSON object, in which HCL allows a name twice.
type member struct {
	name  string
	value json.RawMessage
}

func members(content []byte) (all []member, err error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.Join(err, errors.New("the file does not contain a JSON object"))
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, member{fmt.Sprint(name), value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return all, nil
}

// withoutMembers removes members of an object, and changes the value of others.
func withoutMembers(content []byte, change func(member) (_ json.RawMessage, err error)) ([]byte, error) {
	all, err := members(content)
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, one := range all {
		value, err := change(one)
		if err != nil {
			return nil, err
		}
		if value != nil {
			name, _ := json.Marshal(one.name) //nolint:errchkjson // a string
			kept = append(kept, string(name)+":"+string(value))
		}
	}
	return []byte("{" + strings.Join(kept, ",") + "}"), nil
}

func withoutBackendJSON(content []byte) ([]byte, error) {
	settings := func(one member) (json.RawMessage, error) {
		if one.name == "backend" || one.name == "cloud" {
			return nil, nil
		}
		return one.value, nil
	}
	return withoutMembers(content, func(one member) (json.RawMessage, error) {
		if one.name != "terraform" {
			return one.value, nil
		}
		var several []json.RawMessage
		if json.Unmarshal(one.value, &several) != nil {
			return withoutMembers(one.value, settings)
		}
		for i := range several {
			changed, err := withoutMembers(several[i], settings)
			if err != nil {
				return nil, err
			}
			several[i] = changed
		}
		return json.Marshal(several)
	})
}

// removedProvisioners returns the places of removed blocks with provisioners, in the root module and the modules that
// it calls: a plan does not show these.
func (w *workspace) removedProvisioners() (places []string, err error) {
	folders := map[string]bool{w.folder: true}
	var manifest struct {
		Modules []struct{ Dir string }
	}
	content, err := os.ReadFile(filepath.Join(w.folder, w.data, "modules", "modules.json"))
	if err == nil {
		err = json.Unmarshal(content, &manifest)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, of := range manifest.Modules {
		if !filepath.IsAbs(of.Dir) {
			of.Dir = filepath.Join(w.folder, of.Dir)
		}
		folders[of.Dir] = true
	}
	for folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if isConfiguration(entry.Name()) && !entry.IsDir() {
				places = append(places, removedIn(filepath.Join(folder, entry.Name()))...)
			}
		}
	}
	return places, nil
}

// removedIn returns the places of removed blocks with provisioners in a file.
func removedIn(name string) (places []string) {
	parser := hclparse.NewParser()
	parse := parser.ParseHCLFile
	if strings.HasSuffix(name, ".json") {
		parse = parser.ParseJSONFile
	}
	file, _ := parse(name)
	if file == nil || file.Body == nil {
		return nil // Terraform rejects it
	}
	content, _, _ := file.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "removed"}}})
	for _, block := range content.Blocks {
		inner, _, _ := block.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
			{Type: "provisioner", LabelNames: []string{"type"}}}})
		if len(inner.Blocks) > 0 {
			places = append(places, fmt.Sprintf("%s, line %d", filepath.Base(name), block.DefRange.Start.Line))
		}
	}
	return places
}
