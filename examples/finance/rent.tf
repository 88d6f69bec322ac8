# What another system knows too: only the keys that are named here are compared with the service. Whatever others add,
# such as the number that the ERP gives it, stays.
resource "billing_finance_record" "rent" {
  collection = "payables"

  body = {
    name        = "Office rent, January 2026"
    company_id  = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    occurred_at = "2026-01-05"
    type        = "debit"
    amount      = provider::billing::format_cents(1500 * 100) # money is text with two decimals, and never a float
  }
}

# The key that the record is made with stands in the plan. A plan that is applied twice, or again after its answer was
# lost, makes one record.
output "rent_key" {
  value = billing_finance_record.rent.idempotency_key
}
