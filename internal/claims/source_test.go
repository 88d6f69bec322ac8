package claims_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

var (
	sourceForm = regexp.MustCompile(
		`^((?:Recurring billing|Financial management|Collections) §[1-9] |[Ww]ire contract: [a-z_]+\.[a-z_.]+)`)
	namedForm = regexp.MustCompile(`[Ww]ire contract: ([a-z_]+\.[a-z_.]+[a-z])`)
)

var (
	uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// signed is the value of the header X-Webhook-Signature.
func signed(secret string, timestamp int64, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", timestamp, body) // a hash takes everything
	return fmt.Sprintf("t=%d,v1=%s", timestamp, hex.EncodeToString(mac.Sum(nil)))
}

// checkSource requires a source to name a section of a service description or an operation that exists.
func checkSource(t *testing.T, source string) {
	t.Helper()
	if !sourceForm.MatchString(source) {
		t.Errorf("source %q names neither a section nor an operation", source)
	}
	if named := namedForm.FindStringSubmatch(source); named != nil && !isOperation(named[1]) {
		t.Errorf("source %q names the unknown operation %q", source, named[1])
	}
}

func isOperation(name string) bool {
	return slices.ContainsFunc(evidence.Operations(), func(o evidence.Operation) bool { return o.Name == name })
}

// TestClaimsCoverFinance holds the claims about financial management to its
// operations: each is named by a claim, and each that is named exists.
func TestClaimsCoverFinance(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`finance\.[a-z_.]+[a-z]`)
	claimed := map[string]bool{}
	for _, claim := range claims.FinanceClaims() {
		for _, name := range named.FindAllString(claim.Source, -1) {
			claimed[name] = true
			if !isOperation(name) {
				t.Errorf("%s names the unknown operation %s", claim, name)
			}
		}
	}
	for _, operation := range evidence.Operations() {
		if strings.HasPrefix(operation.Name, "finance.") && !claimed[operation.Name] {
			t.Errorf("no claim is about %s", operation.Name)
		}
	}
}
