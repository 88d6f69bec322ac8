package provider

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

func noErrors(t *testing.T, what string, diags diag.Diagnostics) {
	t.Helper()
	for _, d := range diags {
		t.Errorf("%s: %s: %s", what, d.Summary(), d.Detail())
	}
}

// TestSchemas: every schema that the provider offers follows the framework's rules. New types are covered by being
// registered.
func TestSchemas(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := &billingProvider{version: "test"}
	var schema provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &schema)
	noErrors(t, "provider", schema.Diagnostics)
	noErrors(t, "provider", schema.Schema.ValidateImplementation(ctx))

	for _, construct := range p.Resources(ctx) {
		r := construct()
		name := resourceName(t, r)
		var schema resource.SchemaResponse
		r.Schema(ctx, resource.SchemaRequest{}, &schema)
		noErrors(t, name, schema.Diagnostics)
		noErrors(t, name, schema.Schema.ValidateImplementation(ctx))
		if schema.Schema.MarkdownDescription == "" {
			t.Errorf("%s has no description", name)
		}
		identified, ok := r.(resource.ResourceWithIdentity)
		if !ok {
			t.Errorf("%s has no identity", name)
			continue
		}
		var identity resource.IdentitySchemaResponse
		identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
		noErrors(t, name+" (identity)", identity.Diagnostics)
		noErrors(t, name+" (identity)", identity.IdentitySchema.ValidateImplementation(ctx))
	}
	for _, construct := range p.DataSources(ctx) {
		d := construct()
		var metadata datasource.MetadataResponse
		d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: "billing"}, &metadata)
		var schema datasource.SchemaResponse
		d.Schema(ctx, datasource.SchemaRequest{}, &schema)
		noErrors(t, "data."+metadata.TypeName, schema.Diagnostics)
		noErrors(t, "data."+metadata.TypeName, schema.Schema.ValidateImplementation(ctx))
	}
	for _, construct := range p.ListResources(ctx) {
		l := construct()
		var schema list.ListResourceSchemaResponse
		l.ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &schema)
		noErrors(t, "list "+listName(t, l), schema.Diagnostics)
		noErrors(t, "list "+listName(t, l), schema.Schema.ValidateImplementation(ctx))
	}
}

func resourceName(t *testing.T, r resource.Resource) string {
	t.Helper()
	var metadata resource.MetadataResponse
	r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "billing"}, &metadata)
	return metadata.TypeName
}

func listName(t *testing.T, l list.ListResource) string {
	t.Helper()
	var metadata resource.MetadataResponse
	l.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "billing"}, &metadata)
	return metadata.TypeName
}

// TestRegistry: names start with the provider's, none comes twice, and what can be listed can be managed.
func TestRegistry(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := &billingProvider{version: "test"}
	var managed, read, listed []string
	for _, construct := range p.Resources(ctx) {
		managed = append(managed, resourceName(t, construct()))
	}
	for _, construct := range p.DataSources(ctx) {
		var metadata datasource.MetadataResponse
		construct().Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: "billing"}, &metadata)
		read = append(read, metadata.TypeName)
	}
	for _, construct := range p.ListResources(ctx) {
		listed = append(listed, listName(t, construct()))
	}
	for _, names := range [][]string{managed, read, listed} {
		if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
			t.Errorf("one comes twice: %v", names)
		}
		for _, name := range names {
			if !strings.HasPrefix(name, "billing_") {
				t.Errorf("%s does not start with billing_", name)
			}
		}
	}
	for _, name := range listed {
		if !slices.Contains(managed, name) {
			t.Errorf("%s can be listed, but not managed", name)
		}
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	var metadata provider.MetadataResponse
	New("1.2.3")().Metadata(t.Context(), provider.MetadataRequest{}, &metadata)
	if metadata.TypeName != "billing" || metadata.Version != "1.2.3" {
		t.Errorf("%+v", metadata)
	}
}

// TestConnect_reportsWhatIsMissing: a service without address or token is not an error until something needs it.
func TestConnect_reportsWhatIsMissing(t *testing.T) {
	t.Parallel()
	token := conn.ProviderArgument{Name: "token", Variable: "BILLING_TOKEN"}
	address := conn.ProviderArgument{Name: "base_url", Variable: "BILLING_BASE_URL"}
	for name, c := range map[string]struct {
		variables map[string]string
		missing   []conn.ProviderArgument
	}{
		"nothing":      {nil, []conn.ProviderArgument{address, token}},
		"address only": {map[string]string{"BILLING_BASE_URL": "https://a.example"}, []conn.ProviderArgument{token}},
		"token only":   {map[string]string{"BILLING_TOKEN": "x"}, []conn.ProviderArgument{address}},
		"both":         {map[string]string{"BILLING_BASE_URL": "https://a.example", "BILLING_TOKEN": "x"}, nil},
	} {
		s, diags := given{variables: c.variables}.resolve(t)
		noErrors(t, name, diags)
		connected := s.connect("agent", &billingProvider{}, &diags)
		noErrors(t, name, diags)
		if !slices.Equal(connected.Billing.Missing, c.missing) || connected.Billing.Ready != (len(c.missing) == 0) {
			t.Errorf("%s: missing %v, ready %v", name, connected.Billing.Missing, connected.Billing.Ready)
		}
	}
}

// TestConnect_certificates: a bundle that cannot be used is an error on its argument, which does not quote it.
func TestConnect_certificates(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for file, says := range map[string]string{filepath.Join(folder, "none.pem"): "no such file", folder: "is a folder",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n": "the certificate itself"} {
		s, diags := given{variables: map[string]string{"BILLING_CA_CERTIFICATE_FILE": file}}.resolve(t)
		s.connect("agent", &billingProvider{}, &diags)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), says) || strings.Contains(diags[0].Detail(), file) {
			t.Errorf("diagnostics %v", diags)
		}
	}
}
