# Reads any collection; payables and receivables also have their own data sources.
data "billing_finance_records" "payables" {
  collection = "payables"
  filter = {
    company_id         = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    "occurred_at[gte]" = "2026-01-01"
  }
  limit = 50
}

output "payables" {
  value = [for record in data.billing_finance_records.payables.items : jsondecode(record.json)]
}
