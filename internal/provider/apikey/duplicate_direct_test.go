package apikey_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestDirect_duplicate: a working key of the same name that is not in the state is a warning with its import block.
func TestDirect_duplicate(t *testing.T) {
	t.Parallel()
	const summary = "An API key with this name exists already"
	s := prepare(t)
	create := func() (id, token string) {
		made := s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})
		return made["id"].(string), made["token"].(string)
	}
	revoked, _ := create()
	s.service.MustCollections("DELETE", keys+"/"+revoked, nil)
	if text := s.Configure(nil); text != "" {
		t.Errorf("nothing exists: %s", text)
	}
	s.Configure(trigger("1", nil))
	s.Configure(trigger("2", nil))
	// Neither the key of the state nor its predecessor counts.
	if text := acctest.Warnings(s.PlanReplace(s.With(trigger("2", nil))).Diagnostics); text != "" {
		t.Error(text)
	}
	unused, _ := create()
	used, token := create()
	s.works(token)
	s.Direct = s.service.Direct("billing_api_key")
	said := s.Configure(nil)
	says(t, said, `AttributeName("name")`, summary, unused+" (created 2", "never used", used+" (created 2", "last used 2",
		"to = billing_api_key.this", `id = "`+unused+`"`)
	s.works(s.token(), token)
}
