package finance

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// The description lists exactly the routes served, with their path, method and name.
func TestDescriptionHasTheRoutes(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, r := range new(Service).Routes() {
		want[r.Method+" "+r.Pattern] = r.Name
	}
	named := map[string]string{}
	for _, operation := range evidence.Operations() {
		if strings.HasPrefix(operation.Name, "finance.") {
			named[operation.Method+" "+operation.Path] = operation.Name
		}
	}
	got := map[string]string{}
	for path, item := range described(t)["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			got[strings.ToUpper(method)+" "+path] = operation.(map[string]any)["operationId"].(string)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("described %v, served %v", got, want)
	}
	if !maps.Equal(got, named) {
		t.Errorf("described %v, in the wire contract %v", got, named)
	}
}

// described returns the description as served.
func described(t *testing.T) map[string]any {
	t.Helper()
	text, err := openAPIJSON()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// fieldSamples are JSON values for which a schema and its rule might disagree.
var fieldSamples = map[string][]string{
	"company_id": {
		`"7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"`, `"7B0D3C1E-52F4-4A63-8C1D-1F2E3D4C5B6A"`,
		`"00000000-0000-0000-0000-000000000000"`, `"7b0d3c1e52f44a638c1d1f2e3d4c5b6a"`,
		`"{7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a}"`, `"urn:uuid:7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"`,
		`"7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6"`, `"7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6g"`,
		`"7b0d3c1e052f4-4a63-8c1d-1f2e3d4c5b6a"`,
	},
	"occurred_at": {
		`"2026-03-01"`, `"2024-02-29"`, `"2026-02-29"`, `"2026-02-30"`, `"2026-13-01"`, `"2026-3-1"`,
		`"26-03-01"`, `"20260301"`, `"2026-03-01T12:00:00Z"`, `"2026-03-01T12:00:00.123Z"`,
		`"2026-03-01T12:00:00.123456789-03:00"`, `"2026-03-01T12:00:00+23:59"`, `"2026-03-01T12:00:00"`,
		`"2026-03-01T12:00Z"`, `"2026-03-01 12:00:00Z"`, `"2026-03-01t12:00:00Z"`, `"2026-03-01T12:00:00z"`,
		`"2026-03-01T1:00:00Z"`, `"2026-03-01T12:00:00,5Z"`, `"2026-03-01T12:00:00.Z"`, `"2026-03-01T24:00:00Z"`,
		`"2026-03-01T23:59:60Z"`, `"2016-12-31T23:59:60Z"`, `"2026-03-01T12:60:00Z"`, `"2026-03-01T12:00:00+24:00"`,
		`"2026-03-01T12:00:00+03:60"`, `"2026-03-01T12:00:00+0300"`, `"2026-03-01T12:00:00-00:00"`, `"0000-01-01"`,
		`"2026-03-01\n"`, `"Sun, 01 Mar 2026"`,
	},
	"amount": {
		`"10.50"`, `"0.01"`, `"010.00"`, `"999999999999999.99"`, `"9999999999999999.99"`, `"0.00"`, `"000.00"`, `"10.5"`,
		`"10"`, `"10.500"`, `".50"`, `"-10.50"`, `"+10.50"`, `"1e2"`, `"10,50"`, `"1 000.00"`, `" 10.50"`, `"10.50\n"`,
		`"1/2"`, `"0x10.50"`, `"١٠.٥٠"`, `"NaN"`,
	},
	"type": {`"debit"`, `"credit"`, `"Debit"`, `"debit "`, `"payable"`},
	"name": {`"Ana"`, `" Ana "`, `"\n.\n"`, `" "`, `"\t\r\n\u000b\f"`, `"\u00a0"`, `"\u0085"`, `"\u2003\u2028\u3000"`,
		`"\u200b"`, `"\u0000"`},
}

// A schema accepts the same values as its rule.
func TestSchemasAgreeWithTheRules(t *testing.T) {
	t.Parallel()
	schemas := described(t)["components"].(map[string]any)["schemas"].(map[string]any)
	properties := schemas["Fields"].(map[string]any)["properties"].(map[string]any)
	if got, want := slices.Sorted(maps.Keys(properties)), slices.Sorted(maps.Keys(recordRules)); !slices.Equal(got, want) {
		t.Fatalf("schemas of %v, rules of %v", got, want)
	}
	for name, rule := range recordRules {
		taken, refused := 0, 0
		schema := compileField(t, name)
		for _, sample := range append(fieldSamples[name], `""`, `1`, `10.50`, `true`, `[]`, `{}`, `["x"]`) {
			value, err := server.Decode([]byte(sample))
			if err != nil {
				t.Fatalf("%s %s: %v", name, sample, err)
			}
			p := server.Problems{}
			rule.Check(p, name, value)
			if invalid := schema.Validate(value); (invalid == nil) != (len(p) == 0) {
				t.Errorf("%s %s: the rule says %q, the schema %v", name, sample, p[name], invalid)
			}
			taken, refused = taken+1-len(p), refused+len(p)
		}
		if taken == 0 || refused == 0 {
			t.Errorf("%s: %d samples are accepted and %d are rejected", name, taken, refused)
		}
		if err := schema.Validate(nil); err != nil {
			t.Errorf("%s: null is rejected: %v", name, err)
		}
	}
}

func compileField(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := openAPIJSON()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("openapi.json#/components/schemas/Fields/properties/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
