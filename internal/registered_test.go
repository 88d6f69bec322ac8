package internal_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

const providerType = "billing"

// registered is a resource, function or other item that the provider registers.
type registered struct {
	kind     string // the folder of tfplugindocs
	name     string // with the provider's prefix, except for functions
	examples []string
	// attributes maps its arguments and results to their descriptions.
	attributes map[string]string
}

func (r registered) String() string { return r.kind + " " + r.name }

// page returns the path of its documentation.
func (r registered) page() string {
	return filepath.Join(root, "docs", r.kind, strings.TrimPrefix(r.name, providerType+"_")+".md")
}

// everything returns everything that the provider registers.
func everything(t *testing.T) []registered {
	t.Helper()
	p := provider.New("test")()
	all := slices.Concat(resources(t, p), dataSources(t, p), listResources(t, p), others(t, p))
	if len(all) == 0 {
		t.Fatal("the provider registers nothing")
	}
	return all
}

func resources(t *testing.T, p frameworkprovider.Provider) []registered {
	var all []registered
	for _, create := range p.Resources(t.Context()) {
		r, meta, schema := create(), resource.MetadataResponse{}, resource.SchemaResponse{}
		r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: providerType}, &meta)
		r.Schema(t.Context(), resource.SchemaRequest{}, &schema)
		examples := []string{"resource.tf"}
		if _, imports := r.(resource.ResourceWithImportState); imports {
			examples = append(examples, "import.sh", "import-by-string-id.tf")
		}
		if _, identified := r.(resource.ResourceWithIdentity); identified {
			examples = append(examples, "import-by-identity.tf")
		}
		all = append(all, registered{kind: "resources", name: meta.TypeName, examples: examples,
			attributes: describe(schema.Schema.Attributes)})
	}
	return all
}

func dataSources(t *testing.T, p frameworkprovider.Provider) []registered {
	var all []registered
	for _, create := range p.DataSources(t.Context()) {
		d, meta, schema := create(), datasource.MetadataResponse{}, datasource.SchemaResponse{}
		d.Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: providerType}, &meta)
		d.Schema(t.Context(), datasource.SchemaRequest{}, &schema)
		all = append(all, registered{kind: "data-sources", name: meta.TypeName, examples: []string{"data-source.tf"},
			attributes: describe(schema.Schema.Attributes)})
	}
	return all
}

func listResources(t *testing.T, p frameworkprovider.Provider) []registered {
	var all []registered
	if p, ok := p.(frameworkprovider.ProviderWithListResources); ok {
		for _, create := range p.ListResources(t.Context()) {
			l, meta, schema := create(), resource.MetadataResponse{}, list.ListResourceSchemaResponse{}
			l.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: providerType}, &meta)
			l.ListResourceConfigSchema(t.Context(), list.ListResourceSchemaRequest{}, &schema)
			all = append(all, registered{kind: "list-resources", name: meta.TypeName,
				examples: []string{"list-resource.tfquery.hcl"}, attributes: describe(schema.Schema.Attributes)})
		}
	}
	return all
}

// others returns the items of less common kinds.
func others(t *testing.T, p frameworkprovider.Provider) []registered {
	var all []registered
	if p, ok := p.(frameworkprovider.ProviderWithEphemeralResources); ok {
		for _, create := range p.EphemeralResources(t.Context()) {
			e, meta, schema := create(), ephemeral.MetadataResponse{}, ephemeral.SchemaResponse{}
			e.Metadata(t.Context(), ephemeral.MetadataRequest{ProviderTypeName: providerType}, &meta)
			e.Schema(t.Context(), ephemeral.SchemaRequest{}, &schema)
			all = append(all, registered{kind: "ephemeral-resources", name: meta.TypeName,
				examples: []string{"ephemeral-resource.tf"}, attributes: describe(schema.Schema.Attributes)})
		}
	}
	if p, ok := p.(frameworkprovider.ProviderWithActions); ok {
		for _, create := range p.Actions(t.Context()) {
			a, meta, schema := create(), action.MetadataResponse{}, action.SchemaResponse{}
			a.Metadata(t.Context(), action.MetadataRequest{ProviderTypeName: providerType}, &meta)
			a.Schema(t.Context(), action.SchemaRequest{}, &schema)
			all = append(all, registered{kind: "actions", name: meta.TypeName, examples: []string{"action.tf"},
				attributes: describe(schema.Schema.Attributes)})
		}
	}
	if p, ok := p.(frameworkprovider.ProviderWithFunctions); ok {
		for _, create := range p.Functions(t.Context()) {
			f, meta := create(), function.MetadataResponse{}
			f.Metadata(t.Context(), function.MetadataRequest{}, &meta)
			all = append(all, registered{kind: "functions", name: meta.Name, examples: []string{"function.tf"}})
		}
	}
	return all
}

func describe[A interface{ GetMarkdownDescription() string }](attributes map[string]A) map[string]string {
	described := map[string]string{}
	for name, attribute := range attributes {
		described[name] = attribute.GetMarkdownDescription()
	}
	return described
}

func TestEverythingHasExamplesAndAPage(t *testing.T) {
	t.Parallel()
	for _, r := range everything(t) {
		for _, name := range r.examples {
			path := filepath.Join("examples", r.kind, r.name, name)
			content, err := os.ReadFile(filepath.Join(root, path))
			if err != nil || len(strings.TrimSpace(string(content))) == 0 {
				t.Errorf("the example %[2]s of %[1]s is missing", r, path)
			}
		}
		if _, err := os.Stat(r.page()); err != nil {
			t.Errorf("the page of %s is missing: run make docs", r)
		}
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	for _, r := range everything(t) {
		for name, description := range r.attributes {
			if description == "" {
				t.Errorf("%s: the description of %s is missing", r, name)
			}
		}
	}
}
