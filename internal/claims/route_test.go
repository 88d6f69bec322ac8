package claims_test

import (
	"os"
	"strings"
	"testing"
)

// TestSectionsAreThoseOfThePage requires the heading that a failed claim is reported with to be on the page.
func TestSectionsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../evidence/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range allClaims() {
		if heading := claim.Section(); heading == "" || !strings.Contains(string(page), "# "+heading+"\n") {
			t.Errorf("%s: the page has no heading %q", claim, heading)
		}
	}
}
