package apikey_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccAPIKey_authHeader: the provider's key goes in the header that is configured.
func TestAccAPIKey_authHeader(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.CollectionsAuthHeader = "X-Api-Key" })
	run(t,
		resource.TestStep{Config: service.Config(named("")), ExpectError: regexp.MustCompile(`(?s)Status:\s+401.*`)},
		resource.TestStep{Config: service.Config(named(""), `collections_auth_header = "X-Api-Key"`)},
	)
}

// TestAccAPIKey_provider: a provider without collections names the arguments, their variables and what needed them; one
// whose key is rejected names the key.
func TestAccAPIKey_provider(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	without, wrong := *service, *service
	without.CollectionsURL, without.CollectionsKey = "", ""
	wrong.CollectionsKey = "ck_sandbox_00000000_0000000000000000000000000000000000000000"
	run(t,
		resource.TestStep{Config: without.Config(named("")), ExpectError: regexp.MustCompile(
			`(?s)collections_base_url\s+and\s+collections_api_key.*billing_api_key\s+needs.*BILLING_COLLECTIONS_BASE_URL.*BILLING_COLLECTIONS_API_KEY`)},
		resource.TestStep{Config: wrong.Config(named("")),
			ExpectError: regexp.MustCompile(`(?s)collections_api_key.*revoked\s+or\s+expired`)},
		resource.TestStep{Config: service.Config(named(""))},
	)
}

// TestAccAPIKey_scope: managing keys is administration, which a key without that scope may not do; the error names the
// scope.
func TestAccAPIKey_scope(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	limited := *service
	limited.CollectionsKey = service.MustCollections("POST", keys, acctest.JSON{"name": "limited"})["token"].(string)
	run(t,
		resource.TestStep{Config: limited.Config(named("")),
			ExpectError: regexp.MustCompile(`(?s)lacks\s+a\s+permission:\s+it\s+needs\s+api_keys:`)},
		resource.TestStep{Config: service.Config(named(""))},
	)
}
