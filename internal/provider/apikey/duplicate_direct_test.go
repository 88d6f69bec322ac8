package apikey_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestDirect_duplicate: working keys of the same name are a warning with their import blocks.
func TestDirect_duplicate(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	create := func() (id, token string) {
		made := s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})
		return made["id"].(string), made["token"].(string)
	}
	revoked, _ := create()
	s.service.MustCollections("DELETE", keys+"/"+revoked, nil)
	if text := acctest.Warnings(s.Plan(s.With(nil)).Diagnostics); text != "" {
		t.Errorf("nothing exists: %s", text)
	}
	unused, _ := create()
	used, token := create()
	s.works(token)
	s.Direct = s.service.Direct("billing_api_key")
	says(t, s.Configure(nil), `AttributeName("name")`, `API key with the name "ci" exists already (id `+unused+", "+used,
		"never used", "last used 2", "to = billing_api_key.this", `id = "`+unused+`"`)
	s.works(s.token(), token)
}
