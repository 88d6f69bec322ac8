package claims_test

import (
	"os"
	"strings"
	"testing"
)

// TestSectionsAreThoseOfTheGuide requires the heading that a failed claim is reported with to be in the guide.
func TestSectionsAreThoseOfTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/service-assumptions.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range allClaims() {
		if heading := claim.Section(); heading == "" || !strings.Contains(string(guide), "# "+heading+"\n") {
			t.Errorf("%s: the guide has no heading %q", claim, heading)
		}
	}
}
