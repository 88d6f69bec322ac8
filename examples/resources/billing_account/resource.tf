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

  customer = {
    id = billing_customer.horizonte.id
  }

  billing_email      = "contas@horizonte.example"
  payment_terms_days = 21

  # With status, a suspension made elsewhere is drift. Set it to "suspended" to suspend.
  status        = "active"
  status_reason = "managed by terraform"

  custom_metadata = {
    cost_center = "BR-100"
  }
}

# An account of a new customer, created together with it.
resource "billing_account" "aurora" {
  customer = {
    name            = "Padaria Aurora Ltda"
    document_number = "45.997.418/0001-53"
    kind            = "company"
    email           = "financeiro@aurora.example"
  }
}
