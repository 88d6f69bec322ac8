package life

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
)

// worded has every kind of text that a service may store otherwise than it was sent.
const worded = `-- main.tf --
resource "billing_customer" "c" {
  name        = " Ana  & \"Co\" \nCafé "
  external_id = "Ext-A"
  notes       = "line one\nline two\n"
  email       = "Ana.Maria@Example.com"
  phones      = [{ value = "+55 (11) 91234-5678" }]
  websites    = [{ value = "https://Example.com" }]
  addresses   = [{ street = "Rua  A ", number = "10", postal_code = "01310-100" }]
  tags        = ["Gold ", "b & c"]
  custom_metadata = {
    text = " A <b> "
    deep = { list = ["x ", { y = "Z " }], n = 1.5 }
  }
  create_billing_account = false
}
resource "billing_account" "a" {
  customer_id     = billing_customer.c.id
  external_id     = "Acc & 1"
  billing_email   = "Pay@Example.com"
  custom_metadata = { a = "é " }
}
resource "billing_subscription" "s" {
  billing_account_id = billing_account.a.id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  external_id        = "Sub 1"
  notes              = "Notes <1>\n"
  custom_metadata    = { A = "B " }
}
resource "billing_webhook_endpoint" "e" {
  url         = "https://Hooks.example.com"
  description = " Erp & co\n"
}
resource "billing_api_key" "k" {
  name        = "Deploy & run "
  description = "line one\n"
  scopes      = ["webhooks:*"]
}
resource "billing_finance_record" "r" {
  collection = "payables"
  body       = { description = "Rent & co ", amount = "10.50", tags = ["A ", "b"] }
}
`

// edits are changes of the resources after the creation.
var edits = []string{
	`'c.notes="Other & <text>\n"' 'a.billing_email="New@Example.com"' 's.notes="new & short "' 'e.description="One & two\n"'`,
	`'c.email="Second@Example.com"' 'c.tags=["Gold ","New & "]' 'r.body={description="Changed & ",amount="10.50"}'`,
	`'c.addresses=[{street="B "},{city=" São Paulo"}]' 'c.custom_metadata={text="New & more ",other="É"}'`,
}

// TestRewords: whatever a service makes of texts, every apply is followed by an empty plan, and no key is rotated. What
// the service cuts is shown.
func TestRewords(t *testing.T) {
	t.Parallel()
	combined := []string{"trim,collapse,escape,lower,crlf,url,phone,fill", "nfd,line-end"}
	for _, kind := range append(bend.Names(bend.Rewords), combined...) {
		if kind == "cut" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			lines := []string{"sandbox rewords=" + kind, "apply", "apply", "expect plan empty", "expect no writes"}
			for _, edit := range edits { // and the plan after each apply is empty
				lines = append(lines, "apply "+edit, "expect no warnings", "expect requests api_keys.* 1")
			}
			lines = append(lines, "edit customer {billing_customer.c.id} notes=elsewhere", "plan",
				"expect plan billing_customer.c=update", "apply", "expect requests customers.update 1")
			play(t, kind, strings.Join(lines, "\n")+"\n"+worded)
		})
	}
}
