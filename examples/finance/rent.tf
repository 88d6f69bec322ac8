# A record that another system uses too: only the keys that are named here are compared with the service. Keys that
# the ERP adds, such as its own number, stay.
resource "billing_finance_record" "rent" {
  collection = "payables"

  body = {
    name        = "Office rent, January 2026"
    company_id  = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    occurred_at = "2026-01-05"
    type        = "debit"
    amount      = provider::billing::format_cents(1500 * 100) # an amount is a string with two decimals, never a float
  }
}

# The idempotency key is in the plan. Applying the plan twice, or again after a lost response, creates only one
# record.
output "rent_key" {
  value = billing_finance_record.rent.idempotency_key
}
