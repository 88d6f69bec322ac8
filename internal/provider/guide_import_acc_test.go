package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccGuide_import follows section 1 of the import guide for any version, with the seed file that the guide links
// to: the configuration that Terraform generates is accepted and plans imports only.
func TestAccGuide_import(t *testing.T) {
	t.Parallel()
	seed, err := os.ReadFile(filepath.Join(examples, "adopting", "seed.json"))
	if err != nil {
		t.Fatal(err)
	}
	service := acctest.Start(t, func(o *sandbox.Options) { o.SeedDocument = seed })
	guide, err := os.ReadFile(filepath.Join(examples, "..", "docs", "guides", "import.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(guide), "With any version")
	_, config, opened := strings.Cut(after, "```terraform\n")
	config, _, closed := strings.Cut(config, "```")
	if !found || !opened || !closed {
		t.Fatal("the guide has no configuration for any version")
	}

	listing := newCommand(t, "").at(service)
	listing.write("main.tf", config)
	listing.must("apply", "-auto-approve")
	blocks := listing.raw("output", "-raw", "import_blocks")
	for _, subscription := range []string{"billing_subscription.", "billing_account.", "billing_customer."} {
		if !strings.Contains(blocks, subscription) {
			t.Fatalf("the import blocks have no %s:\n%s", subscription, blocks)
		}
	}
	adopting := newCommand(t, "provider \"billing\" {}\n").at(service)
	adopting.write("imports.tf", blocks)
	const nothing = "0 to add, 0 to change, 0 to destroy."
	for _, plan := range [][]string{{"plan", "-generate-config-out=generated.tf"}, {"plan"}} {
		if out := adopting.must(plan...); !strings.Contains(out, nothing) {
			t.Errorf("terraform %s does more than import:\n%s", strings.Join(plan, " "), out)
		}
	}
	if writes := wrote(service); len(writes) > 0 {
		t.Errorf("the service received %v", writes)
	}
}
