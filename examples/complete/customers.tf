# A company with all of its fields. By default a billing account is created together with the customer;
# the arguments at the end are for that account and are used only when it is created.
resource "billing_customer" "headquarters" {
  # The id of this customer in your own system. It prevents a duplicate after an interrupted creation, and
  # the customer can be imported by it: external_id=aurora-matriz.
  external_id = "aurora-matriz"

  name            = "Padaria Aurora"
  legal_name      = "Padaria Aurora Comércio de Alimentos Ltda."
  kind            = "juridical"
  document_number = "11.222.333/0001-81" # with or without the mask
  notes           = "Entregas até as 7h."
  tags            = ["alimentos", "rede-aurora"]

  addresses = [
    {
      kind         = "billing"
      street       = "Avenida Paulista"
      number       = "1578"
      complement   = "Conjunto 42"
      neighborhood = "Bela Vista"
      city         = "São Paulo"
      state        = "SP"
      postal_code  = "01310-200"
      country      = "BR"
    },
    {
      kind         = "shipping"
      street       = "Rua dos Pinheiros"
      number       = "870"
      neighborhood = "Pinheiros"
      city         = "São Paulo"
      state        = "SP"
      postal_code  = "05422-001"
      country      = "BR"
    },
  ]

  # The order of these lists has no meaning: another order causes no diff.
  emails = [
    { kind = "billing", value = "financeiro@aurora.example" },
    { kind = "support", value = "loja@aurora.example" },
  ]
  phones   = [{ kind = "office", value = "+55 11 5550-0100" }]
  websites = [{ value = "https://aurora.example" }]

  # Your own data, with any nesting. This configuration owns the keys it names, at any depth. Keys that
  # another system adds, also to `contract`, stay unchanged and are not reported as drift.
  custom_metadata = {
    segment = "retail"
    contract = {
      number    = 2026001
      renews    = true
      discounts = [5, 7.5]
    }
  }

  # For the billing account that is created with the customer.
  billing_email      = "financeiro@aurora.example"
  payment_terms_days = 15
  auto_collection    = false

  # A customer with active subscriptions cannot be deleted. "prevent" makes every destroy an error,
  # "abandon" removes the customer from state only.
  deletion_policy = "delete"
}

# The short form: a main e-mail address, a phone number, and the defaults of the provider block.
resource "billing_customer" "branch" {
  external_id     = "aurora-campinas"
  name            = "Padaria Aurora Campinas"
  kind            = "juridical"
  document_number = "11222333000262"
  email           = "campinas@aurora.example"
  phone           = "+55 19 5550-0200"
  tags            = ["rede-aurora"]
}

# A person who is known but not billed: no billing account.
resource "billing_customer" "owner" {
  external_id            = "helena-martins"
  name                   = "Helena Martins"
  kind                   = "natural"
  document_number        = "529.982.247-25"
  birthday               = "1984-03-09"
  email                  = "helena@aurora.example"
  create_billing_account = false

  custom_metadata = {
    role = "owner"
    of   = billing_customer.headquarters.id
  }
}
