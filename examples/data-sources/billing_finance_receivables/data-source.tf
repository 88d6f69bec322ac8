data "billing_finance_receivables" "latest" {
  filter = {
    "occurred_at[gte]" = "2026-01-01"
  }
  limit = 10
}

output "receivables" {
  value = [for receivable in data.billing_finance_receivables.latest.items : jsondecode(receivable.json)]
}
