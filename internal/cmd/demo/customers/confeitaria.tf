resource "billing_customer" "confeitaria" {
  external_id     = "crm-2044"
  name            = "Confeitaria Lua Nova"
  kind            = "juridical"
  document_number = "45997648000112"
  emails          = [{ kind = "billing", value = "contas@luanova.example" }]

  custom_metadata = {
    lead = {
      source = "fair"
      year   = 2025
    }
  }
}
