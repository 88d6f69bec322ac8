resource "billing_finance_record" "rent" {
  collection = "payables"

  # Only these keys are compared with the service; keys that it adds are not reported as drift.
  body = {
    name        = "Office rent, January 2026"
    company_id  = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    occurred_at = "2026-01-05"
    amount      = provider::billing::format_cents(1500 * 100)
  }
}

output "rent" {
  value = jsondecode(billing_finance_record.rent.response)
}
