data "billing_finance_payables" "january" {
  filter = {
    company_id         = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    "occurred_at[gte]" = "2026-01-01"
    "occurred_at[lt]"  = "2026-02-01"
  }
}

# The exact sum, in cents; sum() does not accept an empty list.
output "to_pay" {
  value = provider::billing::format_cents(sum(concat([0], [
    for payable in data.billing_finance_payables.january.items :
    provider::billing::cents(try(jsondecode(payable.json).amount, "0.00"))
  ])))
}
