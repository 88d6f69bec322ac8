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

  # These keys belong to this configuration. Keys that the CRM or the billing team add to the same customer stay untouched.
  custom_metadata = {
    team   = "growth"
    limits = { seats = 25 }
  }

  # For the billing account that is opened together with the customer.
  payment_terms_days = 21

  # "prevent" would refuse to destroy this customer, "abandon" would only forget it here.
  deletion_policy = "delete"
}

# A person that is billed through somebody else's account.
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

# Everything that any system has noted on the customer.
output "all_metadata" {
  value = jsondecode(billing_customer.horizonte.effective_custom_metadata)
}
