package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccSchemaIsWhatTerraformPrints compares with Terraform's output, for the parts that its version supports.
func TestAccSchemaIsWhatTerraformPrints(t *testing.T) {
	t.Parallel()
	terraform := acctest.NewTerraform(t)
	terraform.Write("main.tf", acctest.Versions)
	var printed, ours struct {
		Providers map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal([]byte(terraform.Run("providers", "schema", "-json")), &printed); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &ours); err != nil {
		t.Fatal(err)
	}
	if len(printed.Providers) != 1 || len(ours.Providers) != 1 {
		t.Fatalf("Terraform printed %d providers, and schema %d", len(printed.Providers), len(ours.Providers))
	}
	for _, theirs := range printed.Providers {
		for _, kind := range []string{"provider", "resource_schemas", "data_source_schemas", "functions"} {
			if theirs[kind] == nil {
				t.Errorf("the output of Terraform lacks %s", kind)
			}
		}
		for kind, want := range theirs {
			if got := ours.Providers[name][kind]; !reflect.DeepEqual(got, want) {
				t.Errorf("different %s: %s", kind, difference("", got, want))
			}
		}
	}
}

// difference returns the first difference between two JSON values.
func difference(path string, got, want any) string {
	g, gotObject := got.(map[string]any)
	w, wantObject := want.(map[string]any)
	if gotObject && wantObject {
		for key := range g {
			if _, exists := w[key]; !exists {
				return path + "." + key + " is in ours only"
			}
		}
		for key := range w {
			if !reflect.DeepEqual(g[key], w[key]) {
				return difference(path+"."+key, g[key], w[key])
			}
		}
	}
	text, _ := json.Marshal([]any{got, want})
	return path + ": " + string(text)
}
