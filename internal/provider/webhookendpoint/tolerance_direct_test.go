package webhookendpoint_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestDirect_tolerance: an endpoint lives its life at servers that differ as the wire contract allows.
func TestDirect_tolerance(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]sandbox.Tolerance{
		"filters are ignored":         {IgnoreFilters: true},
		"objects come bare":           {BareObjects: true},
		"no ETag, no Last-Modified":   {NoValidators: true},
		"null fields are left out":    {OmitNullFields: true},
		"unknown fields come along":   {UnknownFields: true},
		"errors are flat":             {FlatErrors: true},
		"empty lists are null":        {NullLists: true},
		"an item stands on two pages": {RepeatAcrossPages: true},
		"everything but errors": {IgnoreFilters: true, BareObjects: true, NoValidators: true, OmitNullFields: true,
			UnknownFields: true, NullLists: true, RepeatAcrossPages: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t, acctest.Tolerating(tolerance))
			for range 2 { // so that the listings have several pages
				s.service.CallCollections("POST", endpoints, acctest.JSON{"url": "https://other.example.com/"})
			}
			s.Configure(nil)
			s.Settled(nil)
			full := acctest.JSON{"description": "d", "events": []any{"charge.paid"}, "authentication": kinds["basic"].configured}
			for _, lines := range []acctest.JSON{full, trigger("1"), trigger("2"), nil} {
				s.Configure(lines)
				s.Settled(lines)
			}
			secret := s.secret()
			s.fire()
			if !signedWith(s.last(), secret) {
				t.Error("the secret in the state is not the valid one")
			}
			other := s.service.Direct("billing_webhook_endpoint")
			if text := acctest.Errors(other.Import("url=" + s.receiver.URL)); text != "" || other.Text("id") != s.Text("id") {
				t.Errorf("imported %s: %s", other.Text("id"), text)
			}
			same(t, "changes after import", other.Plan(s.With(nil)).Changes(t))
			s.Set(nil)
		})
	}
}
