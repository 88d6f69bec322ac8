package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// TestAccDecrypt: through Terraform, a file of the age library is decrypted; it needs no service.
func TestAccDecrypt(t *testing.T) {
	t.Parallel()
	pair, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	armored := armor.NewWriter(&file)
	w, err := age.Encrypt(armored, pair.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte("sk_1"))
	if w.Close() != nil || armored.Close() != nil {
		t.Fatal("the file is not complete")
	}
	run(t, resource.TestStep{
		Config: required + fmt.Sprintf("output \"text\" { value = provider::billing::age_decrypt(%q, %q) }", file.String(),
			pair.String()),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("text", knownvalue.StringExact("sk_1"))},
	})
}
