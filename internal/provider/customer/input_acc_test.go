package customer_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

type badInput struct{ argument, lines, says string }

// badInputs are arguments that the service need not see to reject: what is written, and what the error says. Terraform
// validates a configuration without its state, so the plan checks what the service may hold already.
var badInputs = map[string]badInput{
	"empty_name":        {"name", `name = ""`, "name is empty or has only spaces"},
	"blank_nickname":    {"nickname", `nickname = " "`, "remove the argument"},
	"empty_external_id": {"external_id", `external_id = ""`, "remove the argument"},
	"short_document": {"document_number", `document_number = "123"`,
		`"123" has 3 digits. A CPF has 11 digits, a CNPJ has 14`},
	"letters": {"document_number", `document_number = "529.982.247-2X"`,
		"has letters, as only a CNPJ has, but 11 characters instead of 14"},
	"kind": {"kind", `kind = "company"`, `kind value must be one of: ["natural" "juridical"], got: "company"`},
	"birthday": {"birthday", `birthday = "31/12/1990"`,
		`"31/12/1990" is not a date of the calendar. Write year, month and day`},
	"leap_day": {"birthday", `birthday = "2023-02-29"`, "is not a date of the calendar"},
	"email":    {"email", `email = "Ana <ana@example.com>"`, "is not an e-mail address. Write one address without a name"},
	// Terraform cannot point at an item of a list.
	"item":          {"", `emails = [{ value = "ana" }]`, `"ana" is not an e-mail address`},
	"phone":         {"phone", `phone = "abc"`, `"abc" is not a phone number: it has no digit`},
	"phones":        {"", `phones = [{ value = "abc" }]`, `"abc" is not a phone number`},
	"tag":           {"tags", `tags = [""]`, "remove the element"},
	"terms":         {"payment_terms_days", `payment_terms_days = -1`, "payment_terms_days value must be at least 0, got: -1"},
	"billing_email": {"billing_email", `billing_email = "x"`, `"x" is not an e-mail address`},
}

// invalid is what no customer can have, which the validation rejects already.
var invalid = map[string]badInput{
	"no_value": {"emails", `emails = [{ kind = "work" }]`, `attribute "value" is required`},
	"mode":     {"custom_metadata_mode", `custom_metadata_mode = "overwrite"`, `must be one of: ["merge" "replace"]`},
	"policy":   {"deletion_policy", `deletion_policy = "keep"`, `must be one of: ["delete" "abandon" "prevent"], got: "keep"`},
	"metadata": {"custom_metadata", `custom_metadata = "{}"`, "Remove jsonencode() and write the object itself"},
	"no_account": {"auto_collection", "create_billing_account = false\n  auto_collection = true",
		`auto_collection of customer "A" needs a billing account`},
	"outside": {"email", `email = "a@example.com"
  emails = [{ value = "b@example.com" }]`, `email of customer "A" is not one of its emails`},
	"outside_empty": {"phone", `phone = "1"
  phones = []`, "phones is configured without it"},
	"null_tag":     {"tags", `tags = ["a", null]`, "is null, and the service stores no nulls here"},
	"null_address": {"addresses", `addresses = [null]`, "addresses[0] is null"},
	"null_email":   {"emails", `emails = [null]`, "emails[0] is null"},
}

// TestAccCustomer_badInput: every mistake is reported at plan time, all together, each on its argument with what to
// write instead.
func TestAccCustomer_badInput(t *testing.T) {
	t.Parallel()
	for name, inputs := range map[string]map[string]badInput{"plan": badInputs, "validation": invalid} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses(t, inputs)
		})
	}
}

func refuses(t *testing.T, badInputs map[string]badInput) {
	t.Helper()
	var config strings.Builder
	for _, label := range slices.Sorted(maps.Keys(badInputs)) {
		name := "name = \"A\""
		if badInputs[label].argument == "name" {
			name = ""
		}
		fmt.Fprintf(&config, "resource \"billing_customer\" %q {\n  %s\n  %s\n}\n", label, name, badInputs[label].lines)
	}
	service := acctest.Start(t)
	told := map[string]string{}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		ErrorCheck: func(err error) error {
			told = diagnosticsOf(err)
			return nil
		},
		Steps: []resource.TestStep{{Config: service.Config(config.String()), PlanOnly: true}},
	})
	for label, bad := range badInputs {
		if have := told[label]; !strings.Contains(have, bad.says) || !strings.Contains(have, bad.argument) {
			t.Errorf("%s: the error on %s does not say %q: %q", label, bad.argument, bad.says, have)
		}
	}
	if len(told) != len(badInputs) {
		t.Errorf("%d customers are refused, want %d", len(told), len(badInputs))
	}
}

var inResource = regexp.MustCompile(`in resource "billing_customer" "(\w+)"`)

// diagnosticsOf takes the errors that Terraform printed apart, by the label of their customer.
func diagnosticsOf(err error) map[string]string {
	told := map[string]string{}
	for text := range strings.SplitSeq(err.Error(), "Error: ") {
		text = strings.Join(strings.Fields(text), " ")
		if match := inResource.FindStringSubmatch(text); match != nil {
			told[match[1]] += text
		}
	}
	return told
}

// TestAccCustomer_wrongCheckDigits: only a warning, because the service stores such numbers.
func TestAccCustomer_wrongCheckDigits(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := service.Config(withMetadata(`document_number = "529.982.247-26"`))
	runCustomer(t, resource.TestStep{Config: config}, emptyPlan(config))
}

// TestAccCustomer_refusedField: what the service blames is marked in the configuration.
func TestAccCustomer_refusedField(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("a refusal is made up")
	refuse := func() {
		service.Sandbox.AddFault(sandbox.Fault{Method: "POST", Times: 1, Status: 422,
			Body: `{"error":{"code":"validation_error","message":"Invalid.",` +
				`"details":{"fields":{"emails[0].value":["is on a blocklist"],"nickname":["is too long"],"colour":["is unknown"]}}}}`})
	}
	config := service.Config(withMetadata("nickname = \"N\"\nemails = [{ value = \"a@example.com\" }]"))
	refused := false
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		ErrorCheck: func(err error) error {
			refused = true
			return fieldsBlamed(err)
		},
		Steps: []resource.TestStep{{PreConfig: refuse, Config: config}},
	})
	if !refused {
		t.Error("the customer was created all the same")
	}
}

// fieldsBlamed checks that three errors are on the right lines.
func fieldsBlamed(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	for _, want := range []string{
		`nickname = "N" Invalid value for nickname: is too long (got "N").`,
		`emails = [{ value = "a@example.com" }] Invalid value for emails[0].value: is on a blocklist (got "a@example.com").`,
		`Invalid value for colour: is unknown.`,
		`code: validation_error`,
	} {
		if !strings.Contains(text, want) {
			return fmt.Errorf("the error does not say %q: %w", want, err)
		}
	}
	return nil
}

// TestAccCustomer_unknownMetadata: custom_metadata that is only known after apply is planned as such and settles in one
// apply.
func TestAccCustomer_unknownMetadata(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	other := outside{service, t, "m-1"}
	config := func(value string) string {
		return service.Config("resource \"terraform_data\" \"team\" { input = \"" + value + "\" }\n" +
			withMetadata(`custom_metadata = { team = terraform_data.team.output, fixed = 1 }`))
	}
	whole := service.Config("resource \"terraform_data\" \"all\" { input = { team = \"x\" } }\n" +
		withMetadata(`custom_metadata = terraform_data.all.output`))
	runCustomer(t,
		resource.TestStep{Config: config("a"), Check: other.metadata(`{"team":"a","fixed":1}`)},
		emptyPlan(config("a")),
		resource.TestStep{Config: config("b"), ConfigPlanChecks: updates(), Check: other.metadata(`{"team":"b","fixed":1}`)},
		resource.TestStep{Config: whole, ConfigPlanChecks: updates(), Check: other.metadata(`{"team":"x"}`)},
		emptyPlan(whole),
	)
}
