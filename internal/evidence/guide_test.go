package evidence_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// TestGuideListsEveryOperation holds the guide that explains the wire contract
// to the operations as they are.
func TestGuideListsEveryOperation(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/service-assumptions.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range evidence.Operations() {
		row := fmt.Sprintf("| `%s` | `%s %s`", operation.Name, operation.Method, operation.Path)
		if !strings.Contains(string(guide), row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
}
