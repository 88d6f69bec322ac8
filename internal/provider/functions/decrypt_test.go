package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestDecrypt_errors: an error is on the argument that is wrong. What decrypts, package encrypt tests.
func TestDecrypt_errors(t *testing.T) {
	t.Parallel()
	identity := acctest.NewIdentity(t).PrivateKey()
	for name, c := range map[string]struct {
		file     any
		identity string
		blamed   int64
		says     string
	}{
		"null":     {nil, identity, 0, "ciphertext is null"},
		"no file":  {"x", identity, 0, "not an age file"},
		"identity": {"x", "hunter2", 1, "not an age identity"},
	} {
		server, err := acctest.Factories["billing"]()
		if err != nil {
			t.Fatal(err)
		}
		arguments := make([]*tfprotov6.DynamicValue, 2)
		for i, value := range []any{c.file, c.identity} {
			encoded, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, value))
			if err != nil {
				t.Fatal(err)
			}
			arguments[i] = &encoded
		}
		response, err := server.CallFunction(t.Context(),
			&tfprotov6.CallFunctionRequest{Name: "age_decrypt", Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if e := response.Error; e == nil || !strings.Contains(e.Text, c.says) || e.FunctionArgument == nil ||
			*e.FunctionArgument != c.blamed || strings.Contains(e.Text, c.identity) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestAccDecrypt: through Terraform, a file of the age library is decrypted; it needs no service.
func TestAccDecrypt(t *testing.T) {
	t.Parallel()
	ana := acctest.NewIdentity(t)
	run(t, resource.TestStep{
		Config: required + fmt.Sprintf("output \"text\" { value = provider::billing::age_decrypt(%q, %q) }",
			ana.Encrypt("sk_1"), ana.PrivateKey()),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("text", knownvalue.StringExact("sk_1"))},
	})
}
