# The ten most recently changed customers of this year.
data "billing_customers" "recent" {
  updated_at_gte = "2026-01-01"
  sort_by        = "updated_at"
  sort_order     = "desc"
  limit          = 10
}

output "recent_names" {
  value = data.billing_customers.recent.customers[*].name
}
