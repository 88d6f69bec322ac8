package apikey_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestDirect_tolerance: a key lives its life at servers that differ as the wire contract allows.
func TestDirect_tolerance(t *testing.T) {
	t.Parallel()
	for name, tolerance := range map[string]sandbox.Tolerance{
		"objects come bare":           {BareObjects: true},
		"no ETag, no Last-Modified":   {NoValidators: true},
		"null fields are left out":    {OmitNullFields: true},
		"unknown fields come along":   {UnknownFields: true},
		"errors are flat":             {FlatErrors: true},
		"empty lists are null":        {NullLists: true},
		"an item stands on two pages": {RepeatAcrossPages: true},
		"everything but errors": {BareObjects: true, NoValidators: true, OmitNullFields: true, UnknownFields: true,
			NullLists: true, RepeatAcrossPages: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t, acctest.RunningClock, acctest.Tolerating(tolerance))
			s := newSubject(t, service)
			plain := acctest.JSON{"name": "ci"}
			s.Set(plain)
			s.Reread()
			same(t, "changes", s.Plan(plain).Changes(t))
			rotating := func(version string) acctest.JSON {
				return acctest.JSON{"name": "ci", "rotate_when_changed": acctest.JSON{"version": version}}
			}
			s.Set(rotating("1"))
			first := s.token()
			s.Set(rotating("2"))
			s.works(first, s.token())
			if n := len(s.previous()); n != 1 {
				t.Errorf("%d predecessors", n)
			}
			s.Reread()
			same(t, "changes", s.Plan(rotating("2")).Changes(t))
			other := service.Direct("billing_api_key")
			if text := acctest.Errors(other.Import(s.ID())); text != "" {
				t.Error(text)
			}
			same(t, "changes after import", other.Plan(plain).Changes(t))
			second := s.token()
			s.Set(nil)
			s.refused(first, second)
		})
	}
}
