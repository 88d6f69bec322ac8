# An account of a customer that this configuration manages.
resource "billing_customer" "horizonte" {
  external_id            = "erp-1001"
  name                   = "Comércio de Livros Horizonte Ltda"
  document_number        = "11.222.333/0001-81"
  email                  = "financeiro@horizonte.example"
  create_billing_account = false
}

resource "billing_account" "horizonte" {
  external_id = "erp-1001-main"
  customer_id = billing_customer.horizonte.id

  billing_email      = "contas@horizonte.example"
  payment_terms_days = 21

  # If status is set, a suspension made elsewhere is drift. "suspended" suspends the account.
  status        = "active"
  status_reason = "managed by terraform"

  custom_metadata = {
    cost_center = "BR-100"
  }
}

# A second account of the same customer. To find a customer of another system, use data.billing_customer with an
# external_id or document_number.
resource "billing_account" "events" {
  external_id   = "erp-1001-events"
  customer_id   = billing_customer.horizonte.id
  billing_email = "eventos@horizonte.example"
}
