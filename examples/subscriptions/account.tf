# Who is billed. The account below is the only one, so none is opened with the customer.
resource "billing_customer" "horizonte" {
  external_id            = "livraria-horizonte"
  name                   = "Comércio de Livros Horizonte Ltda."
  nickname               = "Livraria Horizonte"
  kind                   = "juridical"
  document_number        = "45.997.418/0001-53"
  email                  = "financeiro@horizonte.example"
  create_billing_account = false
}

# What invoices are made for. Destroying closes the account, which is final: invoices and balance stay at the
# service.
resource "billing_account" "horizonte" {
  external_id = "livraria-horizonte-geral"
  customer_id = billing_customer.horizonte.id

  billing_email      = "contas@horizonte.example"
  payment_terms_days = 21

  # Named here, a suspension made elsewhere is drift. Left out, the status would only be shown.
  status = "active"
}
