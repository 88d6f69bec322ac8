resource "billing_customer" "horizonte" {
  external_id     = "erp-1001"
  name            = "Comércio de Livros Horizonte Ltda"
  nickname        = "Livraria Horizonte"
  document_number = "11.222.333/0001-81"
  kind            = "juridical"

  email = "financeiro@horizonte.example"
  phone = "+55 11 4000-1000"

  addresses = [{
    kind         = "billing"
    street       = "Rua Augusta"
    number       = "1500"
    complement   = "Sala 12"
    neighborhood = "Consolação"
    city         = "São Paulo"
    state        = "SP"
    postal_code  = "01304-001"
    country      = "BR"
  }]

  tags = ["books", "wholesale"]

  # This configuration owns these keys. Keys that the CRM or the billing team add to the customer stay unchanged.
  custom_metadata = {
    team   = "growth"
    limits = { seats = 25 }
  }

  # For the billing account that is created with the customer.
  payment_terms_days = 21

  # "prevent" blocks destroying this customer, "abandon" removes it from state only.
  deletion_policy = "delete"
}

# A person without a billing account, billed through another customer.
resource "billing_customer" "ana" {
  name                   = "Ana Souza"
  kind                   = "natural"
  document_number        = "529.982.247-25"
  birthday               = "1990-01-31"
  create_billing_account = false
}

output "billing_account_id" {
  value = billing_customer.horizonte.billing_account_id
}

# The keys of all systems.
output "all_metadata" {
  value = jsondecode(billing_customer.horizonte.effective_custom_metadata)
}
